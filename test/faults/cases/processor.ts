/** F46–F57: the processor hangs, lies, lags and refuses. The ledger says what happened. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { RefundFault } from '../rig/processor-types.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { PROVEN_MS } from './proven.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function refundState(scene: Scene, alertId: string): Promise<unknown> {
  const [row] = await scene.rig.sql(
    'select state from movement where alert_id = $1 and idempotency_key is not null',
    [alertId],
  );
  return row?.['state'];
}

async function refundBecomes(scene: Scene, alertId: string, states: string[]): Promise<void> {
  await until(`the refund of ${alertId} is ${states.join(' or ')}`, async () =>
    states.includes(String(await refundState(scene, alertId))),
  );
}

/** Executed, the answer lost in some way: found by a look-up, refunded once, one call. */
function foundByLookUp(...faults: RefundFault[]) {
  return async (scene: Scene): Promise<void> => {
    const one = async (fault: RefundFault): Promise<void> => {
      const dispute = await scene.dispute({}, { faults: [fault] });
      await scene.refundedOnce(dispute);
      equal(await scene.rig.processor.callsFor(dispute.charge.reference), 1, 'one call sufficed');
    };
    await Promise.all(faults.map(one));
  };
}

/** Not executed: unknown, proven absent, sent again under the same key, refunded once. */
function sentAgain(fault: RefundFault) {
  return async (scene: Scene): Promise<void> => {
    const dispute = await scene.dispute({}, { faults: [fault] });
    await refundBecomes(scene, dispute.alertId, ['UNKNOWN']);
    await scene.time.pass(PROVEN_MS);
    await scene.refundedOnce(dispute);
    const { calls } = await scene.rig.processor.books();
    const keys = calls.filter(({ charge }) => charge === dispute.charge.reference);
    equal(keys.length, 2, 'two calls');
    equal(new Set(keys.map(({ key }) => key)).size, 1, 'under one key');
  };
}

async function hangs(scene: Scene): Promise<string> {
  const dispute = await scene.dispute({}, { faults: ['hang'] });
  await until(
    'the call arrived',
    async () => (await scene.rig.processor.callsFor(dispute.charge.reference)) === 1,
  );
  const startedMs = performance.now();
  await refundBecomes(scene, dispute.alertId, ['UNKNOWN']);
  const tookMs = performance.now() - startedMs;
  ok(tookMs < 15_000, `unknown after ${tookMs} ms`);
  await scene.time.pass(PROVEN_MS);
  await scene.refundedOnce(dispute);
  return `unknown after ${(tookMs / 1000).toFixed(1)} s`;
}

async function lags(scene: Scene): Promise<void> {
  const dispute = await scene.dispute({}, { faults: ['reset_after'], lagMs: 10 * MINUTE_MS });
  await refundBecomes(scene, dispute.alertId, ['UNKNOWN']);
  // Real time passes, too, on a slow machine for minutes. The edge itself: refund/recovery.test.ts.
  await scene.time.pass(6 * MINUTE_MS);
  await refundBecomes(scene, dispute.alertId, ['UNKNOWN']);
  equal(await scene.rig.processor.callsFor(dispute.charge.reference), 1, 'no second send');
  await scene.time.pass(60 * MINUTE_MS);
  await scene.refundedOnce(dispute);
  equal(await scene.rig.processor.callsFor(dispute.charge.reference), 1, 'no second send');
}

async function blind(scene: Scene): Promise<void> {
  const { processor } = scene.rig;
  const dispute = await scene.dispute({}, { faults: ['reset_after'] });
  await refundBecomes(scene, dispute.alertId, ['UNKNOWN', 'CONFIRMED']).catch(() => undefined);
  // From here on nothing can be read about the charge.
  await processor.setCharge(dispute.charge, { readsDown: true });
  await scene.time.pass(12 * HOUR_MS);
  equal(await processor.callsFor(dispute.charge.reference), 1);
  await scene.time.pass(11 * HOUR_MS + 59 * MINUTE_MS);
  await refundBecomes(scene, dispute.alertId, ['HUMAN', 'CONFIRMED']);
  await scene.time.pass(6 * HOUR_MS);
  equal(await processor.callsFor(dispute.charge.reference), 1, 'no second send');
  equal((await processor.ours(dispute.charge.reference)).length, 1);
}

async function keyQuarrel(scene: Scene): Promise<void> {
  await Promise.all([sentAgain('key_in_use')(scene), sentAgain('key_reused')(scene)]);
}

async function pending(scene: Scene): Promise<void> {
  const { processor } = scene.rig;
  const make = (): Promise<Dispute> => scene.dispute({}, { faults: ['pending'] });
  const [good, bad, never] = await Promise.all([make(), make(), make()]);
  for (const { alertId } of [good, bad, never]) {
    await refundBecomes(scene, alertId, ['PENDING']);
    equal((await scene.rig.sandbox.patches(alertId)).length, 0, 'nothing is declared yet');
  }
  await processor.settle(good.charge.reference, 'succeeded');
  await processor.settle(bad.charge.reference, 'failed');
  await scene.time.pass(65 * MINUTE_MS);
  await scene.refundedOnce(good);
  // It came to nothing, so it is tried again, under a new key, and settles.
  await scene.refundedOnce(bad);
  await scene.time.pass(25 * HOUR_MS);
  const told = await until('an alarm before the deadline', async () => {
    const messages = await scene.messages(never.alertId);
    return messages.length > 0 && messages;
  });
  match(told.join('\n'), /deadline_near/);
  equal((await scene.rig.sandbox.patches(never.alertId)).length, 0, 'pending does not count');
}

