/**
 * Guarantee: over the whole way of an alert the kill switch stops money and nothing else, a second person
 * is asked, subscriptions are cancelled, and a fallback fires in time with only a worker alive.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_GUARDS } from '../../src/alerts/guard/guard-settings.ts';
import { readApprovals } from '../../src/alerts/guard/guard-status.store.ts';
import { pauseMoney, resumeMoney } from '../../src/alerts/guard/pause.store.ts';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import { listSideActions } from '../../src/alerts/side-action/side-action.store.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { answerShown } from '../support/approvals.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { answersTo, caseOf, HOUR_MS, outcomeOf, refundCalls } from './support/books.ts';

let world: World;

beforeAll(async () => {
  world = await createWorld({
    guard: {
      guards: { ...DEFAULT_GUARDS, approvalAboveMinor: { USD: 3_000 } },
      actions: undefined,
    },
  });
});
afterEach(() => {
  world.sandbox.faults.clear();
  world.sandbox.pointWebhooksAt(world.webhookUrl);
});
afterAll(async () => {
  await world.close();
});

const by = (operator: string) => ({
  organisationId: world.parts.organisationId,
  operator,
  now: new Date(world.clock.nowMs()),
});

/** How often the processor was asked to cancel it, whatever path that took. */
function cancellations(subscription: string | null): number {
  return world.arrivals.all.filter(
    ({ endpoint, text }) => endpoint.endsWith('/cancel') && text.includes(String(subscription)),
  ).length;
}

describe('the kill switch', () => {
  it('sends a due refund to people, lets deadlines be watched, and continues when it is off', async () => {
    const { db } = world.database;
    await pauseMoney(db, { ...by('ada'), reason: 'a look first' });
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(await caseOf(world, alert.id)).toMatchObject({ state: 'HUMAN', hold_reason: 'paused' });
    await world.advance(25 * HOUR_MS);
    expect(refundCalls(world, charge.reference)).toBe(0);
    expect((await caseOf(world, alert.id)).alarm_level).toBe(1);
    await resumeMoney(db, by('ada'));
    await world.drain();
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
  });
});

describe('a refund above the amount for one person', () => {
  it('goes out once two people agreed, and once only', async () => {
    const { charge } = await world.sell(PRODUCTS.course);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect((await caseOf(world, alert.id)).hold_reason).toBe('approval_needed');
    for (const operator of ['ada', 'noor']) {
      const answer = { ...by(operator), alertId: alert.id };
      expect((await answerShown(world.database.db, answer)).ok).toBe(true);
    }
    await world.drain();
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 8_400 });
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });
});

describe('a refund that a person decided and nobody else agrees to', () => {
  it('gives way to what the policy planned, in time; agreeing after that is refused clearly', async () => {
    const { db } = world.database;
    await pauseMoney(db, { ...by('ada'), reason: 'to be decided by a person' });
    const { charge } = await world.sell(PRODUCTS.course);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    await resumeMoney(db, by('ada'));
    const wish = {
      ...by('ada'),
      alertId: alert.id,
      action: 'REFUND' as const,
      note: 'a good customer',
    };
    expect((await applyOperatorDecision(db, wish)).ok).toBe(true);
    await world.drain();
    expect(await caseOf(world, alert.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'approval_needed',
      fallback_action: 'ACCEPT_DISPUTE',
    });
    // Two hours before the deadline, as the demonstration policy says of refunds that cannot be made.
    await world.advance(45 * HOUR_MS, 10 * HOUR_MS);
    expect(answersTo(world, alert.id)).toEqual([]);
    await world.advance(HOUR_MS + 60_000);
    expect(answersTo(world, alert.id)).toEqual(['ACCEPT_DISPUTE 200']);
    const [approval] = await readApprovals(db, world.parts.organisationId, alert.id);
    expect(approval).toMatchObject({
      state: 'OVERTAKEN',
      approvers: ['ada'],
      settledBecause: expect.stringContaining('fallback'),
    });
    const late = { ...by('noor'), alertId: alert.id };
    expect(await answerShown(db, late)).toEqual({ ok: false, reason: 'overtaken' });
    await world.drain();
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 0, sumMinor: 0 });
  });
});

describe('the subscription of a disputed charge', () => {
  it.each([
    ['that we refund', {}],
    ['that the network refunded (RDR)', { rdr: true }],
  ])(
    '%s is cancelled at the processor, once',
    async (_name, { rdr = false }: { rdr?: boolean }) => {
      const { charge } = await world.sell(PRODUCTS.magazine);
      const fields = rdr ? { enrolment_id: world.sandbox.accounts.rdrEnrolmentId } : {};
      const alert = world.sandbox.createAlertFor(charge.reference, fields);
      await world.drain();
      await world.advance(HOUR_MS);
      expect(cancellations(charge.subscription_reference)).toBe(1);
      const rows = await listSideActions(world.database.db, world.parts.organisationId, alert.id);
      expect(rows.map(({ kind, state, cause }) => `${kind} ${state} ${cause}`)).toEqual([
        `cancel_subscription DONE ${rdr ? 'network' : 'alert'}`,
      ]);
    },
  );
});

describe('with only a worker alive', () => {
  it.each([
    ['fires in time: no webhooks, nobody there', false, ['ACCEPT_DISPUTE 200']],
    ['waits for a processor that does not answer: what it would show is not known', true, []],
  ] as const)('the fallback of a review %s', async (_, isDown, answers) => {
    const { charge } = await world.sell(PRODUCTS.course);
    const twin = await world.sell(PRODUCTS.course, { charge });
    const alert = world.sandbox.createAlertFor(charge.reference, {
      acquirer_reference_number: null,
      authorisation_code: null,
      match: 'never',
    });
    await world.drain();
    // Two charges of one card, day and amount: the policy asks a person, and accepts six hours before.
    expect(await caseOf(world, alert.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'several_charges',
      fallback_action: 'ACCEPT_DISPUTE',
    });
    world.sandbox.pointWebhooksAt(null);
    if (isDown) {
      world.sandbox.addFault({ on: '* /processor/*', kind: 'status', status: 503, rate: 1 });
    }
    await world.advance(41 * HOUR_MS, 10 * HOUR_MS);
    expect(answersTo(world, alert.id)).toEqual([]);
    await world.advance(HOUR_MS + 60_000);
    expect(answersTo(world, alert.id)).toEqual(answers);
    expect(refundCalls(world, charge.reference) + refundCalls(world, twin.charge.reference)).toBe(
      0,
    );
    world.sandbox.faults.clear();
  });
});
