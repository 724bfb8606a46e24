/**
 * Guarantee: a look at a held case that finds everything as it was costs two statements beside its claim, and one
 * read of the processor; whatever has changed is seen by it, as by a whole look.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postponeCase } from '../../../src/alerts/cases/case-plan.store.ts';
import type { CaseStep } from '../../../src/alerts/cases/case-runner.ts';
import { createDecideSteps } from '../../../src/alerts/decide/decide.job.ts';
import type { DecideDeps } from '../../../src/alerts/decide/decide-deps.ts';
import { createHeldStep } from '../../../src/alerts/decide/held.job.ts';
import type { Policy } from '../../../src/alerts/decide/policy.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { ProcessorRefund } from '../../../src/service/wire/processor.ts';
import { countStatements } from '../../support/count-statements.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import type { World } from '../match/world.ts';
import { createWorld, ORG } from '../match/world.ts';

/** People look at everything, whatever its money does; and, for the rest, nobody wants people. */
const REVIEW = loadPolicy(
  'rules: []\notherwise: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 30m before deadline}}\n',
  { file: 'review.yaml' },
);

let database: TestDatabase;
let world: World;
let policy: Policy;
let statements: () => number;

beforeAll(async () => {
  database = await createTestDatabase();
  const counted = countStatements(database.db);
  statements = counted.statements;
  world = createWorld({ ...database, db: counted.db });
});
beforeEach(async () => {
  await world.clear();
  policy = REVIEW;
});
afterAll(() => database.drop());

const park: CaseStep = (claim) =>
  postponeCase(world.db, claim, {
    now: world.now(),
    retryAt: new Date('2027-01-01'),
    error: 'parked',
  });

/** Moves the clock there, and runs what is due. Answers what a single round of it cost. */
async function runAt(iso: string): Promise<{ statements: number; reads: number }> {
  world.clock.setMs(Date.parse(iso));
  const [before, reads] = [statements(), world.processor.reads.length];
  const deps: DecideDeps = {
    db: world.db,
    clock: world.clock,
    organisationId: ORG,
    processor: world.processor,
    mode: 'live',
    currentPolicy: () => policy,
    rematch: world.rematch,
  };
  await world.run({
    RECEIVED: world.matchStep,
    ...createDecideSteps(deps),
    HUMAN: createHeldStep(deps),
    DECIDED_REFUND: park,
    DECIDED_ACCEPT: park,
    DECLARE_REFUND: park,
  });
  return { statements: statements() - before, reads: world.processor.reads.length - reads };
}

const ALERT = 'netalrt_1';
const accountOf = () =>
  database.db.selectFrom('charge_account').selectAll().executeTakeFirstOrThrow();

/** A case that a person is to look at, in its last hour; its deadline is at 04:00. */
async function heldInLastHour(): Promise<void> {
  const { reference, amountMinor, authorisationCode } = world.processor.add();
  await world.learn({ reference, amountMinor, authorisationCode });
  await world.openAlert(ALERT);
  await runAt('2026-03-11T12:00:00Z');
  await runAt('2026-03-13T03:00:00Z');
  expect(await world.caseOf(ALERT)).toMatchObject({
    state: 'HUMAN',
    hold_reason: 'policy_review',
    next_action_at: new Date('2026-03-13T03:00:30Z'),
  });
}

const bySupport: ProcessorRefund = {
  reference: 're_1',
  idempotencyKey: null,
  chargeReference: 'ch_1',
  status: 'succeeded',
  failureCode: null,
  amountMinor: 2990,
  currency: 'USD',
  createdAt: null,
};

/** The claim, and a claim that finds nothing more; how much the database tells about itself was asked before. */
const ROUNDS = 2;

