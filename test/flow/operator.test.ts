/**
 * Guarantee: what a person decides about a held alert happens once, within the rules about money, and
 * of two people one decides.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import type {
  OperatorDecision,
  OperatorResult,
} from '../../src/alerts/review/operator-decision.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import type { Product } from '../../src/sandbox/demo-shop.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { openAsConsole } from '../support/console-role.ts';
import type { World, WorldOptions } from '../support/world.ts';
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

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };
const NOTHING = { count: 0, sumMinor: 0 };
const HOLD_ALL = new URL('./support/policies/hold-all.yaml', import.meta.url).pathname;

let world: World;
/** What people decide goes through the console, with its rights. */
let people: OpenDatabase;

function useWorld(options: WorldOptions = {}): void {
  beforeAll(async () => {
    world = await createWorld(options);
    people = openAsConsole(world.database.name, world.parts.organisationId);
  });
  afterEach(() => {
    world.sandbox.faults.clear();
  });
  afterAll(async () => {
    await people.close();
    await world.close();
  });
}

/** A held alert on a new charge. */
async function held(product: Product = PRODUCTS.font, hours = 48) {
  const { charge } = await world.sell(product);
  const alert = world.sandbox.createAlertFor(charge.reference, { deadline_hours: hours });
  await world.drain();
  return { reference: charge.reference, alertId: alert.id };
}

type Wish = Pick<OperatorDecision, 'alertId' | 'action'> & Partial<OperatorDecision>;

async function decide(wish: Wish): Promise<OperatorResult> {
  return await applyOperatorDecision(people.db, {
    organisationId: world.parts.organisationId,
    note: 'customer called',
    operator: 'ada',
    now: new Date(world.clock.nowMs()),
    ...wish,
  });
}

async function auditOf(alertId: string): Promise<string[]> {
  const rows = await world.database.db
    .selectFrom('audit')
    .select(['actor', 'what'])
    .where('alert_id', '=', alertId)
    .where('subject', '=', 'operator')
    .orderBy('id')
    .execute();
  return rows.map(({ actor, what }) => `${actor} ${what}`);
}

