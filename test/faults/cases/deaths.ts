/** F37, F45, V16.5: processes that die at named points, of their memory, and of a failure nobody caught. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { CrashPoint } from '../../../src/base/kernel/crash-point.ts';
import type { FaultCase } from '../case.ts';
import { limitMemory } from '../rig/memory-limit.ts';
import { forestall } from '../rig/rig.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { takenOver } from './proven.ts';
import { harmless, isStored } from './signatures.ts';

const CRASH_AT = new URL('../rig/crash-at.ts', import.meta.url).href;
const BALLAST = new URL('../rig/ballast.ts', import.meta.url).href;

/** The points that a worker passes on the way from the decision to the answer of a refund. */
const POINTS: readonly CrashPoint[] = [
  'decision.made',
  'refund.examined',
  'refund.marked_sent',
  'refund.cleared',
  'refund.answered',
  'refund.understood',
  'refund.settled',
  'declaration.marked_sent',
  'declaration.answered',
  'declaration.understood',
  'declaration.finished',
];

/** Alerts come until every worker has died: the last to live does every step itself, and meets its point. */
const DISPUTES_MAX = 120;
const DISPUTES_AT_ONCE = 4;
const DISPUTES_EVERY_MS = 2_000;

async function namedPoints(scene: Scene): Promise<string> {
  const { rig } = scene;
  await Promise.all(rig.running('work').map((child) => child.end('SIGTERM')));
  const workers = POINTS.map((point) =>
    forestall(rig.folder, {
      name: `dies-at-${point}-${digits(4)}`,
      args: ['work'],
      env: { ...rig.environment('work'), CRASH_AT: point },
      node: ['--import', CRASH_AT],
    }),
  );
  const disputes: Dispute[] = [];
  let nextMs = 0;
  await until(
    'every worker has died at its point',
    async () => {
      if (disputes.length < DISPUTES_MAX && performance.now() >= nextMs) {
        nextMs = performance.now() + DISPUTES_EVERY_MS;
        const more = Array.from({ length: DISPUTES_AT_ONCE }, () => scene.dispute());
        disputes.push(...(await Promise.all(more)));
      }
      return workers.every((child) => !child.isRunning());
    },
    300_000,
  );
  for (const worker of workers) deepEqual(await worker.ended, { code: null, signal: 'SIGKILL' });
  await rig.start('work');
  const first = await killedListener(scene, 'delivery.read');
  const second = await killedListener(scene, 'delivery.stored');
  deepEqual([first, second], [false, true], 'what was committed before the end is known again');
  await takenOver(scene, disputes);
  for (const dispute of disputes) await scene.refundedOnce(dispute, 180_000);
  return `${POINTS.length} workers and 2 listeners killed, one at each point; ${disputes.length} alerts each refunded and declared once`;
}

/** A listener that dies at the point: no 2xx. Returns whether the repeat was known already. */
async function killedListener(scene: Scene, point: CrashPoint): Promise<boolean> {
  const how = { node: ['--import', CRASH_AT] };
  const serve = await scene.rig.startAside('serve', { CRASH_AT: point }, how);
  const body = harmless();
  const answer = await scene.post(body, { port: scene.rig.portOf(serve) }).catch(() => undefined);
  equal(answer, undefined, 'the connection ends without an answer');
  deepEqual(await serve.ended, { code: null, signal: 'SIGKILL' });
  const again = await scene.post(body);
  equal(again.status, 200);
  ok(await isStored(scene, body), 'the repeat is stored');
  return JSON.parse(again.body).duplicate === true;
}

const LIMIT_MB = 512;

/** The only worker runs out of memory while it sends a batch. */
async function outOfMemory(scene: Scene): Promise<string> {
  const { rig } = scene;
  await Promise.all(rig.running('work').map((child) => child.end('SIGTERM')));
  const limit = limitMemory(LIMIT_MB);
  const how = { ...limit.how, node: [...(limit.how.node ?? []), '--import', BALLAST] };
  const worker = await rig.startAside('work', {}, how);
  const make = (): Promise<Dispute> => scene.dispute({}, { faults: ['hang_after'] });
  const disputes = await Promise.all(Array.from({ length: 8 }, make));
  await until('a batch is under way', async () => {
    const { calls } = await rig.processor.books();
    return (
      disputes.filter(({ charge }) => calls.some((one) => one.charge === charge.reference))
        .length >= 4
    );
  });
  worker.signal('SIGUSR2');
  const ending = await worker.ended;
  limit.remove();
  deepEqual(ending, { code: null, signal: limit.signal }, worker.text().slice(-500));
  await rig.start('work');
  await takenOver(scene, disputes);
  for (const dispute of disputes) {
    await scene.refundedOnce(dispute, 180_000);
    equal(await rig.processor.callsFor(dispute.charge.reference), 1, 'one call sufficed');
  }
  return `${LIMIT_MB} MB, ended by ${limit.by}; 8 refunds under way each refunded and declared once`;
}

const THROWS =
  'data:text/javascript,process.on("SIGUSR2",()=>{setTimeout(()=>{throw new Error("planted \\u001b[31m failure")},0)})';

/** What nobody caught is one log line, and status 1 for the supervisor. */
async function lastResort(scene: Scene): Promise<void> {
  const { rig } = scene;
  const child = forestall(rig.folder, {
    name: `uncaught-${digits(6)}`,
    args: ['serve'],
    env: rig.environment('serve'),
    node: ['--import', THROWS],
  });
  await child.printed(/"msg":"listening"/);
  child.signal('SIGUSR2');
  deepEqual(await child.ended, { code: 1, signal: null });
  match(child.text(), /"level":"?(60|fatal)"?.*"msg":"uncaughtException"/);
  match(child.text(), /Forestall ends after an unexpected failure/);
}

export const DEATH_CASES: readonly FaultCase[] = [
  { id: 'F37', place: 'workers', run: namedPoints },
  { id: 'F45', place: 'workers', run: outOfMemory },
  { id: 'V16.5.4', place: 'shared', run: lastResort },
];