async function reversed(scene: Scene): Promise<void> {
  const dispute = await scene.dispute();
  await scene.refundedOnce(dispute);
  await scene.rig.processor.settle(dispute.charge.reference, 'failed');
  await scene.time.pass(48 * HOUR_MS);
  await refundBecomes(scene, dispute.alertId, ['REVERSED']);
  const told = await scene.messages(dispute.alertId);
  match(told.join('\n'), /refund_reversed/);
}

/** Refused for good: a person and the policy's fallback, and no second request. */
async function refusedForGood(scene: Scene): Promise<void> {
  const make = (fault: RefundFault): Promise<Dispute> =>
    scene.dispute({}, { faults: [fault, fault, fault] });
  const disputes = await Promise.all([make('window_over'), make('dispute_open')]);
  const isHeld = async (): Promise<void> => {
    for (const dispute of disputes) {
      await scene.heldFor(dispute, 'refund_rejected');
      equal(await scene.rig.processor.callsFor(dispute.charge.reference), 1, 'no loop');
    }
  };
  await isHeld();
  await triedAgain(scene);
  await isHeld();
}

/** Refused for now: a person is notified at once, and it is tried again under new keys until it passes. */
async function triedAgain(scene: Scene): Promise<void> {
  const { processor } = scene.rig;
  const dispute = await scene.dispute({}, { faults: ['no_balance', 'no_balance'] });
  const { charge, alertId } = dispute;
  await scene.heldFor(dispute, 'refund_refused');
  match((await scene.messages(alertId)).join('\n'), /case_held/);
  for (const calls of [2, 3]) {
    await scene.time.pass(10 * MINUTE_MS);
    // Time that another case lets pass may have brought the next try already.
    await until(`it is tried ${calls} times`, async () => {
      return (await processor.callsFor(charge.reference)) >= calls;
    });
  }
  await scene.refundedOnce(dispute);
  const { calls } = await processor.books();
  const keys = calls.filter((each) => each.charge === charge.reference).map(({ key }) => key);
  equal(new Set(keys).size, 3, 'a refused key is never used again');
}

async function lateExecution(scene: Scene): Promise<void> {
  const dispute = await scene.dispute({}, { faults: ['late'], lateMs: 4_000 });
  await scene.refundedOnce(dispute, 120_000);
  equal(await scene.rig.processor.callsFor(dispute.charge.reference), 1, 'one call sufficed');
}

async function support(scene: Scene): Promise<void> {
  const { processor } = scene.rig;
  const before = await scene.charge();
  await processor.support(before.reference, before.amount_in_cents);
  const full = { charge: before, alertId: await scene.alertAbout(before) };
  await scene.reaches(full.alertId, 'DECLARED_REFUND');
  equal(await processor.callsFor(before.reference), 0, 'support refunded it: no call');
  deepEqual(
    (await scene.effective(full.alertId)).map(({ action }) => action),
    ['REFUND'],
  );

  const half = await scene.charge();
  await processor.support(half.reference, 2_000);
  await scene.heldFor({ charge: half, alertId: await scene.alertAbout(half) });

  const after = await scene.dispute();
  await scene.refundedOnce(after);
  const { ledger } = await processor.books();
  for (const charge of [before, half, after.charge]) {
    const sum = ledger
      .filter((entry) => entry.charge === charge.reference)
      .reduce((total, { amountMinor }) => total + amountMinor, 0);
    ok(sum <= charge.amount_in_cents, `${sum} of ${charge.amount_in_cents} went back`);
  }
}

async function disputedAlready(scene: Scene): Promise<void> {
  await scene.heldFor(await scene.dispute({ disputed: true }), 'disputed');
}

async function each(scene: Scene, ...runs: ((scene: Scene) => Promise<void>)[]): Promise<void> {
  await Promise.all(runs.map((run) => run(scene)));
}

export const PROCESSOR_CASES: readonly FaultCase[] = [
  { id: 'F46', place: 'hours', run: hangs },
  { id: 'F47', place: 'shared', quick: true, run: foundByLookUp('reset_after') },
  {
    id: 'F48',
    place: 'hours',
    run: (scene) => each(scene, foundByLookUp('error_after'), sentAgain('error')),
  },
  {
    id: 'F49',
    place: 'shared',
    run: foundByLookUp('truncated_after', 'html_after'),
  },
  { id: 'F50', place: 'hours', run: lags },
  { id: 'F51', place: 'hours', run: blind },
  { id: 'F52', place: 'hours', run: keyQuarrel },
  { id: 'F53', place: 'hours', run: pending },
  { id: 'F54', place: 'hours', run: reversed },
  {
    id: 'F55',
    place: 'hours',
    run: (scene) => each(scene, refusedForGood, disputedAlready),
  },
  { id: 'F56', place: 'shared', run: lateExecution },
  { id: 'F57', place: 'shared', run: support },
  { id: 'F71', place: 'hours', run: sentAgain('reset') },
];
