/**
 * Guarantee: every alert is answered in time, and its money moves once, through polling alone: with
 * webhooks dead for twenty hours, and with webhooks and the list of alerts going wrong in every way the
 * sandbox knows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askForPass, findRequest } from '../../src/alerts/reconcile/reconcile-request.store.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import { CALL_FAULTS, WEBHOOK_FAULTS } from '../../src/sandbox/fault-rule.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { answersTo, HOUR_MS, MINUTE_MS, outcomeOf, refundCalls } from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };

let world: World;

beforeAll(async () => {
  world = await createWorld({ callTimeoutMs: 2_000, reconcileSeconds: 120 });
  await world.drain();
});
afterAll(async () => {
  await world.close();
});

/** One pass, as `forestall reconcile` asks for it. */
async function pass(): Promise<void> {
  const { organisationId } = world.parts;
  const at = nowDate(world.clock);
  const since = new Date(at.getTime() - 24 * HOUR_MS);
  const asked = { organisationId, since, orders: 0, by: 'operator:test', at };
  const id = await askForPass(world.database.db, asked);
  await world.advance(2 * MINUTE_MS);
  const request = await findRequest(world.database.db, organisationId, id);
  expect(request?.report?.addsUp).toBe(true);
}

async function alertOnFont() {
  const { charge } = await world.sell(PRODUCTS.font);
  const { id: alertId } = world.sandbox.createAlertFor(charge.reference);
  return { reference: charge.reference, alertId };
}

describe.each(WEBHOOK_FAULTS)('webhooks that all suffer %s', (kind) => {
  it('leave the alert to polling, which answers it within minutes, once', async () => {
    // Nothing that leaves the sandbox arrives as it should, and nothing is resent in good shape.
    const fault = world.sandbox.addFault({ on: 'webhook', kind, rate: 1 });
    const { reference, alertId } = await alertOnFont();
    await world.advance(2 * MINUTE_MS);
    expect(fault.fired).toBeGreaterThan(0);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    expect(refundCalls(world, reference)).toBe(1);
    world.sandbox.faults.clear();
  });
});

describe.each(CALL_FAULTS)('with webhooks lost, a list of alerts that suffers %s', (kind) => {
  it('heals in the first round in which the list can be read', async () => {
    world.sandbox.addFault({ on: 'webhook', kind: 'lose', rate: 1 });
    // A broken connection is tried again within the round; what cannot be read waits for the next.
    const fault = world.sandbox.addFault({ on: 'GET /v1/alerts', kind, delay_ms: 1 });
    const { reference, alertId } = await alertOnFont();
    await world.advance(4 * MINUTE_MS, 2 * MINUTE_MS);
    expect(fault.fired).toBeGreaterThan(0);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
    world.sandbox.faults.clear();
  });
});

describe('webhooks dead for twenty hours', () => {
  it('everything that can be read is healed, and what cannot be known is said', async () => {
    const { sandbox, database } = world;
    const { accounts } = sandbox;
    sandbox.addFault({ on: 'webhook', kind: 'drop_before', rate: 1 });
    const raised: { alertId: string; reference: string; dueMs: number }[] = [];
    for (let hour = 0; hour < 20; hour += 2) {
      const dueMs = world.clock.nowMs() + 48 * HOUR_MS;
      raised.push({ ...(await alertOnFont()), dueMs });
      await world.advance(2 * HOUR_MS);
    }
    const paid = await world.sell(PRODUCTS.magazine);
    const rdr = sandbox.createAlertFor(paid.charge.reference, {
      enrolment_id: accounts.rdrEnrolmentId,
      status: 'RESOLVED',
    });
    const lookup = sandbox.createLookup({
      type: 'NETB_ORDER_INSIGHT',
      enrollment_id: accounts.insightEnrolmentId,
    });
    const lost = sandbox.createRepresentment();
    await pass();

    for (const { alertId, reference, dueMs } of raised) {
      expect(sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
      const [answer] = sandbox.patchLog.filter(({ alert_id: id }) => id === alertId);
      expect(Date.parse(answer?.at ?? '')).toBeLessThan(dueMs - 40 * HOUR_MS);
      expect(outcomeOf(world, alertId)).toBe('RESOLVED REFUNDED');
    }
    // Born resolved, so never on the list of open alerts: the sweep brought it.
    expect(await world.stateOf(rdr.id)).toBe('RECONCILED_RDR');
    expect(refundCalls(world, paid.charge.reference)).toBe(0);
    const looked = await database.db.selectFrom('lookup').select('id').execute();
    expect(looked.map(({ id }) => id)).toContain(lookup.id);

    // Back again: an update arrives of something whose creation never did.
    sandbox.faults.clear();
    sandbox.pointWebhooksAt(world.webhookUrl);
    sandbox.updateRepresentment(lost.id, { dispute_status: 'LOST' });
    await pass();
    const open = await database.db
      .selectFrom('finding')
      .select(['kind', 'subject_id', 'next_step'])
      .where('closed_at', 'is', null)
      .orderBy('kind')
      .execute();
    expect(open.map(({ kind }) => kind)).toEqual(['creation_missing', 'unlisted_period']);
    expect(open[0]?.subject_id).toBe(lost.id);
    expect(open[1]?.next_step).toContain('Representments and scheme notices have no list');
    // A week later the period is history.
    await world.advance(7 * 24 * HOUR_MS + HOUR_MS, 14 * HOUR_MS);
    const later = await database.db
      .selectFrom('finding')
      .select('kind')
      .where('closed_at', 'is', null)
      .execute();
    expect(later.map(({ kind }) => kind)).toEqual(['creation_missing']);
  });
});
