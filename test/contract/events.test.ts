/** Guarantee: the ten event types are emitted when, and with what, section Event contents says. */
import { describe, expect } from 'vitest';
import { contract, START, sandboxRule } from './support/contract.ts';
import { alertSimulation } from './support/examples.ts';
import type { Json } from './support/json.ts';

const t = contract();

interface Event {
  id: string;
  type: string;
  created_at: string;
  api_version: string;
  data: { object: Json; previous_attributes?: Record<string, unknown> };
}

function events(): Event[] {
  return t.sandbox.events().map(({ body }) => JSON.parse(`${body}`));
}

function lastEvent(): Event {
  return events().at(-1)!;
}

describe('alerts', () => {
  sandboxRule('alert.created carries the alert as the API shows it', async () => {
    const { json } = await t.org('POST', '/v1/simulate/alerts', alertSimulation(t));
    expect(lastEvent()).toMatchObject({ type: 'alert.created', api_version: 'v1' });
    expect(lastEvent().data).toEqual({ object: json });
  });

  sandboxRule('resolving emits alert.updated with the old status and outcome', async () => {
    const { id } = (await t.org('POST', '/v1/simulate/alerts', alertSimulation(t))).json;
    const { json } = await t.org('PATCH', `/v1/alerts/${id}`, { action: 'REFUND' });
    expect(lastEvent()).toMatchObject({ type: 'alert.updated', api_version: 'v1' });
    expect(lastEvent().data).toEqual({
      object: json,
      previous_attributes: { status: 'ACTION_REQUIRED', transaction_refund_outcome: null },
    });
  });

  sandboxRule('a note that came with the action is among the changed fields', async () => {
    const { id } = t.sandbox.createAlert({ note: 'from the network' });
    await t.org('PATCH', `/v1/alerts/${id}`, { action: 'ACCEPT_DISPUTE', note: 'ours' });
    expect(lastEvent().data.previous_attributes).toEqual({
      status: 'ACTION_REQUIRED',
      transaction_refund_outcome: null,
      note: 'from the network',
    });
  });

  sandboxRule('a resolution in the dashboard emits alert.updated', async () => {
    const alert = t.sandbox.createAlert();
    t.sandbox.resolveInDashboard(alert.id, 'ACCEPT_DISPUTE');
    expect(lastEvent().data.previous_attributes).toEqual({
      status: 'ACTION_REQUIRED',
      transaction_refund_outcome: null,
    });
  });

  sandboxRule('becoming INVALID emits alert.updated, for RDR alerts as well', async () => {
    const alert = t.sandbox.createAlert({ enrolment_id: t.rdrEnrolmentId });
    t.sandbox.invalidateAlert(alert.id);
    expect(lastEvent()).toMatchObject({
      type: 'alert.updated',
      data: {
        object: { status: 'INVALID', transaction_refund_outcome: 'REFUNDED' },
        previous_attributes: { status: 'RESOLVED' },
      },
    });
  });

  sandboxRule(
    'a change of subscription_cancel_outcome is among the previous attributes',
    async () => {
      await t.control('POST', '/integrations', { type: 'ACME_PAY' });
      const alert = t.sandbox.createAlert();
      t.sandbox.resolveInDashboard(alert.id, 'REFUND_AND_CANCEL');
      expect(lastEvent().data.previous_attributes).toEqual({
        status: 'ACTION_REQUIRED',
        transaction_refund_outcome: null,
        subscription_cancel_outcome: null,
      });
    },
  );

  for (const [field, before, after] of [
    ['transaction_refund_outcome', 'REFUNDED', 'NOT_REFUNDED'],
    ['subscription_cancel_outcome', null, 'CANCELLED'],
  ] as const) {
    sandboxRule(`an RDR alert whose ${field} alone changes emits alert.updated`, async () => {
      const { id } = t.sandbox.createAlert({ enrolment_id: t.rdrEnrolmentId });
      const reply = await t.control('PATCH', `/alerts/${id}`, { [field]: after });
      expect(reply.json).toMatchObject({ status: 'RESOLVED', [field]: after });
      expect(lastEvent()).toMatchObject({ type: 'alert.updated', data: { object: reply.json } });
      expect(lastEvent().data.previous_attributes).toEqual({ [field]: before });
      t.sandbox.updateAlert(id, { [field]: before });
      expect(lastEvent().data.previous_attributes).toEqual({ [field]: after });
    });
  }

  sandboxRule('an alert that is INVALID already emits nothing when withdrawn again', () => {
    const alert = t.sandbox.createAlert();
    t.sandbox.invalidateAlert(alert.id);
    t.sandbox.invalidateAlert(alert.id);
    expect(events().map(({ type }) => type)).toEqual(['alert.created', 'alert.updated']);
  });

  sandboxRule('a refused action emits nothing', async () => {
    const alert = t.sandbox.createAlert();
    await t.org('PATCH', `/v1/alerts/${alert.id}`, { action: 'REFUND' });
    const before = events().length;
    await t.org('PATCH', `/v1/alerts/${alert.id}`, { action: 'REFUND' });
    expect(events()).toHaveLength(before);
  });
});

