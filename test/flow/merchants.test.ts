/**
 * Guarantee: money of a merchant with a processor of its own moves there and nowhere else, whatever names another
 * merchant's processor knows too; and where it cannot be said whose charge it is, nothing moves and nothing is declared.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRoutedProcessor } from '../../src/alerts/cases/routed-processor.ts';
import { couldRefundBefore } from '../../src/alerts/recovery-check/could-refund.store.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { openClaim } from '../../src/capabilities/signals/open-claim.ts';
import { HOLD_EVERYTHING_POLICY } from '../../src/policy/built-in.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { layerOf } from '../../src/policy/past-decision.store.ts';
import { noteSettings } from '../../src/running/roles/note-settings.ts';
import type { MerchantWork } from '../../src/running/roles/work-options.ts';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { createNoProcessor } from '../../src/service/processor/no-processor.ts';
import { IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { Processor } from '../../src/service/wire/processor.ts';
import { watchArrivals } from '../support/arrivals.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { answersTo, caseOf, HOUR_MS, MINUTE_MS, told } from './support/books.ts';

const MERCHANT = 'mrch_b';
/** Uses the organisation's processor, and has a policy of its own. */
const REVIEWS = 'mrch_reviews';
const SECRET = 'processor-secret-of-merchant-b';
const REVIEWED = `name: Reviews
rules: []
otherwise: {REVIEW: {fallback: ACCEPT_DISPUTE, at: 2h before deadline}}
held: {fallback: ACCEPT_DISPUTE, at: 2h before deadline}
`;
const POST_REFUND = 'POST /processor/refunds';
const NOTHING = { count: 0, sumMinor: 0 };

/** The account of merchant B; the organisation's own is the world's. */
let other: Sandbox;
let world: World;
/** Enrolments: B's, and one that serves B and the organisation's first merchant. */
let ofB: string;
let ofBoth: string;
let ofReviews: string;

beforeAll(async () => {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  other = await createSandbox({ clock, processorSecret: SECRET });
  const processor = createHttpProcessor({ baseUrl: other.processorUrl, secret: SECRET, clock });
  const reviewed = loadPolicy(REVIEWED, { file: 'reviewed.yaml', brands: IDENTITY_BRAND_TOKENS });
  const policy = { current: () => reviewed, refresh: () => false };
  world = await createWorld({
    layers: {
      policyLayer: 'organisation',
      merchants: [
        { id: MERCHANT, processor },
        { id: REVIEWS, policy, fallbackBeforeMs: 5 * HOUR_MS },
      ],
    },
  });
  const { organisationId } = world.sandbox.accounts;
  const [first = ''] = [...world.sandbox.state.merchants.keys()];
  const type = 'NETA_ALERT';
  const seeded = world.sandbox.seed({
    merchants: [MERCHANT, REVIEWS].map((id) => ({ id, name: id, organisation_id: organisationId })),
    enrolments: [
      {
        type,
        merchant_ids: [MERCHANT],
        descriptors: [{ descriptor: 'BRAND B', match_type: 'STARTS_WITH' }],
      },
      {
        type,
        merchant_ids: [first, MERCHANT],
        descriptors: [{ descriptor: 'BOTH', match_type: 'STARTS_WITH' }],
      },
      { type, merchant_ids: [REVIEWS] },
    ],
  });
  [ofB = '', ofBoth = '', ofReviews = ''] = seeded.enrolments.map(({ id }) => id);
});
afterEach(() => {
  other.faults.clear();
});
afterAll(async () => {
  await world.close();
  await other.close();
});

/** Sold by B: its account has the charge, and the organisation's own one of the same name, for another price. */
async function sellAtBoth(): Promise<Sale['charge']> {
  const sale = makeSale({ product: PRODUCTS.font }, world.clock.nowMs());
  other.createCharge(sale.charge);
  world.sandbox.createCharge({ ...sale.charge, amount_in_cents: 8_400 });
  await world.recordOrder(sale.order);
  return sale.charge;
}

