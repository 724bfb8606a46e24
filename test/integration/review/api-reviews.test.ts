/**
 * Guarantee: what the API takes about reviews, approvals and the kill switch it does for the operator who
 * asks, and refuses with the status and words that say why.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_GUARDS } from '../../../src/alerts/guard/guard-settings.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/alerts/guard/refund-settings.ts';
import { insertComment } from '../../../src/alerts/review/review-queue.store.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { createReviewRouter } from '../../../src/people/console/api-reviews.ts';
import { addOperator } from '../../../src/surface/access/operator.store.ts';
import type { Auth } from '../../../src/surface/web/auth.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import { approvalShown } from '../../support/approvals.ts';
import { useTestDatabase } from '../../support/database.ts';

const A = 'netalrt_1';
const test = useTestDatabase();
let world: SagaWorld;
let server: Server;

/** Whoever the header names; the real one is tested with the console. */
const auth: Pick<Auth, 'callerOf'> = {
  callerOf: (request) => {
    const name = request.get('x-operator');
    if (name === undefined) return undefined;
    const role = 'administrator' as const;
    const who = {
      name,
      role,
      operatorId: name,
      home: world.organisationId,
      ownRole: role,
    } as const;
    const session = {
      ...{ id: 'session', csrfToken: 'csrf', home: world.organisationId },
      operator: { id: name, name, role },
      authenticatedAt: nowDate(world.clock),
    };
    return { kind: 'person', who, session } as const;
  },
};

beforeEach(async () => {
  world = createSagaWorld(test.db);
  const { db, organisationId, clock } = world;
  const health = async () => ({ ok: true, parts: [] });
  const app = express().use(createReviewRouter({ db, organisationId, clock, health }, auth));
  server?.close();
  server = app.listen(0, '127.0.0.1');
  await new Promise((done) => {
    server.once('listening', done);
  });
});
afterAll(() => {
  server.close();
});