describe('enrolments', () => {
  sandboxRule('enrolment events carry the enrolment without links, in version v2', async () => {
    const { links: _links, ...enrolment } = (
      await t.partner('POST', '/v2/enrolments', {
        merchant_ids: [t.merchantId],
        type: 'NETA_ALERT',
        neta_alert: { descriptors: [{ descriptor: 'ACME', match_type: 'EXACT_MATCH' }] },
      })
    ).json;
    expect(lastEvent()).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'enrolment.created',
      created_at: START,
      api_version: 'v2',
      data: { object: enrolment },
    });
  });

  sandboxRule('a status change emits enrolment.updated with the old status only', async () => {
    const path = `/v1/simulate/enrolments/${t.alertEnrolmentId}`;
    await t.org('PATCH', path, { status: 'IN_PROGRESS' });
    expect(lastEvent()).toMatchObject({ type: 'enrolment.updated', api_version: 'v2' });
    expect(lastEvent().data.object.status).toBe('IN_PROGRESS');
    expect(lastEvent().data.previous_attributes).toEqual({ status: 'ENABLED' });
  });

  sandboxRule('setting the status it has already emits nothing', async () => {
    const path = `/v1/simulate/enrolments/${t.alertEnrolmentId}`;
    await t.org('PATCH', path, { status: 'ENABLED' });
    expect(events()).toEqual([]);
  });

  for (const [title, descriptors] of [
    ['removed', []],
    ['edited', [{ descriptor: 'DEMO SHOP', match_type: 'STARTS_WITH', status: 'ACTIVE' }]],
    [
      'matched otherwise',
      [{ descriptor: 'DEMO STORE', match_type: 'EXACT_MATCH', status: 'ACTIVE' }],
    ],
    [
      'given another status',
      [{ descriptor: 'DEMO STORE', match_type: 'STARTS_WITH', status: 'PENDING' }],
    ],
  ] as const) {
    sandboxRule(`a descriptor that is ${title} emits enrolment.updated`, async () => {
      await t.control('PATCH', `/enrolments/${t.alertEnrolmentId}`, { descriptors });
      expect(lastEvent().type).toBe('enrolment.updated');
      expect(lastEvent().data.previous_attributes).toEqual({
        neta_alert: {
          descriptors: [{ descriptor: 'DEMO STORE', match_type: 'STARTS_WITH', status: 'ACTIVE' }],
        },
      });
    });
  }
});

describe('representments', () => {
  sandboxRule('representment.created carries every field', () => {
    t.sandbox.createRepresentment({ transaction_reference_id: 'pay-1' });
    expect(lastEvent()).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'representment.created',
      created_at: START,
      api_version: 'v1',
      data: {
        object: {
          id: expect.stringMatching(/^rep_/),
          organisation_id: t.organisationId,
          merchant_id: t.merchantId,
          managed_by: 'PARTNER',
          service_type: 'ONLINE_SERVICES',
          dispute_stage: 'CHARGEBACK',
          dispute_reason: 'SUBSCRIPTION_CANCELED',
          dispute_reason_code: null,
          dispute_schema: 'SCHEME_A',
          dispute_status: 'OPEN',
          dispute_reference_id: expect.any(String),
          dispute_currency_code: 'USD',
          dispute_amount_in_cents: 1000,
          disputed_at: START,
          dispute_due_by: '2026-11-27T00:00:00.000Z',
          transaction_reference_id: 'pay-1',
          transaction_currency_code: 'USD',
          transaction_amount_in_cents: 1000,
          transaction_authorisation_date: null,
          transaction_acquirer_reference_number: null,
          created_at: START,
          updated_at: START,
        },
      },
    });
  });

  sandboxRule('OPEN changing to LOST emits representment.updated with the old status', () => {
    const { id } = t.sandbox.createRepresentment();
    t.sandbox.updateRepresentment(id, { dispute_status: 'LOST' });
    expect(lastEvent()).toMatchObject({
      type: 'representment.updated',
      api_version: 'v1',
      data: { object: { id, dispute_status: 'LOST' } },
    });
    expect(lastEvent().data.previous_attributes).toEqual({ dispute_status: 'OPEN' });
  });

  sandboxRule('a representment that does not change emits nothing', () => {
    const { id } = t.sandbox.createRepresentment();
    t.sandbox.updateRepresentment(id, { dispute_status: 'OPEN' });
    expect(events()).toHaveLength(1);
  });
});

