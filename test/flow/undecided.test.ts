/**
 * Guarantee: an alert that may not be answered by itself moves no money, waits for a person, and is
 * answered by its fallback at exactly the moment that the policy names.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { NewAlert } from '../../src/sandbox/resources/new-alert.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import {
  answersTo,
  caseOf,
  HOUR_MS,
  MINUTE_MS,
  noteTo,
  outcomeOf,
  refundCalls,
  toldKinds,
} from './support/books.ts';
import { creditClassOf } from './support/credit-class.ts';

let world: World;

/** One alert that nobody decides. */
interface Journey {
  readonly name: string;
  /** How the charge and the alert come about. */
  readonly raise: () => Promise<string>;
  /** How it is held. */
  readonly reason: string;
  /** Its fallback, and how many hours before the deadline. */
  readonly fallback: 'ACCEPT_DISPUTE' | 'REFUND';
  readonly hoursBefore: number;
}

async function alertOn(sale: Promise<Sale>, fields: NewAlert = {}): Promise<string> {
  const { charge } = await sale;
  return world.sandbox.createAlertFor(charge.reference, fields).id;
}

async function fontWith(change: Readonly<Record<string, unknown>>): Promise<string> {
  const { charge } = await world.sell(PRODUCTS.font);
  Object.assign(world.sandbox.state.charges.get(charge.reference) ?? {}, change);
  return world.sandbox.createAlertFor(charge.reference).id;
}

/** Known by card, amount and date only, as when the issuer sends no identifier. */
const CARD_ONLY: NewAlert = {
  acquirer_reference_number: null,
  authorisation_code: null,
  match: 'never',
};

const JOURNEYS: readonly Journey[] = [
  {
    name: 'two charges could be meant',
    raise: async () => {
      const first = world.sell(PRODUCTS.course);
      await world.sell(PRODUCTS.course, await first);
      return await alertOn(first, CARD_ONLY);
    },
    reason: 'several_charges',
    fallback: 'ACCEPT_DISPUTE',
    hoursBefore: 6,
  },
  {
    name: 'no charge is found',
    raise: () =>
      Promise.resolve(world.sandbox.createAlert({ amount_in_cents: 4_711, card_last4: '0000' }).id),
    reason: 'no_charge',
    fallback: 'ACCEPT_DISPUTE',
    hoursBefore: 6,
  },
  {
    name: 'the payment was declined',
    raise: () => fontWith({ status: 'declined' }),
    reason: 'declined',
    fallback: 'ACCEPT_DISPUTE',
    hoursBefore: 2,
  },
  {
    name: 'the alert is about less than the charge',
    raise: () => alertOn(world.sell(PRODUCTS.font), { amount_in_cents: 2_899 }),
    reason: 'amount_differs',
    fallback: 'ACCEPT_DISPUTE',
    hoursBefore: 2,
  },
  {
    name: 'the alert is about more than the charge',
    raise: () => alertOn(world.sell(PRODUCTS.font), { amount_in_cents: 2_901 }),
    reason: 'amount_differs',
    fallback: 'ACCEPT_DISPUTE',
    hoursBefore: 2,
  },
  {
    name: 'the policy asks for a review',
    raise: () => alertOn(world.sell(PRODUCTS.lamp)),
    reason: 'policy_review',
    fallback: 'REFUND',
    hoursBefore: 4,
  },
];

/** A journey under way, with what stood where at the moments that matter. */
interface Travelled {
  readonly journey: Journey;
  readonly alertId: string;
  reason: string | null;
  before: string[];
  after: string[];
}

/** Every alert of this file's first world is due then. */
const DEADLINE_MS = Date.parse('2026-11-22T00:00:00Z');

/** Walks up to the moment of a fallback, and over it. */
async function passFallback(hoursBefore: number, travelled: readonly Travelled[]): Promise<void> {
  const due = travelled.filter(({ journey }) => journey.hoursBefore === hoursBefore);
  const fallbackMs = DEADLINE_MS - hoursBefore * HOUR_MS;
  await world.advance(fallbackMs - MINUTE_MS - world.clock.nowMs());
  for (const each of due) each.before = answersTo(world, each.alertId);
  await world.advance(MINUTE_MS);
  for (const each of due) each.after = answersTo(world, each.alertId);
}

