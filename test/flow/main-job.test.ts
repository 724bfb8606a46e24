/** Guarantee: a signed alert in, the right refund out, declared before its deadline, each exactly once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import {
  answersTo,
  caseOf,
  MINUTE_MS,
  noteTo,
  outcomeOf,
  raiseOddAlert,
  refundCalls,
  refundReference,
  told,
  toldKinds,
} from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };
const NOTHING = { count: 0, sumMinor: 0 };

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.close();
});

/** What the order feed shows of the order at the service. */
function orderAtService(order: Record<string, unknown>) {
  const stored = [...world.sandbox.state.orders.values()].find(
    (entry) => entry.reference_id === order['reference_id'],
  );
  if (stored === undefined) throw new Error(`The service has no ${String(order['reference_id'])}.`);
  return stored.fields;
}

describe('an alert about a charge we know', () => {
  it('is refunded at the processor once, then declared, and the order feed hears of it', async () => {
    const { charge, order } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
    const reference = refundReference(world, charge.reference);
    expect(noteTo(world, alert.id)).toBe(`refund ${reference}`);
    expect(await world.stateOf(alert.id)).toBe('DECLARED_REFUND');

    await world.advance(MINUTE_MS);
    expect(orderAtService(order).refunds).toMatchObject([
      {
        reference_id: reference,
        amount_in_cents: 2_900,
        currency: 'USD',
        status: 'SUCCEEDED',
        original_transaction_reference_id: charge.reference,
      },
    ]);
  });

  it('is accepted when the policy says so: no money moves, the answer is given once', async () => {
    const { charge, order } = await world.sell(PRODUCTS.bicycle);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(NOTHING);
    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED NOT_REFUNDED');
    expect(answersTo(world, alert.id)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(await world.stateOf(alert.id)).toBe('DECLARED_ACCEPT');
    await world.advance(MINUTE_MS);
    expect(orderAtService(order).refunds ?? []).toEqual([]);
  });

  it('gets the rest when a part was refunded before', async () => {
    const { charge } = await world.sell(PRODUCTS.lamp);
    world.sandbox.refundInDashboard(charge.reference, 2_000);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 2, sumMinor: 6_450 });
    expect(refundCalls(world, charge.reference)).toBe(1);
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED REFUNDED');
  });

  it('is released, not refunded, while the payment is only authorised', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const booked = world.sandbox.state.charges.get(charge.reference);
    Object.assign(booked ?? {}, { status: 'authorised' });
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(booked?.status).toBe('voided');
    expect(world.sandbox.moneyOut(charge.reference)).toEqual(NOTHING);
    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
    expect(noteTo(world, alert.id)).toBe('authorisation voided');
  });

  it('is not refunded once a dispute is open at the processor', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    Object.assign(world.sandbox.state.charges.get(charge.reference) ?? {}, { disputed: true });
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(answersTo(world, alert.id)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(noteTo(world, alert.id)).toBe('dispute open already');
  });
});

describe('a charge that has been refunded', () => {
  it.each([
    ['the policy would refund', PRODUCTS.font],
    ['the policy would ask a person', PRODUCTS.lamp],
    ['the policy would accept the dispute', PRODUCTS.bicycle],
  ])(
    'by support in full is declared with its reference and no call, although %s',
    async (_, product) => {
      const { charge } = await world.sell(product);
      const bySupport = world.sandbox.refundInDashboard(charge.reference);
      const alert = world.sandbox.createAlertFor(charge.reference);
      await world.drain();

      expect(refundCalls(world, charge.reference)).toBe(0);
      expect(world.sandbox.moneyOut(charge.reference).count).toBe(1);
      expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
      expect(noteTo(world, alert.id)).toBe(`already refunded ${bySupport.reference}`);
      expect(await world.stateOf(alert.id)).toBe('DECLARED_REFUND');
    },
  );

  it('by us is not refunded again for a twin alert of the same moment: one refund, two answers', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const twins = [1, 2].map(() => world.sandbox.createAlertFor(charge.reference).id);
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(refundCalls(world, charge.reference)).toBe(1);
    for (const id of twins) expect(answersTo(world, id)).toEqual(['REFUND 200']);
  });

  it('by us is not refunded again for an alert that comes days later', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    await world.advance(72 * 60 * MINUTE_MS);
    const late = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(1);
    expect(answersTo(world, late.id)).toEqual(['REFUND 200']);
  });
});

