/**
 * Guarantee: over the API a reviewer names an alert's charge and reads the history of any charge; what
 * may not be chosen is refused with its reason, and nothing is told to strangers.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyOperatorDecision } from '../../../src/alerts/review/apply-operator-decision.ts';
import type { TestConsole } from '../../integration/console/support.ts';
import { BEARER, startConsole } from '../../integration/console/support.ts';
import type { World } from '../../integration/match/world.ts';
import { createWorld, NOW, ORG } from '../../integration/match/world.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();
let world: World;
let site: TestConsole;
const JSON_BEARER = { ...BEARER, 'content-type': 'application/json' };

beforeAll(async () => {
  world = createWorld(database);
  site = await startConsole(database.db, world.clock, { organisationId: ORG });
});
beforeEach(() => world.clear());
afterAll(async () => {
  await site.close();
});

async function choose(alertId: string, body: unknown) {
  const answer = await site.post(`/api/alerts/${alertId}/match`, {
    body: JSON.stringify(body),
    headers: JSON_BEARER,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function historyOf(reference: string) {
  const answer = await site.get(`/api/charges/${encodeURIComponent(reference)}/history`, BEARER);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** An alert that found nothing, because its card digits are a wallet's. */
async function held(id = 'netalrt_1') {
  await world.learn({});
  await world.openAlert(id, { card_last4: '0042', card_bin: '489537' });
  await world.matchStep(await world.caseOf(id), AbortSignal.timeout(5_000));
}

describe('POST /api/alerts/{id}/match', () => {
  test('names the charge, keeps the candidates beside it, and remembers what the alert said', async () => {
    await held();
    expect(await choose('netalrt_1', { charge_reference: 'ch_1', note: 'called us' })).toEqual({
      status: 202,
      body: { accepted: true, state: 'MATCHED' },
    });
    expect(await world.caseOf('netalrt_1')).toMatchObject({
      state: 'MATCHED',
      charge_reference: 'ch_1',
      next_action_at: new Date(NOW),
    });
    const [, match] = await world.db.selectFrom('match').selectAll().orderBy('id').execute();
    expect(match).toMatchObject({
      outcome: 'single',
      tier: 'operator',
      matched_by: expect.stringMatching(/^operator:/),
      evidence: expect.objectContaining({ note: 'called us' }),
      candidates: [expect.objectContaining({ reference: 'ch_1', sign: 'wallet_token' })],
    });
    expect(await world.db.selectFrom('match_choice').selectAll().execute()).toMatchObject([
      {
        alert_id: 'netalrt_1',
        charge_reference: 'ch_1',
        card_last4: '0042',
        charge_card_last4: '1111',
        amount_minor: 2990,
        currency: 'USD',
      },
    ]);
  });

  test.each<[string, unknown, number]>([
    ['no charge', { note: 'x' }, 400],
    ['a number', { charge_reference: 7 }, 400],
    ['a control character', { charge_reference: 'ch\u0000' }, 400],
    ['an unknown field', { charge_reference: 'ch_1', amount: 1 }, 400],
    ['a card number in the note', { charge_reference: 'ch_1', note: '4111 1111 1111 1111' }, 400],
  ])('%s is refused', async (_case, body, status) => {
    await held();
    expect((await choose('netalrt_1', body)).status).toBe(status);
    expect((await world.caseOf('netalrt_1')).state).toBe('UNMATCHED');
  });

  test('an alert nobody knows is not found, and a closed one is in conflict', async () => {
    await held();
    expect((await choose('netalrt_9', { charge_reference: 'ch_1' })).status).toBe(404);
    await world.db
      .updateTable('alert_case')
      .set({ state: 'CLOSED_INVALID', next_action_at: null })
      .execute();
    const answer = await choose('netalrt_1', { charge_reference: 'ch_1' });
    expect(answer).toMatchObject({ status: 409, body: { errors: [{ code: 'CONFLICT' }] } });
  });

  test('not while a refund of another charge was begun for the same alert', async () => {
    await held();
    await world.db
      .insertInto('movement')
      .values({
        organisation_id: ORG,
        id: 'mv_1',
        kind: 'refund',
        charge_reference: 'ch_2',
        idempotency_key: 'fst_1',
        alert_id: 'netalrt_1',
        state: 'HUMAN',
        amount_minor: 2990,
        currency: 'USD',
        next_action_at: NOW,
        created_at: NOW,
        changed_at: NOW,
      })
      .execute();
    const answer = await choose('netalrt_1', { charge_reference: 'ch_1' });
    expect(answer).toMatchObject({
      status: 409,
      body: {
        errors: [
          {
            message: 'For this alert a refund of another charge was begun. Settle that one first.',
          },
        ],
      },
    });
    // Nor by deciding to refund the other one.
    const decided = await applyOperatorDecision(world.db, {
      ...{ organisationId: ORG, alertId: 'netalrt_1', operator: 'ada', note: '' },
      ...{ action: 'REFUND' as const, chargeReference: 'ch_1', now: world.now() },
    });
    expect(decided).toEqual({ ok: false, reason: 'refund_elsewhere' });
    expect((await choose('netalrt_1', { charge_reference: 'ch_2' })).status).toBe(202);
  });

  test('without a token: 401', async () => {
    const answer = await site.post('/api/alerts/netalrt_1/match', { body: '{}' });
    expect(answer.status).toBe(401);
  });
});

describe('GET /api/charges/{reference}/history', () => {
  test('tells the payment, what the service told and what people did', async () => {
    await held('netalrt_7');
    await choose('netalrt_7', { charge_reference: 'ch_1' });
    const { status, body } = await historyOf('ch_1');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      reference: 'ch_1',
      order_reference: 'order-1',
      charge: { amount_in_cents: 2990, currency: 'USD', card: { last4: '1111' } },
      money: { captured_in_cents: 2990, refunded_by_us_in_cents: 0, left_in_cents: 2990 },
      alerts: [{ id: 'netalrt_7', enrolment_type: 'NETA_ALERT', matched: true }],
      complete: true,
    });
    const entries = body['entries'] as { kind: string; text: string; actor: string }[];
    expect(entries[0]).toMatchObject({ kind: 'payment', text: 'authorised' });
    expect(entries.map(({ text }) => text)).toContain('chose the charge (UNMATCHED to MATCHED)');
  });

  test('an alert the service ties to the charge belongs to it before any match', async () => {
    await world.learn({});
    await world.openAlert('netalrt_1', { integration_transaction_id: 'ch_1' });
    const { body } = await historyOf('ch_1');
    expect(body['alerts']).toMatchObject([{ id: 'netalrt_1', matched: false }]);
  });

  test.each(['ch_unknown', 'a/b', '%00'])('%s is not found', async (reference) => {
    expect((await historyOf(reference)).status).toBe(404);
  });
});
