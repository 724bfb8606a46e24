/**
 * Guarantee: every stored event is applied once or lies in quarantine with its reason; an alert never
 * exists without its case; one bad event never costs its neighbours.
 */

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApplier } from '../../../src/alerts/apply/apply.job.ts';
import { replayEvent } from '../../../src/alerts/receive/replay.ts';
import type { OpenDatabase } from '../../../src/base/db/connect.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { openAsConsole } from '../../support/console-role.ts';
import type { Bench } from './harness.ts';
import { alertObject, event, NOW, ORGANISATION, openBench } from './harness.ts';

let bench: Bench;

/** Replays go through the console, with its rights. */
let people: OpenDatabase;
beforeAll(async () => {
  bench = await openBench();
  people = openAsConsole(bench.database.name, ORGANISATION);
});
afterAll(async () => {
  await people.close();
  await bench.close();
});
beforeEach(() => bench.clock.setMs(Date.parse(NOW)));

const db = (): Bench['database']['db'] => bench.database.db;

async function apply(...bodies: unknown[]): Promise<number> {
  await bench.store(...bodies);
  return await bench.drain();
}

const findAlert = (id: string) =>
  db().selectFrom('alert').selectAll().where('id', '=', id).executeTakeFirst();
const findCase = (id: string) =>
  db().selectFrom('alert_case').selectAll().where('alert_id', '=', id).executeTakeFirst();
const historyOf = (id: string) =>
  db().selectFrom('entity_change').selectAll().where('entity_id', '=', id).orderBy('id').execute();
const quarantineOf = (eventId: unknown) =>
  db()
    .selectFrom('quarantine')
    .select(['reason', 'detail', 'resolved_at', 'resolved_by'])
    .where('event_id', '=', String(eventId))
    .execute();

