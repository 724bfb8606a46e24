/** Guarantee: alerts live and are acted on as section Alerts and the alert state table say. */
import { describe, expect } from 'vitest';
import type { Reply } from './support/contract.ts';
import { contract, errorOf, rule, START, sandboxRule } from './support/contract.ts';
import { ARN, alertSimulation, cardTransaction, completeOrder } from './support/examples.ts';

const t = contract();

async function openAlert(): Promise<string> {
  const reply = await t.org('POST', '/v1/simulate/alerts', alertSimulation(t));
  expect(reply.json.status).toBe('ACTION_REQUIRED');
  return reply.json.id;
}

async function act(id: string, action: string, note?: string): Promise<Reply> {
  return t.org('PATCH', `/v1/alerts/${id}`, note === undefined ? { action } : { action, note });
}

describe('the alert object', () => {
  sandboxRule('an alert carries every field of the table', async () => {
    const id = await openAlert();
    expect((await t.org('GET', `/v1/alerts/${id}`)).json).toEqual({
      id: expect.stringMatching(/^netalrt_/),
      organisation_id: t.organisationId,
      merchant_id: t.merchantId,
      merchant_ids: [t.merchantId],
      enrolment_id: t.alertEnrolmentId,
      enrolment_type: 'NETA_ALERT',
      status: 'ACTION_REQUIRED',
      note: null,
      action_required_deadline: '2026-11-22T00:00:00.000Z',
      transaction_amount_in_cents: 12_990,
      transaction_currency_code: 'USD',
      transaction_authorised_at: '2026-11-19T00:00:00.000Z',
      transaction_authorisation_code: 'A1B2C3',
      transaction_acquirer_reference_number: ARN,
      transaction_statement_descriptor: 'DEMO STORE',
      transaction_card_bin: null,
      transaction_card_last4: null,
      transaction_card_issuer: null,
      transaction_card_scheme: 'SCHEME_A',
      transaction_network_id: null,
      chargeback_reason_code: null,
      transaction_refund_outcome: null,
      subscription_cancel_outcome: null,
      integration_id: null,
      integration_transaction_id: null,
      created_at: START,
      updated_at: START,
    });
  });

  rule('an RDR alert has a statement descriptor', async () => {
    const body = alertSimulation(t, { enrolment_id: t.rdrEnrolmentId, status: 'RESOLVED' });
    const { json } = await t.org('POST', '/v1/simulate/alerts', body);
    expect(json.transaction_statement_descriptor).toMatch(/\S/);
  });

  sandboxRule('the identifiers of an alert are there unless made null on purpose', async () => {
    const forms = {
      transaction_authorisation_code: /^[A-Z0-9]{6}$/,
      transaction_acquirer_reference_number: /^\d{23}$/,
      transaction_statement_descriptor: /\S/,
    };
    for (const enrolment of [t.alertEnrolmentId, t.rdrEnrolmentId]) {
      const raised = (await t.control('POST', '/alerts', { enrolment_id: enrolment })).json;
      for (const [field, form] of Object.entries(forms)) expect(raised[field]).toMatch(form);
      const nulls = {
        enrolment_id: enrolment,
        authorisation_code: null,
        acquirer_reference_number: null,
        statement_descriptor: null,
      };
      const without = (await t.control('POST', '/alerts', nulls)).json;
      for (const field of Object.keys(forms)) expect(without[field]).toBeNull();
    }
  });

  sandboxRule('the deadline is 48 hours after creation', async () => {
    const id = await openAlert();
    const alert = (await t.org('GET', `/v1/alerts/${id}`)).json;
    const hours =
      (Date.parse(alert.action_required_deadline) - Date.parse(alert.created_at)) / 3.6e6;
    expect(hours).toBe(48);
  });
});

