/** Guarantee: every alert ends decided or held with a plan, fallbacks fire in time, and nothing here moves money. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postponeCase } from '../../../src/alerts/cases/case-plan.store.ts';
import type { CaseStep } from '../../../src/alerts/cases/case-runner.ts';
import { createDecideSteps } from '../../../src/alerts/decide/decide.job.ts';
import type { DecideDeps } from '../../../src/alerts/decide/decide-deps.ts';
import { createHeldStep } from '../../../src/alerts/decide/held.job.ts';
import type { Policy } from '../../../src/alerts/decide/policy.ts';
import { lockCharge } from '../../../src/alerts/ledger/ledger.store.ts';
import { insertMovement } from '../../../src/alerts/ledger/movement.store.ts';
import { nameDispute, newDispute } from '../../../src/alerts/ledger/place.store.ts';
import { setCrashHook } from '../../../src/base/kernel/crash-point.ts';
import { HOLD_EVERYTHING_POLICY } from '../../../src/policy/built-in.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { World } from '../match/world.ts';
import { createWorld, DEADLINE, NOW, ORG } from '../match/world.ts';

const POLICY = loadPolicy(
  `rules:
  - name: no charge
    when: {match: [none, several]}
    then: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}
  - name: dispatched
    when: {dispatched: true}
    then: ACCEPT_DISPUTE
  - name: small
    when: {amount: {at_most: 50.00 USD}}
    then: REFUND
    also: [cancel_subscription, {notify: a small one}]
otherwise: {REVIEW: {fallback: {REFUND: remainder}, at: 4h before deadline}}
held: {fallback: ACCEPT_DISPUTE, at: 2h before deadline}
`,
  { file: 'test.yaml' },
);

const database = useTestDatabase();
let world: World;
let policy: Policy;
let beside: Policy | null;
let mode: 'live' | 'shadow';
let orders: Map<string, unknown>;

beforeAll(async () => {
  world = createWorld(database);
});
beforeEach(async () => {
  await world.clear();
  policy = POLICY;
  beside = null;
  mode = 'live';
  orders = new Map();
});
afterEach(() => setCrashHook(undefined));

/** The next stage is not here: what reaches it is parked. */
const park: CaseStep = (claim) =>
  postponeCase(world.db, claim, {
    now: world.now(),
    retryAt: new Date('2027-01-01'),
    error: 'parked',
  });

/** Runs everything that is due. */
async function run(): Promise<void> {
  const deps: DecideDeps = {
    db: world.db,
    clock: world.clock,
    organisationId: ORG,
    processor: world.processor,
    findOrder: async (reference) => orders.get(reference),
    mode,
    currentPolicy: () => policy,
    policyBeside: () => beside,
    asksBlocked: true,
    rematch: world.rematch,
  };
  await world.run({
    RECEIVED: world.matchStep,
    ...createDecideSteps(deps),
    HUMAN: createHeldStep(deps),
    DECIDED_REFUND: park,
    DECIDED_ACCEPT: park,
  });
  expect(world.processor.effects).toEqual([]);
}

/** Moves the clock to `iso` and runs what is due then. */
async function runAt(iso: string): Promise<void> {
  world.clock.setMs(Date.parse(iso));
  await run();
}

const decisions = () => world.db.selectFrom('decision').selectAll().orderBy('id').execute();
const messages = () => world.db.selectFrom('notification').selectAll().orderBy('id').execute();

/** A charge that our orders and the processor know. */
async function knowCharge(over: Parameters<World['processor']['add']>[0] = {}): Promise<void> {
  const charge = world.processor.add(over);
  const { reference, amountMinor, authorisationCode } = charge;
  await world.learn({ reference, amountMinor, authorisationCode });
}

const SIDE_ACTIONS = [{ kind: 'cancel_subscription' }, { kind: 'notify', text: 'a small one' }];

