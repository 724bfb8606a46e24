/**
 * Guarantee: the right charge, once. What agrees only by a weak sign moves no money until a person says
 * so; their word counts for the twin too; a late order is found until the fallback fires; and the
 * charge's history tells all of it.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applyChargeChoice } from '../../src/alerts/review/choose-charge.ts';
import { readChargeHistory } from '../../src/capabilities/history/history.store.ts';
import type { Sale } from '../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import {
  answersTo,
  caseOf,
  HOUR_MS,
  noteTo,
  refundCalls,
  refundReference,
} from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };
const NOTHING = { count: 0, sumMinor: 0 };

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => {
  world.sandbox.faults.clear();
});
afterAll(() => world.close());

async function matchOf(alertId: string) {
  const { match_id: id } = await caseOf(world, alertId);
  return await world.database.db
    .selectFrom('match')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

function choose(alertId: string, chargeReference: string) {
  return applyChargeChoice(world.database.db, {
    organisationId: world.parts.organisationId,
    alertId,
    chargeReference,
    note: 'the customer paid by phone',
    operator: 'ada',
    now: new Date(world.clock.nowMs()),
  });
}

async function history(reference: string) {
  const found = await readChargeHistory(world.database.db, world.parts.organisationId, reference);
  if (found === undefined) throw new Error(`no history of ${reference}`);
  return found;
}

/** What a wallet's alert says: another card number on the same payment, no ARN yet. */
const TOKEN = { card_bin: '489537', card_last4: '0042', acquirer_reference_number: null } as const;

describe('a weak sign', () => {
  it('a wallet token moves no money; chosen by a person, the charge is refunded once, and its twin is answered from it', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const first = world.sandbox.createAlertFor(charge.reference, { ...TOKEN, match: 'never' });
    await world.drain();
    expect(await caseOf(world, first.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'no_charge',
      charge_reference: null,
    });
    expect(await matchOf(first.id)).toMatchObject({ outcome: 'none', weak_sign: 'wallet_token' });
    await world.advance(HOUR_MS);
    expect(refundCalls(world, charge.reference)).toBe(0);

    expect(await choose(first.id, charge.reference)).toEqual({ ok: true, state: 'MATCHED' });
    await world.drain();
    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, first.id)).toEqual(['REFUND 200']);
    expect(await matchOf(first.id)).toMatchObject({
      tier: 'operator',
      matched_by: 'operator:ada',
      candidates: [expect.objectContaining({ reference: charge.reference, sign: 'wallet_token' })],
    });

    const twin = world.sandbox.createAlertFor(charge.reference, { ...TOKEN, match: 'never' });
    await world.drain();
    expect(await matchOf(twin.id)).toMatchObject({
      outcome: 'single',
      tier: 'operator_choice',
      charge_reference: charge.reference,
    });
    expect(answersTo(world, twin.id)).toEqual(['REFUND 200']);
    expect(refundCalls(world, charge.reference)).toBe(1);
    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
  });

  it('a part of the amount, and another currency: no money, the charge is shown', async () => {
    const { charge } = await world.sell(PRODUCTS.course);
    const weak = {
      acquirer_reference_number: null,
      authorisation_code: null,
      match: 'never',
    } as const;
    const part = world.sandbox.createAlertFor(charge.reference, {
      ...weak,
      amount_in_cents: 2_000,
    });
    const foreign = world.sandbox.createAlertFor(charge.reference, {
      ...weak,
      amount_in_cents: 7_900,
      currency_code: 'EUR',
    });
    await world.drain();
    expect(await matchOf(part.id)).toMatchObject({
      outcome: 'none',
      weak_sign: 'partial_amount',
      candidates: [expect.objectContaining({ reference: charge.reference })],
    });
    // No rates are set, so nothing is converted and nothing agrees.
    expect(await matchOf(foreign.id)).toMatchObject({ outcome: 'none', weak_sign: null });
    expect(refundCalls(world, charge.reference)).toBe(0);

    // A person may say which it is; whether money moves is still the guards' word: 20.00 is not 84.00.
    expect(await choose(part.id, charge.reference)).toEqual({ ok: true, state: 'MATCHED' });
    await world.drain();
    expect(await caseOf(world, part.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'amount_differs',
      charge_reference: charge.reference,
    });
    expect(world.sandbox.moneyOut(charge.reference)).toEqual(NOTHING);
  });

  it('a second choice is refused once the first was acted upon', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const other = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference, { ...TOKEN, match: 'never' });
    await world.drain();
    await choose(alert.id, charge.reference);
    await world.drain();
    expect(await choose(alert.id, other.charge.reference)).toEqual({ ok: false, reason: 'closed' });
    await world.drain();
    expect(refundCalls(world, other.charge.reference)).toBe(0);
    const said = await world.database.db
      .selectFrom('audit')
      .select(['actor', 'what'])
      .where('alert_id', '=', alert.id)
      .where('subject', '=', 'operator')
      .orderBy('id')
      .execute();
    expect(said).toEqual([
      { actor: 'operator:ada', what: 'chose the charge' },
      { actor: 'operator:ada', what: 'choosing the charge refused' },
    ]);
  });
});

