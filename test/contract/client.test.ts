/** Guarantee: the typed client sends what the interface takes, and says of what it does not know. */
import { expect } from 'vitest';
import type { RequestWarning, ServiceClient } from '../../src/service/client/index.ts';
import { createServiceClient, unlimitedBudget } from '../../src/service/client/index.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { completeOrder } from './support/examples.ts';
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