describe('besides the answer', () => {
  test('what the rule wants done is stored with the decision, and nothing of it is done here', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    const [decision] = await decisions();
    expect(decision?.side_actions).toEqual(SIDE_ACTIONS);
    expect(decision).toMatchObject({ beside_version: null, beside_action: null });
  });

  test('the fallback that a rule chose keeps what the rule wants done', async () => {
    policy = loadPolicy(
      'rules: [{name: wait, when: {match: single}, then: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 6h before deadline}}, also: block_customer}]\notherwise: REVIEW\n',
      { file: 'test.yaml' },
    );
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    await runAt(new Date(Date.parse(DEADLINE) - 6 * 3_600_000).toISOString());
    expect((await decisions()).map((row) => [row.decided_by, row.side_actions])).toEqual([
      ['policy', [{ kind: 'block_customer' }]],
      ['fallback', [{ kind: 'block_customer' }]],
    ]);
  });

  test('a second policy is judged on the same facts, and acted on never', async () => {
    beside = loadPolicy(
      'rules: []\notherwise: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 3h before deadline}}\n',
      { file: 'beside.yaml' },
    );
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    const [decision] = await decisions();
    expect(decision).toMatchObject({
      action: 'REFUND',
      policy_version: POLICY.version,
      beside_version: beside.version,
      beside_action: 'REVIEW',
      beside_amount_minor: null,
      beside_rule: null,
      beside_guard: null,
      beside_fallback_action: 'ACCEPT_DISPUTE',
      beside_fallback_at: new Date(Date.parse(DEADLINE) - 3 * 3_600_000),
    });
    expect(decision?.beside_sentence).toContain('A person decides about 29.90 USD');
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    const versions = await world.db.selectFrom('policy_version').select('version').execute();
    expect(versions.map(({ version }) => version).sort()).toEqual(
      [POLICY.version, beside.version].sort(),
    );
  });

  test('a second policy that fails does not touch the first', async () => {
    beside = {
      ...POLICY,
      version: 'broken',
      propose: () => {
        throw new Error('no');
      },
    };
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    expect((await decisions())[0]).toMatchObject({
      action: 'REFUND',
      beside_action: 'REVIEW',
      beside_guard: 'policy_error',
    });
  });
});