describe('a person who decides about a held alert', () => {
  useWorld({ policyPath: HOLD_ALL });

  it('to refund: the charge is refunded once and declared', async () => {
    const { reference, alertId } = await held();
    expect(await decide({ alertId, action: 'REFUND' })).toEqual({
      ok: true,
      state: 'DECIDED_REFUND',
    });
    await world.drain();

    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(await auditOf(alertId)).toEqual(['operator:ada asked for REFUND']);
  });

  it('to refund a part whose answer is missing for a day: once found, it is not sent a second time', async () => {
    const { reference, alertId } = await held();
    world.sandbox.addFault({ on: 'POST /processor/refunds', kind: 'drop_after', times: 1 });
    await decide({ alertId, action: 'REFUND', amountMinor: 1_000 });
    await world.drain();
    // Beyond the life of the key: nothing can be repeated, and a person is asked.
    world.sandbox.addFault({ on: 'GET /processor/*', kind: 'status', status: 503, rate: 1 });
    await world.advance(25 * HOUR_MS);
    expect(await caseOf(world, alertId)).toMatchObject({ hold_reason: 'refund_unresolved' });
    world.sandbox.faults.clear();
    await world.advance(3 * HOUR_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 1, sumMinor: 1_000 });
    expect(answersTo(world, alertId)).toEqual([]);
    // The rest is theirs to decide.
    expect(await decide({ alertId, action: 'REFUND' })).toMatchObject({ ok: true });
    await world.drain();
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 2, sumMinor: 2_900 });
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('to accept: nothing is refunded, the dispute is accepted', async () => {
    const { reference, alertId } = await held();
    expect(await decide({ alertId, action: 'ACCEPT_DISPUTE' })).toEqual({
      ok: true,
      state: 'DECIDED_ACCEPT',
    });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual(['ACCEPT_DISPUTE 200']);
  });

  it('against another person at the same moment: one wins, and only that happens (F90)', async () => {
    const { reference, alertId } = await held();
    const results = await Promise.all([
      decide({ alertId, action: 'REFUND', operator: 'ada' }),
      decide({ alertId, action: 'ACCEPT_DISPUTE', operator: 'noor' }),
      decide({ alertId, action: 'REFUND', operator: 'kofi' }),
    ]);
    await world.drain();

    const won = results.filter((result) => result.ok);
    expect(won).toHaveLength(1);
    expect(
      results.filter((result) => !result.ok && result.reason === 'already_decided'),
    ).toHaveLength(2);
    const refunds = won[0]?.ok === true && won[0].state === 'DECIDED_REFUND';
    expect(answersTo(world, alertId)).toEqual([refunds ? 'REFUND 200' : 'ACCEPT_DISPUTE 200']);
    expect(world.sandbox.moneyOut(reference)).toEqual(refunds ? ONCE_29_USD : NOTHING);
    expect(await auditOf(alertId)).toHaveLength(3);
  });

  it('after it was answered: refused, and nothing more happens', async () => {
    const { reference, alertId } = await held();
    await decide({ alertId, action: 'ACCEPT_DISPUTE' });
    await world.drain();
    expect(await decide({ alertId, action: 'REFUND' })).toEqual({ ok: false, reason: 'closed' });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual(['ACCEPT_DISPUTE 200']);
  });

  it('to refund what support has refunded meanwhile: declared with support’s reference, no call', async () => {
    const { reference, alertId } = await held();
    const bySupport = world.sandbox.refundInDashboard(reference);
    await decide({ alertId, action: 'REFUND' });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(noteTo(world, alertId)).toBe(`already refunded ${bySupport.reference}`);
  });

  it('to accept what support has refunded meanwhile: the truth is declared instead', async () => {
    const { reference, alertId } = await held();
    const bySupport = world.sandbox.refundInDashboard(reference);
    await decide({ alertId, action: 'ACCEPT_DISPUTE' });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(noteTo(world, alertId)).toBe(`already refunded ${bySupport.reference}`);
  });

  it('to refund a disputed charge: not even a person may pay twice', async () => {
    const { reference, alertId } = await held();
    Object.assign(world.sandbox.state.charges.get(reference) ?? {}, { disputed: true });
    await decide({ alertId, action: 'REFUND' });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(await caseOf(world, alertId)).toMatchObject({ state: 'HUMAN', hold_reason: 'disputed' });
  });

  it('to refund the rest after support refunded a part: the sum is the alert’s amount', async () => {
    const { reference, alertId } = await held();
    world.sandbox.refundInDashboard(reference, 900);
    await decide({ alertId, action: 'REFUND' });
    await world.drain();

    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 2, sumMinor: 2_900 });
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('to refund after the deadline: refused, no money moves', async () => {
    const { reference, alertId } = await held(PRODUCTS.font, 1);
    await world.advance(HOUR_MS);
    expect(await decide({ alertId, action: 'REFUND' })).toEqual({ ok: false, reason: 'too_late' });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
  });

  it('to refund an alert that was withdrawn meanwhile, unheard by us: the last read stops it', async () => {
    const { reference, alertId } = await held();
    world.sandbox.addFault({ on: 'webhook', kind: 'lose' });
    world.sandbox.invalidateAlert(alertId);
    await decide({ alertId, action: 'REFUND' });
    await world.drain();

    expect(refundCalls(world, reference)).toBe(0);
    expect(await world.stateOf(alertId)).toBe('CLOSED_INVALID');
  });

  it('about a twin alert of an accepted charge: nothing is refunded for it any more, not by a person either', async () => {
    const { reference, alertId } = await held();
    const twin = world.sandbox.createAlertFor(reference);
    await world.drain();
    await decide({ alertId, action: 'ACCEPT_DISPUTE' });
    await world.drain();
    expect(await decide({ alertId: twin.id, action: 'REFUND' })).toEqual({
      ok: false,
      reason: 'dispute_accepted',
    });
    await world.drain();

    expect(answersTo(world, alertId)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(answersTo(world, twin.id)).toEqual([]);
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 0, sumMinor: 0 });
  });
});

