/** Three serve, three work, one database: killed and started again at random, nothing lost or doubled. */
import { equal } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { RefundFault } from '../rig/processor-types.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { rest } from '../rig/until.ts';
import { takenOver } from './proven.ts';
import { recovery } from './recovery.ts';
import { harmless } from './signatures.ts';
import { replaceAll, upgrade } from './upgrade.ts';

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
  await takenOver(scene, disputes);
  for (const dispute of disputes) await scene.refundedOnce(dispute, 180_000);
  const rows = await rig.sql('select 1 from inbox_id where event_id = any($1)', [confirmed]);
  equal(rows.length, confirmed.length, 'no 2xx was lost');
  return `seed ${SEED}: ${count} kills, ${disputes.length} alerts each refunded and declared once, ${confirmed.length} of 60 deliveries confirmed and stored`;
}

/** One after the other is stopped cleanly and started again, while alerts come in. */
async function rolling(scene: Scene): Promise<string> {
  const disputes = await replaceAll(scene);
  for (const dispute of disputes) await scene.refundedOnce(dispute, 120_000);
  return `6 processes replaced, each ended with status 0; ${disputes.length} alerts each answered once`;
}

export const REPLICA_CASES: readonly FaultCase[] = [
  { id: 'F38', place: 'replicas', run: kills },
  { id: 'G8', place: 'replicas', run: recovery },
  { id: 'R1', place: 'replicas', run: rolling },
  { id: 'R2', place: 'replicas', run: upgrade },
];