describe('a decision', () => {
  test('to refund: stored with rule, version, inputs and sentence, and due at once', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    const row = await world.caseOf('netalrt_1');
    const [decision] = await decisions();
    expect(row).toMatchObject({
      state: 'DECIDED_REFUND',
      decision_id: decision?.id,
      hold_reason: null,
    });
    expect(decision).toMatchObject({
      action: 'REFUND',
      amount_minor: 2990,
      currency: 'USD',
      decided_by: 'policy',
      policy_version: POLICY.version,
      rule: 'small',
      guard: null,
      shadow: false,
      sentence:
        'Refund 29.90 USD in full: rule "small" applies, because amount is 29.90 USD, at most 50.00 USD.',
    });
    expect(decision?.inputs).toMatchObject({
      facts: { now: NOW, charge: { kind: 'found', refundableMinor: 2990 }, order: null },
      proposed: 'REFUND',
      trace: [
        { rule: 'no charge', result: 'no' },
        { rule: 'dispatched', result: 'unknown', why: 'dispatched is not known' },
        { rule: 'small', result: 'yes' },
      ],
    });
    // Should the refund be held later, the policy's general fallback is there.
    expect(row).toMatchObject({
      fallback_action: 'ACCEPT_DISPUTE',
      fallback_at: new Date('2026-03-13T02:00:00Z'),
    });
    expect(await world.db.selectFrom('policy_version').selectAll().execute()).toMatchObject([
      { version: POLICY.version, source: POLICY.source },
    ]);
    expect(await messages()).toEqual([]);
  });

  test('looks at the order of the charge', async () => {
    await knowCharge();
    orders.set('order-1', {
      deliveries: [{ type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' }],
    });
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({ state: 'DECIDED_ACCEPT' });
    expect(await decisions()).toMatchObject([
      { action: 'ACCEPT_DISPUTE', rule: 'dispatched', amount_minor: null },
    ]);
  });

  test('on what is refunded already is REFUND of nothing', async () => {
    const refund = {
      reference: 're_1',
      idempotencyKey: null,
      chargeReference: 'ch_1',
      status: 'succeeded' as const,
      failureCode: null,
      amountMinor: 2990,
      currency: 'USD',
      createdAt: null,
    };
    await knowCharge({ refundableMinor: 0, refunds: [refund] });
    await world.openAlert('netalrt_1');
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    expect(await decisions()).toMatchObject([
      { action: 'REFUND', amount_minor: 0, decided_by: 'guard', guard: 'already_refunded' },
    ]);
  });

  test.each([
    ['pending', 'refund_pending_elsewhere'],
    ['failed', null],
  ] as const)('beside a refund by support that is %s', async (status, holdReason) => {
    const refund = {
      reference: 're_1',
      idempotencyKey: null,
      chargeReference: 'ch_1',
      status,
      failureCode: null,
      amountMinor: 2990,
      currency: 'USD',
      createdAt: null,
    };
    await knowCharge({ refunds: [refund] });
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: holdReason === null ? 'DECIDED_REFUND' : 'HUMAN',
      hold_reason: holdReason,
    });
    expect((await decisions())[0]?.amount_minor).toBe(holdReason === null ? 2990 : null);
  });

  test('on a charge that the network refunded (F73): REFUND of nothing, whoever comes first', async () => {
    await knowCharge();
    await world.openAlert('netalrt_rdr', {
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      refund_outcome: 'REFUNDED',
    });
    await run();
    await world.openAlert('netalrt_1');
    await run();
    expect((await world.caseOf('netalrt_rdr')).state).toBe('RECONCILED_RDR');
    expect(await decisions()).toMatchObject([
      { alert_id: 'netalrt_1', action: 'REFUND', amount_minor: 0, guard: 'already_refunded' },
    ]);
  });

  test('dies with the worker at its decision and is taken again, once', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1');
    setCrashHook((point) => {
      if (point === 'decision.made') throw new Error('killed');
    });
    await run();
    expect([(await world.caseOf('netalrt_1')).state, await decisions()]).toEqual(['MATCHED', []]);
    setCrashHook(undefined);
    // The runner tries again within five minutes.
    world.clock.advanceMs(5 * 60_000);
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    expect(await decisions()).toHaveLength(1);
  });

  test.each([
    ['RESOLVED', null, 'CLOSED_REMOTE'],
    ['INVALID', null, 'CLOSED_INVALID'],
  ])(
    'is not taken on an alert that became %s after its match',
    async (status, refund_outcome, state) => {
      await knowCharge();
      await world.openAlert('netalrt_1');
      await world.matchStep(await world.caseOf('netalrt_1'), AbortSignal.timeout(5_000));
      await world.changeAlert('netalrt_1', { status, refund_outcome });
      await run();
      expect((await world.caseOf('netalrt_1')).state).toBe(state);
      expect([await decisions(), world.processor.reads]).toEqual([[], []]);
    },
  );
});

