/**
 * Guarantee: what one network reports twice with the same part of a charge is the policy's to name: one
 * complaint, another, or, where it says nothing, a person's to tell apart.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_GUARDS } from '../../src/alerts/guard/guard-settings.ts';
import { movementKey } from '../../src/alerts/ledger/movement-key.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { answersTo, caseOf, HOUR_MS, outcomeOf, told } from './support/books.ts';
import { creditClassOf } from './support/credit-class.ts';

const POLICIES = {
  again: 'same-part-again.yaml',
  another: 'same-part-another.yaml',
  review: 'alert-amount.yaml',
} as const;

describe.each(['again', 'another', 'review'] as const)('same_part: %s', (word) => {
  let world: World;
  beforeAll(async () => {
    const url = new URL(`./support/policies/${POLICIES[word]}`, import.meta.url);
    const caps = { charge: { amountMinor: { USD: 2_500 } } };
    const guard = { guards: { ...DEFAULT_GUARDS, caps }, actions: undefined };
    world = await createWorld({ policyPath: url.pathname, guard });
  });
  afterAll(() => world.close());

  /** A charge of 29.00, and two alerts of one network about 9.00 of it, an hour apart. */
  async function twice() {
    const { charge } = await world.sell(PRODUCTS.font);
    const part = { amount_in_cents: 900 };
    const first = world.sandbox.createAlertFor(charge.reference, part);
    await world.drain();
    expect(outcomeOf(world, first.id)).toBe('RESOLVED REFUNDED');
    await world.advance(HOUR_MS);
    const second = world.sandbox.createAlertFor(charge.reference, part);
    await world.drain();
    return { reference: charge.reference, first: first.id, second: second.id };
  }

  it('two alerts about the same part', async () => {
    const { reference, first, second } = await twice();
    const one = await caseOf(world, first);
    const two = await caseOf(world, second);
    const expected = {
      again: { moved: { count: 1, sumMinor: 900 }, isOne: true, answers: ['REFUND 200'] },
      another: { moved: { count: 2, sumMinor: 1_800 }, isOne: false, answers: ['REFUND 200'] },
      review: { moved: { count: 1, sumMinor: 900 }, isOne: false, answers: [] },
    }[word];
    expect(world.sandbox.moneyOut(reference)).toEqual(expected.moved);
    expect(two.dispute_id === one.dispute_id).toBe(expected.isOne);
    expect(answersTo(world, second)).toEqual(expected.answers);
    // Told twice of one complaint, the merchant claims the second alert's price back.
    expect(await creditClassOf(world, second)).toBe(word === 'again' ? 'DUPLICATE' : undefined);
  });

  it('two parts that together pass the cap of the charge: the second one waits for a person', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const parts = [1_300, 1_300];
    const alerts: string[] = [];
    for (const amount_in_cents of parts) {
      alerts.push(world.sandbox.createAlertFor(charge.reference, { amount_in_cents }).id);
      await world.drain();
    }
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 1_300 });
    const expected = { again: null, another: 'charge_limit', review: 'dispute_unclear' }[word];
    expect(await caseOf(world, alerts[1] ?? '')).toMatchObject({ hold_reason: expected });
  });

  /** Refunds of ours for parts of a charge, which our rows have lost with a restore; then alerts come. */
  async function restored(lost: readonly number[], parts: readonly number[]) {
    const { charge } = await world.sell(PRODUCTS.font);
    const { reference: chargeReference } = charge;
    const { organisationId } = world.parts;
    const secret = 'processor-secret-for-tests';
    const { processorUrl: baseUrl } = world.sandbox;
    const processor = createHttpProcessor({ baseUrl, secret, clock: world.clock });
    for (const [place, amountMinor] of lost.entries()) {
      const idempotencyKey = movementKey({ organisationId, chargeReference }, place + 1);
      const money = { amountMinor, currency: 'USD', reason: 'chargeback_alert' } as const;
      const request = { ...money, idempotencyKey, chargeReference, alertId: 'netalrt_lost' };
      await processor.refund(request, AbortSignal.timeout(5_000));
    }
    const alerts: string[] = [];
    for (const amount_in_cents of parts) {
      alerts.push(world.sandbox.createAlertFor(chargeReference, { amount_in_cents }).id);
      await world.drain();
    }
    await world.advance(HOUR_MS);
    return {
      out: world.sandbox.moneyOut(chargeReference),
      outcomes: alerts.map((id) => outcomeOf(world, id)),
    };
  }

  it.runIf(word === 'another').each([
    [
      [900, 1_200],
      [900, 1_200],
    ],
    [
      [900, 1_200],
      [1_200, 900],
    ],
    [
      [1_200, 900],
      [900, 1_200],
    ],
  ])(
    'refunds of %j that a restore has lost answer alerts about %j, and none is sent again',
    async (lost, parts) => {
      expect(await restored(lost, parts)).toEqual({
        out: { count: 2, sumMinor: 2_100 },
        outcomes: ['RESOLVED REFUNDED', 'RESOLVED REFUNDED'],
      });
    },
  );

  it.runIf(word === 'another')(
    'what is missing beside a lost refund is sent under a key of its own',
    async () => {
      // 12.00 went back; 9.00 and 14.00 are disputed.
      expect(await restored([1_200], [900, 1_400])).toEqual({
        out: { count: 2, sumMinor: 2_300 },
        outcomes: ['RESOLVED REFUNDED', 'RESOLVED REFUNDED'],
      });
    },
  );

  it('a third that no longer fits beside them is a person’s', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const parts = [1_200, 1_200, 1_200];
    const alerts: string[] = [];
    for (const amount_in_cents of parts) {
      alerts.push(world.sandbox.createAlertFor(charge.reference, { amount_in_cents }).id);
      await world.drain();
      await world.advance(HOUR_MS);
    }
    const { count, sumMinor } = world.sandbox.moneyOut(charge.reference);
    expect({ count, sumMinor }).toEqual({
      count: word === 'another' ? 2 : 1,
      sumMinor: word === 'another' ? 2_400 : 1_200,
    });
    const state = await world.stateOf(alerts[2] ?? '');
    expect(state).toBe(word === 'again' ? 'DECLARED_REFUND' : 'HUMAN');
  });
});

