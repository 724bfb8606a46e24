/**
 * Guarantee: what the service says arrives, whatever becomes of its webhooks: late, twice, in the
 * wrong order, or never; and nothing that it did not say has any effect.
 */
import { describe, expect, it } from 'vitest';
import { PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { FaultRule } from '../../src/sandbox/fault-rule.ts';
import type { EventType } from '../../src/service/wire/event.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';
import type { World, WorldOptions } from '../support/world.ts';
import { useWorld as useFlowWorld } from '../support/world.ts';
import {
  answersTo,
  HOUR_MS,
  MINUTE_MS,
  outcomeOf,
  refundCalls,
  sendEvent,
  told,
  toldKinds,
} from './support/books.ts';

const ONCE_29_USD = { count: 1, sumMinor: 2_900 };

let world: World;

function useWorld(options: WorldOptions = {}): void {
  useFlowWorld(
    async (opened) => {
      world = opened;
      // The first poll is over: from here on the next one comes two minutes later.
      await world.drain();
    },
    { reconcileSeconds: 120, ...options },
  );
}

async function alertOnFont(fields: { readonly deadline_hours?: number } = {}) {
  const { charge } = await world.sell(PRODUCTS.font);
  const { id: alertId } = world.sandbox.createAlertFor(charge.reference, fields);
  return { reference: charge.reference, alertId };
}

/** What our endpoint answered to each attempt at delivering events whose body names `text`. */
function answeredTo(text: string): (number | null)[] {
  const { sandbox } = world;
  return sandbox
    .deliveries()
    .filter(({ event_id: id }) => sandbox.state.events.get(id)?.body.toString().includes(text))
    .flatMap(({ attempts }) => attempts.map(({ http_status: status }) => status));
}

async function quarantined(eventId: string): Promise<string[]> {
  const rows = await world.database.db
    .selectFrom('quarantine')
    .select('reason')
    .where('event_id', '=', eventId)
    .execute();
  return rows.map(({ reason }) => reason);
}

/** How often the alert has changed with us, and by what. */
async function historyOf(entityId: string) {
  return await world.database.db
    .selectFrom('entity_change')
    .select(['entity', 'source', 'event_id', 'accepted', 'before', 'after'])
    .where('entity_id', '=', entityId)
    .orderBy('id')
    .execute();
}

describe('a webhook that is lost', () => {
  useWorld();

  it('is healed by the next poll, within two minutes (F18)', async () => {
    world.sandbox.addFault({ on: 'webhook', kind: 'lose' });
    const { reference, alertId } = await alertOnFont();
    await world.advance(MINUTE_MS);
    expect(await world.stateOf(alertId)).toBeUndefined();

    await world.advance(MINUTE_MS);
    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });

  it('about the end of an alert is healed too: an alert that left the list is read', async () => {
    const { charge } = await world.sell(PRODUCTS.lamp);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    world.sandbox.addFault({ on: 'webhook', kind: 'lose' });
    world.sandbox.resolveInDashboard(alert.id, 'ACCEPT_DISPUTE');
    await world.advance(4 * MINUTE_MS, 2 * MINUTE_MS);

    expect(await world.stateOf(alert.id)).toBe('CLOSED_REMOTE');
    expect(refundCalls(world, charge.reference)).toBe(0);
  });
});

describe('webhooks that stop for twenty hours', () => {
  useWorld();

  it('leave no alert unanswered, are noticed, and are told to be back', async () => {
    const { sandbox, clock } = world;
    sandbox.addFault({ on: 'webhook', kind: 'drop_before', rate: 1 });
    const raised: { reference: string; alertId: string; dueMs: number }[] = [];
    for (const hours of [3, 24, 30, 48]) {
      const raisedMs = clock.nowMs();
      raised.push({
        ...(await alertOnFont({ deadline_hours: hours })),
        dueMs: raisedMs + hours * HOUR_MS,
      });
      await world.advance(5 * HOUR_MS, HOUR_MS);
    }

    for (const { reference, alertId, dueMs } of raised) {
      expect(sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
      const [answer] = sandbox.patchLog.filter(({ alert_id: id }) => id === alertId);
      expect(Date.parse(answer?.at ?? '')).toBeLessThan(dueMs);
    }
    const silence = (await told(world)).filter(({ kind }) => kind === 'webhooks_silent');
    expect(silence.map(({ severity }) => severity)).toEqual(['warning']);
    const { subscriptionId } = sandbox.accounts;
    expect(sandbox.state.subscriptions.get(subscriptionId)?.status).toBe('DISABLED');
    // The service gave the endpoint up; a person sets it up again.
    sandbox.faults.clear();
    sandbox.pointWebhooksAt(world.webhookUrl);
    await alertOnFont();
    await world.advance(4 * MINUTE_MS, 2 * MINUTE_MS);
    const after = (await told(world)).filter(({ kind }) => kind === 'webhooks_silent');
    expect(after.map(({ severity }) => severity)).toEqual(['warning', 'info']);
  });
});

describe('a webhook that comes more than once or in the wrong order', () => {
  useWorld();

  it('is applied once when it is sent twice', async () => {
    world.sandbox.addFault({ on: 'webhook', kind: 'duplicate' });
    const { reference, alertId } = await alertOnFont();
    await world.drain();

    expect(world.sandbox.moneyOut(reference)).toEqual(ONCE_29_USD);
    expect(refundCalls(world, reference)).toBe(1);
    const webhooks = (await historyOf(alertId)).filter(({ source }) => source === 'webhook');
    expect(new Set(webhooks.map((row) => row.event_id)).size).toBe(webhooks.length);
  });

  it('is answered 200 and has no effect when it is delivered again days later (F12, F17)', async () => {
    const { reference, alertId } = await alertOnFont();
    await world.drain();
    const [delivery] = world.sandbox
      .deliveries()
      .filter(
        ({ event_type: type, event_id: id }) =>
          type === 'alert.created' &&
          world.sandbox.state.events.get(id)?.body.toString().includes(alertId),
      );
    await world.advance(72 * HOUR_MS);
    const again = world.sandbox.redeliver(delivery?.id ?? '');
    await world.drain();

    const redelivered = world.sandbox.deliveries().find(({ id }) => id === again);
    expect(redelivered?.attempts.map(({ http_status: status }) => status)).toEqual([200]);
    expect(refundCalls(world, reference)).toBe(1);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });

  it('never reopens an alert: the end arrives before the beginning (F14)', async () => {
    const late = { event_type: 'alert.created', late_ms: MINUTE_MS };
    world.sandbox.addFault({ on: 'webhook', kind: 'delay', ...late });
    const { reference, alertId } = await alertOnFont();
    world.sandbox.invalidateAlert(alertId);
    await world.drain();
    expect((await historyOf(alertId)).map(({ accepted }) => accepted)).toEqual([true]);
    await world.advance(MINUTE_MS);

    expect(answeredTo(alertId)).toEqual([200, 200]);
    expect(refundCalls(world, reference)).toBe(0);
    expect(await world.stateOf(alertId)).toBe('CLOSED_INVALID');
  });

  it('keeps its first body when its id comes again with another; the second is set aside (F10)', async () => {
    const notice = world.sandbox.createSchemeNotice({ scheme_notice_type: 'TC40' });
    await world.drain();
    const first = world.sandbox.events().find(({ body }) => body.toString().includes(notice.id));
    const other = first?.body.toString().replace('"is_revoked":false', '"is_revoked":true') ?? '';
    world.sandbox.sendRawEvent({ type: 'scheme_notice.created', body: other });
    await world.drain();
    const eventId = first?.id ?? '';

    expect(answeredTo(notice.id)).toEqual([200, 200]);
    expect(await quarantined(eventId)).toEqual(['id_reused']);
    const row = await world.database.db
      .selectFrom('scheme_notice')
      .select('is_revoked')
      .where('id', '=', notice.id)
      .executeTakeFirstOrThrow();
    expect(row.is_revoked).toBe(false);
    expect(await toldKinds(world)).toContainEqual(expect.stringContaining('event_quarantined'));
  });
});

describe('a webhook whose signature is refused', () => {
  useWorld();

  it.each<[string, Omit<FaultRule, 'on'>]>([
    ['it was signed 301 s ago', { kind: 'stale_timestamp', age_seconds: 301 }],
    ['it is signed 301 s ahead', { kind: 'stale_timestamp', age_seconds: -301 }],
    ['it is signed with another secret', { kind: 'wrong_secret' }],
    ['its body was changed on the way', { kind: 'tampered' }],
  ])('because %s is answered 401 and stored nowhere; its retry is taken', async (_, fault) => {
    world.sandbox.addFault({ on: 'webhook', event_type: 'representment.created', ...fault });
    const { id } = world.sandbox.createRepresentment();
    await world.drain();
    expect(answeredTo(id)).toEqual([401]);
    expect(await historyOf(id)).toEqual([]);

    await world.advance(MINUTE_MS);
    expect(answeredTo(id)).toEqual([401, 200]);
    expect(await historyOf(id)).toHaveLength(1);
  });

  it.each([300, -300])('is taken when it is %i s old', async (age) => {
    world.sandbox.addFault({ on: 'webhook', kind: 'stale_timestamp', age_seconds: age });
    const { id } = world.sandbox.createRepresentment();
    await world.drain();
    expect(answeredTo(id)).toEqual([200]);
    expect(await historyOf(id)).toHaveLength(1);
  });

  it('as too old, about an alert, has that alert read from the service instead', async () => {
    const { charge } = await world.sell(PRODUCTS.lamp);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    world.sandbox.addFault({ on: 'webhook', kind: 'stale_timestamp', age_seconds: 3_600, rate: 1 });
    world.sandbox.resolveInDashboard(alert.id, 'ACCEPT_DISPUTE');
    const before = world.arrivals.count('GET /v1/alerts/{alert_id}', alert.id);
    await world.advance(2 * MINUTE_MS);

    expect(world.arrivals.count('GET /v1/alerts/{alert_id}', alert.id)).toBeGreaterThan(before);
    expect(await world.stateOf(alert.id)).toBe('CLOSED_REMOTE');
    expect(await toldKinds(world)).toContain('clock_skew warning');
  });
});

describe('the service’s retries', () => {
  useWorld();

  it('climb the ladder over 14 h 36 min, and the last one delivers once', async () => {
    world.sandbox.addFault({ on: 'webhook', kind: 'drop_before', times: 5 });
    const startMs = world.clock.nowMs();
    const { id } = world.sandbox.createRepresentment();
    await world.advance(14 * HOUR_MS + 35 * MINUTE_MS);
    expect(await historyOf(id)).toEqual([]);
    await world.advance(MINUTE_MS);

    const [delivery] = world.sandbox.deliveries();
    // 1 min, 5 min, 30 min, 2 h and 12 h after the attempt before.
    expect(delivery?.attempts.map(({ at }) => (Date.parse(at) - startMs) / MINUTE_MS)).toEqual([
      0, 1, 6, 36, 156, 876,
    ]);
    expect(delivery?.status).toBe('SUCCEEDED');
    expect(await historyOf(id)).toHaveLength(1);
  });

  it('after an answer that was lost bring nothing new', async () => {
    world.sandbox.addFault({ on: 'webhook', kind: 'drop_after', event_type: 'alert.created' });
    const { reference, alertId } = await alertOnFont();
    await world.advance(2 * MINUTE_MS);

    expect(answeredTo(alertId).slice(0, 2)).toEqual([200, 200]);
    expect(refundCalls(world, reference)).toBe(1);
    expect(answersTo(world, alertId)).toEqual(['REFUND 200']);
  });
});

describe('a signed event that cannot be used', () => {
  useWorld();

  it.each([
    ['of a type nobody knows (F20)', 'payout.created', {}],
    ['about an object without an id', 'alert.created', { id: null }],
    ['of another organisation (F27)', 'alert.created', { organisation_id: 'org_somebody_else' }],
  ])('%s is answered 200, set aside, and has no effect', async (_, type, change) => {
    const { charge } = await world.sell(PRODUCTS.font);
    world.sandbox.pointWebhooksAt(null);
    const alert = world.sandbox.createAlertFor(charge.reference);
    world.sandbox.state.alerts.delete(alert.id);
    world.sandbox.pointWebhooksAt(world.webhookUrl);
    const { eventId } = sendEvent(world, type, { ...alert, ...change });
    await world.drain();
    await world.advance(2 * MINUTE_MS);

    expect(answeredTo(eventId)).toEqual([200]);
    expect(await quarantined(eventId)).toHaveLength(1);
    expect(await world.stateOf(alert.id)).toBeUndefined();
    expect(refundCalls(world, charge.reference)).toBe(0);
  });

  it.each(['malformed', 'truncated'] as const)(
    'whose body is %s is answered 200 and set aside',
    async (kind) => {
      world.sandbox.addFault({ on: 'webhook', kind });
      const { id } = world.sandbox.createRepresentment();
      await world.drain();

      expect(answeredTo(id)).toEqual([200]);
      expect(await historyOf(id)).toEqual([]);
      const count = await world.database.db
        .selectFrom('quarantine')
        .select('event_id')
        .where('event_id', 'like', 'sha256:%')
        .execute();
      expect(count.length).toBeGreaterThan(0);
    },
  );
});

describe('each of the ten event types', () => {
  useWorld();

  it('lands in its entity’s row, with its history', async () => {
    const { sandbox, parts } = world;
    const { charge } = await world.sell(PRODUCTS.lamp);
    const alert = sandbox.createAlertFor(charge.reference);
    const notice = sandbox.createSchemeNotice({ scheme_notice_type: 'TC40' });
    const representment = sandbox.createRepresentment({ dispute_status: 'OPEN' });
    const lookup = sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' });
    const enrolment = await parts.client.enrolments.create({
      merchant_ids: [sandbox.accounts.merchantId],
      type: 'NETB_RDR',
      netb_rdr: { bin: '422222', caid: 'DEMOSTORE000002' },
    });
    await world.drain();
    await world.advance(1_000);
    sandbox.resolveInDashboard(alert.id, 'ACCEPT_DISPUTE');
    sandbox.updateSchemeNotice(notice.id, { is_revoked: true });
    sandbox.updateRepresentment(representment.id, { dispute_status: 'LOST' });
    sandbox.updateLookup(lookup.id, { lookup_status: 'SUCCEEDED', deflection_status: 'SUCCEEDED' });
    await parts.client.simulate.enrolment(enrolment.id, { status: 'ENABLED' });
    await world.drain();

    const delivered = new Set(
      sandbox.deliveries().map(({ event_type: type }) => type as EventType),
    );
    expect(delivered).toEqual(new Set(EVENT_TYPES));
    const { db } = world.database;
    const [rows] = await Promise.all([
      Promise.all([
        db
          .selectFrom('alert')
          .select('status as now')
          .where('id', '=', alert.id)
          .executeTakeFirst(),
        db
          .selectFrom('scheme_notice')
          .select('is_revoked as now')
          .where('id', '=', notice.id)
          .executeTakeFirst(),
        db
          .selectFrom('representment')
          .select('dispute_status as now')
          .where('id', '=', representment.id)
          .executeTakeFirst(),
        db
          .selectFrom('lookup')
          .select('deflection_status as now')
          .where('id', '=', lookup.id)
          .executeTakeFirst(),
        db
          .selectFrom('enrolment')
          .select('status as now')
          .where('id', '=', enrolment.id)
          .executeTakeFirst(),
      ]),
    ]);
    expect(rows.map((row) => row?.now)).toEqual(['RESOLVED', true, 'LOST', 'SUCCEEDED', 'ENABLED']);
    for (const { id } of [alert, notice, representment, lookup, enrolment]) {
      const history = await historyOf(id);
      expect(history.length).toBeGreaterThanOrEqual(2);
      expect(history[0]?.before).toBeNull();
      expect(
        history.every(({ source, event_id: event }) => source === 'webhook' && event !== null),
      ).toBe(true);
    }
    expect(outcomeOf(world, alert.id)).toBe('RESOLVED NOT_REFUNDED');
  });
});