describe('an alert of the network that refunds by itself (RDR)', () => {
  const rdr = () => ({ enrolment_id: world.sandbox.accounts.rdrEnrolmentId });

  it('is only booked: no refund, no answer', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, rdr());
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(world.arrivals.count('PATCH /v1/alerts/{alert_id}', alert.id)).toBe(0);
    expect(await world.stateOf(alert.id)).toBe('RECONCILED_RDR');
  });

  it('that is INVALID is closed: no refund, no answer', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, { ...rdr(), status: 'INVALID' });
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(world.arrivals.count('PATCH /v1/alerts/{alert_id}', alert.id)).toBe(0);
    expect(await world.stateOf(alert.id)).toBe('CLOSED_INVALID');
  });

  it('keeps the other network’s alert on the charge from being refunded', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const first = world.sandbox.createAlertFor(charge.reference, rdr());
    await world.advance(1_000);
    const second = world.sandbox.createAlertFor(charge.reference);
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(answersTo(world, second.id)).toEqual(['REFUND 200']);
    expect(noteTo(world, second.id)).toBe(`already refunded ${first.id}`);
  });

  it('after our own refund calls a person: the customer may be paid twice', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const first = world.sandbox.createAlertFor(charge.reference);
    await world.advance(1_000);
    const second = world.sandbox.createAlertFor(charge.reference, rdr());
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, first.id)).toEqual(['REFUND 200']);
    expect(await toldKinds(world, second.id)).toContain('double_payment error');
  });
});

describe('an alert that is over before we act', () => {
  it.each([
    ['resolved in the dashboard', 'CLOSED_REMOTE'],
    ['withdrawn', 'CLOSED_INVALID'],
  ] as const)('because it was %s: no refund, no answer', async (how, state) => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    if (how === 'withdrawn') world.sandbox.invalidateAlert(alert.id);
    else world.sandbox.resolveInDashboard(alert.id, 'ACCEPT_DISPUTE');
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(world.arrivals.count('PATCH /v1/alerts/{alert_id}', alert.id)).toBe(0);
    expect(await world.stateOf(alert.id)).toBe(state);
  });
});

describe('an alert that cannot be believed', () => {
  it('with a status nobody knows is held for a person, and nothing is done (F22)', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const id = raiseOddAlert(world, charge.reference, { status: 'ESCALATED' });
    await world.drain();
    await world.advance(5 * MINUTE_MS);

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(world.arrivals.count('PATCH /v1/alerts/{alert_id}', id)).toBe(0);
    expect(await world.stateOf(id)).toBe('HUMAN');
    expect(await toldKinds(world, id)).toContain('case_held error');
  });

  it.each([
    ['no deadline at all', null],
    ['a deadline in 90 days', '2027-02-20T00:00:00Z'],
  ])(
    'with %s is worked on at once, and a person is warned at once while it is open',
    async (_, at) => {
      const { charge } = await world.sell(PRODUCTS.lamp);
      const id = raiseOddAlert(world, charge.reference, { action_required_deadline: at });
      await world.drain();

      expect(await world.stateOf(id)).toBe('HUMAN');
      const alarms = (await told(world, id)).filter(({ kind }) => kind === 'deadline_near');
      expect(alarms.map(({ at: moment }) => moment.getTime())).toEqual([world.clock.nowMs()]);
      const { deadline_at: assumed, opened_at: opened } = await caseOf(world, id);
      expect(assumed.getTime() - opened.getTime()).toBe(24 * 60 * MINUTE_MS);
    },
  );

  it('whose deadline lies before its creation is not answered; a person hears of it at once', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, { deadline_hours: -1 });
    await world.drain();

    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(answersTo(world, alert.id)).toEqual([]);
    expect(await toldKinds(world, alert.id)).toContain('missed error');
  });

  it.each([
    ['refunded', PRODUCTS.font],
    ['accepted', PRODUCTS.bicycle],
  ])(
    'whose deadline passed while no worker ran is not %s any more: missed, and told',
    async (_, product) => {
      const { charge } = await world.sell(product);
      const alert = world.sandbox.createAlertFor(charge.reference, { deadline_hours: 1 });
      await world.advance(60 * MINUTE_MS);

      expect(refundCalls(world, charge.reference)).toBe(0);
      expect(answersTo(world, alert.id)).toEqual([]);
      expect(await toldKinds(world, alert.id)).toContain('missed error');
    },
  );

  it.each([
    ['sixteen minutes before its deadline is refunded', 16 / 60, ONCE_29_USD],
    ['fourteen minutes before it too: the processor’s requests end sooner', 14 / 60, ONCE_29_USD],
    ['one minute before its deadline is not: the answer could come too late', 1 / 60, NOTHING],
  ])('%s', async (_, hours, moved) => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.createAlertFor(charge.reference, { deadline_hours: hours });
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(moved);
  });
});