/** An alert about it, of 29.00 USD as B's account has it. */
function alertOf({ reference }: Sale['charge'], enrolment: string | undefined): string {
  const named = enrolment === undefined ? {} : { enrolment_id: enrolment };
  return world.sandbox.createAlertFor(reference, { ...named, amount_in_cents: 2_900 }).id;
}

const money = (reference: string) => ({
  own: world.sandbox.moneyOut(reference),
  ofB: other.moneyOut(reference),
});

async function sentThrough(reference: string): Promise<(string | null)[]> {
  const { rows } = await world.database.pool.query<{ sent_through: string | null }>(
    'select sent_through from movement where charge_reference = $1 and idempotency_key is not null',
    [reference],
  );
  return rows.map((row) => row.sent_through);
}

async function layersOf(alerts: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await world.database.pool.query<{ alert_id: string; inputs: unknown }>(
    'select alert_id, inputs from decision where alert_id = any($1)',
    [alerts],
  );
  return new Map(rows.map((row) => [row.alert_id, layerOf(row.inputs)]));
}

describe('an alert of a merchant with a processor of its own', () => {
  it('is refunded there, and not where a charge of the same name stands', async () => {
    const charge = await sellAtBoth();
    const alert = alertOf(charge, ofB);
    await world.drain();
    expect(money(charge.reference)).toEqual({ own: NOTHING, ofB: { count: 1, sumMinor: 2_900 } });
    expect(answersTo(world, alert)).toEqual(['REFUND 200']);
    expect(await sentThrough(charge.reference)).toEqual([MERCHANT]);
    // The books are compared with the same account: the other one shows no refund.
    await world.advance(2 * HOUR_MS, HOUR_MS);
    const { rows } = await world.database.pool.query(
      'select kind from finding where subject_id in ($1, $2)',
      [alert, charge.reference],
    );
    expect(rows).toEqual([]);
  });

  it('whose refund is not answered is asked for there, and sent there once', async () => {
    other.addFault({ on: POST_REFUND, kind: 'drop_after' });
    const charge = await sellAtBoth();
    const alert = alertOf(charge, ofB);
    await world.drain();
    expect(answersTo(world, alert)).toEqual([]);
    await world.advance(MINUTE_MS);
    expect(money(charge.reference)).toEqual({ own: NOTHING, ofB: { count: 1, sumMinor: 2_900 } });
    expect(answersTo(world, alert)).toEqual(['REFUND 200']);
  });

  it('binds the charge: another merchant’s alert about that name is answered by people', async () => {
    const charge = await sellAtBoth();
    alertOf(charge, ofB);
    await world.drain();
    const stranger = alertOf(charge, undefined);
    await world.advance(HOUR_MS, HOUR_MS);
    expect(money(charge.reference)).toEqual({ own: NOTHING, ofB: { count: 1, sumMinor: 2_900 } });
    expect(answersTo(world, stranger)).toEqual([]);
    expect(await caseOf(world, stranger)).toMatchObject({ state: 'HUMAN', charge_reference: null });
  });

  it('is held back where it got hold of another merchant’s charge all the same', async () => {
    const charge = await sellAtBoth();
    const mine = alertOf(charge, ofB);
    await world.drain();
    const theirs = alertOf(charge, undefined);
    await world.drain();
    // As if both had been matched before either was stored, and a person wanted it refunded.
    await world.database.pool.query(
      `update alert_case set charge_reference = $1, state = 'DECIDED_REFUND', hold_reason = null, next_action_at = opened_at,
         decision_id = (select max(id) from decision where alert_id = $2) where alert_id = $2`,
      [charge.reference, theirs],
    );
    const before = money(charge.reference);
    await world.advance(HOUR_MS, HOUR_MS);
    expect(money(charge.reference)).toEqual(before);
    expect(before.own).toEqual(NOTHING);
    expect(answersTo(world, theirs)).toEqual([]);
    expect((await caseOf(world, theirs)).last_error).toContain('belongs to another merchant');
    expect(answersTo(world, mine)).toEqual(['REFUND 200']);
  });
});