describe('held alerts', () => {
  test('without a charge: a person, until the fallback accepts it in time', async () => {
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'no_charge',
      fallback_action: 'ACCEPT_DISPUTE',
      fallback_at: new Date('2026-03-12T22:00:00Z'),
      // Looked for again after a minute, should an order have come while the alert was matched.
      next_action_at: new Date('2026-03-11T12:01:00Z'),
    });
    expect(await messages()).toMatchObject([
      { kind: 'case_held', severity: 'warning', alert_id: 'netalrt_1' },
    ]);
    // And every hour from then on.
    await runAt('2026-03-11T12:01:00Z');
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      next_action_at: new Date('2026-03-11T13:01:00Z'),
    });
    await runAt('2026-03-12T21:59:59Z');
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      next_action_at: new Date('2026-03-12T22:00:00Z'),
    });
    await runAt('2026-03-12T22:00:00Z');
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'DECIDED_ACCEPT',
      hold_reason: null,
    });
    expect((await decisions()).map(({ action, decided_by }) => [action, decided_by])).toEqual([
      ['REVIEW', 'guard'],
      ['ACCEPT_DISPUTE', 'fallback'],
    ]);
  });

  test('without a charge: the late order is matched and decided', async () => {
    await world.openAlert('netalrt_1');
    await run();
    world.clock.advanceMs(10 * 60_000);
    await knowCharge();
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'DECIDED_REFUND',
      charge_reference: 'ch_1',
      hold_reason: null,
    });
  });

  test('without a charge: even an order whose wake-up was lost is found at the next look', async () => {
    await world.openAlert('netalrt_1');
    await run();
    world.processor.add();
    await runAt('2026-03-11T13:00:00Z');
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
  });

  test('with several charges (F75): never accepted but by the rule that says so', async () => {
    await knowCharge();
    await knowCharge({ reference: 'ch_2' });
    policy = loadPolicy(
      'rules: []\notherwise: ACCEPT_DISPUTE\nheld: {fallback: ACCEPT_DISPUTE, at: 2h before deadline}\n',
      { file: 'p' },
    );
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'several_charges',
      fallback_action: null,
    });
  });

  test('none found, then two: judged again under its new reason', async () => {
    await world.openAlert('netalrt_1');
    await run();
    world.clock.advanceMs(60_000);
    await knowCharge();
    await knowCharge({ reference: 'ch_2' });
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'several_charges',
    });
    expect((await decisions()).map(({ guard }) => guard)).toEqual(['no_charge', 'several_charges']);
  });

  test('while the processor is down: asked again, without a heap of decisions, then refunded', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1');
    world.processor.reading = 'down';
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'processor_unavailable',
      next_action_at: new Date('2026-03-11T12:00:15Z'),
    });
    for (let minute = 1; minute <= 30; minute++) {
      world.clock.advanceMs(60_000);
      await run();
    }
    const held = await world.caseOf('netalrt_1');
    const waitMs = (held.next_action_at?.getTime() ?? 0) - world.clock.nowMs();
    expect([held.state, waitMs > 0 && waitMs <= 5 * 60_000]).toEqual(['HUMAN', true]);
    expect(await decisions()).toHaveLength(1);
    world.processor.reading = 'offered';
    world.clock.advanceMs(5 * 60_000);
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
  });

  test("an operator's word is not undone because the processor was down", async () => {
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    // As the refund stage holds a case: the decision in force is somebody else's.
    await world.db
      .updateTable('alert_case')
      .set({
        state: 'HUMAN',
        hold_reason: 'processor_unavailable',
        next_action_at: NOW,
        fallback_action: null,
        fallback_at: null,
      })
      .execute();
    await run();
    // Looked at again every hour, as the charge may change.
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      next_action_at: new Date('2026-03-11T13:00:00Z'),
    });
    expect(await decisions()).toHaveLength(1);
  });

  test('a refund that waits for another try is decided by the policy of then, unless a person decided it', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    // As the refund stage holds what the processor refused for now.
    const waitsToRetry = {
      state: 'HUMAN',
      hold_reason: 'refund_failed',
      retry_at: NOW,
      next_action_at: NOW,
    } as const;
    await world.db.updateTable('alert_case').set(waitsToRetry).execute();
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    policy = HOLD_EVERYTHING_POLICY;
    await world.db.updateTable('alert_case').set(waitsToRetry).execute();
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'policy_review',
    });
    await world.db
      .updateTable('decision')
      .set({ action: 'REFUND', decided_by: 'operator:ada', policy_version: POLICY.version })
      .execute();
    await world.db.updateTable('alert_case').set(waitsToRetry).execute();
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
  });

  test('a refund as fallback, with the amount the policy named', async () => {
    await knowCharge({ amountMinor: 9900, refundableMinor: 9900 });
    await world.openAlert('netalrt_1', { amount_minor: 9900 });
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'policy_review',
      fallback_action: 'REFUND',
      fallback_at: new Date('2026-03-13T00:00:00Z'),
      next_action_at: new Date('2026-03-11T13:00:00Z'),
    });
    expect(await messages()).toMatchObject([{ severity: 'info' }]);
    const earlier = {
      reference: 're_1',
      idempotencyKey: null,
      chargeReference: 'ch_1',
      status: 'succeeded' as const,
      failureCode: null,
      amountMinor: 900,
      currency: 'USD',
      createdAt: null,
    };
    world.processor.add({ amountMinor: 9900, refundableMinor: 9000, refunds: [earlier] });
    await runAt('2026-03-13T00:00:00Z');
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    expect((await decisions()).at(-1)).toMatchObject({
      decided_by: 'fallback',
      action: 'REFUND',
      amount_minor: 9000,
    });
  });

  test('a part of a charge, at a processor that refuses nothing: a person, before it is decided (A5)', async () => {
    policy = loadPolicy('rules: []\notherwise: {REFUND: remainder}\n', { file: 'rest.yaml' });
    const earlier = {
      reference: 're_1',
      idempotencyKey: null,
      chargeReference: 'ch_1',
      status: 'succeeded' as const,
      failureCode: null,
      amountMinor: 900,
      currency: 'USD',
      createdAt: null,
    };
    await knowCharge({ amountMinor: 9900, refundableMinor: 9000, refunds: [earlier] });
    await world.openAlert('netalrt_1', { amount_minor: 9900 });
    world.processor.refusesOverRefund = false;
    await run();
    world.processor.refusesOverRefund = true;
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'partial_needs_person',
    });
  });

  test('a refund as fallback that the guards forbid is dropped, and a person is called', async () => {
    await knowCharge({ amountMinor: 9900, refundableMinor: 9900 });
    await world.openAlert('netalrt_1', { amount_minor: 9900 });
    await run();
    world.processor.add({ amountMinor: 9900, refundableMinor: 9900, disputed: true });
    await runAt('2026-03-13T00:00:00Z');
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      fallback_action: null,
      fallback_at: null,
      next_action_at: new Date('2026-03-13T01:00:00Z'),
    });
    expect((await messages()).at(-1)).toMatchObject({
      kind: 'fallback_stopped',
      severity: 'error',
    });
  });

  test('a refund as fallback waits for the processor, up to the guard time', async () => {
    await knowCharge({ amountMinor: 9900, refundableMinor: 9900 });
    await world.openAlert('netalrt_1', { amount_minor: 9900 });
    await run();
    world.processor.reading = 'down';
    await runAt('2026-03-13T00:00:00Z');
    const row = await world.caseOf('netalrt_1');
    expect([row.state, row.fallback_action]).toEqual(['HUMAN', 'REFUND']);
    expect(row.next_action_at?.getTime()).toBeLessThanOrEqual(Date.parse('2026-03-13T00:05:00Z'));
    world.processor.reading = 'offered';
    await runAt('2026-03-13T00:05:00Z');
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
  });

  test('an acceptance as fallback waits for a processor that is down, by seconds, until it answers (row 16)', async () => {
    await knowCharge({ disputed: true });
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      hold_reason: 'disputed',
      fallback_action: 'ACCEPT_DISPUTE',
    });
    world.processor.reading = 'down';
    await runAt('2026-03-13T02:00:00Z');
    const held = await world.caseOf('netalrt_1');
    expect([held.state, held.fallback_action]).toEqual(['HUMAN', 'ACCEPT_DISPUTE']);
    expect(held.next_action_at?.getTime()).toBeLessThanOrEqual(Date.parse('2026-03-13T02:00:30Z'));
    world.processor.reading = 'offered';
    await runAt('2026-03-13T02:00:30Z');
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_ACCEPT');
  });

  test('a fallback missed until after the deadline is void; the plan continues daily', async () => {
    await world.openAlert('netalrt_1');
    await run();
    await runAt('2026-03-13T04:00:00Z');
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      fallback_action: null,
      next_action_at: new Date('2026-03-14T04:00:00Z'),
    });
    // Nothing is tried any more: no search, no fallback to be stopped.
    const asked = world.processor.searches.length;
    await runAt('2026-03-14T04:00:00Z');
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      next_action_at: new Date('2026-03-15T04:00:00Z'),
    });
    expect(world.processor.searches).toHaveLength(asked);
    expect((await messages()).map(({ kind }) => kind)).toEqual(['case_held']);
    await world.changeAlert('netalrt_1', { status: 'RESOLVED', refund_outcome: 'NOT_REFUNDED' });
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'CLOSED_REMOTE',
      next_action_at: null,
    });
  });

  test.each([
    ['RESOLVED', 'CLOSED_REMOTE'],
    ['INVALID', 'CLOSED_INVALID'],
  ])('are closed when the service says %s', async (status, state) => {
    await world.openAlert('netalrt_1');
    await run();
    await world.changeAlert('netalrt_1', { status });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe(state);
  });
});