describe('actions', () => {
  rule('REFUND resolves with outcome REFUNDED', async () => {
    const id = await openAlert();
    const reply = await act(id, 'REFUND', 're_1');
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      id,
      status: 'RESOLVED',
      transaction_refund_outcome: 'REFUNDED',
      note: 're_1',
    });
  });

  rule('ACCEPT_DISPUTE resolves with outcome NOT_REFUNDED', async () => {
    const reply = await act(await openAlert(), 'ACCEPT_DISPUTE');
    expect(reply.json).toMatchObject({
      status: 'RESOLVED',
      transaction_refund_outcome: 'NOT_REFUNDED',
    });
  });

  rule('the note is optional', async () => {
    expect((await act(await openAlert(), 'REFUND')).json.note).toBeNull();
  });

  for (const second of ['REFUND', 'ACCEPT_DISPUTE']) {
    rule(`a resolved alert refuses ${second} with INVALID_ACTION and stays as it is`, async () => {
      const id = await openAlert();
      const first = await act(id, 'REFUND', 'first');
      const reply = await act(id, second, 'second');
      expect([reply.status, errorOf(reply).code]).toEqual([422, 'INVALID_ACTION']);
      expect((await t.org('GET', `/v1/alerts/${id}`)).json).toEqual(first.json);
    });
  }

  for (const action of ['CANCEL', 'REFUND_AND_CANCEL']) {
    rule(`${action} is not available on a CUSTOM_ORDERS integration`, async () => {
      const id = await openAlert();
      expect((await act(id, action)).status).toBe(422);
      expect((await t.org('GET', `/v1/alerts/${id}`)).json.status).toBe('ACTION_REQUIRED');
    });
  }

  sandboxRule(
    'CANCEL and REFUND_AND_CANCEL apply where the service has processor access',
    async () => {
      await t.control('POST', '/integrations', { type: 'ACME_PAY' });
      const cancelled = await act(await openAlert(), 'CANCEL');
      expect(cancelled.json).toMatchObject({
        status: 'RESOLVED',
        transaction_refund_outcome: 'NOT_REFUNDED',
        subscription_cancel_outcome: 'CANCELLED',
      });
      const both = await act(await openAlert(), 'REFUND_AND_CANCEL');
      expect(both.json).toMatchObject({
        transaction_refund_outcome: 'REFUNDED',
        subscription_cancel_outcome: 'CANCELLED',
      });
    },
  );

  rule('an unknown action is 422 and changes nothing', async () => {
    const id = await openAlert();
    expect((await act(id, 'IGNORE')).status).toBe(422);
    expect((await t.org('PATCH', `/v1/alerts/${id}`, {})).status).toBe(422);
    expect((await t.org('GET', `/v1/alerts/${id}`)).json.status).toBe('ACTION_REQUIRED');
  });

  sandboxRule('REFUND moves no money', async () => {
    const charge = t.sandbox.createCharge({
      amount_in_cents: 12_990,
      acquirer_reference_number: ARN,
    });
    const alert = t.sandbox.createAlertFor(charge.reference);
    await act(alert.id, 'REFUND');
    expect(t.sandbox.moneyOut(charge.reference)).toEqual({ count: 0, sumMinor: 0 });
  });

  rule('an action on a missing alert is 404', async () => {
    expect((await act('netalrt_none', 'REFUND')).status).toBe(404);
  });
});

