/**
 * Guarantee: no alert runs out in silence: people are warned at 50, 25 and 10 % of its window, what was
 * decided happens before the deadline, and what was missed is recorded and told.
 */
import { describe, expect, it } from 'vitest';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World, WorldOptions } from '../support/world.ts';
import { useWorld as useFlowWorld } from '../support/world.ts';
import {
  answersTo,
  caseOf,
  HOUR_MS,
  MINUTE_MS,
  outcomeOf,
  refundCalls,
  sendEvent,
  told,
  toldKinds,
} from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };
const HOLD_ALL = new URL('./support/policies/hold-all.yaml', import.meta.url).pathname;

let world: World;

const useWorld = (options: WorldOptions = {}): void =>
  useFlowWorld((opened) => {
    world = opened;
  }, options);

async function alertOn(product: 'font' | 'lamp', hours = 48) {
  const { charge } = await world.sell(PRODUCTS[product]);
  const alert = world.sandbox.createAlertFor(charge.reference, { deadline_hours: hours });
  return { reference: charge.reference, alertId: alert.id, raisedMs: world.clock.nowMs() };
}

/** Hours after `fromMs` at which people were warned of the deadline, with how urgently. */
async function alarms(alertId: string, fromMs: number): Promise<[number, string][]> {
  const all = (await told(world, alertId)).filter(({ kind }) => kind === 'deadline_near');
  return all.map(({ at, severity }) => [(at.getTime() - fromMs) / HOUR_MS, severity]);
}

describe('an alert that nobody answers', () => {
  useWorld({ policyPath: HOLD_ALL });

  it('is announced at 50, 25 and 10 % of its window, and recorded as missed at its end', async () => {
    const { reference, alertId, raisedMs } = await alertOn('font');
    await world.drain();
    // From moment to moment around the alarms; what came in the hours between would be found at their end.
    for (const [quietHours, hours] of [
      [23, 2],
      [10, 2],
      [6, 1],
    ] as const) {
      await world.advance(quietHours * HOUR_MS);
      await world.live(hours * HOUR_MS, HOUR_MS);
    }
    await world.advance(3 * HOUR_MS, HOUR_MS);
    // A held case is looked at every half a minute now.
    await world.advance(HOUR_MS - MINUTE_MS, 5 * MINUTE_MS);
    expect(await alarms(alertId, raisedMs)).toEqual([
      [24, 'warning'],
      [36, 'warning'],
      [43.2, 'error'],
    ]);
    expect(await toldKinds(world, alertId)).not.toContain('missed error');

    await world.live(2 * MINUTE_MS);
    const missed = (await told(world, alertId)).filter(({ kind }) => kind === 'missed');
    expect(missed.map(({ at, severity }) => [at.getTime(), severity])).toEqual([
      [raisedMs + 48 * HOUR_MS, 'error'],
    ]);
    const {
      missed_at: missedAt,
      alarmed_at: alarmedAt,
      deadline_at: deadline,
    } = await caseOf(world, alertId);
    expect(missedAt?.getTime()).toBe(raisedMs + 48 * HOUR_MS);
    expect(alarmedAt?.getTime()).toBeLessThan(deadline.getTime());
    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual([]);
  });

  it('is announced with every alarm that came due while no worker ran, once', async () => {
    const { alertId, raisedMs } = await alertOn('font');
    await world.drain();
    await world.advance(40 * HOUR_MS);
    await world.advance(MINUTE_MS);
    expect(await alarms(alertId, raisedMs)).toEqual([[40, 'warning']]);
    expect((await caseOf(world, alertId)).alarm_level).toBe(2);
  });

  it('in a window of 50 minutes is announced at once: an hour is what a person needs', async () => {
    const { alertId, raisedMs } = await alertOn('font', 50 / 60);
    await world.drain();
    expect(await alarms(alertId, raisedMs)).toHaveLength(1);
    expect((await alarms(alertId, raisedMs))[0]?.[0]).toBe(0);
  });

  it('is neither announced nor missed any more once a person has answered it', async () => {
    const { reference, alertId, raisedMs } = await alertOn('font');
    await world.drain();
    await world.advance(25 * HOUR_MS);
    const decided = await applyOperatorDecision(world.database.db, {
      organisationId: world.parts.organisationId,
      alertId,
      action: 'REFUND',
      note: 'customer called',
      operator: 'ada',
      now: new Date(world.clock.nowMs()),
    });
    await world.drain();
    await world.advance(24 * HOUR_MS);

    expect(decided.ok).toBe(true);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(await alarms(alertId, raisedMs)).toHaveLength(1);
    expect(await toldKinds(world, alertId)).not.toContain('missed error');
  });
});

