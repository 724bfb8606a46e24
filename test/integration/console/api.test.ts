/** Guarantee: programs get whole pages in order, exact faults for bad requests, and one decision per alert. */
import express from 'express';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openFinding } from '../../../src/base/findings/finding.store.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type {
  DecideOutcome,
  EventReplay,
  OperatorDecision,
} from '../../../src/surface/web/ports.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  insertDispute,
  insertMovement,
  NOW,
  ORG,
} from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { BEARER, jsonOf, startConsole } from './support.ts';

const test = useTestDatabase();
let site: TestConsole;
let outcome: DecideOutcome;
const decisions: OperatorDecision[] = [];
const replays: EventReplay[] = [];

beforeAll(async () => {
  const orderRoutes = express.Router();
  orderRoutes.get('/', (_request, response) => {
    response.json({ orders: true });
  });
  site = await startConsole(test.db, createFixedClock(NOW), {
    orderRoutes,
    decide: async (decision) => {
      decisions.push(decision);
      return outcome;
    },
    replayEvent: async (replay) => {
      replays.push(replay);
      return replay.eventId === 'evt_1'
        ? { ok: true }
        : { ok: false, reason: 'not_found', message: 'No such event.' };
    },
  });
});
afterAll(async () => {
  await site.close();
});
beforeEach(async () => {
  for (const table of [
    'finding',
    'alert_case',
    'decision',
    'match',
    'declaration',
    'cover',
    'movement',
    'dispute',
    'charge_account',
    'alert',
    'quarantine',
    'inbox_work',
    'inbox_event',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
  outcome = { ok: true };
  decisions.length = 0;
  replays.length = 0;
});

/** What an answer about one alert holds. */
type Part =
  | 'alert'
  | 'case'
  | 'match'
  | 'decision'
  | 'decisions'
  | 'refund'
  | 'movements'
  | 'declaration'
  | 'history'
  | 'audit'
  | 'same_charge_alert_ids';

/** All that answers may hold; a part that is missing fails the comparison with its literal. */
interface Body extends Readonly<Record<Part, unknown>> {
  readonly items: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
  readonly errors: readonly [{ readonly code: string; readonly field?: string; message: string }];
}

interface Answer {
  readonly status: number;
  readonly body: Body;
}

async function get(path: string): Promise<Answer> {
  const answer = await site.get(path, BEARER);
  return { status: answer.status, body: (await answer.json()) as Body };
}

async function post(path: string, body: unknown): Promise<Answer> {
  const answer = await site.post(path, jsonOf(body, BEARER));
  return { status: answer.status, body: (await answer.json()) as Body };
}

/** Walks all pages. */
async function walk(path: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor = '';
  do {
    const { body } = await get(`${path}&limit=${limit}${cursor}`);
    pages.push(body.items.map((item) => item.id));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '' && pages.length < 20);
  return pages;
}

describe('GET /api/alerts', () => {
  it('lists what is open, nearest deadline first, with amount and state', async () => {
    await insertAlert(test.db, alertObject('netalrt_late'));
    await insertCase(test.db, 'netalrt_late', { deadlineAt: '2026-03-03T10:00:00Z' });
    await insertCase(test.db, 'netalrt_soon', {
      state: 'HUMAN',
      holdReason: 'too_late',
      deadlineAt: '2026-03-01T13:00:00Z',
    });
    await insertCase(test.db, 'netalrt_over', { state: 'DECLARED_REFUND' });
    await insertCase(test.db, 'netalrt_foreign', { organisationId: 'org_other' });
    const { status, body } = await get('/api/alerts');
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.items).toEqual([
      expect.objectContaining({
        id: 'netalrt_soon',
        state: 'HUMAN',
        hold_reason: 'too_late',
        hold_sentence: 'Too little time was left before the deadline to refund safely.',
        amount_in_cents: null,
      }),
      {
        id: 'netalrt_late',
        state: 'RECEIVED',
        status: 'ACTION_REQUIRED',
        enrolment_type: 'NETA_ALERT',
        deadline_at: '2026-03-03T10:00:00.000Z',
        opened_at: '2026-03-01T10:00:00.000Z',
        changed_at: '2026-03-01T11:00:00.000Z',
        next_action_at: '2026-03-03T10:00:00.000Z',
        amount_in_cents: 12_990,
        currency: 'USD',
        descriptor: 'SHOP',
        card_last4: null,
        card_bin: null,
        card_scheme: null,
        card_issuer: null,
        acquirer_reference_number: null,
        authorisation_code: null,
        reason_code: null,
        charge_reference: null,
        refund_state: null,
        hold_reason: null,
        hold_sentence: null,
        fallback_action: null,
        fallback_at: null,
        missed_at: null,
        closed_at: null,
        last_error: null,
      },
    ]);
  });

  it('pages through equal and sub-millisecond deadlines without loss or repeat', async () => {
    const deadlines = [
      '.000001Z',
      '.000002Z',
      '.000002Z',
      '.000002Z',
      '.000999Z',
      '.001Z',
      '.002Z',
    ];
    const ids = deadlines.map((_, index) => `netalrt_${'gcabdef'[index]}`);
    for (const [index, id] of ids.entries()) {
      await insertCase(test.db, id, {
        state: index % 2 === 0 ? 'HUMAN' : 'RECEIVED',
        deadlineAt: `2026-03-02T00:00:00${deadlines[index]}`,
      });
    }
    const inOrder = ['g', 'a', 'b', 'c', 'd', 'e', 'f'].map((name) => `netalrt_${name}`);
    for (const limit of [1, 2, 3, 7, 8]) {
      expect((await walk('/api/alerts?state=open', limit)).flat()).toEqual(inOrder);
    }
  });

  it('lists what is over the other way round, page by page', async () => {
    for (const day of [1, 2, 3]) {
      await insertCase(test.db, `netalrt_${day}`, {
        state: 'CLOSED_REMOTE',
        deadlineAt: `2026-02-0${day}T00:00:00Z`,
      });
    }
    await insertCase(test.db, 'netalrt_open');
    expect(await walk('/api/alerts?state=closed', 2)).toEqual([
      ['netalrt_3', 'netalrt_2'],
      ['netalrt_1'],
    ]);
    expect((await walk('/api/alerts?state=all', 3)).flat()).toHaveLength(4);
    expect((await walk('/api/alerts?state=CLOSED_REMOTE', 3)).flat()).toHaveLength(3);
    expect((await walk('/api/alerts?state=HUMAN', 3)).flat()).toEqual([]);
  });

  it.each([
    ["state=' OR 1=1--", 'state'],
    ['state=OPEN', 'state'],
    ['state=', 'state'],
    ['state=open&state=closed', 'state'],
    ['sort=id;drop table alert', 'sort'],
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.0', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=10%20', 'limit'],
    ['limit=5;select 1', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('["2026-03-01T00:00:00Z","a"]').toString('base64url')}`, 'cursor'],
    [
      `cursor=${Buffer.from('["2026-02-31T00:00:00.000000Z","a"]').toString('base64url')}`,
      'cursor',
    ],
    [
      `cursor=${Buffer.from('["0000-01-01T00:00:00.000000Z","a"]').toString('base64url')}`,
      'cursor',
    ],
    [
      `cursor=${Buffer.from('["2026-03-01T00:00:00.000000Z","\\u0000"]').toString('base64url')}`,
      'cursor',
    ],
    [
      `cursor=${Buffer.from('["2026-03-01T00:00:00.000000Z","\\ud800"]').toString('base64url')}`,
      'cursor',
    ],
    [`cursor=${Buffer.from('["\'; drop table alert; --","a"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('{"__proto__":1}').toString('base64url')}`, 'cursor'],
    ['__proto__=x', '__proto__'],
    ['constructor=x', 'constructor'],
  ])('answers 400 to ?%s, naming the parameter', async (query, field) => {
    const { status, body } = await get(`/api/alerts?${query}`);
    expect(status).toBe(400);
    expect(body.errors[0].code).toBe('INVALID_REQUEST');
    expect(body.errors[0].message.startsWith(field)).toBe(true);
  });

  it('answers no query with 5xx, and never repeats a value', async () => {
    const names = ['state', 'limit', 'cursor', 'x'];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.base64String()),
        async (name, value) => {
          const text = value.isWellFormed() ? value : '\u{fffd}';
          const answer = await site.get(`/api/alerts?${name}=${encodeURIComponent(text)}`, BEARER);
          expect([200, 400]).toContain(answer.status);
        },
      ),
      { numRuns: 80 },
    );
    expect(site.lines.filter((line) => line.includes('failed'))).toEqual([]);
  }, 120_000);
});

