/** Guarantee: integrations and lookups are listed, and lookups move, as the specification says. */
import { describe, expect } from 'vitest';
import { contract, rule, START, sandboxRule } from './support/contract.ts';
import { ARN, completeOrder } from './support/examples.ts';

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
      transaction_card_bin: null,
      transaction_card_last4: null,
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