describe('an alert that names merchants with different processors', () => {
  it('asks none of them, and waits for a person', async () => {
    const charge = await sellAtBoth();
    const calls = world.arrivals.all.length;
    const alert = alertOf(charge, ofBoth);
    await world.drain();
    expect(money(charge.reference)).toEqual({ own: NOTHING, ofB: NOTHING });
    expect(answersTo(world, alert)).toEqual([]);
    expect(await caseOf(world, alert)).toMatchObject({ state: 'HUMAN', charge_reference: null });
    const asked = world.arrivals.all
      .slice(calls)
      .filter(({ endpoint }) => endpoint.includes('/processor/'));
    expect(asked).toEqual([]);
    expect((await told(world, alert)).length).toBeGreaterThan(0);
  });
});

describe('a refund that is owed without an alert', () => {
  it('is the merchant’s whose processor alone knows the charge; known to two it is nobody’s', async () => {
    const [onlyB, both] = [
      makeSale({ product: PRODUCTS.font }, world.clock.nowMs()),
      await sellAtBoth(),
    ];
    other.createCharge(onlyB.charge);
    const ids: string[] = [];
    for (const { reference } of [onlyB.charge, both]) ids.push(await claimOf(reference));
    await world.drain();
    const { rows } = await world.database.pool.query(
      'select id, merchant_id from alert where id = any($1)',
      [ids],
    );
    // What two processors know is asked again until one of them does not.
    expect(rows).toEqual([{ id: ids[0], merchant_id: MERCHANT }]);
    const account = await world.database.pool.query(
      'select amount_minor from charge_account where charge_reference = $1',
      [onlyB.charge.reference],
    );
    expect(account.rows).toEqual([{ amount_minor: 2_900 }]);
  });
});

/** Support promises a refund of the charge. */
async function claimOf(chargeReference: string): Promise<string> {
  const now = new Date(world.clock.nowMs());
  const opened = await openClaim(world.database.db, {
    organisationId: world.parts.organisationId,
    source: 'SUPPORT',
    reference: `s_${chargeReference}`,
    chargeReference,
    ...{ amountMinor: 2_900, currency: 'USD', country: null, note: '' },
    ...{ claimedAt: now, openedBy: 'operator:test', now },
  });
  return opened.kind === 'other' ? '' : opened.claim.id;
}

describe('a subscription', () => {
  it('is cancelled where its merchant’s charge is', async () => {
    const arrivals = watchArrivals(other);
    const sale = makeSale({ product: PRODUCTS.magazine }, world.clock.nowMs());
    other.createCharge(sale.charge);
    world.sandbox.createCharge(sale.charge);
    await world.recordOrder(sale.order);
    const { id } = world.sandbox.createAlertFor(sale.charge.reference, {
      enrolment_id: ofB,
      reason_code: '13.2',
    });
    await world.drain();
    await world.advance(MINUTE_MS);
    expect(answersTo(world, id)).toEqual(['REFUND 200']);
    const cancelled = (all: typeof arrivals.all): number =>
      all.filter(
        ({ endpoint, text }) =>
          endpoint.endsWith('/cancel') && text.includes(String(sale.charge.subscription_reference)),
      ).length;
    expect([cancelled(arrivals.all), cancelled(world.arrivals.all)]).toEqual([1, 0]);
  });
});

describe('an alert of a merchant with a policy of its own', () => {
  it('is decided by it, within the guards of all layers, and the decision says whose it was', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, { enrolment_id: ofReviews }).id;
    const ordinary = await world.sell(PRODUCTS.font);
    const other = world.sandbox.createAlertFor(ordinary.charge.reference).id;
    await world.drain();
    const held = await caseOf(world, alert);
    expect(held).toMatchObject({ state: 'HUMAN', hold_reason: 'policy_review' });
    // Its own word is two hours before the deadline, the guards say five.
    expect(held.deadline_at.getTime() - (held.fallback_at?.getTime() ?? 0)).toBe(5 * HOUR_MS);
    expect(await layersOf([alert, other])).toEqual(
      new Map([
        [alert, `merchant ${REVIEWS}`],
        [other, 'organisation'],
      ]),
    );
    expect(world.sandbox.moneyOut(ordinary.charge.reference).count).toBe(1);
    expect(world.sandbox.moneyOut(charge.reference)).toEqual(NOTHING);
  });
});