describe('an alert', () => {
  it('becomes a row, a case with a plan, and a line of history', async () => {
    const told = event('alert.created', alertObject('netalrt_a', { extra: { kept: [1] } }));
    expect(await apply(told)).toBe(1);
    expect(await findAlert('netalrt_a')).toMatchObject({
      organisation_id: ORGANISATION,
      status: 'ACTION_REQUIRED',
      amount_minor: 12_990,
      deadline_at: new Date('2026-11-22T12:00:00Z'),
      source: 'webhook',
      read_at: null,
      needs_read: false,
      first_seen_at: new Date(NOW),
      snapshot: { extra: { kept: [1] } },
    });
    expect(await findCase('netalrt_a')).toMatchObject({
      state: 'RECEIVED',
      version: 1,
      opened_at: new Date(NOW),
      next_action_at: new Date(NOW),
      deadline_at: new Date('2026-11-22T12:00:00Z'),
      next_alarm_at: new Date('2026-11-21T12:00:00Z'),
    });
    expect(await historyOf('netalrt_a')).toMatchObject([
      { entity: 'alert', source: 'webhook', event_id: told['id'], accepted: true, before: null },
    ]);
    expect(await bench.applier.drainOnce()).toBe(0);
  });

  it('has its events in its history in their order, whatever else comes with them', async () => {
    const minutes = [10, 20, 30, 40];
    const told = ['netalrt_o1', 'netalrt_o2'].flatMap((id) =>
      minutes.map((minute) =>
        event(
          minute === 10 ? 'alert.created' : 'alert.updated',
          alertObject(id, { updated_at: `2026-11-20T11:${minute}:00Z`, note: `${minute}` }),
        ),
      ),
    );
    // One after the other: two flushes at once have no order.
    for (const each of told) await bench.store(each);
    expect(await bench.drain()).toBe(told.length);
    const events = async (id: string) => (await historyOf(id)).map(({ event_id }) => event_id);
    const ids = told.map((each) => each['id']);
    expect(await events('netalrt_o1')).toEqual(ids.slice(0, 4));
    expect(await events('netalrt_o2')).toEqual(ids.slice(4));
  });

  it.each<[string, Record<string, unknown>, boolean]>([
    ['status', { status: 'RESOLVED' }, true],
    ['outcome', { transaction_refund_outcome: 'REFUNDED' }, true],
    ['deadline', { action_required_deadline: '2026-11-21T12:00:00Z' }, true],
    ['matched transaction', { integration_transaction_id: 'tx_9' }, true],
    ['note', { note: 'by hand' }, false],
    ['issuer', { transaction_card_issuer: 'Another Bank' }, false],
  ])('a change of its %s wakes its open case: %s', async (name, change, wakes) => {
    const id = `netalrt_w${name.replaceAll(' ', '')}`;
    await apply(event('alert.created', alertObject(id)));
    const later = new Date('2026-11-21T00:00:00Z');
    await db()
      .updateTable('alert_case')
      .set({ next_action_at: later })
      .where('alert_id', '=', id)
      .execute();
    bench.clock.advanceMs(60_000);
    await apply(
      event('alert.updated', alertObject(id, { updated_at: '2026-11-20T11:30:00Z', ...change })),
    );
    const row = await findCase(id);
    expect(row?.next_action_at).toEqual(wakes ? new Date(bench.clock.nowMs()) : later);
    expect(row?.version).toBe(1);
    expect(row?.state).toBe('RECEIVED');
  });

  it('an earlier deadline moves the alarm forward, a later one does not move it back', async () => {
    await apply(event('alert.created', alertObject('netalrt_dl')));
    await apply(
      event(
        'alert.updated',
        alertObject('netalrt_dl', {
          updated_at: '2026-11-20T11:10:00Z',
          action_required_deadline: '2026-11-20T16:00:00Z',
        }),
      ),
    );
    expect(await findCase('netalrt_dl')).toMatchObject({
      deadline_at: new Date('2026-11-20T16:00:00Z'),
      next_alarm_at: new Date('2026-11-20T14:00:00Z'),
    });
    await apply(
      event(
        'alert.updated',
        alertObject('netalrt_dl', {
          updated_at: '2026-11-20T11:20:00Z',
          action_required_deadline: '2026-11-22T12:00:00Z',
        }),
      ),
    );
    expect(await findCase('netalrt_dl')).toMatchObject({
      deadline_at: new Date('2026-11-22T12:00:00Z'),
      next_alarm_at: new Date('2026-11-20T14:00:00Z'),
    });
  });

  it('a closed case stays as it is', async () => {
    await apply(event('alert.created', alertObject('netalrt_closed')));
    await db()
      .updateTable('alert_case')
      .set({ state: 'CLOSED_REMOTE', next_action_at: null, next_alarm_at: null })
      .where('alert_id', '=', 'netalrt_closed')
      .execute();
    const before = await findCase('netalrt_closed');
    await apply(
      event(
        'alert.updated',
        alertObject('netalrt_closed', { status: 'INVALID', updated_at: '2026-11-20T11:30:00Z' }),
      ),
    );
    expect(await findCase('netalrt_closed')).toEqual(before);
    expect((await findAlert('netalrt_closed'))?.status).toBe('INVALID');
  });

  it('F14 updated before created: the case opens at the first, whatever it is', async () => {
    const id = 'netalrt_f14';
    await apply(
      event(
        'alert.updated',
        alertObject(id, { status: 'RESOLVED', updated_at: '2026-11-20T11:30:00Z' }),
      ),
    );
    await apply(event('alert.created', alertObject(id)));
    expect((await findAlert(id))?.status).toBe('RESOLVED');
    expect(await findCase(id)).toMatchObject({ state: 'RECEIVED' });
    expect((await historyOf(id)).map(({ accepted }) => accepted)).toEqual([true, false]);
  });

  it('F11 two events of one content: one case, one line', async () => {
    const told = alertObject('netalrt_f11');
    expect(await apply(event('alert.created', told), event('alert.created', told))).toBe(2);
    expect(await historyOf('netalrt_f11')).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['missing', { action_required_deadline: undefined }, '2026-11-21T11:00:00.000Z', NOW],
    ['null', { action_required_deadline: null }, '2026-11-21T11:00:00.000Z', NOW],
    [
      'in the past',
      { action_required_deadline: '2026-11-19T12:00:00Z' },
      '2026-11-19T12:00:00.000Z',
      NOW,
    ],
    [
      '90 days',
      { action_required_deadline: '2027-02-18T12:00:00Z' },
      '2026-11-21T11:00:00.000Z',
      NOW,
    ],
    [
      '5 min',
      { action_required_deadline: '2026-11-20T12:05:00Z' },
      '2026-11-20T12:05:00.000Z',
      NOW,
    ],
  ])('F23 deadline %s: alarm at once', async (name, change, deadline, alarm) => {
    const id = `netalrt_f23${name.replaceAll(' ', '')}`;
    await apply(event('alert.created', alertObject(id, change)));
    const row = await findCase(id);
    expect(row?.deadline_at.toISOString()).toBe(deadline);
    expect(row?.next_alarm_at?.toISOString()).toBe(alarm);
  });

  it('F24 without any identifier, F25 with odd ones, F26 with odd amounts: a row and a case', async () => {
    const odd: [string, Record<string, unknown>][] = [
      [
        'netalrt_f24',
        {
          transaction_acquirer_reference_number: null,
          transaction_card_last4: null,
          transaction_card_bin: null,
        },
      ],
      ['netalrt_f25', { transaction_acquirer_reference_number: ' 7456789123456789012345x ' }],
      ['netalrt_f26text', { transaction_amount_in_cents: '12990' }],
      ['netalrt_f26float', { transaction_amount_in_cents: 129.9 }],
      ['netalrt_f26neg', { transaction_amount_in_cents: -1 }],
      ['netalrt_f26jpy', { transaction_amount_in_cents: 5_000, transaction_currency_code: 'JPY' }],
      ['netalrt_noorg', { organisation_id: undefined, status: undefined, enrolment_type: 5 }],
    ];
    await apply(...odd.map(([id, change]) => event('alert.created', alertObject(id, change))));
    const amounts: unknown[] = [];
    for (const [id] of odd) {
      expect(await findCase(id)).toMatchObject({ state: 'RECEIVED' });
      amounts.push((await findAlert(id))?.amount_minor);
    }
    expect(amounts).toEqual([12_990, 12_990, null, null, -1, 5_000, 12_990]);
    expect(await findAlert('netalrt_noorg')).toMatchObject({
      status: 'UNKNOWN',
      enrolment_type: null,
    });
  });

  it('F21 unknown fields, F28 odd characters, F31 prototype keys: kept, shown, harmless', async () => {
    const body = JSON.stringify(
      event(
        'alert.created',
        alertObject('netalrt_f28', { note: 'NOTE', unknown: { deep: [{ x: 1 }] } }),
      ),
    )
      .replace('"NOTE"', '"a\\u0000b\\ud800c\\u202ed😀"')
      .replace(
        '"unknown"',
        '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"unknown"',
      );
    await apply(body);
    const row = await findAlert('netalrt_f28');
    expect(row?.note).toBe('a\ufffdb\ufffdc\u202ed😀');
    expect(row?.snapshot['unknown']).toEqual({ deep: [{ x: 1 }] });
    expect(JSON.stringify(row?.snapshot)).toContain('"__proto__":{"polluted":1}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const stored = await db()
      .selectFrom('inbox_event')
      .select('body')
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    expect(stored.body.toString()).toBe(body);
  });
});

it('all five kinds, and the fact of the last webhook', async () => {
  const at = {
    created_at: '2026-11-20T11:00:00Z',
    updated_at: '2026-11-20T11:00:00Z',
    organisation_id: ORGANISATION,
  };
  bench.clock.advanceMs(3_600_000);
  await apply(
    event('lookup.created', {
      id: 'lkup_1',
      lookup_status: 'PENDING',
      transaction_amount: 5,
      ...at,
    }),
    event('enrolment.created', { id: 'enrl_1', status: 'PENDING', ...at }),
    event('representment.created', { id: 'rep_1', dispute_status: 'OPEN', ...at }),
    event('scheme_notice.created', {
      id: 'schntc_1',
      scheme_notice_type: 'TC40',
      is_revoked: false,
      ...at,
    }),
  );
  expect(
    await db().selectFrom('lookup').select(['lookup_status', 'amount_minor']).execute(),
  ).toEqual([{ lookup_status: 'PENDING', amount_minor: 5 }]);
  expect(await db().selectFrom('enrolment').select('status').execute()).toEqual([
    { status: 'PENDING' },
  ]);
  expect(await db().selectFrom('representment').select('dispute_status').execute()).toEqual([
    { dispute_status: 'OPEN' },
  ]);
  expect(
    await db().selectFrom('scheme_notice').select(['scheme_notice_type', 'is_revoked']).execute(),
  ).toEqual([{ scheme_notice_type: 'TC40', is_revoked: false }]);
  const fact = await db()
    .selectFrom('fact')
    .select('value')
    .where('name', '=', 'last_webhook_at')
    .execute();
  expect(fact).toEqual([{ value: '2026-11-20T13:00:00.000Z' }]);
});

describe('quarantine', () => {
  it.each<[string, string, unknown, string]>([
    ['F20 unknown type', 'fraud_notification.created', { id: 'netalrt_q1' }, 'unknown_type'],
    [
      'F27 another organisation',
      'alert.created',
      alertObject('netalrt_q2', { organisation_id: 'org_other' }),
      'foreign_organisation',
    ],
    ['no id', 'alert.created', alertObject('netalrt_q3', { id: null }), 'object_unusable'],
    ['an id of another kind', 'alert.created', alertObject('lkup_q4'), 'object_unusable'],
    [
      'no moment of its own: the event has one',
      'alert.created',
      alertObject('netalrt_q5', { updated_at: null, created_at: 'x' }),
      'none',
    ],
    ['no object', 'alert.created', null, 'event_malformed'],
    ['an array as object', 'alert.created', [], 'event_malformed'],
  ])('%s', async (_name, type, object, reason) => {
    const told = event(type, object);
    expect(await apply(told)).toBe(1);
    const rows = await quarantineOf(told['id']);
    expect(rows.map((row) => row.reason)).toEqual(reason === 'none' ? [] : [reason]);
    const ids = ['netalrt_q1', 'netalrt_q2', 'netalrt_q3', 'lkup_q4'];
    expect(await db().selectFrom('alert').select('id').where('id', 'in', ids).execute()).toEqual(
      [],
    );
    expect(
      await db().selectFrom('alert_case').select('alert_id').where('alert_id', 'in', ids).execute(),
    ).toEqual([]);
  });

  it('warns once per reason and day, never with content', async () => {
    await apply(
      event('novelty.created', { secret: 'canary-1' }),
      event('novelty.updated', { secret: 'canary-2' }),
    );
    const notices = await db()
      .selectFrom('notification')
      .select(['severity', 'text'])
      .where('dedupe_key', '=', 'quarantine:unknown_type:2026-11-20')
      .execute();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ severity: 'warning' });
    expect(JSON.stringify(notices)).not.toContain('canary');
  });

  it('an event the database refuses is set aside alone, wherever it stands', async () => {
    await sql`alter table alert add constraint poison check (merchant_id <> 'mrch_poison')`.execute(
      db(),
    );
    const good = Array.from({ length: 20 }, (_, index) =>
      event('alert.created', alertObject(`netalrt_good${index}`)),
    );
    const bad = [3, 11].map((index) =>
      event('alert.created', alertObject(`netalrt_bad${index}`, { merchant_id: 'mrch_poison' })),
    );
    const mixed = [...good.slice(0, 3), bad[0], ...good.slice(3, 11), bad[1], ...good.slice(11)];
    expect(await apply(...mixed)).toBe(22);
    const stored = await db()
      .selectFrom('alert')
      .select('id')
      .where('id', 'like', 'netalrt_good%')
      .execute();
    expect(stored).toHaveLength(20);
    for (const each of bad) {
      expect(await quarantineOf(each['id'])).toMatchObject([
        { reason: 'apply_failed', detail: '23514' },
      ]);
    }
    await sql`alter table alert drop constraint poison`.execute(db());
    const [first] = bad;
    const request = {
      organisationId: ORGANISATION,
      eventId: String(first?.['id']),
      by: 'operator:ann',
      at: new Date(NOW),
    };
    expect(await replayEvent(people.db, request)).toMatchObject({ ok: true });
    expect(await bench.drain()).toBe(1);
    expect(await findCase('netalrt_bad3')).toMatchObject({ state: 'RECEIVED' });
    expect(await quarantineOf(first?.['id'])).toMatchObject([{ resolved_by: 'operator:ann' }]);
  });

  it('a database at fault loses nothing', async () => {
    await bench.store(event('alert.created', alertObject('netalrt_later')));
    await sql`create function refuse_all() returns trigger language plpgsql as $$ begin raise exception 'full' using errcode = '53100'; end $$`.execute(
      db(),
    );
    await sql`create trigger full_disk before insert on alert for each statement execute function refuse_all()`.execute(
      db(),
    );
    await expect(bench.applier.drainOnce()).rejects.toMatchObject({ code: '53100' });
    await sql`drop trigger full_disk on alert`.execute(db());
    expect(await bench.drain()).toBe(1);
    expect(await findCase('netalrt_later')).toMatchObject({ state: 'RECEIVED' });
  });

  it('an event whose body is gone is said to be so', async () => {
    const told = event('alert.created', alertObject('netalrt_gone'));
    await bench.store(told);
    await db().deleteFrom('inbox_event').where('event_id', '=', String(told['id'])).execute();
    expect(await bench.drain()).toBe(1);
    expect(await quarantineOf(told['id'])).toMatchObject([{ reason: 'body_gone' }]);
  });
});

