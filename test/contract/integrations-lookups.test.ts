/** Guarantee: integrations and lookups are listed, and lookups move, as the specification says. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, START, sandboxRule } from './support/contract.ts';
import { ARN, completeOrder } from './support/examples.ts';
import type { Json } from './support/json.ts';

const t = contract();

describe('integrations', () => {
  rule('integrations are listed with id and type', async () => {
    const reply = await t.org('GET', '/v1/integrations/');
    expect(reply.json).toEqual({ items: expect.any(Array), count: expect.any(Number) });
    const custom = reply.json.items.find((item: { id: string }) => item.id === t.integrationId);
    expect(custom).toMatchObject({ id: expect.stringMatching(/^int_/), type: 'CUSTOM_ORDERS' });
  });

  sandboxRule('a processor integration shows its type and status', async () => {
    const { id } = (await t.control('POST', '/integrations', { type: 'ACME_PAY' })).json;
    const { items } = (await t.org('GET', '/v1/integrations/')).json;
    expect(items.find((item: { id: string }) => item.id === id)).toMatchObject({
      type: 'ACME_PAY',
      status: 'ENABLED',
    });
  });

  sandboxRule('limit and offset page through integrations', async () => {
    const second = (await t.control('POST', '/integrations', {})).json.id;
    const reply = await t.org('GET', '/v1/integrations/?limit=1&offset=1');
    expect(reply.json).toMatchObject({ items: [{ id: second }], count: 2 });
  });
});

describe('lookups', () => {
  async function lookup(fields: object): Promise<{ id: string; [field: string]: unknown }> {
    const reply = await t.control('POST', '/lookups', { type: 'NETB_ORDER_INSIGHT', ...fields });
    expect(reply.status).toBe(201);
    return reply.json;
  }

  async function stored(id: string): Promise<Record<string, unknown>> {
    const { items } = (await t.org('GET', '/v1/lookups/')).json;
    return items.find((item: { id: string }) => item.id === id);
  }

  sandboxRule('a lookup carries every field of the table', async () => {
    const { id } = await lookup({ transaction_arn: ARN, transaction_auth_code: 'A1B2C3' });
    expect(await stored(id)).toEqual({
      id: expect.stringMatching(/^lkup_/),
      organisation_id: t.organisationId,
      enrollment_id: expect.stringMatching(/^enrl_/),
      type: 'NETB_ORDER_INSIGHT',
      parent_lookup_id: null,
      lookup_status: 'PENDING',
      deflection_status: 'NOT_ATTEMPTED',
      transaction_card_bin: expect.stringMatching(/^\d{6}$/),
      transaction_card_last4: expect.stringMatching(/^\d{4}$/),
      transaction_arn: ARN,
      transaction_auth_code: 'A1B2C3',
      transaction_amount: 1000,
      transaction_currency: 'USD',
      transaction_date: '2026-11-19T00:00:00.000Z',
      transaction_statement_descriptor: null,
      transaction_network_id: null,
      integration_id: null,
      integration_transaction_id: null,
      created_at: START,
      updated_at: START,
    });
  });

  for (const type of [
    'NETA_CONSUMER_CLARITY',
    'NETA_FIRST_PARTY_TRUST',
    'NETB_ORDER_INSIGHT',
    'NETB_COMPELLING_EVIDENCE_3',
  ]) {
    sandboxRule(`lookup type ${type} exists`, async () => {
      const { id } = await lookup({ type });
      expect((await stored(id))['type']).toBe(type);
    });
  }

  async function matchedOrder(...programmes: string[]): Promise<void> {
    await t.org('POST', '/v1/orders/', [completeOrder(t)]);
    await t.control('PATCH', `/integrations/${t.integrationId}`, { programmes });
  }

  sandboxRule(
    'a matched order insight with compelling evidence starts deflection PENDING',
    async () => {
      await matchedOrder('COMPELLING_EVIDENCE_3');
      const matched = await lookup({ transaction_arn: ARN });
      const unmatched = await lookup({ transaction_arn: '0'.repeat(23) });
      expect([matched['deflection_status'], unmatched['deflection_status']]).toEqual([
        'PENDING',
        'NOT_ATTEMPTED',
      ]);
      await t.control('PATCH', `/integrations/${t.integrationId}`, { programmes: [] });
      expect((await lookup({ transaction_arn: ARN }))['deflection_status']).toBe('NOT_ATTEMPTED');
    },
  );

  sandboxRule('a compelling-evidence lookup stays NOT_ATTEMPTED and names its parent', async () => {
    await matchedOrder('COMPELLING_EVIDENCE_3');
    const parent = await lookup({ transaction_arn: ARN });
    const historical = await lookup({
      type: 'NETB_COMPELLING_EVIDENCE_3',
      parent_lookup_id: parent.id,
      transaction_arn: ARN,
    });
    await t.sandbox.advance(60_000);
    expect(await stored(historical.id)).toMatchObject({
      parent_lookup_id: parent.id,
      deflection_status: 'NOT_ATTEMPTED',
    });
  });

  sandboxRule('nothing moves a historical evidence lookup out of NOT_ATTEMPTED', async () => {
    const parent = await lookup({ deflection_status: 'PENDING' });
    const { id } = await lookup({
      type: 'NETB_COMPELLING_EVIDENCE_3',
      parent_lookup_id: parent.id,
    });
    for (const notice of ['NEW', 'FAILED', 'TIMEOUT', 'DELETE']) {
      const reply = await t.control('POST', `/lookups/${id}/case-notice`, { notice });
      expect(reply.status).toBe(422);
      expect(reply.json.errors[0].message).toContain(parent.id);
    }
    for (const deflection of ['PENDING', 'SUCCEEDED', 'FAILED']) {
      const changed = { deflection_status: deflection };
      expect((await t.control('PATCH', `/lookups/${id}`, changed)).status).toBe(422);
      const born = { type: 'NETB_COMPELLING_EVIDENCE_3', ...changed };
      const simulated = { organisation_id: t.organisationId, ...born };
      for (const reply of [
        await t.control('POST', '/lookups', born),
        await t.org('POST', '/v1/simulate/lookups', simulated),
      ]) {
        expect([reply.status, errorOf(reply).field]).toEqual([422, 'deflection_status']);
      }
    }
    const { items } = (await t.org('GET', '/v1/lookups/?type=NETB_COMPELLING_EVIDENCE_3')).json;
    expect(items.map((item: Json) => [item.id, item.deflection_status])).toEqual([
      [id, 'NOT_ATTEMPTED'],
    ]);
    // Saying what holds anyway is no contradiction, and its other state still moves.
    const same = { lookup_status: 'TIMEOUT', deflection_status: 'NOT_ATTEMPTED' };
    expect((await t.control('PATCH', `/lookups/${id}`, same)).json.lookup_status).toBe('TIMEOUT');
  });

  const IDENTIFYING = {
    transaction_card_bin: /^\d{6}$/,
    transaction_card_last4: /^\d{4}$/,
    transaction_arn: /^\d{23}$/,
    transaction_auth_code: /^[A-Z0-9]{6}$/,
  };

  for (const [field, form] of Object.entries(IDENTIFYING)) {
    rule(`a simulated lookup has a ${field} unless it is made null on purpose`, async () => {
      const body = { organisation_id: t.organisationId, type: 'NETA_CONSUMER_CLARITY' };
      const simulated = await t.org('POST', '/v1/simulate/lookups', body);
      expect(simulated.json[field]).toMatch(form);
      const nulled = await t.org('POST', '/v1/simulate/lookups', { ...body, [field]: null });
      expect([nulled.status, nulled.json[field]]).toEqual([201, null]);
    });
  }

  sandboxRule('a matched lookup carries the identifiers of its transaction', async () => {
    await matchedOrder();
    expect(await lookup({ transaction_arn: ARN })).toMatchObject({
      transaction_card_bin: '424242',
      transaction_card_last4: '4242',
      transaction_auth_code: 'A1B2C3',
    });
  });

  for (const [notice, expected] of [
    ['NEW', 'SUCCEEDED'],
    ['FAILED', 'FAILED'],
    ['TIMEOUT', 'FAILED'],
    ['DELETE', 'FAILED'],
  ] as const) {
    sandboxRule(`case notice ${notice} makes the deflection ${expected}`, async () => {
      const { id } = await lookup({ deflection_status: 'PENDING' });
      await t.control('POST', `/lookups/${id}/case-notice`, { notice });
      expect((await stored(id))['deflection_status']).toBe(expected);
    });
  }

  sandboxRule('DELETE takes back an earlier SUCCEEDED', async () => {
    const { id } = await lookup({ deflection_status: 'PENDING' });
    await t.control('POST', `/lookups/${id}/case-notice`, { notice: 'NEW' });
    await t.control('POST', `/lookups/${id}/case-notice`, { notice: 'DELETE' });
    expect((await stored(id))['deflection_status']).toBe('FAILED');
  });

  sandboxRule('a lookup is answered from the matched order, or fails', async () => {
    await matchedOrder();
    const matched = await lookup({ transaction_arn: ARN });
    const unmatched = await lookup({ transaction_arn: '0'.repeat(23) });
    await t.sandbox.advance(10_000);
    expect((await stored(matched.id))['lookup_status']).toBe('SUCCEEDED');
    expect((await stored(matched.id))['integration_transaction_id']).toMatch(/-t1$/);
    expect((await stored(unmatched.id))['lookup_status']).toBe('FAILED');
  });

  sandboxRule('a lookup can time out', async () => {
    const { id } = await lookup({});
    await t.control('PATCH', `/lookups/${id}`, { lookup_status: 'TIMEOUT' });
    await t.sandbox.advance(10_000);
    expect((await stored(id))['lookup_status']).toBe('TIMEOUT');
  });

  sandboxRule('lookups are filtered by type and states', async () => {
    const { id } = await lookup({ lookup_status: 'TIMEOUT', deflection_status: 'FAILED' });
    await lookup({ type: 'NETA_CONSUMER_CLARITY' });
    for (const filter of [
      'type=NETB_ORDER_INSIGHT',
      'lookup_status=TIMEOUT',
      'deflection_status=FAILED',
    ]) {
      const { items, count } = (await t.org('GET', `/v1/lookups/?${filter}`)).json;
      expect([items.map((item: { id: string }) => item.id), count]).toEqual([[id], 1]);
    }
    expect((await t.org('GET', '/v1/lookups/?lookup_status=LOST')).status).toBe(422);
  });
});
