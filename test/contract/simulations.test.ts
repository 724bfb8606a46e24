/** Guarantee: simulations create what the specification says, in test organisations only. */
import { describe, expect } from 'vitest';
import { contract, errorOf, rule, sandboxRule } from './support/contract.ts';
import { alertSimulation } from './support/examples.ts';

const t = contract();

function lastEvent(): { type: string; data: { object: object; previous_attributes?: object } } {
  return JSON.parse(`${t.sandbox.events().at(-1)?.body}`);
}

describe('alerts', () => {
  rule('a simulated alert carries what was sent', async () => {
    const reply = await t.org('POST', '/v1/simulate/alerts', alertSimulation(t));
    expect(reply.status).toBe(201);
    expect(reply.json).toMatchObject({
      enrolment_id: t.alertEnrolmentId,
      status: 'ACTION_REQUIRED',
      transaction_card_scheme: 'SCHEME_A',
      transaction_amount_in_cents: 12_990,
      transaction_currency_code: 'USD',
      transaction_acquirer_reference_number: '74537604221431003881865',
      transaction_authorisation_code: 'A1B2C3',
    });
  });

  sandboxRule('the alert simulation emits alert.created', async () => {
    const { json } = await t.org('POST', '/v1/simulate/alerts', alertSimulation(t));
    expect(lastEvent()).toMatchObject({ type: 'alert.created', data: { object: json } });
  });

  for (const field of [
    'organisation_id',
    'enrolment_id',
    'status',
    'card_scheme',
    'amount_in_cents',
    'currency_code',
    'transaction_acquirer_reference_number',
    'transaction_authorisation_code',
  ]) {
    rule(`an alert simulation without ${field} is 422`, async () => {
      const body = alertSimulation(t, { [field]: undefined });
      const reply = await t.org('POST', '/v1/simulate/alerts', body);
      expect([reply.status, errorOf(reply).field]).toEqual([422, field]);
    });
  }

  for (const [field, value] of [
    ['transaction_acquirer_reference_number', '7777777777777777777777'],
    ['transaction_acquirer_reference_number', '777777777777777777777777'],
    ['transaction_authorisation_code', '12345'],
    ['transaction_authorisation_code', '1234567'],
    ['card_scheme', 'SCHEME_Z'],
    ['amount_in_cents', 1.5],
    ['amount_in_cents', -1],
  ] as const) {
    rule(`an alert simulation with ${field} ${value} is 422`, async () => {
      const body = alertSimulation(t, { [field]: value });
      const reply = await t.org('POST', '/v1/simulate/alerts', body);
      expect([reply.status, errorOf(reply).field]).toEqual([422, field]);
    });
  }

  for (const scheme of ['SCHEME_A', 'SCHEME_B']) {
    rule(`card scheme ${scheme} is simulated`, async () => {
      const body = alertSimulation(t, { card_scheme: scheme });
      const reply = await t.org('POST', '/v1/simulate/alerts', body);
      expect(reply.json.transaction_card_scheme).toBe(scheme);
    });
  }

  for (const status of ['RESOLVED', 'INVALID']) {
    rule(`an RDR alert is simulated as ${status}`, async () => {
      const body = alertSimulation(t, { enrolment_id: t.rdrEnrolmentId, status });
      const reply = await t.org('POST', '/v1/simulate/alerts', body);
      expect(reply.json).toMatchObject({ enrolment_type: 'NETB_RDR', status });
      const outcome = status === 'RESOLVED' ? 'REFUNDED' : null;
      expect(reply.json.transaction_refund_outcome).toBe(outcome);
    });

    rule(`an alert-network alert is not simulated as ${status}`, async () => {
      const reply = await t.org('POST', '/v1/simulate/alerts', alertSimulation(t, { status }));
      expect(reply.status).toBe(422);
    });
  }

  rule('an RDR alert is not simulated as ACTION_REQUIRED', async () => {
    const body = alertSimulation(t, { enrolment_id: t.rdrEnrolmentId });
    const reply = await t.org('POST', '/v1/simulate/alerts', body);
    expect([reply.status, errorOf(reply).field]).toEqual([422, 'status']);
  });

  rule('a simulation through an enrolment that does not exist is 404', async () => {
    const body = alertSimulation(t, { enrolment_id: 'enrl_none' });
    expect((await t.org('POST', '/v1/simulate/alerts', body)).status).toBe(404);
  });
});