describe('replay', () => {
  const request = (eventId: string) => ({
    organisationId: ORGANISATION,
    eventId,
    by: 'operator:ann',
    at: new Date(NOW),
  });

  it('of what was applied changes nothing', async () => {
    const told = event('alert.created', alertObject('netalrt_replay'));
    await apply(told);
    const before = await findAlert('netalrt_replay');
    expect(await replayEvent(people.db, request(String(told['id'])))).toMatchObject({ ok: true });
    expect(await bench.drain()).toBe(1);
    expect(await findAlert('netalrt_replay')).toEqual(before);
    expect(await historyOf('netalrt_replay')).toHaveLength(1);
    const audit = await db()
      .selectFrom('audit')
      .select(['actor', 'what'])
      .where('subject_id', '=', String(told['id']))
      .execute();
    expect(audit).toEqual([{ actor: 'operator:ann', what: 'replayed' }]);
  });

  it.each([
    ['evt_never', 'not_found'],
    [`sha256:${'0'.repeat(64)}`, 'malformed'],
  ])('of %s is refused: %s', async (eventId, reason) => {
    expect(await replayEvent(people.db, request(eventId))).toEqual({ ok: false, reason });
  });

  it('of another organisation finds nothing', async () => {
    const told = event('alert.created', alertObject('netalrt_org'));
    await apply(told);
    const foreign = { ...request(String(told['id'])), organisationId: 'org_other' };
    expect(await replayEvent(people.db, foreign)).toEqual({ ok: false, reason: 'not_found' });
  });
});

it('an applier leaves the work of other organisations alone', async () => {
  await bench.store(event('alert.created', alertObject('netalrt_ours')));
  const other = createApplier({
    db: db(),
    clock: bench.clock,
    log: createLog({ level: 'silent' }),
    organisationId: 'org_other',
    brandTokens: { fromWire: (json) => json },
  });
  expect(await other.drainOnce()).toBe(0);
  expect(await bench.drain()).toBe(1);
});

it('an applier that shares its process takes a backlog in small parts, one after the other', async () => {
  const alerts = Array.from({ length: 130 }, (_, place) => alertObject(`netalrt_many_${place}`));
  await bench.store(...alerts.map((alert) => event('alert.created', alert)));
  const shared = createApplier({
    db: db(),
    clock: bench.clock,
    log: createLog({ level: 'silent' }),
    organisationId: ORGANISATION,
    brandTokens: { fromWire: (json) => json },
    isShared: true,
  });
  expect([await shared.drainOnce(), await shared.drainOnce(), await shared.drainOnce()]).toEqual([
    50, 50, 30,
  ]);
});