describe('a corrected alert', () => {
  test('whose amount fits now is judged again, at once (row 18)', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1', {
      amount_minor: 2900,
      integration_transaction_id: 'ch_1',
    });
    await run();
    expect((await world.caseOf('netalrt_1')).hold_reason).toBe('amount_differs');
    await world.changeAlert('netalrt_1', { amount_minor: 2990 });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    expect(await decisions()).toMatchObject([{ action: 'REVIEW' }, { amount_minor: 2990 }]);
  });
});

describe('our refund on the charge', () => {
  /** A refund of ours for another network's alert about the same charge. */
  async function refunded(state: 'SENT' | 'CONFIRMED'): Promise<void> {
    await world.db.transaction().execute(async (trx) => {
      const charge = { organisationId: ORG, chargeReference: 'ch_1' };
      const seen = { status: 'captured', amount_minor: 2990, currency: 'USD' } as const;
      await lockCharge(trx, charge, seen);
      const dispute = newDispute({ amountMinor: 2990, currency: 'USD' });
      await nameDispute(trx, {
        charge,
        alertId: 'netalrt_0',
        disputeId: dispute.id,
        opens: dispute,
        reason: 'by the test',
        duplicate: false,
        isNetwork: false,
        actor: 'forestall',
        now: world.now(),
      });
      await insertMovement(trx, {
        charge,
        kind: 'refund',
        state,
        disputeId: dispute.id,
        alertId: 'netalrt_0',
        round: 1,
        amountMinor: 2990,
        currency: 'USD',
        nextActionAt: state === 'SENT' ? new Date(DEADLINE) : null,
        what: 'by the test',
        now: world.now(),
      });
      await trx
        .insertInto('alert_case')
        .values({
          organisation_id: ORG,
          alert_id: 'netalrt_0',
          state: 'REFUNDING',
          opened_at: new Date(Date.parse(NOW) - 1),
          deadline_at: DEADLINE,
          // Looked at by nobody here.
          next_action_at: '2027-01-01T00:00:00Z',
          charge_reference: 'ch_1',
          dispute_id: dispute.id,
          changed_at: NOW,
        })
        .execute();
    });
  }

  test('a second alert on it joins instead of refunding again (F74)', async () => {
    await knowCharge();
    await refunded('SENT');
    await world.openAlert('netalrt_1');
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
    expect(await decisions()).toMatchObject([{ guard: 'already_refunded', decided_by: 'guard' }]);
  });

  // Its outcome may be missing, or one of tomorrow (specification, "Alert object").
  test.each(['NOT_REFUNDED', null, 'PARTLY_REFUNDED'])(
    'a held twin resolved with outcome %s is a contradiction',
    async (outcome) => {
      await knowCharge();
      policy = HOLD_EVERYTHING_POLICY;
      await world.openAlert('netalrt_1');
      await run();
      await refunded('CONFIRMED');
      await world.changeAlert('netalrt_1', { status: 'RESOLVED', refund_outcome: outcome });
      await run();
      expect((await world.caseOf('netalrt_1')).state).toBe('CONFLICT');
      expect((await messages()).at(-1)).toMatchObject({ kind: 'conflict', severity: 'error' });
    },
  );

  test('a held twin that became invalid is closed, and the refund stands', async () => {
    await knowCharge();
    policy = HOLD_EVERYTHING_POLICY;
    await world.openAlert('netalrt_1');
    await run();
    await refunded('CONFIRMED');
    await world.changeAlert('netalrt_1', { status: 'INVALID' });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('CLOSED_INVALID');
    expect((await messages()).at(-1)).toMatchObject({ kind: 'refund_stands' });
  });
});