describe('17: the processor did not answer for seconds when the alert came', () => {
  const SECOND_MS = 1_000;

  /** Every reason with which the case was ever held, and every guard that ever stopped it. */
  async function reasonsOf(alertId: string): Promise<(string | null)[]> {
    const { db } = world.database;
    const decided = await db
      .selectFrom('decision')
      .select('guard')
      .where('alert_id', '=', alertId)
      .execute();
    const { hold_reason: reason } = await caseOf(world, alertId);
    return [reason, ...decided.map(({ guard }) => guard)];
  }

  /** A charge that only the processor can show, and an alert while its search answers 503. */
  async function unseen(outageMs: number): Promise<{ reference: string; alertId: string }> {
    const { charge } = makeSale({ product: PRODUCTS.font }, world.clock.nowMs());
    world.sandbox.createCharge(charge);
    const outage = { kind: 'status', status: 503, for_ms: outageMs } as const;
    world.sandbox.addFault({ on: 'GET /processor/charges', ...outage });
    const { id: alertId } = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(await caseOf(world, alertId)).toMatchObject({ state: 'RECEIVED' });
    return { reference: charge.reference, alertId };
  }

  async function expectRefunded({ reference, alertId }: { reference: string; alertId: string }) {
    expect(await reasonsOf(alertId)).not.toContain('no_charge');
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
  }

  it.each([1, 2, 3, 4, 5, 6])(
    'for %i s: asked again on a ladder of seconds, never called "no charge", refunded',
    async (seconds) => {
      const about = await unseen(seconds * SECOND_MS);
      // The waits are 2 to 4, 2 to 8 and 2 to 16 s: at most two of them end within 6 s.
      await world.live((seconds + 16) * SECOND_MS, SECOND_MS);
      await expectRefunded(about);
    },
  );

  it('for ten minutes: held because nobody answered, and found without a person once it answers', async () => {
    const about = await unseen(10 * 60 * SECOND_MS);
    await world.live(9 * 60 * SECOND_MS);
    expect(await caseOf(world, about.alertId)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'search_unanswered',
    });
    await world.live(6 * 60 * SECOND_MS);
    await expectRefunded(about);
  });
});