describe('other ways to change', () => {
  sandboxRule('the dashboard resolves an alert', async () => {
    const id = await openAlert();
    await t.control('POST', `/alerts/${id}/resolve`, { action: 'ACCEPT_DISPUTE' });
    expect((await t.org('GET', `/v1/alerts/${id}`)).json).toMatchObject({
      status: 'RESOLVED',
      transaction_refund_outcome: 'NOT_REFUNDED',
    });
    expect(errorOf(await act(id, 'REFUND')).code).toBe('INVALID_ACTION');
  });

  sandboxRule('an alert becomes INVALID from ACTION_REQUIRED and needs no action', async () => {
    const id = await openAlert();
    await t.control('POST', `/alerts/${id}/invalidate`, {});
    expect((await t.org('GET', `/v1/alerts/${id}`)).json.status).toBe('INVALID');
    expect(errorOf(await act(id, 'REFUND')).code).toBe('INVALID_ACTION');
  });

  sandboxRule('an alert becomes INVALID from RESOLVED as well', async () => {
    const id = await openAlert();
    await act(id, 'REFUND');
    await t.control('POST', `/alerts/${id}/invalidate`, { note: 'already refunded' });
    expect((await t.org('GET', `/v1/alerts/${id}`)).json).toMatchObject({
      status: 'INVALID',
      note: 'already refunded',
    });
  });

  sandboxRule('an RDR alert is created RESOLVED and REFUNDED and takes no action', async () => {
    const body = { enrolment_id: t.rdrEnrolmentId };
    const alert = (await t.control('POST', '/alerts', body)).json;
    expect(alert).toMatchObject({
      enrolment_type: 'NETB_RDR',
      status: 'RESOLVED',
      transaction_refund_outcome: 'REFUNDED',
    });
    expect(errorOf(await act(alert.id, 'REFUND')).code).toBe('INVALID_ACTION');
  });
});

describe('list', () => {
  rule('alerts are listed by status', async () => {
    const open = await openAlert();
    const done = await openAlert();
    await act(done, 'REFUND');
    const ids = async (status: string): Promise<string[]> => {
      const reply = await t.org('GET', `/v1/alerts/?status=${status}&limit=100`);
      expect(reply.json).toEqual({ items: expect.any(Array), count: expect.any(Number) });
      return reply.json.items.map((item: { id: string }) => item.id);
    };
    expect(await ids('ACTION_REQUIRED')).toContain(open);
    expect(await ids('ACTION_REQUIRED')).not.toContain(done);
    expect(await ids('RESOLVED')).toContain(done);
  });

  rule('an unknown alert is 404', async () => {
    const reply = await t.org('GET', '/v1/alerts/netalrt_none');
    expect([reply.status, errorOf(reply).code]).toEqual([404, 'NOT_FOUND']);
  });

  sandboxRule('limit and offset page through alerts, newest first', async () => {
    const ids = [await openAlert(), await openAlert(), await openAlert()].toReversed();
    const listed: unknown[] = [];
    for (const offset of [0, 1, 2]) {
      const reply = await t.org('GET', `/v1/alerts?limit=1&offset=${offset}`);
      expect(reply.json.count).toBe(3);
      listed.push(reply.json.items[0].id);
    }
    expect(listed).toEqual(ids);
  });

  sandboxRule('limit is at most 100, and not a number is 422', async () => {
    for (let index = 0; index < 101; index += 1) t.sandbox.createAlert();
    const reply = await t.org('GET', '/v1/alerts?limit=500');
    expect([reply.json.items.length, reply.json.count]).toEqual([100, 101]);
    expect((await t.org('GET', '/v1/alerts?limit=many')).status).toBe(422);
    expect((await t.org('GET', '/v1/alerts?offset=-1')).status).toBe(422);
  });
});