describe('an alert that nobody decides', () => {
  const travelled: Travelled[] = [];
  let refundsAtStart = Number.NaN;
  const find = (name: string): Travelled => {
    const found = travelled.find(({ journey }) => journey.name === name);
    if (found === undefined) throw new Error(`Nobody travelled because ${name}.`);
    return found;
  };

  beforeAll(async () => {
    world = await createWorld();
    for (const journey of JOURNEYS) {
      const alertId = await journey.raise();
      travelled.push({ journey, alertId, reason: null, before: ['not seen'], after: [] });
    }
    await world.drain();
    refundsAtStart = world.arrivals.count('POST /processor/refunds');
    for (const each of travelled) each.reason = (await caseOf(world, each.alertId)).hold_reason;
    await passFallback(6, travelled);
    await passFallback(4, travelled);
    await passFallback(2, travelled);
  });
  afterAll(async () => {
    await world.close();
  });

  it.each(JOURNEYS)(
    'because $name waits, then gets $fallback $hoursBefore h before the deadline',
    async ({ name, fallback, ...expected }) => {
      const { alertId, reason, before, after } = find(name);
      expect(reason).toBe(expected.reason);
      expect(before).toEqual([]);
      expect(after).toEqual([`${fallback} 200`]);
      const kinds = await toldKinds(world, alertId);
      expect(kinds).toContainEqual(expect.stringContaining('case_held'));
      expect(kinds).not.toContain('missed error');
    },
  );

  it('moves no money before its fallback, and after it only what the fallback says', () => {
    expect(refundsAtStart).toBe(0);
    const refunded = world.sandbox
      .charges()
      .filter(({ reference }) => world.sandbox.moneyOut(reference).count > 0);
    expect(refunded.map(({ amount_in_cents: amount }) => amount)).toEqual([6_450]);
    expect(world.arrivals.count('POST /processor/refunds')).toBe(1);
  });

  it('says so, and claims the alert’s price, when the payment never happened', async () => {
    const { alertId } = find('the payment was declined');
    expect(noteTo(world, alertId)).toBe('payment was declined');
    expect(await creditClassOf(world, alertId)).toBe('NOT_CAPTURED');
  });
});

describe('an alert whose charge turns up later', () => {
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(async () => {
    await world.close();
  });

  it('is matched again when its order arrives, and refunded', async () => {
    const { charge, order } = makeSale({ product: PRODUCTS.font }, world.clock.nowMs());
    const alert = world.sandbox.createAlert({
      amount_in_cents: 2_900,
      currency_code: 'USD',
      authorised_at: charge.authorised_at,
      authorisation_code: charge.authorisation_code,
      acquirer_reference_number: charge.acquirer_reference_number,
      card_bin: charge.card_bin,
      card_last4: charge.card_last4,
      card_scheme: charge.card_brand,
    });
    await world.drain();
    expect((await caseOf(world, alert.id)).hold_reason).toBe('no_charge');

    await world.advance(10 * MINUTE_MS);
    world.sandbox.createCharge(charge);
    await world.recordOrder(order);
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });

  it('in another currency is never refunded by itself', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, {
      currency_code: 'EUR',
      amount_in_cents: 2_900,
    });
    await world.drain();

    expect(await world.stateOf(alert.id)).toBe('HUMAN');
    await world.advance(47 * HOUR_MS);
    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED NOT_REFUNDED');
  });
});

describe('a held alert whose charge is refunded meanwhile', () => {
  beforeAll(async () => {
    world = await createWorld();
  });
  afterAll(async () => {
    await world.close();
  });

  /** Held until two hours before its deadline, then to be accepted: it is about one cent less. */
  const heldToAccept = (reference: string): string =>
    world.sandbox.createAlertFor(reference, { amount_in_cents: 2_899 }).id;

  it('for another alert is answered with that refund; its fallback would be false', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    // Whose refund waits for the processor: of two that come at once either may be looked at first.
    world.sandbox.addFault({ on: 'POST /processor/refunds', kind: 'status' });
    const other = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(answersTo(world, other.id)).toEqual([]);
    const alertId = heldToAccept(charge.reference);
    await world.drain();
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    await world.advance(10 * MINUTE_MS, MINUTE_MS);
    expect(answersTo(world, other.id)).toEqual(['REFUND 200']);
    await world.advance(47 * HOUR_MS);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
  });

  it.each([
    ['REFUND', PRODUCTS.lamp, 6_450],
    ['ACCEPT_DISPUTE', PRODUCTS.font, 2_899],
  ])(
    'by support is answered with that refund, instead of its fallback %s',
    async (_, product, amount) => {
      const { charge } = await world.sell(product);
      const alert = world.sandbox.createAlertFor(charge.reference, { amount_in_cents: amount });
      await world.drain();
      expect(await world.stateOf(alert.id)).toBe('HUMAN');
      const bySupport = world.sandbox.refundInDashboard(charge.reference);
      await world.advance(47 * HOUR_MS);

      expect(refundCalls(world, charge.reference)).toBe(0);
      expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
      expect(noteTo(world, alert.id)).toBe(`already refunded ${bySupport.reference}`);
    },
  );
});

describe('an alert about less than the charge, where the policy allows it', () => {
  beforeAll(async () => {
    const policyPath = new URL('./support/policies/alert-amount.yaml', import.meta.url).pathname;
    world = await createWorld({ policyPath });
  });
  afterAll(async () => {
    await world.close();
  });

  it('is refunded with the alert’s amount and no more', async () => {
    const { charge } = await world.sell(PRODUCTS.bicycle);
    const alert = world.sandbox.createAlertFor(charge.reference, { amount_in_cents: 10_000 });
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 10_000 });
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });

  it('about more than the charge is held all the same', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, { amount_in_cents: 3_000 });
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(await world.stateOf(alert.id)).toBe('HUMAN');
  });
});
