/**
 * Guarantee: every kind of event is written in the transaction of its step, once, with data that its description reads and
 * a sentence for people; a whole refunded alert tells its steps in their order; and no event names a card or a person.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EVENT_KINDS } from '../../../src/capabilities/event-kinds.ts';
import { eventBodyOf } from '../../../src/capabilities/events/event-body.ts';
import { eventsSchema } from '../../../src/capabilities/events/event-schema.ts';
import type { EventRow } from '../../../src/capabilities/events/events.table.ts';
import { createSequence } from '../../../src/capabilities/events/sequence.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertMovement,
  NOW,
  ORG,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { World } from '../../support/world.ts';
import { useWorld } from '../../support/world.ts';

/** The nineteen of the documentation. */
const TYPES = [
  'alert.received',
  'alert.matched',
  'alert.held',
  'alert.decided',
  'refund.requested',
  'refund.confirmed',
  'refund.failed',
  'refund.failed_late',
  'alert.declared',
  'alert.closed',
  'alert.missed',
  'network_refund.recorded',
  'dispute.opened',
  'dispute.closed',
  'order.refused',
  'finding.opened',
  'finding.closed',
  'endpoint.test',
  'credit.claimable',
  'ratio.crossed',
];

it('the kinds are those, each once', () => {
  expect(EVENT_KINDS.map(({ type }) => type).toSorted()).toEqual(TYPES.toSorted());
});

describe('a whole alert', () => {
  let world: World;
  useWorld((opened) => {
    world = opened;
  });

  it('that was refunded tells each step, in order', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(await world.stateOf(alert.id)).toBe('DECLARED_REFUND');
    const rows = await world.database.db
      .selectFrom('event')
      .selectAll()
      .where('alert_id', '=', alert.id)
      .orderBy('seq')
      .execute();
    expect(rows.map(({ type }) => type)).toEqual([
      'alert.received',
      'alert.matched',
      'alert.decided',
      'refund.requested',
      'refund.confirmed',
      'alert.declared',
      'alert.closed',
    ]);
    for (const event of rows) expectReadable(event);
    const confirmed = rows.find(({ type }) => type === 'refund.confirmed');
    expect(confirmed?.data).toMatchObject({
      alert_id: alert.id,
      charge_reference: charge.reference,
      amount_minor: 2_900,
      currency: 'USD',
      state: 'CONFIRMED',
    });
    expect(JSON.stringify(rows)).not.toMatch(/@|card/);
  });
});

const SCHEMA = new URL('../../../templates/events/event.schema.json', import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const isEvent = ajv.compile(JSON.parse(readFileSync(SCHEMA, 'utf8')) as object);
const kindsNoted = new Set<string>();

/** The data is what the description says, the sentence is its own, and the published schema takes it. */
function expectReadable(event: EventRow): void {
  const kind = EVENT_KINDS.find(({ type }) => type === event.type);
  expect(kind?.data.safeParse(event.data).error?.message).toBeUndefined();
  expect(event.sentence).not.toMatch(/was noted|undefined|null/);
  const body: unknown = JSON.parse(JSON.stringify(eventBodyOf(ORG, event)));
  expect([isEvent(body), isEvent.errors]).toEqual([true, null]);
  // Exactly the fields that the description names: none is written that no reader is told of.
  const described = kind?.data instanceof z.ZodObject ? Object.keys(kind.data.shape) : [];
  expect(Object.keys(event.data).filter((name) => !described.includes(name))).toEqual([]);
  kindsNoted.add(event.type);
}

describe('the published schema', () => {
  it('is the one that the table of kinds makes', () => {
    expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(eventsSchema(EVENT_KINDS))),
    );
  });

  it('refuses an event without its data, and takes fields that were added', () => {
    const data = {
      finding_id: 1,
      kind: 'k',
      severity: 'error',
      about: 'alert',
      about_id: 'netalrt_1',
    };
    const event = eventBodyOf(ORG, {
      ...{
        seq: 1,
        type: 'finding.opened',
        at: new Date(NOW),
        alert_id: null,
        subject: 'finding/1',
      },
      ...{ organisation_id: ORG, merchant_id: null, sentence: 's', data },
    });
    expect(isEvent(event)).toBe(true);
    expect(isEvent({ ...event, later: 1, data: { ...data, later: 1 } })).toBe(true);
    const { about_id: _left, ...less } = data;
    expect(isEvent({ ...event, data: less })).toBe(false);
    expect(isEvent({ ...event, type: 'finding.unknown' })).toBe(false);
  });
});