async function call(
  method: string,
  path: string,
  { by = 'ada', body }: { by?: string; body?: unknown } = {},
) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const answer = await fetch(url, {
    method,
    headers: { 'x-operator': by, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // What stands before the handlers refuses by throwing: the console makes the answer of it, and this router is alone.
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
  const json = isJson ? ((await answer.json()) as Record<string, unknown>) : {};
  return { status: answer.status, json };
}

/** An alert that waits for a second person. */
async function waiting(): Promise<void> {
  world.settings = {
    ...DEFAULT_REFUND_SETTINGS,
    guards: { ...DEFAULT_GUARDS, approvalAboveMinor: { EUR: 1_000 } },
  };
  await world.open({ alertId: A });
  await world.settle([world.worker('w1')]);
}

describe('reviews', () => {
  it('are listed with what was written about them, claimed and handed back', async () => {
    await waiting();
    const { json } = await call('GET', '/reviews');
    expect(json).toMatchObject({
      items: [
        {
          alert_id: A,
          seconds_left: 48 * 3_600,
          hold_reason: 'approval_needed',
          amount_in_cents: 5_000,
          currency: 'EUR',
          claimed_by: null,
          comments: 0,
        },
      ],
      next_cursor: null,
    });
    expect((await call('POST', `/reviews/${A}/claim`)).status).toBe(200);
    expect(await call('POST', `/reviews/${A}/claim`, { by: 'noor' })).toMatchObject({
      status: 409,
      json: { errors: [{ code: 'CONFLICT' }] },
    });
    const said = { operator: 'ada', text: 'Looks like fraud.' };
    const { organisationId, clock } = world;
    const about = { organisationId, alertId: A, now: nowDate(clock) };
    await inTransaction(world.db, (trx) => insertComment(trx, about, said));
    expect((await call('GET', `/reviews/${A}`)).json).toMatchObject({
      review: { claimed_by: 'ada', comments: 1 },
      comments: [{ operator: 'ada', text: 'Looks like fraud.' }],
      approvals: [
        {
          kind: 'REFUND',
          state: 'PENDING',
          amount_in_cents: 5_000,
          charge_reference: 'ch_1',
          reference: null,
          people_needed: 2,
          approvers: [],
        },
      ],
    });
    expect((await call('POST', `/reviews/${A}/hand-back`)).status).toBe(200);
    expect((await call('POST', `/reviews/${A}/claim`, { by: 'noor' })).status).toBe(200);
  });

  it('are handed over by who holds them, to an operator who may decide', async () => {
    await waiting();
    const { db, organisationId, clock } = world;
    for (const [name, role] of [
      ['ada', 'reviewer'],
      ['noor', 'reviewer'],
      ['vera', 'viewer'],
    ] as const) {
      const now = new Date(clock.nowMs());
      await addOperator(db, { organisationId, name, role, token: { as: 'shown' }, by: 'cli', now });
    }
    const path = `/reviews/${A}/hand-over`;
    for (const to of ['vera', 'nobody', 'ada']) {
      expect(await call('POST', path, { body: { to } })).toMatchObject({
        status: 422,
        json: { errors: [{ code: 'NO_COLLEAGUE', field: 'to' }] },
      });
    }
    expect((await call('POST', path, { body: {} })).status).toBe(400);
    expect((await call('GET', `/reviews/${A}`)).json).toMatchObject({
      review: { claimed_by: null },
    });
    expect(await call('POST', path, { body: { to: 'noor' } })).toMatchObject({
      status: 200,
      json: { claimed_until: new Date(clock.nowMs() + 30 * 60_000).toISOString() },
    });
    expect((await call('GET', `/reviews/${A}`)).json).toMatchObject({
      review: { claimed_by: 'noor' },
    });
    expect((await call('POST', path, { body: { to: 'noor' } })).status).toBe(409);
    expect(
      (await call('POST', '/reviews/netalrt_none/hand-over', { body: { to: 'noor' } })).status,
    ).toBe(404);
    expect(await world.notifications('review_handed_over')).toBe(1);
  });

  it('are not found for what is no alert', async () => {
    expect((await call('GET', '/reviews/netalrt_none')).status).toBe(404);
    expect((await call('POST', '/reviews/none/claim')).status).toBe(404);
    expect((await call('POST', '/reviews/netalrt_none/claim')).status).toBe(404);
    expect((await call('GET', '/reviews?limit=0')).status).toBe(400);
  });
});

describe('POST /alerts/{id}/approve', () => {
  const shown = async (): Promise<{ approval_id: number }> => ({
    approval_id: await approvalShown(world.db, { ...world, alertId: A }),
  });

  it('takes two different people', async () => {
    await waiting();
    const body = await shown();
    expect(await call('POST', `/alerts/${A}/approve`, { body })).toEqual({
      status: 200,
      json: { state: 'PENDING', approvers: ['ada'] },
    });
    expect((await call('POST', `/alerts/${A}/approve`, { body })).status).toBe(409);
    expect(await call('POST', `/alerts/${A}/approve`, { body, by: 'noor' })).toEqual({
      status: 200,
      json: { state: 'APPROVED', approvers: ['ada', 'noor'] },
    });
    await world.settle([world.worker('w1')]);
    expect(world.processor.count('ch_1')).toBe(1);
  });

  it('takes a no', async () => {
    await waiting();
    const body = await shown();
    const no = { body: { ...body, approve: false } };
    expect((await call('POST', `/alerts/${A}/approve`, no)).json).toMatchObject({
      state: 'DECLINED',
    });
    expect((await call('POST', `/alerts/${A}/approve`, { body })).status).toBe(409);
    expect((await call('POST', '/alerts/netalrt_none/approve', { body })).status).toBe(404);
  });

  it('takes no word that does not say to what', async () => {
    await waiting();
    for (const body of [undefined, {}, { approve: false }, { approval_id: 0 }]) {
      expect((await call('POST', `/alerts/${A}/approve`, { body })).status).toBe(400);
    }
    const another = { approval_id: (await shown()).approval_id + 1 };
    expect((await call('POST', `/alerts/${A}/approve`, { body: another })).status).toBe(409);
  });
});

describe('the kill switch', () => {
  it('says which held alerts the policy’s fallback accepts meanwhile, and they are', async () => {
    await call('POST', '/pause');
    expect((await call('GET', '/pause')).json).toMatchObject({
      accepts_ahead: { count: 0, first_at: null },
    });
    await world.open({ alertId: A, fallback: 'ACCEPT_DISPUTE' });
    const worker = world.worker('w1');
    await world.settle([worker]);
    // When a quarter of its 48 hours is left.
    const first_at = new Date(world.clock.nowMs() + 36 * 3_600_000).toISOString();
    expect((await call('GET', '/pause')).json).toMatchObject({
      accepts_ahead: { count: 1, first_at },
    });
    await world.pass([worker], 37);
    expect(await world.state(A)).toBe('DECLARED_ACCEPT');
    expect(world.processor.calls).toEqual([]);
  });

  it('is switched, shown, and switched back', async () => {
    const reason = 'odd refunds';
    expect((await call('POST', '/pause', { body: { reason } })).json).toEqual({
      paused: true,
      already: false,
    });
    expect((await call('POST', '/pause')).json).toMatchObject({ already: true });
    expect((await call('GET', '/pause')).json).toMatchObject({
      paused: true,
      pause: { by: 'operator:ada', reason },
    });
    await world.open({ alertId: A });
    await world.settle([world.worker('w1')]);
    expect(world.processor.calls).toEqual([]);
    expect((await call('GET', '/pause')).json).toMatchObject({ reviews_open: 1 });
    expect((await call('POST', '/resume', { by: 'noor' })).json).toEqual({
      paused: false,
      was_paused: true,
      released: 1,
    });
    expect((await call('GET', '/pause')).json).toMatchObject({ paused: false, pause: null });
    expect((await call('DELETE', '/pause')).status).toBe(405);
  });
});