describe('an alert of which nobody knows whether it is another one’s complaint', () => {
  /** Both cases are looked at every half a minute; here they are as often as their outcome needs. */
  const STEP_MS = HOUR_MS / 6;
  const HELD = new URL('./support/policies/alert-amount-held.yaml', import.meta.url).pathname;
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ policyPath: HELD });
  });
  afterEach(() => {
    world.sandbox.faults.clear();
  });
  afterAll(() => world.close());

  /** One that is to be refunded and is refused for now; and the same part again, due earlier. */
  async function unclear(refusedForMs: number, deadlines: readonly [number, number] = [8, 4]) {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.addFault({
      on: 'POST /processor/refunds',
      kind: 'status',
      status: 402,
      code: 'insufficient_balance',
      failure_class: 'retry',
      for_ms: refusedForMs,
    });
    const part = { amount_in_cents: 900 };
    const refunded = world.sandbox.createAlertFor(charge.reference, {
      ...part,
      deadline_hours: deadlines[0],
    });
    await world.drain();
    const other = world.sandbox.createAlertFor(charge.reference, {
      ...part,
      deadline_hours: deadlines[1],
    });
    await world.drain();
    expect(await caseOf(world, other.id)).toMatchObject({ hold_reason: 'dispute_unclear' });
    return { reference: charge.reference, refunded: refunded.id, other: other.id };
  }

  it('is not conceded by its fallback while that one is to be refunded: it would stop the refund', async () => {
    const { reference, refunded, other } = await unclear(3 * HOUR_MS);
    await world.advance(3.9 * HOUR_MS, STEP_MS);
    expect(answersTo(world, other)).toEqual([]);
    // The last wait of a refused refund is an hour.
    await world.advance(1.1 * HOUR_MS, STEP_MS);
    expect(answersTo(world, refunded)).toEqual(['REFUND 200']);
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 1, sumMinor: 900 });
  });

  it('and its person is told before it runs out, and can accept it', async () => {
    const { reference, refunded, other } = await unclear(4 * HOUR_MS);
    await world.advance(3.5 * HOUR_MS, STEP_MS);
    const kinds = (await told(world, other)).map(({ kind }) => kind);
    expect(kinds).toContain('deadline_near');
    const said = await world.alerts.decide({
      alertId: other,
      action: 'ACCEPT_DISPUTE',
      operator: 'ada',
      note: '',
    });
    expect(said).toMatchObject({ ok: true });
    await world.advance(4 * HOUR_MS, STEP_MS);
    expect(answersTo(world, other)).toEqual(['ACCEPT_DISPUTE 200']);
    // Nobody knows whether it was the same complaint, so nothing may be refunded any more.
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 0, sumMinor: 0 });
    expect(answersTo(world, refunded)).toEqual(['ACCEPT_DISPUTE 200']);
  });

  it('is conceded by its fallback once the other is conceded too', async () => {
    const { reference, refunded, other } = await unclear(100 * HOUR_MS, [4, 8]);
    await world.advance(3 * HOUR_MS, STEP_MS);
    expect(answersTo(world, refunded)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(answersTo(world, other)).toEqual([]);
    await world.advance(4 * HOUR_MS, STEP_MS);
    expect(answersTo(world, other)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 0, sumMinor: 0 });
  });
});