describe('matching with orders', () => {
  async function order(transaction: object): Promise<void> {
    const reply = await t.org('POST', '/v1/orders/', [
      completeOrder(t, { transactions: [{ ...cardTransaction('t-1'), ...transaction }] }),
    ]);
    expect(reply.status).toBe(200);
  }

  const identifiers = {
    acquirer_reference_number: null,
    authorisation_code: null,
    card_bin: null,
    card_last4: null,
    card_scheme: null,
    amount_in_cents: 12_990,
    currency_code: 'USD',
  };

  async function matchOf(fields: object): Promise<string | null> {
    const reply = await t.control('POST', '/alerts', { ...identifiers, ...fields });
    expect(reply.status).toBe(201);
    return reply.json.integration_transaction_id;
  }

  sandboxRule('(a) the acquirer reference number alone matches', async () => {
    await order({});
    expect(await matchOf({ acquirer_reference_number: ARN })).toBe('t-1');
    expect(await matchOf({ acquirer_reference_number: ARN.replace('7', '8') })).toBeNull();
  });

  sandboxRule('(b) authorisation code and last four match together only', async () => {
    await order({});
    expect(await matchOf({ authorisation_code: 'A1B2C3', card_last4: '4242' })).toBe('t-1');
    expect(await matchOf({ authorisation_code: 'A1B2C3' })).toBeNull();
    expect(await matchOf({ authorisation_code: 'A1B2C3', card_last4: '4343' })).toBeNull();
  });

  sandboxRule('(c) BIN, last four, brand, amount and currency match together only', async () => {
    await order({});
    const all = { card_bin: '424242', card_last4: '4242', card_scheme: 'SCHEME_A' };
    expect(await matchOf(all)).toBe('t-1');
    expect(await matchOf({ ...all, card_bin: '424243' })).toBeNull();
    expect(await matchOf({ ...all, card_last4: '4243' })).toBeNull();
    expect(await matchOf({ ...all, card_scheme: 'SCHEME_B' })).toBeNull();
    expect(await matchOf({ ...all, amount_in_cents: 12_991 })).toBeNull();
    expect(await matchOf({ ...all, currency_code: 'EUR' })).toBeNull();
  });

  sandboxRule('two candidates match nothing unless the descriptor decides', async () => {
    await order({ descriptor: 'DEMO STORE*1' });
    await order({ reference_id: 't-2', descriptor: 'DEMO STORE*2' });
    expect(await matchOf({ acquirer_reference_number: ARN })).toBeNull();
    const named = { acquirer_reference_number: ARN, statement_descriptor: 'DEMO STORE*2' };
    expect(await matchOf(named)).toBe('t-2');
  });

  sandboxRule('only integrations with overlapping merchants match', async () => {
    await order({});
    const merchantId = (await t.control('POST', '/merchants', { name: 'Second' })).json.id;
    const alone = { type: 'NETA_ALERT', merchant_ids: [merchantId] };
    const apart = (await t.control('POST', '/enrolments', alone)).json.id;
    const both = { type: 'NETA_ALERT', merchant_ids: [merchantId, t.merchantId] };
    const overlapping = (await t.control('POST', '/enrolments', both)).json.id;
    const fields = { acquirer_reference_number: ARN };
    expect(await matchOf({ ...fields, enrolment_id: apart })).toBeNull();
    expect(await matchOf({ ...fields, enrolment_id: overlapping })).toBe('t-1');
  });

  sandboxRule('a transaction that a processor integration ingested matches', async () => {
    const { id } = (await t.control('POST', '/integrations', { type: 'ACME_PAY' })).json;
    const transaction = { reference_id: 'pay-1', acquirer_reference_number: ARN };
    await t.control('POST', '/transactions', { integration_id: id, transaction });
    expect(await matchOf({ acquirer_reference_number: ARN })).toBe('pay-1');
  });

  sandboxRule('a simulated alert is matched later, not inline', async () => {
    await order({});
    const { id, integration_transaction_id: inline } = (
      await t.org('POST', '/v1/simulate/alerts', alertSimulation(t))
    ).json;
    expect(inline).toBeNull();
    await t.sandbox.advance(10_000);
    expect((await t.org('GET', `/v1/alerts/${id}`)).json).toMatchObject({
      integration_id: t.integrationId,
      integration_transaction_id: 't-1',
    });
  });

  sandboxRule('matching alone emits no alert.updated', async () => {
    await order({});
    await t.org('POST', '/v1/simulate/alerts', alertSimulation(t, { amount_in_cents: 1 }));
    await t.sandbox.advance(10_000);
    expect(t.sandbox.events().map(({ type }) => type)).toEqual(['alert.created']);
  });
});
