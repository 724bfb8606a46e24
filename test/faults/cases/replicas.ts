/** Three serve, three work, one database: killed and started again at random, nothing lost or doubled. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Child } from '../rig/child.ts';
import type { RefundFault } from '../rig/processor-types.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { rest, until } from '../rig/until.ts';
import { harmless } from './signatures.ts';

/** The kills and faults follow from this number, and from the machine's speed. */
const SEED = 20_261_121;

/** A small generator of our own (mulberry32): a seed gives the same choices everywhere. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const FAULTS: readonly (RefundFault | undefined)[] = [
  undefined,
  undefined,
  'reset_after',
  'truncated_after',
  'error_after',
];

async function kills(scene: Scene): Promise<string> {
  const { rig } = scene;
  const random = seeded(SEED);
  const disputes: Dispute[] = [];
  const confirmed: string[] = [];
  let count = 0;
  const roles = ['serve', 'work', 'work', 'serve'] as const;
  for (let round = 0; round < 12; round++) {
    const making = Array.from({ length: 3 }, () => {
      const fault = FAULTS[random(FAULTS.length)];
      return scene.dispute({}, fault === undefined ? {} : { faults: [fault] });
    });
    const role = roles[random(roles.length)] ?? 'work';
    const victims = rig.running(role);
    const victim = victims[random(victims.length)];
    await rest(random(400));
    victim?.signal('SIGKILL');
    disputes.push(...(await Promise.all(making)));
    for (let posts = 0; posts < 5; posts++) {
      const body = harmless();
      const answer = await scene
        .post(body, { port: rig.proxies.sandboxToServe.port })
        .catch(() => undefined);
      if (answer?.status === 200) confirmed.push(String(JSON.parse(body).id));
    }
    await victim?.ended;
    count += 1;
    await rig.start(role);
  }
  for (const dispute of disputes) await scene.refundedOnce(dispute, 180_000);
  const rows = await rig.sql('select 1 from inbox_id where event_id = any($1)', [confirmed]);
  equal(rows.length, confirmed.length, 'no 2xx was lost');
  return `seed ${SEED}: ${count} kills, ${disputes.length} alerts each refunded and declared once, ${confirmed.length} of 60 deliveries confirmed and stored`;
}

/** Who holds the refund of an alert. The lease names host, process and a random word. */
async function holder(scene: Scene, alertId: string): Promise<Child | undefined> {
  const rows = await scene.rig.sql(
    `select coalesce(c.lease_owner, r.lease_owner) as owner from alert_case c
       left join refund r on r.id = c.refund_id where c.alert_id = $1`,
    [alertId],
  );
  const pid = Number(String(rows[0]?.['owner'] ?? '').split(':')[1]);
  return scene.rig.running('work').find((child) => child.pid === pid);
}

async function refundVersion(scene: Scene, alertId: string): Promise<number> {
  const rows = await scene.rig.sql('select version from refund where alert_id = $1', [alertId]);
  return Number(rows[0]?.['version']);
}

/** Waits until another worker has taken the next step of each; returns how long each took. */
async function untilTaken(scene: Scene, held: readonly Dispute[]): Promise<number[]> {
  const killedMs = performance.now();
  const before = await Promise.all(held.map(({ alertId }) => refundVersion(scene, alertId)));
  return await Promise.all(
    held.map(async ({ alertId }, index) => {
      await until(
        `another worker has taken the next step of ${alertId}`,
        async () => (await refundVersion(scene, alertId)) > Number(before[index]),
        120_000,
      );
      return performance.now() - killedMs;
    }),
  );
}

/** From kill -9 of a worker that is sending to the next step of another one. */
async function recovery(scene: Scene): Promise<string> {
  const { rig } = scene;
  const took: number[] = [];
  for (let round = 0; round < 4; round++) {
    const make = (): Promise<Dispute> => scene.dispute({}, { faults: ['hang_after'] });
    const disputes = await Promise.all([make(), make(), make()]);
    const owners = await until('workers hold all of them and have sent', async () => {
      const found = await Promise.all(
        disputes.map(async ({ charge, alertId }) => {
          const sent = await rig.processor.callsFor(charge.reference);
          return sent === 1 ? await holder(scene, alertId) : undefined;
        }),
      );
      return found.every((worker) => worker !== undefined) && found;
    });
    const [victim] = owners;
    ok(victim !== undefined);
    await victim.end('SIGKILL');
    const held = disputes.filter((_, index) => owners[index] === victim);
    took.push(...(await untilTaken(scene, held)));
    await rig.start('work');
    for (const dispute of disputes) {
      await scene.refundedOnce(dispute, 120_000);
      equal(await rig.processor.callsFor(dispute.charge.reference), 1);
    }
  }
  took.sort((a, b) => a - b);
  const p95 = took[Math.min(took.length - 1, Math.floor(took.length * 0.95))] ?? 0;
  ok(p95 < 90_000, `p95 ${p95} ms`);
  return `from kill -9 to the next step: median ${((took[Math.floor(took.length / 2)] ?? 0) / 1000).toFixed(0)} s, p95 ${(p95 / 1000).toFixed(0)} s of ${took.length} held refunds, default lease`;
}

/** One after the other is stopped cleanly and started anew, while alerts come in. */
async function rolling(scene: Scene): Promise<string> {
  const { rig } = scene;
  const disputes: Dispute[] = [];
  for (const role of ['serve', 'work'] as const) {
    for (const child of [...rig.running(role)]) {
      disputes.push(...(await Promise.all([scene.dispute(), scene.dispute()])));
      await rig.start(role);
      deepEqual(await child.end('SIGTERM'), { code: 0, signal: null });
      disputes.push(await scene.dispute());
    }
  }
  for (const dispute of disputes) await scene.refundedOnce(dispute, 120_000);
  return `6 processes replaced, each ended with status 0; ${disputes.length} alerts each answered once`;
}

export const REPLICA_CASES: readonly FaultCase[] = [
  { id: 'F38', place: 'replicas', run: kills },
  { id: 'G8', place: 'replicas', run: recovery },
  { id: 'R1', place: 'replicas', run: rolling },
];