describe('scheme notices', () => {
  sandboxRule('scheme_notice.created carries every field', () => {
    t.sandbox.createSchemeNotice({ fraud_type: 'Card not present' });
    expect(lastEvent()).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'scheme_notice.created',
      created_at: START,
      api_version: 'v1',
      data: {
        object: {
          id: expect.stringMatching(/^schntc_/),
          organisation_id: t.organisationId,
          merchant_id: t.merchantId,
          scheme_notice_type: 'TC40',
          notice_type: 'FRAUD_NOTICE',
          scheme: 'SCHEME_A',
          is_revoked: false,
          notice_revoked_at: null,
          fraud_reported_at: START,
          fraud_type: 'Card not present',
          fraud_dispute_eligible: true,
          transaction_amount_in_cents: 1000,
          transaction_currency_code: 'USD',
          transaction_card_bin: null,
          transaction_card_last4: null,
          transaction_merchant_name: 'Demo store',
          transaction_merchant_id: null,
          transaction_acquirer_reference_number: null,
          transaction_authorisation_code: null,
          transaction_original_date: null,
          transaction_purchase_date: null,
          created_at: START,
          updated_at: START,
        },
      },
    });
  });

  for (const [field, value, before] of [
    ['is_revoked', true, false],
    ['notice_revoked_at', '2026-11-21T00:00:00Z', null],
    ['fraud_reported_at', '2026-11-18T00:00:00Z', START],
    ['transaction_purchase_date', '2026-11-01', null],
  ] as const) {
    sandboxRule(`a change of ${field} emits scheme_notice.updated with it alone`, () => {
      const { id } = t.sandbox.createSchemeNotice();
      t.sandbox.updateSchemeNotice(id, { [field]: value, fraud_type: 'changed as well' });
      expect(lastEvent().type).toBe('scheme_notice.updated');
      expect(lastEvent().data.previous_attributes).toEqual({ [field]: before });
    });
  }

  sandboxRule('a change of an untracked field of a scheme notice emits nothing', () => {
    const { id } = t.sandbox.createSchemeNotice();
    t.sandbox.updateSchemeNotice(id, { fraud_type: 'Counterfeit' });
    expect(events()).toHaveLength(1);
  });

  sandboxRule('scheme_notice.updated comes only after a created event', () => {
    const { id } = t.sandbox.createSchemeNotice({ announce: false });
    t.sandbox.updateSchemeNotice(id, { is_revoked: true });
    expect(events()).toEqual([]);
  });

  for (const type of ['TC15', 'TC40', 'SAF'] as const) {
    sandboxRule(`scheme notice type ${type} is told`, () => {
      t.sandbox.createSchemeNotice({ scheme_notice_type: type });
      const kind = type === 'TC15' ? 'DISPUTE_NOTICE' : 'FRAUD_NOTICE';
      expect(lastEvent().data.object).toMatchObject({
        scheme_notice_type: type,
        notice_type: kind,
      });
    });
  }

  for (const scheme of ['SCHEME_A', 'SCHEME_B', 'OTHER'] as const) {
    sandboxRule(`scheme ${scheme} of a notice is told`, () => {
      t.sandbox.createSchemeNotice({ scheme });
      expect(lastEvent().data.object.scheme).toBe(scheme);
    });
  }
});

describe('lookups', () => {
  sandboxRule('lookup.created carries the lookup in version v1', async () => {
    const lookup = t.sandbox.createLookup({ type: 'NETA_CONSUMER_CLARITY' });
    const { items } = (await t.org('GET', '/v1/lookups/')).json;
    expect(lastEvent()).toMatchObject({ type: 'lookup.created', api_version: 'v1' });
    expect(lastEvent().data).toEqual({ object: items[0] });
    expect(items[0].id).toBe(lookup.id);
  });

  sandboxRule('a change of lookup_status emits lookup.updated with it alone', async () => {
    t.sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' });
    await t.sandbox.advance(10_000);
    expect(lastEvent()).toMatchObject({
      type: 'lookup.updated',
      data: { object: { lookup_status: 'FAILED' } },
    });
    expect(lastEvent().data.previous_attributes).toEqual({ lookup_status: 'PENDING' });
  });

  sandboxRule('a change of deflection_status emits lookup.updated with it alone', () => {
    const fields = { type: 'NETB_ORDER_INSIGHT', lookup_status: 'SUCCEEDED' } as const;
    const { id } = t.sandbox.createLookup({ ...fields, deflection_status: 'PENDING' });
    t.sandbox.sendCaseNotice(id, 'NEW');
    expect(lastEvent().data.previous_attributes).toEqual({ deflection_status: 'PENDING' });
    t.sandbox.sendCaseNotice(id, 'DELETE');
    expect(lastEvent().data.previous_attributes).toEqual({ deflection_status: 'SUCCEEDED' });
    expect(lastEvent().data.object.deflection_status).toBe('FAILED');
  });

  sandboxRule('lookup.updated comes only after a created event', () => {
    const { id } = t.sandbox.createLookup({ type: 'NETB_COMPELLING_EVIDENCE_3' });
    t.sandbox.updateLookup(id, { lookup_status: 'SUCCEEDED' });
    expect(events()).toEqual([]);
  });
});
