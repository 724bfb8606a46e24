/** Guarantee: the typed client sends what the interface takes, and says of what it does not know. */
import { expect } from 'vitest';
import type { RequestWarning, ServiceClient } from '../../src/service/client/index.ts';
import { createServiceClient, unlimitedBudget } from '../../src/service/client/index.ts';
import {
  alertFilter,
  enrolmentFilter,
  integrationFilter,
  lookupFilter,
  merchantFilter,
  orderFilter,
  rulesetFilter,
} from '../../src/service/wire/list.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { completeOrder, ruleset } from './support/examples.ts';
import type { Json } from './support/json.ts';

const t = contract();

function clientOf(hooks: object = { onWarning: () => undefined }): ServiceClient {
  return createServiceClient({
    baseUrl: t.url,
    apiKey: t.organisationKey,
    budget: unlimitedBudget,
    hooks,
  });
}

async function orderWith(parts: object): Promise<string> {
  const { json } = await t.org('POST', '/v1/orders/', [completeOrder(t, parts)]);
  expect(json.created).toBe(1);
  return json.results[0].id;
}

const PARTS = {
  deliveries: [{ reference_id: 'd-1', type: 'PHYSICAL', physical_shipping_status: 'SHIPPED' }],
  subscriptions: [{ reference_id: 's-1', status: 'ACTIVE' }],
  refunds: [{ reference_id: 'r-1', amount_in_cents: 500, currency: 'USD', status: 'PENDING' }],
  disputes: [{ reference_id: 'x-1', amount_in_cents: 500, currency: 'USD', status: 'OPEN' }],
};

for (const [part, change] of [
  ['deliveries', { reference_id: 'd-1', physical_shipping_status: 'DELIVERED' }],
  ['subscriptions', { reference_id: 's-1', status: 'CANCELLED' }],
  ['refunds', { reference_id: 'r-1', status: 'SUCCEEDED' }],
  ['disputes', { reference_id: 'x-1', status: 'LOST' }],
] as const) {
  sandboxRule(`the client updates one field of ${part} alone`, async () => {
    const id = await orderWith(PARTS);
    const order: Json = await clientOf().orders.update(id, { [part]: [change] });
    expect(order[part]).toEqual([{ ...PARTS[part][0], ...change }]);
  });
}

sandboxRule('the client sends unlisted fields of an update and warns of them', async () => {
  const warnings: RequestWarning[] = [];
  const client = clientOf({ onWarning: (warning: RequestWarning) => warnings.push(warning) });
  const id = await orderWith(PARTS);
  const changed = { reference_id: 'd-1', physical_shiping_carrier: 'Secret Parcels' };
  const order: Json = await client.orders.update(id, { deliveries: [changed] });
  expect(order.deliveries[0].physical_shiping_carrier).toBe('Secret Parcels');
  expect(warnings).toEqual([
    {
      type: 'UNLISTED_FIELD',
      method: 'PATCH',
      path: '/v1/orders/{order_id}',
      field: 'deliveries.physical_shiping_carrier',
      nearest: 'physical_shipping_carrier',
      message:
        'deliveries.physical_shiping_carrier is not a listed field of PATCH /v1/orders/{order_id}; it is sent as it is. Did you mean physical_shipping_carrier?',
    },
  ]);
});

sandboxRule('without a hook the process warns once per field', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on('warning', listen);
  try {
    const client = clientOf({});
    const id = await orderWith(PARTS);
    for (const gateway of ['one', 'two']) {
      await client.orders.update(id, { refunds: [{ reference_id: 'r-1', gateway }] });
    }
  } finally {
    process.off('warning', listen);
  }
  expect(warnings).toMatchObject([{ name: 'ForestallRequestWarning', code: 'UNLISTED_FIELD' }]);
});

sandboxRule('the client lists the alerts of one merchant', async () => {
  const second = (await t.control('POST', '/merchants', { name: 'Second' })).json.id;
  const enrolment = { type: 'NETA_ALERT', merchant_ids: [t.merchantId, second] };
  const { id } = (await t.control('POST', '/enrolments', enrolment)).json;
  const ofFirst = t.sandbox.createAlert();
  const ofBoth = t.sandbox.createAlert({ enrolment_id: id });
  const { alerts } = clientOf();
  const idsOf = async (merchantId: string): Promise<string[]> =>
    (await alerts.page({ merchant_id: merchantId })).items.map((alert) => alert.id);
  expect(await idsOf(second)).toEqual([ofBoth.id]);
  expect(await idsOf(t.merchantId)).toEqual([ofBoth.id, ofFirst.id]);
  await expect(idsOf('mrch_none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

/** One thing of each list, with none of the values below. */
async function fillLists(): Promise<void> {
  await t.org('POST', '/v1/orders/', [completeOrder(t)]);
  t.sandbox.createAlert();
  t.sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' });
  expect((await t.org('POST', '/v1/rulesets', ruleset(t))).status).toBe(201);
}

for (const [path, schema] of Object.entries({
  '/v1/rulesets': rulesetFilter,
  '/v1/merchants': merchantFilter,
  '/v1/enrolments': enrolmentFilter,
  '/v2/enrolments': enrolmentFilter,
  '/v1/orders/': orderFilter,
  '/v1/alerts/': alertFilter,
  '/v1/integrations/': integrationFilter,
  '/v1/lookups/': lookupFilter,
})) {
  sandboxRule(`no filter that the client offers for ${path} is ignored`, async () => {
    await fillLists();
    expect((await t.partner('GET', path)).json.count).toBeGreaterThan(0);
    for (const filter of Object.keys(schema.shape)) {
      const { status, json } = await t.partner('GET', `${path}?${filter}=nothing-has-this`);
      const ignored = status === 200 && json.count > 0;
      expect([filter, ignored]).toEqual([filter, false]);
    }
  });
}
