/** F39, F42, F44: a worker that sleeps beyond its lease, jobs that vanish, listeners that are stopped. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { rest, until } from '../rig/until.ts';
import { storedOf } from './database.ts';
import { harmless } from './signatures.ts';

async function wokenWorker(scene: Scene): Promise<string> {
  const { rig } = scene;
  const [first] = rig.running('work');
  ok(first !== undefined);
  const dispute = await scene.dispute({}, { faults: ['hang_after'] });
  await until(
    'the money has moved',
    async () => (await rig.processor.ours(dispute.charge.reference)).length === 1,
  );
  process.kill(first.pid, 'SIGSTOP');
  const startedMs = performance.now();
  try {
    await rig.start('work');
    await scene.refundedOnce(dispute, 150_000);
  } finally {
    process.kill(first.pid, 'SIGCONT');
  }
  const tookMs = performance.now() - startedMs;
  await rest(3_000);
  await scene.refundedOnce(dispute);
  equal(await rig.processor.callsFor(dispute.charge.reference), 1, 'the woken worker sent nothing');
  await first.end('SIGTERM');
  return `the second worker finished ${(tookMs / 1000).toFixed(0)} s after the first was stopped`;
}

async function jobsDeleted(scene: Scene): Promise<void> {
  const { rig } = scene;
  const dispute = await scene.dispute({}, { faults: ['hang_after'] });
  await until(
    'it is under way',
    async () => (await rig.processor.callsFor(dispute.charge.reference)) === 1,
  );
  await rig.sql('delete from forestall_jobs.job');
  await scene.refundedOnce(dispute, 90_000);
  await rig.sql('delete from forestall_jobs.job');
  await scene.refundedOnce(await scene.dispute(), 90_000);
}

async function sigterm(scene: Scene): Promise<string> {
  const { rig } = scene;
  const confirmed: string[] = [];
  let counted = 0;
  let sending = true;
  const sender = async (): Promise<void> => {
    while (sending) {
      const body = harmless();
      counted += 1;
      try {
        const { status } = await scene.post(body, { port: rig.proxies.sandboxToServe.port });
        if (status === 200) confirmed.push(body);
      } catch {
        // Cut off or nobody listens: the sender would try again.
        await rest(50);
      }
    }
  };
  const senders = [sender(), sender(), sender(), sender()];
  let slowest = 0;
  try {
    for (let round = 0; round < 20; round++) {
      const [serve] = rig.running('serve');
      ok(serve !== undefined);
      await rig.start('serve');
      const startedMs = performance.now();
      deepEqual(await serve.end('SIGTERM'), { code: 0, signal: null });
      slowest = Math.max(slowest, performance.now() - startedMs);
    }
  } finally {
    sending = false;
    await Promise.all(senders);
  }
  ok(slowest <= 30_000, `the slowest end took ${slowest} ms`);
  ok(confirmed.length > counted / 2, `only ${confirmed.length} of ${counted} were answered 2xx`);
  equal(await storedOf(scene, confirmed), confirmed.length, 'no 2xx was lost');
  return `20 ends with status 0, the slowest after ${(slowest / 1000).toFixed(1)} s; ${confirmed.length} of ${counted} deliveries answered 2xx, all stored`;
}

export const WORKER_CASES: readonly FaultCase[] = [
  { id: 'F39', place: 'workers', run: wokenWorker },
  { id: 'F42', place: 'workers', run: jobsDeleted },
  { id: 'F44', place: 'alone', run: sigterm },
];