describe('an organisation’s own alerts', () => {
  it('go to its own processor, as without any merchant', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference).id;
    await world.drain();
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    expect(answersTo(world, alert)).toEqual(['REFUND 200']);
    expect(await sentThrough(charge.reference)).toEqual([null]);
  });
});

describe('a request for a charge of one merchant under an alert of another', () => {
  it('leaves for no processor', async () => {
    const charge = await sellAtBoth();
    const mine = alertOf(charge, ofB);
    await world.drain();
    const theirs = alertOf(charge, undefined);
    await world.drain();
    const unasked = createNoProcessor();
    const spent: string[] = [];
    const spending = (name: string): Processor => ({
      ...unasked,
      refund: async ({ alertId }) => {
        spent.push(`${name} ${alertId}`);
        return { kind: 'unknown', reason: 'asked' };
      },
    });
    const routed = createRoutedProcessor({
      db: world.parts.database.db,
      organisationId: world.parts.organisationId,
      own: spending('own'),
      byMerchant: new Map([[MERCHANT, spending('of B')]]),
      isListed: (id) => id === MERCHANT,
    });
    const ask = async (alertId: string) =>
      await routed.refund(
        {
          ...{ idempotencyKey: 'k', chargeReference: charge.reference, alertId },
          ...{ reason: 'r', amountMinor: 2_900, currency: 'USD' },
        },
        AbortSignal.timeout(1_000),
      );
    expect(await ask(theirs)).toMatchObject({ kind: 'rejected', failureClass: 'final' });
    expect(await ask('netalrt_of_nobody')).toMatchObject({ kind: 'rejected' });
    expect(await ask(mine)).toMatchObject({ kind: 'unknown' });
    expect(spent).toEqual([`of B ${mine}`]);
  });
});

describe('money that went through a processor which is not set any more', () => {
  it('is asked for nowhere else', async () => {
    const charge = await sellAtBoth();
    const alert = alertOf(charge, ofB);
    await world.drain();
    const own = createHttpProcessor({
      baseUrl: world.sandbox.processorUrl,
      secret: 'unused-processor-secret',
      clock: world.clock,
    });
    const routed = createRoutedProcessor({
      db: world.parts.database.db,
      organisationId: world.parts.organisationId,
      own,
      byMerchant: new Map(),
      isListed: (id) => id === MERCHANT,
    });
    const calls = world.arrivals.all.length;
    expect(await routed.readCharge(charge.reference)).toMatchObject({ kind: 'unavailable' });
    const request = {
      ...{ idempotencyKey: 'k', chargeReference: charge.reference, alertId: alert },
      ...{ reason: 'r', amountMinor: 2_900, currency: 'USD' },
    };
    expect(await routed.refund(request, AbortSignal.timeout(1_000))).toMatchObject({
      kind: 'rejected',
      failureCode: 'another_processor',
    });
    expect(world.arrivals.all.length).toBe(calls);
  });
});

describe('an organisation without a processor', () => {
  it('could refund where a merchant of it has one: a restored database is told so', async () => {
    const none = createNoProcessor();
    const policy = { current: () => HOLD_EVERYTHING_POLICY, refresh: () => false };
    const told = { processor: none, policy, mode: 'live', reconcileSeconds: 120 } as const;
    const couldRefund = async (merchants: readonly MerchantWork[]): Promise<boolean> => {
      await noteSettings(world.parts, { ...told, merchants });
      return await couldRefundBefore(world.parts.database.db, world.parts.organisationId);
    };
    expect(await couldRefund([{ id: REVIEWS }, { id: 'mrch_none', processor: none }])).toBe(false);
    const processor = { ...none, name: 'outlet.example' };
    expect(await couldRefund([{ id: MERCHANT, processor }])).toBe(true);
  });
});
