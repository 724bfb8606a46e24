/**
 * Guarantee: what a weak sign points at is looked at from every side, through the whole product: an alert without its
 * order, an acceptance, the network's own money. Nothing is paid twice, and a person is told at once (A2).
 */
import { describe, expect, it } from 'vitest';
import { applyChargeChoice } from '../../src/alerts/review/choose-charge.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { useWorld } from '../support/world.ts';
import { answersTo, caseOf, HOUR_MS, refundCalls, toldKinds } from './support/books.ts';

let world: World;
useWorld((opened) => {
  world = opened;
});

/** What an alert says that has neither number nor code, and which the service ties to no payment. */
const WEAK = {
  acquirer_reference_number: null,
  authorisation_code: null,
  match: 'never',
} as const;

function choose(alertId: string, chargeReference: string) {
  return applyChargeChoice(world.database.db, {
    organisationId: world.parts.organisationId,
    alertId,
    chargeReference,
    note: 'as the customer says',
    operator: 'ada',
    now: new Date(world.clock.nowMs()),
  });
}

describe('an alert without number and BIN, after the charge was refunded for another one', () => {
  it('is not accepted at its fallback: a person is told, names the charge, and the refund answers it', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const first = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(answersTo(world, first.id)).toEqual(['REFUND 200']);
    const weak = world.sandbox.createAlertFor(charge.reference, { ...WEAK, card_bin: null });
    await world.drain();
    expect(await caseOf(world, weak.id)).toMatchObject({ hold_reason: 'no_charge' });
    // The demonstration policy accepts six hours before the deadline of 48.
    await world.advance(43 * HOUR_MS, 12 * HOUR_MS);
    expect(answersTo(world, weak.id)).toEqual([]);
    expect(await caseOf(world, weak.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'candidate_refunded',
      // Carried out once a person has said that it is about another payment.
      fallback_action: 'ACCEPT_DISPUTE',
    });
    expect(await toldKinds(world, weak.id)).toContain('accept_in_doubt error');
    expect(await choose(weak.id, charge.reference)).toMatchObject({ ok: true });
    await world.drain();
    expect(answersTo(world, weak.id)).toEqual(['REFUND 200']);
    expect(refundCalls(world, charge.reference)).toBe(1);
  });
});

describe('an alert that was accepted before its order came', () => {
  it('is known again by card, amount and day when the same complaint is reported with its number', async () => {
    const sale = makeSale({ product: PRODUCTS.course }, world.clock.nowMs());
    const { charge } = sale;
    const early = world.sandbox.createAlert({
      ...WEAK,
      amount_in_cents: charge.amount_in_cents,
      currency_code: charge.currency,
      authorised_at: charge.authorised_at,
      card_bin: charge.card_bin,
      card_last4: charge.card_last4,
      card_scheme: charge.card_brand,
    });
    await world.advance(44 * HOUR_MS, 11 * HOUR_MS);
    expect(answersTo(world, early.id)).toEqual(['ACCEPT_DISPUTE 200']);
    world.sandbox.createCharge(charge);
    await world.recordOrder(sale.order);
    const again = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(await caseOf(world, again.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'acceptance_unclear',
    });
  });
});

describe('a refund of the network whose alert names neither number nor BIN', () => {
  it('stops the refund of the charge it may be about, and tells a person at once, who can end it', async () => {
    const { charge } = await world.sell(PRODUCTS.magazine);
    const rdr = world.sandbox.createAlertFor(charge.reference, {
      ...WEAK,
      card_bin: null,
      enrolment_id: world.sandbox.accounts.rdrEnrolmentId,
    });
    await world.drain();
    expect(await caseOf(world, rdr.id)).toMatchObject({
      state: 'RECONCILED_RDR',
      charge_reference: null,
    });
    expect(await toldKinds(world, rdr.id)).toContain('network_money_without_charge warning');
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(refundCalls(world, charge.reference)).toBe(0);
    expect(await caseOf(world, alert.id)).toMatchObject({ hold_reason: 'network_refund_unclear' });
    // Its case is over, and what is known of it can still be said.
    expect(await choose(rdr.id, charge.reference)).toMatchObject({ ok: true });
    await world.drain();
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
    expect(refundCalls(world, charge.reference)).toBe(0);
    const open = await world.database.db
      .selectFrom('finding')
      .select('kind')
      .where('subject_id', 'in', [rdr.id, charge.reference])
      .where('closed_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
  });
});