describe('enrolments', () => {
  sandboxRule('the enrolment simulation sets the status and emits enrolment.updated', async () => {
    const path = `/v1/simulate/enrolments/${t.alertEnrolmentId}`;
    await t.org('PATCH', path, { status: 'ACTION_REQUIRED' });
    const reply = await t.org('PATCH', path, { status: 'ENABLED' });
    expect([reply.status, reply.json.status]).toEqual([200, 'ENABLED']);
    expect(lastEvent()).toMatchObject({
      type: 'enrolment.updated',
      data: { previous_attributes: { status: 'ACTION_REQUIRED' } },
    });
  });

  rule('an enrolment simulation with an unknown status is 422', async () => {
    const path = `/v1/simulate/enrolments/${t.alertEnrolmentId}`;
    expect((await t.org('PATCH', path, { status: 'ASLEEP' })).status).toBe(422);
  });

  rule('simulating an enrolment that does not exist is 404', async () => {
    const reply = await t.org('PATCH', '/v1/simulate/enrolments/enrl_none', { status: 'ENABLED' });
    expect(reply.status).toBe(404);
  });
});

describe('lookups and scheme notices', () => {
  for (const type of [
    'NETA_CONSUMER_CLARITY',
    'NETA_FIRST_PARTY_TRUST',
    'NETB_ORDER_INSIGHT',
    'NETB_COMPELLING_EVIDENCE_3',
  ]) {
    rule(`a lookup of type ${type} is simulated`, async () => {
      const body = { organisation_id: t.organisationId, type };
      const reply = await t.org('POST', '/v1/simulate/lookups', body);
      expect(reply.status).toBe(201);
      expect(reply.json).toMatchObject({ id: expect.stringMatching(/^lkup_/), type });
    });
  }

  for (const type of ['TC15', 'TC40', 'SAF']) {
    rule(`a scheme notice of type ${type} is simulated`, async () => {
      const body = { organisation_id: t.organisationId, scheme_notice_type: type };
      const reply = await t.org('POST', '/v1/simulate/scheme-notices', body);
      expect(reply.status).toBe(201);
      expect(reply.json).toMatchObject({
        id: expect.stringMatching(/^schntc_/),
        scheme_notice_type: type,
      });
    });
  }

  sandboxRule('the scheme notice simulation emits scheme_notice.created', async () => {
    await t.org('POST', '/v1/simulate/scheme-notices', { organisation_id: t.organisationId });
    expect(lastEvent().type).toBe('scheme_notice.created');
  });
});

describe('live organisations', () => {
  async function live() {
    const organisation = await t.control('POST', '/organisations', { name: 'Live', mode: 'live' });
    const { id, name } = organisation.json;
    const merchant = await t.control('POST', '/merchants', { name: 'M', organisation_id: id });
    const enrolment = await t.control('POST', '/enrolments', {
      type: 'NETA_ALERT',
      merchant_ids: [merchant.json.id],
    });
    const key = (await t.control('POST', '/keys', { organisation_id: id })).json.token;
    return { id, name, key, enrolmentId: enrolment.json.id };
  }

  for (const [title, request] of [
    [
      'alerts',
      (object: { id: string; enrolmentId: string }) => [
        'POST',
        '/v1/simulate/alerts',
        alertSimulation(t, { organisation_id: object.id, enrolment_id: object.enrolmentId }),
      ],
    ],
    [
      'enrolments',
      (object: { enrolmentId: string }) => [
        'PATCH',
        `/v1/simulate/enrolments/${object.enrolmentId}`,
        { status: 'ENABLED' },
      ],
    ],
    [
      'lookups',
      (object: { id: string }) => [
        'POST',
        '/v1/simulate/lookups',
        { organisation_id: object.id, type: 'NETB_ORDER_INSIGHT' },
      ],
    ],
    [
      'scheme notices',
      (organisation: { id: string }) => [
        'POST',
        '/v1/simulate/scheme-notices',
        { organisation_id: organisation.id },
      ],
    ],
  ] as const) {
    sandboxRule(
      `simulating ${title} of a live organisation is SIMULATION_NOT_ALLOWED`,
      async () => {
        const organisation = await live();
        const [method, path, body] = request(organisation) as [string, string, object];
        const reply = await t.send({ key: organisation.key, method, path, body });
        expect([reply.status, errorOf(reply).code]).toEqual([422, 'SIMULATION_NOT_ALLOWED']);
      },
    );
  }

  sandboxRule(
    'test organisations have a name prefixed with [TEST], live ones have not',
    async () => {
      const { items } = (await t.control('GET', '/organisations')).json;
      expect(items[0].name).toBe('[TEST] Demo store');
      expect((await live()).name).toBe('Live');
    },
  );

  sandboxRule('a live organisation works like a test one otherwise', async () => {
    const { key } = await live();
    const reply = await t.send({ key, method: 'GET', path: '/v1/alerts/' });
    expect([reply.status, reply.json]).toEqual([200, { items: [], count: 0 }]);
  });
});