describe('a fallback', () => {
  useWorld();

  it('comes before the deadline although the service was down at its moment', async () => {
    const refunded = await alertOn('lamp');
    const accepted = world.sandbox.createAlert({ amount_in_cents: 4_711, card_last4: '0000' });
    await world.drain();
    await world.advance(41 * HOUR_MS);
    world.sandbox.addFault({ on: '* /v1/alerts*', kind: 'status', status: 503, rate: 1 });
    await world.advance(5 * HOUR_MS, HOUR_MS);
    expect(answersTo(world, refunded.alertId)).toEqual([]);
    expect(answersTo(world, accepted.id)).toEqual([]);

    world.sandbox.faults.clear();
    await world.advance(15 * MINUTE_MS, 5 * MINUTE_MS);
    expect(world.sandbox.moneyOut(refunded.reference)).toEqual({ count: 1, sumMinor: 6_450 });
    expect(answersTo(world, refunded.alertId)).toEqual(['REFUND 200']);
    expect(answersTo(world, accepted.id)).toEqual(['ACCEPT_DISPUTE 200']);
    expect(await toldKinds(world)).not.toContain('missed error');
  });

  it('of REFUND is void once the deadline has passed: no money moves for nothing', async () => {
    const { reference, alertId } = await alertOn('lamp');
    await world.drain();
    await world.advance(43 * HOUR_MS);
    world.sandbox.addFault({ on: '* /v1/alerts*', kind: 'status', status: 503, rate: 1 });
    await world.advance(6 * HOUR_MS, HOUR_MS);
    expect(await toldKinds(world, alertId)).toContain('missed error');

    world.sandbox.faults.clear();
    await world.advance(2 * HOUR_MS, HOUR_MS);
    expect(refundCalls(world, reference)).toBe(0);
    expect(answersTo(world, alertId)).toEqual([]);
  });

  it('keeps its distance when the service brings the deadline forward', async () => {
    const { reference, alertId, raisedMs } = await alertOn('lamp');
    await world.drain();
    const alert = world.sandbox.state.alerts.get(alertId);
    await world.advance(HOUR_MS);
    const sooner = new Date(raisedMs + 10 * HOUR_MS).toISOString();
    const changed = {
      action_required_deadline: sooner,
      updated_at: new Date(world.clock.nowMs()).toISOString(),
    };
    Object.assign(alert ?? {}, changed);
    sendEvent(world, 'alert.updated', { ...alert });
    await world.drain();
    await world.live(5 * HOUR_MS - MINUTE_MS, 5 * HOUR_MS);
    expect(refundCalls(world, reference)).toBe(0);

    await world.live(4 * HOUR_MS, 4 * HOUR_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual({ count: 1, sumMinor: 6_450 });
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(await toldKinds(world, alertId)).not.toContain('missed error');
  });
});

describe('a deadline that passes after the refund', () => {
  useWorld();

  it('does not stop the answer: it is sent until the alert is closed, and people are warned', async () => {
    const { reference, alertId } = await alertOn('font', 1);
    world.sandbox.addFault({
      on: 'PATCH /v1/alerts/{alert_id}',
      kind: 'status',
      status: 503,
      rate: 1,
    });
    await world.drain();
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    await world.advance(2 * HOUR_MS, 20 * MINUTE_MS);
    const kinds = await toldKinds(world, alertId);
    expect(kinds).toContainEqual(expect.stringContaining('deadline_near'));
    expect(kinds).toContain('missed error');
    const tries = world.arrivals.count('PATCH /v1/alerts/{alert_id}', alertId);
    await world.advance(10 * MINUTE_MS);
    expect(world.arrivals.count('PATCH /v1/alerts/{alert_id}', alertId)).toBeGreaterThan(tries);

    world.sandbox.faults.clear();
    await world.advance(5 * MINUTE_MS);
    expect(outcomeOf(world, alertId)).toBe('RESOLVED REFUNDED');
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
  });
});

describe('more alerts than a worker can take at once', () => {
  useWorld();

  it('are worked on by deadline, the nearest first', async () => {
    const hours = Array.from({ length: 24 }, (_, index) => 2 + ((index * 7) % 24));
    const byReference = new Map<string, number>();
    for (const each of hours) byReference.set((await alertOn('font', each)).reference, each);
    await world.drain();

    const order = world.arrivals.all
      .filter(({ endpoint }) => endpoint === 'POST /processor/refunds')
      .map(
        ({ text }) => [...byReference].find(([reference]) => text.includes(reference))?.[1] ?? 0,
      );
    expect([...order].sort((a, b) => a - b)).toEqual([...hours].sort((a, b) => a - b));
    // Eight at once: within them the order is open, between them it is not.
    const waves = [0, 8, 16].map((from) => order.slice(from, from + 8).sort((a, b) => a - b));
    expect(waves).toEqual(
      [0, 8, 16].map((from) => Array.from({ length: 8 }, (_, at) => 2 + from + at)),
    );
  });
});