describe('a late order', () => {
  /** An alert about a sale of which neither we nor the processor know yet. */
  async function early() {
    const sale = makeSale({ product: PRODUCTS.font }, world.clock.nowMs());
    const { charge } = sale;
    const alert = world.sandbox.createAlert({
      amount_in_cents: charge.amount_in_cents,
      currency_code: charge.currency,
      authorised_at: charge.authorised_at,
      authorisation_code: charge.authorisation_code,
      acquirer_reference_number: charge.acquirer_reference_number,
      card_bin: charge.card_bin,
      card_last4: charge.card_last4,
      card_scheme: charge.card_brand,
    });
    await world.drain();
    expect(await caseOf(world, alert.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'no_charge',
    });
    return { sale, alert };
  }

  /** The processor shows the charge, and the merchant tells us the order. */
  async function arrive({ charge, order }: Sale) {
    world.sandbox.createCharge(charge);
    await world.recordOrder(order);
    await world.drain();
  }

  it('before the fallback: found and refunded', async () => {
    const { sale, alert } = await early();
    await world.advance(10 * HOUR_MS, 5 * HOUR_MS);
    await arrive(sale);
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
    expect(world.sandbox.moneyOut(sale.charge.reference)).toEqual(ONCE_29_USD);
    expect(noteTo(world, alert.id)).toContain(refundReference(world, sale.charge.reference));
  });

  it('after the fallback: accepted as planned, and nothing is refunded', async () => {
    const { sale, alert } = await early();
    // The demonstration policy falls back six hours before the deadline of 48.
    await world.advance(44 * HOUR_MS, 11 * HOUR_MS);
    expect(answersTo(world, alert.id)).toEqual(['ACCEPT_DISPUTE 200']);
    await arrive(sale);
    expect(answersTo(world, alert.id)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(refundCalls(world, sale.charge.reference)).toBe(0);
  });

  it('by a weak sign: still held, now with a candidate, and the same plan', async () => {
    const { sale, alert } = await early();
    const before = await caseOf(world, alert.id);
    // The same card and day, a larger amount, and neither ARN nor code.
    const { order, charge } = makeSale({ product: PRODUCTS.course }, world.clock.nowMs());
    const [transaction] = order.transactions ?? [];
    await arrive({
      charge: { ...charge, reference: 'ch_late_3' },
      order: {
        ...order,
        transactions: [
          {
            ...transaction!,
            reference_id: 'ch_late_3',
            authorised_at: sale.charge.authorised_at,
            payment_method_card_bin: sale.charge.card_bin,
            payment_method_card_last_4: sale.charge.card_last4,
            payment_method_card_brand: sale.charge.card_brand,
            acquirer_reference_number: undefined,
            authorisation_code: undefined,
          },
        ],
      },
    });
    expect(await matchOf(alert.id)).toMatchObject({
      outcome: 'none',
      weak_sign: 'partial_amount',
      candidates: [expect.objectContaining({ reference: 'ch_late_3' })],
    });
    expect(await caseOf(world, alert.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'no_charge',
      fallback_at: before.fallback_at,
    });
    expect(refundCalls(world, 'ch_late_3')).toBe(0);
  });
});

describe('the history of a charge', () => {
  it('joins both networks, lookup, notice, representment, refund, declarations and the order', async () => {
    const { charge, order } = await world.sell(PRODUCTS.font);
    const { sandbox } = world;
    const arn = { transaction_acquirer_reference_number: charge.acquirer_reference_number };
    const lookup = sandbox.createLookup({
      type: 'NETB_ORDER_INSIGHT',
      transaction_card_bin: charge.card_bin,
      transaction_card_last4: charge.card_last4,
      transaction_arn: charge.acquirer_reference_number,
      transaction_amount: charge.amount_in_cents,
      transaction_currency: charge.currency,
    });
    await world.advance(HOUR_MS);
    const alert = sandbox.createAlertFor(charge.reference, {});
    await world.advance(HOUR_MS);
    const twin = sandbox.createAlertFor(charge.reference, { match: 'never' });
    await world.advance(HOUR_MS);
    const notice = sandbox.createSchemeNotice({
      ...arn,
      scheme_notice_type: 'TC40',
      transaction_card_last4: charge.card_last4,
    });
    const rdr = sandbox.createAlertFor(charge.reference, {
      enrolment_id: sandbox.accounts.rdrEnrolmentId,
    });
    const representment = sandbox.createRepresentment({
      transaction_reference_id: charge.reference,
    });
    await world.drain();

    expect(sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, twin.id)).toEqual(['REFUND 200']);
    const told = await history(charge.reference);
    expect(told.orderReference).toBe(order['reference_id']);
    expect(told.alerts.map(({ id, enrolmentType }) => [id, enrolmentType])).toEqual([
      [alert.id, 'NETA_ALERT'],
      [twin.id, 'NETA_ALERT'],
      [rdr.id, 'NETB_RDR'],
    ]);
    expect(told.account.money).toMatchObject({
      capturedMinor: 2_900,
      oursMinor: 2_900,
      leftMinor: 0,
    });
    const subjects = new Set(
      told.entries.map(({ subject, subjectId }) => `${subject} ${subjectId}`),
    );
    expect([...subjects]).toEqual(
      expect.arrayContaining([
        `charge ${charge.reference}`,
        `order ${String(order['reference_id'])}`,
        `lookup ${lookup.id}`,
        `alert ${alert.id}`,
        `alert ${twin.id}`,
        `alert ${rdr.id}`,
        `scheme_notice ${notice.id}`,
        `representment ${representment.id}`,
        `declaration ${alert.id}`,
        `declaration ${twin.id}`,
        `movement ${told.account.movements.find(({ key }) => key !== null)?.id ?? 'none'}`,
      ]),
    );
    const times = told.entries.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
    expect(told.complete).toBe(true);
  });

  it('of a charge nobody knows is none', async () => {
    const found = await readChargeHistory(
      world.database.db,
      world.parts.organisationId,
      'ch_nobody',
    );
    expect(found).toBeUndefined();
  });
});