describe('each step by itself', () => {
  const test = useTestDatabase();
  const ALERT = 'netalrt_1';

  async function noted(): Promise<EventRow[]> {
    const { db } = test;
    const after = await db.selectFrom('event_position').select('last_seq').executeTakeFirst();
    const sequence = createSequence({
      db,
      organisationId: ORG,
      kinds: EVENT_KINDS,
    });
    while ((await sequence()) > 0);
    const rows = await db
      .selectFrom('event')
      .selectAll()
      .where('seq', '>', after?.last_seq ?? 0)
      .orderBy('seq')
      .execute();
    for (const row of rows) expectReadable(row);
    return rows;
  }
  const typesTold = async (): Promise<string[]> => (await noted()).map(({ type }) => type);

  async function insertCharge(): Promise<void> {
    await sql`
      insert into charge_account (organisation_id, charge_reference, amount_minor, currency, status)
      select ${ORG}, ref, 100000, 'USD', 'captured' from unnest(array['ch_1', 'ch_2']) as ref`.execute(
      test.db,
    );
    await sql`
      insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
      values (${ORG}, 'dsp_1', 'ch_1', 50000, 'USD', ${NOW})`.execute(test.db);
  }

  it('cases: received, held, missed, closed; nothing where nothing changes', async () => {
    const { db } = test;
    await insertAlert(db, alertObject(ALERT));
    await insertCase(db, ALERT);
    expect(await typesTold()).toEqual(['alert.received']);
    await sql`update alert_case set state = 'HUMAN', hold_reason = 'AMBIGUOUS', version = version + 1`.execute(
      db,
    );
    const [held] = await noted();
    expect(held).toMatchObject({
      type: 'alert.held',
      at: new Date('2026-03-01T11:00:00Z'),
      sentence: 'Alert netalrt_1 waits for a person: ambiguous.',
    });
    await sql`update alert_case set lease_owner = 'x', version = version + 1`.execute(db);
    expect(await typesTold()).toEqual([]);
    await sql`update alert_case set missed_at = deadline_at`.execute(db);
    expect(await typesTold()).toEqual(['alert.missed']);
    await sql`update alert_case set state = 'CLOSED_REMOTE', closed_at = now(), next_action_at = null, hold_reason = null, lease_owner = null`.execute(
      db,
    );
    expect(await typesTold()).toEqual(['alert.closed']);
  });

  it('money: requested again with a new key, refused, failed late; the network’s', async () => {
    const { db } = test;
    await insertCharge();
    const about = { charge: 'ch_1', alertId: ALERT, key: 'key_1', disputeId: 'dsp_1' };
    await insertMovement(db, 'mv_1', { ...about, state: 'SENT' });
    expect(await typesTold()).toEqual(['refund.requested']);
    const become = async (state: string): Promise<string[]> => {
      await sql`update movement set state = ${state}, version = version + 1, failure_class = ${state === 'REJECTED' ? 'final' : null},
        confirmed_at = case when ${state} in ('CONFIRMED', 'REVERSED') then created_at end, next_action_at = case when ${state} in ('SENT', 'UNKNOWN') then created_at end
        where id = 'mv_1'`.execute(db);
      return await typesTold();
    };
    expect(await become('UNKNOWN')).toEqual([]);
    // The same key again is no second request.
    expect(await become('SENT')).toEqual([]);
    expect(await become('REJECTED')).toEqual(['refund.failed']);
    expect(await become('SENT')).toEqual(['refund.requested']);
    expect(await become('CONFIRMED')).toEqual(['refund.confirmed']);
    expect(await become('REVERSED')).toEqual(['refund.failed_late']);
  });

  it('the network’s money says so, and somebody else’s refund is no event', async () => {
    const { db } = test;
    await sql`
      insert into movement (organisation_id, id, charge_reference, kind, state, alert_id, observed_from, amount_minor, currency,
        confirmed_at, next_action_at, created_at, changed_at)
      values (${ORG}, 'mv_2', null, 'network', 'CONFIRMED', ${ALERT}, ${ALERT}, 12990, 'USD', ${NOW}, ${NOW}, ${NOW}, ${NOW})`.execute(
      db,
    );
    const [recorded] = await noted();
    expect(recorded).toMatchObject({
      type: 'network_refund.recorded',
      sentence: 'Refunded by the network of 129.90 USD.',
    });
    await sql`update movement set charge_reference = 'ch_1', version = version + 1 where id = 'mv_2'`.execute(
      db,
    );
    expect(await noted()).toMatchObject([
      { type: 'network_refund.recorded', data: { charge_reference: 'ch_1' } },
    ]);
    // An erased reference is no second refund.
    await db.transaction().execute(async (trx) => {
      await sql`select set_config('forestall.erasing', 'on', true)`.execute(trx);
      await sql`update movement set charge_reference = ${`erased-${'0'.repeat(32)}`} where id = 'mv_2'`.execute(
        trx,
      );
    });
    expect(await noted()).toEqual([]);
    await sql`update movement set state = 'REVERSED', amount_minor = 0, version = version + 1 where id = 'mv_2'`.execute(
      db,
    );
    expect(await noted()).toMatchObject([
      { sentence: 'The network did not refund, or took it back.', data: { state: 'REVERSED' } },
    ]);
    await sql`
      insert into movement (organisation_id, id, charge_reference, kind, state, alert_id, observed_from, amount_minor, currency,
        next_action_at, created_at, changed_at)
      values (${ORG}, 'mv_4', null, 'network', 'PENDING', ${ALERT}, 'netalrt_2', 500, 'USD', ${NOW}, ${NOW}, ${NOW})`.execute(
      db,
    );
    // What the network has not said is not told as a refund.
    expect((await noted()).map(({ sentence }) => sentence)).toEqual([
      'Perhaps refunded by the network of 5.00 USD.',
    ]);
    await insertMovement(db, 'mv_3', {
      charge: 'ch_2',
      alertId: ALERT,
      kind: 'external',
      state: 'CONFIRMED',
    });
    expect(await typesTold()).toEqual([]);
  });

  it('disputes, findings, orders, credits and ratios', async () => {
    const { db } = test;
    await sql`
      insert into representment (organisation_id, id, dispute_status, amount_minor, currency, updated_at, snapshot, snapshot_hash,
        source, first_seen_at, changed_at)
      values (${ORG}, 'rep_1', 'OPEN', 2900, 'USD', ${NOW}, '{}', '00', 'webhook', ${NOW}, ${NOW})`.execute(
      db,
    );
    await sql`update representment set dispute_status = 'LOST'`.execute(db);
    await sql`
      insert into finding (organisation_id, kind, severity, subject, subject_id, evidence, next_step, opened_at, last_seen_at)
      values (${ORG}, 'declared_without_money', 'error', 'alert', ${ALERT}, '{"email": "a@example.com"}', 'Look.', ${NOW}, ${NOW})`.execute(
      db,
    );
    await sql`update finding set last_seen_at = now()`.execute(db);
    await sql`update finding set closed_at = now()`.execute(db);
    await sql`
      insert into credit_claim (organisation_id, alert_id, class, network, evidence, alerted_at, found_at, changed_at, changed_by)
      values (${ORG}, ${ALERT}, 'DUPLICATE', 'NETA_ALERT', '[]', ${NOW}, ${NOW}, ${NOW}, 'forestall')`.execute(
      db,
    );
    await sql`
      insert into programme_alarm (organisation_id, month, programme, line, scope, scope_id, basis, level, detail, raised_at)
      values (${ORG}, '2026-03-01', 'VAMP', 'excessive', 'merchant', 'mrch_1', 'estimated', 75, '{}', ${NOW})`.execute(
      db,
    );
    const rows = await noted();
    expect(rows.map(({ type, sentence }) => `${type}: ${sentence}`)).toEqual([
      'dispute.opened: Dispute rep_1 of 29.00 USD was opened.',
      'dispute.closed: Dispute rep_1 of 29.00 USD was lost.',
      'finding.opened: Finding: declared without money, alert netalrt_1.',
      'finding.closed: No longer: declared without money, alert netalrt_1.',
      'credit.claimable: The price of alert netalrt_1 can be claimed back: reported twice by one network.',
      'ratio.crossed: VAMP excessive: 75 % of the line in 2026-03 (merchant mrch_1, estimated).',
    ]);
    expect(JSON.stringify(rows)).not.toContain('@');
  });

  it('orders that the service does not take', async () => {
    await sql`
      insert into order_record (organisation_id, integration_id, reference_id, type, body, submitted, submitted_hash, accepted_at, changed_at, state, error_code, reason)
      values (${ORG}, 'int_1', '1001', 'COMPLETE', '{}', '{}', '00', ${NOW}, ${NOW}, 'REFUSED', 'VALIDATION', 'no')`.execute(
      test.db,
    );
    expect(await noted()).toMatchObject([
      { type: 'order.refused', sentence: 'The service refused order 1001 (VALIDATION).' },
    ]);
  });

  it('and no kind was left out', () => {
    // Somebody asks for it at an endpoint: `endpoints-page.test.ts`.
    expect(TYPES.filter((type) => !kindsNoted.has(type))).toEqual(['endpoint.test']);
  });
});