describe('caution', () => {
  test('no policy against a live service: every alert is held, without a fallback, and told', async () => {
    policy = HOLD_EVERYTHING_POLICY;
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'policy_review',
      fallback_action: null,
      next_action_at: new Date('2026-03-11T13:00:00Z'),
    });
    expect(await messages()).toMatchObject([{ kind: 'case_held', severity: 'warning' }]);
  });

  test('shadow mode decides, records, and does nothing', async () => {
    mode = 'shadow';
    await knowCharge();
    await world.openAlert('netalrt_1');
    await world.openAlert('netalrt_2', { card_last4: '9999' });
    await run();
    for (const id of ['netalrt_1', 'netalrt_2']) {
      expect(await world.caseOf(id)).toMatchObject({
        state: 'HUMAN',
        hold_reason: 'shadow_mode',
        fallback_action: null,
        fallback_at: null,
        next_action_at: new Date('2026-03-11T13:00:00Z'),
      });
    }
    const byAlert = new Map((await decisions()).map((row) => [row.alert_id, row]));
    expect(byAlert.get('netalrt_1')).toMatchObject({
      shadow: true,
      action: 'REFUND',
      rule: 'small',
    });
    expect(byAlert.get('netalrt_2')).toMatchObject({
      shadow: true,
      action: 'REVIEW',
      guard: 'no_charge',
    });
    expect(await messages()).toEqual([]);
    await runAt('2026-03-12T22:00:00Z');
    await runAt('2026-03-13T04:00:00Z');
    expect((await world.caseOf('netalrt_1')).state).toBe('HUMAN');
    await world.changeAlert('netalrt_1', { status: 'RESOLVED' });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('CLOSED_REMOTE');
  });

  test('a policy that fails: a person, loudly, and no fallback (V16.5.3)', async () => {
    policy = {
      ...POLICY,
      propose: () => {
        throw new Error('boom');
      },
    };
    await knowCharge();
    await world.openAlert('netalrt_1');
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'policy_error',
      fallback_action: null,
    });
    expect(await messages()).toMatchObject([{ severity: 'error' }]);
  });

  test('an unknown enrolment type is held with an alarm, and decided once it is known (F22)', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1', { enrolment_type: 'NETC_ALERT' });
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'alert_value_unknown',
      fallback_action: null,
    });
    expect(await messages()).toMatchObject([{ severity: 'error' }]);
    await world.changeAlert('netalrt_1', { enrolment_type: 'NETA_ALERT' });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
  });

  test('an unknown status is held unmatched, and matched once it is known (F22)', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1', { status: 'ESCALATED' });
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({ state: 'HUMAN', match_id: null });
    await world.changeAlert('netalrt_1', { status: 'ACTION_REQUIRED' });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('DECIDED_REFUND');
  });

  test('what turns out to be the network’s own refund is booked as one, and its case ends', async () => {
    await knowCharge();
    await world.openAlert('netalrt_1', { enrolment_type: 'NETC_ALERT' });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('HUMAN');
    await world.changeAlert('netalrt_1', {
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      refund_outcome: 'REFUNDED',
    });
    await run();
    expect((await world.caseOf('netalrt_1')).state).toBe('RECONCILED_RDR');
    // The next alert about the charge finds the money gone back.
    await world.openAlert('netalrt_2');
    await run();
    expect(await world.caseOf('netalrt_2')).toMatchObject({ state: 'DECIDED_REFUND' });
    expect((await decisions()).at(-1)).toMatchObject({
      guard: 'already_refunded',
      amount_minor: 0,
    });
  });

  test('while the status is unknown, only the plan is kept', async () => {
    await world.openAlert('netalrt_1', { status: 'ESCALATED' });
    await run();
    await world.changeAlert('netalrt_1', { status: 'ESCALATED_AGAIN' });
    await run();
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'HUMAN',
      next_action_at: new Date('2026-03-11T13:00:00Z'),
    });
    expect(await decisions()).toEqual([]);
  });
});

test('two workers on one case: one decision', async () => {
  await knowCharge();
  await world.openAlert('netalrt_1');
  const claim = await world.caseOf('netalrt_1');
  const both = await Promise.allSettled([
    world.matchStep(claim, AbortSignal.timeout(5_000)),
    world.matchStep(claim, AbortSignal.timeout(5_000)),
  ]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await run();
  expect(await decisions()).toHaveLength(1);
});
