/**
 * Guarantee: a look at a case that waits for its movement costs two statements beside its claim, and no lock of the
 * charge, where the processor shows everything as it was; whatever has changed is seen by it, and a ledger that
 * changed while the processor was asked voids it (L9).
 */
import { beforeEach, expect, it } from 'vitest';
import { createRefundingStep } from '../../../src/alerts/refund/refund-steps.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { countStatements } from '../../support/count-statements.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();
const ALERT = 'netalrt_waits';
const ACCOUNT = { charge_reference: 'ch_1' };

let world: SagaWorld;
let worker: Worker;
let statements: () => number;

/** The refund is accepted and not settled; ten minutes later the case looks again. */
beforeEach(async () => {
  const counted = countStatements(database.db);
  statements = counted.statements;
  world = createSagaWorld(counted.db);
  worker = world.worker('w1');
  world.processor.faults.push('pending');
  await world.open({ alertId: ALERT });
  await world.settle([worker]);
  expect(await world.state(ALERT)).toBe('REFUNDING');
  world.clock.advanceMs(10 * MINUTE_MS);
});

/** One look. Answers what it cost. */
async function look(): Promise<number> {
  const claim = await world.caseOf(ALERT);
  const before = statements();
  await createRefundingStep(worker.deps)(claim, AbortSignal.timeout(60_000));
  return statements() - before;
}

const accountOf = () =>
  database.db
    .selectFrom('charge_account')
    .selectAll()
    .where('organisation_id', '=', world.organisationId)
    .where('charge_reference', '=', ACCOUNT.charge_reference)
    .executeTakeFirstOrThrow();

it('finds everything as it was: the reading is noted, and the next look is planned', async () => {
  const before = { case: await world.caseOf(ALERT), account: await accountOf() };
  expect(await look()).toBe(2);
  const now = nowDate(world.clock);
  expect(await world.caseOf(ALERT)).toEqual({
    ...before.case,
    version: before.case.version + 1,
    next_action_at: new Date(now.getTime() + 10 * MINUTE_MS),
    changed_at: now,
  });
  expect(await accountOf()).toEqual({
    ...before.account,
    version: before.account.version + 1,
    read_at: now,
  });
});

it('looks every 30 s in the last hour', async () => {
  const { deadline_at } = await world.caseOf(ALERT);
  world.clock.setMs(deadline_at.getTime() - HOUR_MS / 2);
  expect(await look()).toBe(2);
  expect((await world.caseOf(ALERT)).next_action_at).toEqual(
    new Date(world.clock.nowMs() + 30_000),
  );
});

it('sees that it has settled, and declares', async () => {
  for (const entry of world.processor.ledger) entry.status = 'succeeded';
  await look();
  expect(await world.state(ALERT)).toBe('DECLARE_REFUND');
});

it('declares once the processor says that what is pending counts', async () => {
  world.processor.caps = { ...world.processor.caps, pendingCounts: true };
  await look();
  expect(await world.state(ALERT)).toBe('DECLARE_REFUND');
});

it('sees that it has failed', async () => {
  for (const entry of world.processor.ledger) entry.status = 'failed';
  await look();
  expect(await world.state(ALERT)).toBe('HUMAN');
});

it('sees what was opened at the processor meanwhile', async () => {
  world.processor.charge('ch_1').disputed = true;
  await look();
  expect((await accountOf()).disputed).toBe(true);
  expect(await look()).toBe(2);
});

it.each([
  ['PENDING', 'REFUNDING'],
  ['CONFIRMED', 'DECLARE_REFUND'],
])(
  'is void where the ledger changes while the processor is asked: the movement is %s, read again',
  async (state, becomes) => {
    const { readCharge } = world.processor;
    let reads = 0;
    const scope = { organisation_id: world.organisationId, ...ACCOUNT };
    world.processor.readCharge = async (reference, signal) => {
      const answer = await readCharge(reference, signal);
      reads += 1;
      const changes = await database.db
        .updateTable('movement')
        .set({ state: state as 'PENDING', confirmed_at: nowDate(world.clock) })
        .where((eb) => eb.and(scope))
        .executeTakeFirst();
      expect(changes.numUpdatedRows).toBe(1n);
      await database.db
        .updateTable('charge_account')
        .set({ version: 100 })
        .where((eb) => eb.and(scope))
        .execute();
      return answer;
    };
    await look();
    expect([await world.state(ALERT), reads]).toEqual([becomes, 2]);
  },
);

it('with network money that waits for its charge is a whole one', async () => {
  await database.db
    .insertInto('movement')
    .values({
      organisation_id: world.organisationId,
      id: 'mv_network',
      kind: 'network',
      state: 'CONFIRMED',
      alert_id: 'netbrdr_1',
      observed_from: 'netbrdr_1',
      amount_minor: 5000,
      currency: 'EUR',
      next_action_at: new Date('2027-01-01'),
      created_at: nowDate(world.clock),
      changed_at: nowDate(world.clock),
    })
    .execute();
  expect(await look()).toBeGreaterThan(2);
  expect(await world.state(ALERT)).toBe('REFUNDING');
});