describe('a quick look', () => {
  test('that finds everything as it was reads the processor, notes it and plans the next', async () => {
    await heldInLastHour();
    const before = { case: await world.caseOf(ALERT), account: await accountOf() };
    expect(await runAt('2026-03-13T03:00:30Z')).toEqual({ statements: 2 + ROUNDS, reads: 1 });
    expect(await world.caseOf(ALERT)).toEqual({
      ...before.case,
      version: before.case.version + 2,
      next_action_at: new Date('2026-03-13T03:01:00Z'),
      changed_at: new Date('2026-03-13T03:00:30Z'),
    });
    // A reading that was taken before this one is old (L9).
    expect(await accountOf()).toEqual({
      ...before.account,
      version: before.account.version + 1,
      read_at: new Date('2026-03-13T03:00:30Z'),
    });
  });

  test('sees what support refunded, and a look after it finds that nothing changed since', async () => {
    await heldInLastHour();
    world.processor.add({ refundableMinor: 0, refunds: [bySupport] });
    await runAt('2026-03-13T03:00:30Z');
    expect(await database.db.selectFrom('movement').selectAll().execute()).toMatchObject([
      { kind: 'external', state: 'CONFIRMED', amount_minor: 2990, observed_from: 'processor' },
    ]);
    expect(await runAt('2026-03-13T03:01:00Z')).toEqual({ statements: 2 + ROUNDS, reads: 1 });
    // It fails at the processor: what was listed is no longer there.
    world.processor.add({ refunds: [{ ...bySupport, status: 'failed' }] });
    await runAt('2026-03-13T03:01:30Z');
    expect(await database.db.selectFrom('movement').selectAll().execute()).toMatchObject([
      { state: 'REVERSED', amount_minor: 0 },
    ]);
  });

  test('declares a refund of support at once where nobody asked for a person', async () => {
    await heldInLastHour();
    await database.db.updateTable('alert_case').set({ hold_reason: 'refund_refused' }).execute();
    world.processor.add({ refundableMinor: 0, refunds: [bySupport] });
    await runAt('2026-03-13T03:00:30Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ state: 'DECLARE_REFUND' });
  });

  test.each([
    ['a dispute at the processor', { disputed: true }, { disputed: true }],
    ['a released authorisation', { status: 'voided' }, { status: 'voided' }],
    ['another amount captured', { amountMinor: 1990 }, { amount_minor: 1990 }],
  ] as const)('writes down %s', async (_, shown, stored) => {
    await heldInLastHour();
    world.processor.add(shown);
    await runAt('2026-03-13T03:00:30Z');
    expect(await accountOf()).toMatchObject(stored);
  });

  test('closes a case whose alert is over, and decides again on one that was corrected', async () => {
    await heldInLastHour();
    await world.changeAlert(ALERT, { amount_minor: 1990 });
    await runAt('2026-03-13T03:00:10Z');
    const decisions = await database.db.selectFrom('decision').select('id').execute();
    expect(decisions).toHaveLength(2);
    await world.changeAlert(ALERT, { status: 'INVALID' });
    await runAt('2026-03-13T03:00:20Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ state: 'CLOSED_INVALID' });
  });

  test('declares what the ledger knew before, once nobody asks for a person any more', async () => {
    await heldInLastHour();
    world.processor.add({ refundableMinor: 0, refunds: [bySupport] });
    await runAt('2026-03-13T03:00:30Z');
    await database.db.updateTable('alert_case').set({ hold_reason: 'refund_refused' }).execute();
    await runAt('2026-03-13T03:01:00Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ state: 'DECLARE_REFUND' });
  });

  test.each([
    ['its moment has come', { hold_reason: 'refund_refused', retry_at: '2026-03-13T03:00:30Z' }],
    ['its doubt is gone', { hold_reason: 'refund_unresolved' }],
  ])('tries a decided refund again where %s', async (_, held) => {
    await heldInLastHour();
    await database.db.updateTable('decision').set({ action: 'REFUND' }).execute();
    await database.db.updateTable('alert_case').set(held).execute();
    await runAt('2026-03-13T03:00:30Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ state: 'DECIDED_REFUND', retry_at: null });
  });

  test.each([
    ['by the policy that replaced the one it was decided by', 'policy', 'HUMAN'],
    ['as the person said who decided it', 'operator:ada', 'DECIDED_REFUND'],
  ])('tries a refund again %s', async (_, decidedBy, state) => {
    await heldInLastHour();
    const refund = { action: 'REFUND', decided_by: decidedBy } as const;
    await database.db.updateTable('decision').set(refund).execute();
    const retry = { hold_reason: 'refund_refused', retry_at: '2026-03-13T03:00:30Z' };
    await database.db.updateTable('alert_case').set(retry).execute();
    policy = loadPolicy(
      'rules: []\notherwise: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 20m before deadline}}\n',
      { file: 'replaced.yaml' },
    );
    await runAt('2026-03-13T03:00:30Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ state });
  });

  test.each(['policy', 'operator:ada'])(
    'matches and decides again what the alert no longer says, whoever decided: %s',
    async (decidedBy) => {
      await heldInLastHour();
      const refund = { action: 'REFUND', decided_by: decidedBy } as const;
      await database.db.updateTable('decision').set(refund).execute();
      const changed = { hold_reason: 'alert_changed', retry_at: '2026-03-13T03:00:30Z' };
      await database.db.updateTable('alert_case').set(changed).execute();
      await runAt('2026-03-13T03:00:30Z');
      expect(await world.caseOf(ALERT)).toMatchObject({ hold_reason: 'policy_review' });
      expect(await database.db.selectFrom('decision').select('id').execute()).toHaveLength(2);
    },
  );

  test('judges a hold again whose guard no longer speaks, unless a person decided', async () => {
    await heldInLastHour();
    const guarded = { guard: 'disputed', decided_by: 'operator:ada' };
    await database.db.updateTable('decision').set(guarded).execute();
    await database.db.updateTable('alert_case').set({ hold_reason: 'disputed' }).execute();
    expect(await runAt('2026-03-13T03:00:30Z')).toEqual({ statements: 2 + ROUNDS, reads: 1 });
    await database.db.updateTable('decision').set({ decided_by: 'guard' }).execute();
    await runAt('2026-03-13T03:01:00Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ hold_reason: 'policy_review' });
  });

  test('takes over money of the network that waited for its charge', async () => {
    await heldInLastHour();
    await database.db
      .insertInto('movement')
      .values({
        organisation_id: ORG,
        id: 'mv_network',
        charge_reference: null,
        kind: 'network',
        state: 'CONFIRMED',
        alert_id: ALERT,
        amount_minor: 990,
        currency: 'USD',
        observed_from: ALERT,
        next_action_at: '2026-03-13T04:00:00Z',
        created_at: world.now(),
        changed_at: world.now(),
      })
      .execute();
    await database.db
      .updateTable('alert')
      .set({ integration_transaction_id: 'ch_1', enrolment_type: 'NETA_ALERT' })
      .execute();
    await runAt('2026-03-13T03:00:30Z');
    const [adopted] = await database.db.selectFrom('movement').selectAll().execute();
    expect(adopted).toMatchObject({ charge_reference: 'ch_1' });
  });

  test('carries out the fallback at its moment', async () => {
    await heldInLastHour();
    await runAt('2026-03-13T03:29:59Z');
    expect(await world.caseOf(ALERT)).toMatchObject({
      state: 'HUMAN',
      next_action_at: new Date('2026-03-13T03:30:00Z'),
    });
    await runAt('2026-03-13T03:30:00Z');
    expect(await world.caseOf(ALERT)).toMatchObject({ state: 'DECIDED_ACCEPT' });
  });

  test('asks again where the processor does not answer', async () => {
    await heldInLastHour();
    world.processor.reading = 'down';
    await runAt('2026-03-13T03:00:30Z');
    const held = await world.caseOf(ALERT);
    expect([held.state, held.attempts]).toEqual(['HUMAN', 1]);
    expect(held.last_error).toContain('timeout');
  });

  test('gives way to whoever changed the ledger while the processor was asked', async () => {
    await heldInLastHour();
    const { version } = await accountOf();
    let isFirst = true;
    const readCharge = world.processor.readCharge.bind(world.processor);
    world.processor.readCharge = async (reference) => {
      const answer = await readCharge(reference);
      if (isFirst) {
        await database.db
          .updateTable('charge_account')
          .set({ version: version + 7 })
          .execute();
      }
      isFirst = false;
      return answer;
    };
    expect(await runAt('2026-03-13T03:00:30Z')).toMatchObject({ reads: 2 });
    world.processor.readCharge = readCharge;
    // The whole look read once more, and wrote on what it found then.
    expect((await accountOf()).version).toBe(version + 8);
    expect(await world.caseOf(ALERT)).toMatchObject({
      next_action_at: new Date('2026-03-13T03:01:00Z'),
    });
  });
});