describe('GET /api/alerts/{id}', () => {
  it('lists every movement for its dispute, and names the one of its case', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    for (const each of ['a', 'b']) await insertDispute(test.db, `dsp_${each}`, { charge: 'ch_1' });
    const movement = { charge: 'ch_1', alertId: 'netalrt_1', amountMinor: 1_000 } as const;
    const own = { ...movement, state: 'CONFIRMED', disputeId: 'dsp_a' } as const;
    await insertMovement(test.db, 'r1', { ...own, state: 'REJECTED' });
    await insertMovement(test.db, 'r2', { ...own, createdAt: '2026-03-01T10:31:00Z' });
    const later = { ...own, createdAt: '2026-03-01T10:32:00Z' };
    await insertMovement(test.db, 'r3', { ...later, kind: 'external', reference: 're_3' });
    await insertMovement(test.db, 'r4', { ...later, alertId: 'netalrt_2', disputeId: 'dsp_b' });
    await insertCase(test.db, 'netalrt_1', {
      state: 'DECLARE_REFUND',
      chargeReference: 'ch_1',
      movementId: 'r2',
      disputeId: 'dsp_a',
    });
    const { body } = await get('/api/alerts/netalrt_1');
    expect(body.refund).toMatchObject({ id: 'r2', kind: 'refund', dispute_id: 'dsp_a' });
    expect(body.movements).toMatchObject([
      { id: 'r1', state: 'REJECTED', failure_class: 'final', amount_in_cents: 1_000 },
      { id: 'r2', state: 'CONFIRMED', idempotency_key: 'key_r2', observed_from: null },
      { id: 'r3', kind: 'external', observed_from: 'processor', processor_reference: 're_3' },
    ]);
  });

  it('shows the alert with every stage and both histories', async () => {
    const alert = alertObject('netalrt_1', { transaction_card_last4: '4242', extra_field: 'kept' });
    await insertAlert(test.db, alert);
    await insertMovement(test.db, 'r1', {
      state: 'CONFIRMED',
      charge: 'ch_1',
      alertId: 'netalrt_1',
      confirmedAt: '2026-03-01T10:31:00Z',
    });
    await insertCase(test.db, 'netalrt_1', {
      state: 'DECLARE_REFUND',
      movementId: 'r1',
      chargeReference: 'ch_1',
    });
    await insertCase(test.db, 'netalrt_twin', { chargeReference: 'ch_1' });
    const { id: decisionId } = await test.db
      .insertInto('decision')
      .values({
        organisation_id: ORG,
        alert_id: 'netalrt_1',
        action: 'REFUND',
        amount_minor: 12_990,
        currency: 'USD',
        decided_by: 'policy',
        policy_version: 'v1',
        rule: 'small amounts',
        sentence: 'Below 200 USD.',
        inputs: '{}',
        decided_at: '2026-03-01T10:20:00Z',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await test.db
      .updateTable('alert_case')
      .set({ decision_id: decisionId })
      .where('alert_id', '=', 'netalrt_1')
      .execute();
    await test.db
      .insertInto('match')
      .values({
        organisation_id: ORG,
        alert_id: 'netalrt_1',
        outcome: 'single',
        charge_reference: 'ch_1',
        tier: 'arn',
        evidence: '{}',
        candidates: '[]',
        matched_at: '2026-03-01T10:10:00Z',
      })
      .execute();
    await test.db
      .insertInto('declaration')
      .values({
        organisation_id: ORG,
        alert_id: 'netalrt_1',
        action: 'REFUND',
        note: 'refund r1',
        movement_id: 'r1',
        state: 'DUE',
        created_at: NOW,
        changed_at: NOW,
      })
      .execute();
    await test.db
      .insertInto('entity_change')
      .values({
        organisation_id: ORG,
        entity: 'alert',
        entity_id: 'netalrt_1',
        changed_at: '2026-03-01T10:00:01Z',
        source: 'webhook',
        event_id: 'evt_1',
        accepted: true,
        before: JSON.stringify({ status: 'OLD', id: 'netalrt_1' }),
        after: JSON.stringify({ status: 'ACTION_REQUIRED', id: 'netalrt_1' }),
      })
      .execute();
    const { status, body } = await get('/api/alerts/netalrt_1');
    expect(status).toBe(200);
    expect(body.alert).toEqual(alert);
    expect(body.case).toMatchObject({ state: 'DECLARE_REFUND', is_open: true });
    expect(body.match).toMatchObject({ outcome: 'single', charge_reference: 'ch_1', tier: 'arn' });
    expect(body.decision).toMatchObject({ action: 'REFUND', rule: 'small amounts' });
    expect(body.decisions).toHaveLength(1);
    expect(body.refund).toMatchObject({ id: 'r1', state: 'CONFIRMED', amount_in_cents: 12_990 });
    expect(body.declaration).toMatchObject({ action: 'REFUND', state: 'DUE' });
    expect(body.history).toEqual([
      {
        at: '2026-03-01T10:00:01.000Z',
        source: 'webhook',
        event_id: 'evt_1',
        accepted: true,
        changes: [{ field: 'status', from: 'OLD', to: 'ACTION_REQUIRED' }],
      },
    ]);
    expect(body.audit).toEqual([]);
    expect(body.same_charge_alert_ids).toEqual(['netalrt_twin']);
  });

  it.each([
    'netalrt_unknown',
    'netalrt_',
    'ord_1',
    '..%2Forders',
    'netalrt_1%00',
    "netalrt_1'%20or%201=1",
    'netalrt_1%2F..%2Fx',
  ])('answers 404 to %s', async (id) => {
    await insertCase(test.db, 'netalrt_1');
    expect(await get(`/api/alerts/${id}`)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'NOT_FOUND' }] },
    });
  });

  it('answers 404 to an alert of another organisation', async () => {
    await insertCase(test.db, 'netalrt_x', { organisationId: 'org_other' });
    expect((await get('/api/alerts/netalrt_x')).status).toBe(404);
  });
});