describe('a person who names the charge', () => {
  useWorld();

  it('of an alert that matched none: that charge is refunded, once', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlert({ amount_in_cents: 2_900, card_last4: '0000' });
    await world.drain();
    expect(await decide({ alertId: alert.id, action: 'REFUND' })).toEqual({
      ok: false,
      reason: 'charge_needed',
    });
    await decide({
      alertId: alert.id,
      action: 'REFUND',
      chargeReference: charge.reference,
      otherCard: true,
    });
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
  });

  it('that the processor does not know: held again, nothing is declared', async () => {
    const alert = world.sandbox.createAlert({ amount_in_cents: 2_900, card_last4: '0001' });
    await world.drain();
    await decide({ alertId: alert.id, action: 'REFUND', chargeReference: 'ch_of_nobody' });
    await world.drain();

    expect(world.arrivals.count('POST /processor/refunds', 'ch_of_nobody')).toBe(0);
    expect(answersTo(world, alert.id)).toEqual([]);
    expect(await world.stateOf(alert.id)).toBe('HUMAN');
  });

  it('that was refunded for another alert already: declared with that refund, no second one', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.createAlertFor(charge.reference);
    const alert = world.sandbox.createAlert({ amount_in_cents: 2_900, card_last4: '0002' });
    await world.drain();
    await decide({
      alertId: alert.id,
      action: 'REFUND',
      chargeReference: charge.reference,
      otherCard: true,
    });
    await world.drain();

    expect(world.sandbox.moneyOut(charge.reference)).toEqual(ONCE_29_USD);
    expect(refundCalls(world, charge.reference)).toBe(1);
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
  });
});

describe('a person who has something tried again', () => {
  useWorld();

  it('after the processor refused: a new request under a new key, and one refund', async () => {
    world.sandbox.addFault({
      on: 'POST /processor/refunds',
      kind: 'status',
      status: 422,
      code: 'card_closed',
    });
    const { charge } = await world.sell(PRODUCTS.lamp);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    await decide({ alertId: alert.id, action: 'REFUND' });
    await world.drain();
    expect(await caseOf(world, alert.id)).toMatchObject({
      state: 'HUMAN',
      hold_reason: 'refund_refused',
    });

    await decide({ alertId: alert.id, action: 'REFUND' });
    await world.drain();
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 6_450 });
    expect(answersTo(world, alert.id)).toEqual(['REFUND 200']);
  });

  it('after the service refused the answer: the refund stands, the answer is sent again', async () => {
    world.sandbox.addFault({
      on: 'PATCH /v1/alerts/{alert_id}',
      kind: 'status',
      status: 422,
      code: 'VALIDATION_ERROR',
    });
    const { reference, alertId } = await held();
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    expect(await toldKinds(world, alertId)).toContain('declaration_refused error');
    await world.advance(HOUR_MS);
    expect(answersTo(world, alertId)).toEqual([]);

    expect(await decide({ alertId, action: 'RETRY' })).toEqual({
      ok: true,
      state: 'DECLARE_REFUND',
    });
    await world.drain();
    expect(outcomeOf(world, alertId)).toBe('RESOLVED REFUNDED');
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(refundCalls(world, reference)).toBe(1);
  });

  it('while a refund’s answer is missing: it is looked for, never sent again', async () => {
    world.sandbox.addFault({ on: 'POST /processor/refunds', kind: 'drop_after' });
    world.arrivals.onNext('POST /processor/refunds', () => {
      world.sandbox.addFault({ on: 'GET /processor/*', kind: 'status', status: 503, rate: 1 });
    });
    const { reference, alertId } = await held();
    await world.advance(30 * HOUR_MS, 6 * HOUR_MS);
    expect(await world.stateOf(alertId)).toBe('HUMAN');
    expect(await decide({ alertId, action: 'REFUND' })).toEqual({
      ok: false,
      reason: 'refund_under_way',
    });
    expect(await decide({ alertId, action: 'ACCEPT_DISPUTE' })).toEqual({
      ok: false,
      reason: 'refund_under_way',
    });

    world.sandbox.faults.clear();
    await decide({ alertId, action: 'RETRY' });
    await world.advance(MINUTE_MS);
    expect(refundCalls(world, reference)).toBe(1);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });
});
