/** Guarantee: in shadow mode every alert is decided and recorded, and nothing is done about any of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyOperatorDecision } from '../../src/alerts/review/apply-operator-decision.ts';
import { findShadowReport } from '../../src/capabilities/shadow-report/shadow-report.store.ts';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { World } from '../support/world.ts';
import { createWorld } from '../support/world.ts';
import { HOUR_MS, outcomeOf, toldKinds } from './support/books.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ mode: 'shadow' });
});
afterAll(async () => {
  await world.close();
});

async function decisionOf(alertId: string) {
  return await world.database.db
    .selectFrom('decision')
    .select(['action', 'amount_minor', 'rule', 'shadow', 'sentence'])
    .where('alert_id', '=', alertId)
    .executeTakeFirstOrThrow();
}

describe('shadow mode', () => {
  it.each([
    ['refund', PRODUCTS.font, { action: 'REFUND', amount_minor: 2_900, rule: 'small amounts' }],
    // A subscription: live, it would be cancelled too.
    ['cancel', PRODUCTS.magazine, { action: 'REFUND', amount_minor: 1_290, rule: 'small amounts' }],
    ['accept', PRODUCTS.bicycle, { action: 'ACCEPT_DISPUTE', rule: 'large and dispatched' }],
    ['hold', PRODUCTS.lamp, { action: 'REVIEW', rule: null }],
  ])(
    'records what it would %s, and does nothing, to the deadline and past it',
    async (_, product, decision) => {
      const { charge } = await world.sell(product);
      const alert = world.sandbox.createAlertFor(charge.reference);
      await world.drain();
      expect(await decisionOf(alert.id)).toMatchObject({ ...decision, shadow: true });
      expect((await decisionOf(alert.id)).sentence).not.toBe('');

      await world.advance(49 * HOUR_MS, 24 * HOUR_MS);
      expect(outcomeOf(world, alert.id)).toBe('ACTION_REQUIRED -');
      expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 0, sumMinor: 0 });
    },
  );

  it('calls neither the processor for money nor the service for an answer', () => {
    const writes = world.arrivals.all
      .map(({ endpoint }) => endpoint)
      .filter((endpoint) => !endpoint.startsWith('GET ') && endpoint !== 'POST /v1/orders');
    expect(writes).toEqual([]);
    expect(world.sandbox.patchLog).toEqual([]);
  });

  it('leaves an authorised payment authorised', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const booked = world.sandbox.state.charges.get(charge.reference);
    Object.assign(booked ?? {}, { status: 'authorised' });
    world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(booked?.status).toBe('authorised');
  });

  it.each(['REFUND', 'ACCEPT_DISPUTE'] as const)(
    'does not even do what a person decides: %s',
    async (action) => {
      const { charge } = await world.sell(PRODUCTS.font);
      const alert = world.sandbox.createAlertFor(charge.reference);
      await world.drain();
      const { organisationId } = world.parts;
      const who = { organisationId, note: '', operator: 'ada', now: new Date(world.clock.nowMs()) };
      const result = await applyOperatorDecision(world.database.db, {
        ...who,
        alertId: alert.id,
        action,
      });
      await world.drain();
      await world.advance(HOUR_MS);

      expect(result.ok).toBe(true);
      expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 0, sumMinor: 0 });
      expect(world.sandbox.patchLog).toEqual([]);
      expect(await world.stateOf(alert.id)).toBe('HUMAN');
    },
  );

  it('reports each day how people answered otherwise', async () => {
    // A day of its own: nothing of the tests before closes on it.
    await world.advance(24 * HOUR_MS);
    const day = new Date(world.clock.nowMs()).toISOString().slice(0, 10);
    const same = await world.sell(PRODUCTS.font);
    const other = await world.sell(PRODUCTS.bicycle);
    const [agreed, differed] = [same, other].map(({ charge }) =>
      world.sandbox.createAlertFor(charge.reference),
    );
    await world.drain();
    for (const alert of [agreed, differed]) {
      world.sandbox.resolveInDashboard(alert?.id ?? '', 'REFUND');
    }
    await world.drain();
    await world.advance(24 * HOUR_MS);

    const { organisationId } = world.parts;
    const report = await findShadowReport(world.database.db, { organisationId, day });
    expect(report).toMatchObject({
      alerts: 2,
      same: 1,
      different: 1,
      review: 0,
      wouldRefundMinor: { USD: 2_900 },
      didRefundMinor: { USD: 87_800 },
    });
    expect(report?.rows).toMatchObject([
      { alertId: differed?.id, shadow: 'installation', would: 'ACCEPT_DISPUTE', did: 'REFUND' },
    ]);
    expect(await toldKinds(world)).toContain('shadow_report info');
    await world.advance(24 * HOUR_MS);
    const reports = (await toldKinds(world)).filter((kind) => kind.startsWith('shadow_report'));
    expect(reports).toHaveLength(1);
  });

  it('closes an alert that somebody else resolved', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    world.sandbox.resolveInDashboard(alert.id, 'REFUND');
    await world.drain();
    expect(await world.stateOf(alert.id)).toBe('CLOSED_REMOTE');
  });
});