describe('POST /api/alerts/{id}/decision', () => {
  const path = '/api/alerts/netalrt_1/decision';

  it('hands action and note over, and answers 202', async () => {
    const note = 'Customer called.\nRefund agreed: café ☕';
    expect(await post(path, { action: 'REFUND', note })).toEqual({
      status: 202,
      body: { accepted: true },
    });
    expect(decisions).toEqual([
      { organisationId: ORG, alertId: 'netalrt_1', action: 'REFUND', note, operator: 'console' },
    ]);
  });

  it.each([
    ['not_found', 404, 'NOT_FOUND'],
    ['conflict', 409, 'CONFLICT'],
    ['refused', 422, 'REFUSED'],
  ] as const)('answers %s with %i', async (reason, status, code) => {
    outcome = { ok: false, reason, message: 'Why.' };
    expect(await post(path, { action: 'ACCEPT_DISPUTE' })).toEqual({
      status,
      body: { errors: [{ code, message: 'Why.' }] },
    });
  });

  it.each([
    [{}, 'action'],
    [{ action: 'CANCEL' }, 'action'],
    [{ action: 'refund' }, 'action'],
    [{ action: ['REFUND'] }, 'action'],
    [{ action: 'REFUND', role: 'admin' }, 'role'],
    [{ action: 'REFUND', note: 7 }, 'note'],
    [{ action: 'REFUND', note: 'x'.repeat(501) }, 'note'],
    [{ action: 'REFUND', note: 'a\u0000b' }, 'note'],
    [{ action: 'REFUND', note: '\u001b[31m' }, 'note'],
    [{ action: 'REFUND', note: '\ud800' }, 'note'],
    [{ action: 'REFUND', note: 'card 4242 4242 4242 4242' }, 'note'],
  ])('answers 400 to %j', async (body, field) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe(field);
    expect(decisions).toEqual([]);
  });

  it('does not let a body change what objects inherit', async () => {
    const body = '{"action":"REFUND","__proto__":{"polluted":1}}';
    const headers = { ...BEARER, 'content-type': 'application/json' };
    const answer = await site.post(path, { body, headers });
    expect(answer.status).toBe(400);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it.each([
    ['{', 'application/json', 400],
    ['"REFUND"', 'application/json', 400],
    ['action=REFUND', 'application/x-www-form-urlencoded', 400],
    [`{"note":"${'x'.repeat(17_000)}"}`, 'application/json', 413],
  ])('answers %s as %s with %i', async (body, type, status) => {
    const answer = await site.post(path, { body, headers: { ...BEARER, 'content-type': type } });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toHaveProperty('errors');
    expect(decisions).toEqual([]);
  });

  it('answers 404 to what is no alert id, without asking anybody', async () => {
    expect((await post('/api/alerts/ord_1/decision', { action: 'REFUND' })).status).toBe(404);
    expect(decisions).toEqual([]);
  });
});

describe('GET /api/findings', () => {
  it('lists open ones newest first, page by page', async () => {
    for (const subjectId of ['a', 'b', 'c']) {
      await openFinding(test.db, {
        organisationId: ORG,
        kind: 'missed',
        severity: 'error',
        subject: 'case',
        subjectId,
        evidence: { deadline_at: NOW },
        nextStep: 'Look.',
        at: new Date(NOW),
      });
    }
    await test.db
      .updateTable('finding')
      .set({ closed_at: NOW })
      .where('subject_id', '=', 'b')
      .execute();
    const first = await get('/api/findings?limit=1');
    expect(first.body.items).toEqual([
      expect.objectContaining({ subject_id: 'c', severity: 'error', next_step: 'Look.' }),
    ]);
    const second = await get(`/api/findings?limit=1&cursor=${first.body.next_cursor}`);
    expect(second.body.items).toMatchObject([{ subject_id: 'a' }]);
    expect((await get('/api/findings?state=closed')).body.items).toMatchObject([
      { subject_id: 'b' },
    ]);
    expect((await get('/api/findings?state=all')).body.items).toHaveLength(3);
    expect((await get('/api/findings?state=x')).status).toBe(400);
  });
});

describe('events', () => {
  async function store(seq: number, body: string): Promise<void> {
    await test.db
      .insertInto('inbox_event')
      .values({
        seq,
        received_at: NOW,
        organisation_id: ORG,
        event_id: `evt_${seq}`,
        delivery_id: `whdl_${seq}`,
        secret_id: 's',
        signed_at: NOW,
        body: Buffer.from(body),
      })
      .execute();
  }

  it('are listed newest first, with their state and what they are about', async () => {
    await store(
      1,
      JSON.stringify({ type: 'alert.created', data: { object: { id: 'netalrt_1' } } }),
    );
    await store(2, 'no json');
    await store(3, JSON.stringify({ type: 'lookup.created', data: { object: {} } }));
    await test.db
      .insertInto('inbox_work')
      .values({ seq: 3, received_at: NOW, organisation_id: ORG, event_id: 'evt_3' })
      .execute();
    await test.db
      .insertInto('quarantine')
      .values({
        organisation_id: ORG,
        event_id: 'evt_2',
        seq: 2,
        reason: 'not_json',
        quarantined_at: NOW,
      })
      .execute();
    const { body } = await get('/api/events');
    expect(body.items).toEqual([
      expect.objectContaining({ id: 'evt_3', state: 'waiting', type: 'lookup.created' }),
      expect.objectContaining({
        id: 'evt_2',
        state: 'quarantined',
        reason: 'not_json',
        type: null,
      }),
      {
        id: 'evt_1',
        type: 'alert.created',
        object_id: 'netalrt_1',
        state: 'applied',
        reason: null,
        received_at: NOW,
        delivery_id: 'whdl_1',
        subscription: '',
        bytes: 61,
      },
    ]);
    expect((await walk('/api/events?state=all', 1)).flat()).toEqual(['evt_3', 'evt_2', 'evt_1']);
    const quarantined = await get('/api/events?state=quarantined');
    expect(quarantined.body.items).toMatchObject([{ id: 'evt_2', state: 'quarantined' }]);
  });

  it('refuse the cursor of another list', async () => {
    const one = Buffer.from('[7]').toString('base64url');
    const two = Buffer.from('["2026-03-01T00:00:00.000000Z",7]').toString('base64url');
    expect((await get(`/api/events?cursor=${one}`)).status).toBe(400);
    expect((await get(`/api/events?state=quarantined&cursor=${two}`)).status).toBe(400);
    expect((await get(`/api/events?cursor=${two}`)).status).toBe(200);
    expect((await get(`/api/events?state=quarantined&cursor=${one}`)).status).toBe(200);
  });

  it('are replayed by id', async () => {
    expect((await post('/api/events/evt_1/replay', undefined)).status).toBe(202);
    expect(replays).toEqual([{ organisationId: ORG, eventId: 'evt_1', operator: 'console' }]);
    expect((await post('/api/events/evt_2/replay', undefined)).status).toBe(404);
    expect((await post('/api/events/a%00b/replay', undefined)).status).toBe(404);
    expect((await post(`/api/events/${'x'.repeat(501)}/replay`, undefined)).status).toBe(404);
    expect(replays).toHaveLength(2);
  });
});

describe('paths and methods', () => {
  it('mounts the order routes behind the same door', async () => {
    expect(await get('/api/orders')).toEqual({ status: 200, body: { orders: true } });
    expect((await site.get('/api/orders')).status).toBe(401);
  });

  it.each([
    ['PUT', '/api/alerts', 405],
    ['DELETE', '/api/alerts/netalrt_1', 405],
    ['PATCH', '/api/findings', 405],
    ['OPTIONS', '/metrics', 405],
    ['GET', '/api/alerts/%zz', 400],
  ])('%s %s is answered %i in JSON', async (method, path, status) => {
    const { cookie, csrf } = await site.signIn();
    const headers = { cookie, 'x-csrf-token': csrf };
    const answer = await fetch(site.url + path, { method, headers });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toHaveProperty('errors');
  });

  it('answers its own failure with 500 and no inside', async () => {
    const broken = await startConsole(test.db, createFixedClock(NOW), {
      decide: async () => {
        throw new Error('secret detail at /src/inside.ts');
      },
    });
    const answer = await broken.post(
      '/api/alerts/netalrt_1/decision',
      jsonOf({ action: 'REFUND' }, BEARER),
    );
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      errors: [
        {
          code: 'INTERNAL',
          message: expect.stringMatching(
            /^Something failed here\. The log says what, under err_[0-9a-f]{26}\.$/,
          ),
        },
      ],
    });
    expect(broken.lines.join('')).toContain('console request failed');
    await broken.close();
  });
});
