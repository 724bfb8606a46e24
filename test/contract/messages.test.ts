/** Guarantee: whatever is refused is refused in sentences that say what to do next. */
import { describe, expect } from 'vitest';
import { ROUTES } from '../../src/sandbox/routes.ts';
import { createServiceClient, unlimitedBudget } from '../../src/service/client/index.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { ARN, completeOrder } from './support/examples.ts';
import type { Json } from './support/json.ts';

const t = contract();

/** What happened, and what to do: two sentences, in neither zod's words nor JSON. */
function expectSentences(message: string): void {
  expect(message).toMatch(/^[^{}]+[.?] [A-Z"][^{}]+[.?]$/);
  expect(message).not.toMatch(/Invalid |expected |received |>=|<=|undefined|VALIDATION_/);
}

/** A path whose ids exist, so that the body is what is refused. */
async function pathOf(template: string): Promise<string> {
  const order = (await t.org('POST', '/v1/orders/', [completeOrder(t)])).json.results?.[0]?.id;
  const rulesets = await t.org('POST', '/v1/rulesets', {
    organisation_id: t.organisationId,
    enrolment_ids: [t.rdrEnrolmentId],
    outcome: 'REFUND',
    join_operator: 'AND',
    rules: [
      {
        type: 'DESCRIPTOR',
        parameters: { descriptors: [{ value: 'A', match_type: 'EXACT_MATCH' }] },
      },
    ],
  });
  const ids: Readonly<Record<string, string>> = {
    order_id: order,
    ruleset_id: rulesets.json.id,
    rule_id: rulesets.json.rules[0].id,
    merchant_id: t.merchantId,
    enrolment_id: t.alertEnrolmentId,
    alert_id: t.sandbox.createAlert().id,
  };
  return template.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => `${ids[name]}`);
}

const BAD_BODIES: Json[] = [
  {},
  [],
  'text',
  null,
  { status: 'ENABLE', action: 'REFUN', type: 'AMOUN', outcome: 7, rules: 'x', name: '' },
  { colour: 'red', refunds: [{}], neta_alert: { descriptors: [{}] }, merchant_ids: [] },
  [{ type: 'COMPLETE', order_datetime: 'yesterday', order_total_amount_in_cents: 1.5 }],
  [{ type: 'WHOLE', transactions: [{ acquirer_reference_number: 'short' }] }],
];

for (const { method, path } of ROUTES.filter((route) => /POST|PATCH/.test(route.method))) {
  sandboxRule(`${method} ${path} refuses bad bodies in sentences`, async () => {
    const address = await pathOf(path);
    let refusals = 0;
    for (const body of BAD_BODIES) {
      const { status, json } = await t.partner(method, address, body);
      if (status < 400) continue;
      for (const { message } of json.errors) {
        refusals += 1;
        expectSentences(message);
      }
    }
    expect(refusals).toBeGreaterThan(0);
  });
}

describe('what else is refused', () => {
  sandboxRule('keys, ids, lists and paths are refused in sentences', async () => {
    const key = (await t.control('POST', '/keys', { abilities: [] })).json.token;
    const replies = [
      await t.send({ method: 'GET', path: '/v1/alerts/' }),
      await t.send({ key, method: 'GET', path: '/v1/alerts/' }),
      await t.org('GET', '/v1/merchants'),
      await t.org('GET', '/v1/alerts/netalrt_none'),
      await t.org('GET', '/v1/alerts/?status=OPEN'),
      await t.org('GET', '/v1/alerts/?limit=-1'),
      await t.org('GET', '/v1/nothing'),
      await t.send({ key: t.organisationKey, method: 'PATCH', path: '/v1/orders/x', raw: '{' }),
      await t.control('POST', '/clock', { set: '2020-01-01T00:00:00Z' }),
      await t.control('POST', '/subscriptions', { url: 'ftp://x' }),
    ];
    for (const { status, json } of replies) {
      expect(status).toBeGreaterThanOrEqual(400);
      for (const { message } of json.errors ?? [{ message: json.detail }]) expectSentences(message);
    }
  });

  sandboxRule('an order that is not created is told why in sentences', async () => {
    const order = completeOrder(t);
    await t.org('POST', '/v1/orders/', [order]);
    const { json } = await t.org('POST', '/v1/orders/', [
      order,
      completeOrder(t, { integration_id: 'int_none' }),
      completeOrder(t, { order_number: undefined }),
      completeOrder(t, { type: 'PARTIAL' }),
      completeOrder(t, { transactions: order['transactions'] }),
    ]);
    expect(json.errors).toHaveLength(5);
    for (const { message } of json.errors) expectSentences(message);
  });

  sandboxRule('what is refused in code is thrown in the same sentences', () => {
    const { id } = t.sandbox.createAlert({ acquirer_reference_number: ARN });
    t.sandbox.resolveInDashboard(id, 'REFUND');
    for (const refused of [
      () => t.sandbox.resolveInDashboard(id, 'REFUND'),
      () => t.sandbox.resolveInDashboard('netalrt_none', 'REFUND'),
      () => t.sandbox.addFault({ on: 'webhooks', kind: 'lose' }),
      () => t.sandbox.restore({}),
    ]) {
      expect(refused).toThrow();
      try {
        refused();
      } catch (error) {
        expectSentences((error as Error).message);
      }
    }
  });

  sandboxRule('an update that changes nothing is told what it could change', async () => {
    const order = (await t.org('POST', '/v1/orders/', [completeOrder(t)])).json.results[0].id;
    for (const reply of [
      await t.org('PATCH', `/v1/orders/${order}`, {}),
      await t.partner('PATCH', `/v1/merchants/${t.merchantId}`, {}),
    ]) {
      expect(reply.status).toBe(422);
      expect(reply.json.errors[0].message).toMatch(
        /^The update changes nothing\. Give at least one of [a-z_]+(?:, [a-z_]+)+\.$/,
      );
    }
  });

  sandboxRule('the client says what to correct before anything is sent', async () => {
    const client = createServiceClient({
      baseUrl: t.url,
      apiKey: t.organisationKey,
      budget: unlimitedBudget,
    });
    const before = t.sandbox.requests().length;
    const bad = { action: 'REFUNDED' } as unknown as { action: 'REFUND' };
    const acted = client.alerts.act('netalrt_1', bad);
    await expect(acted).rejects.toThrow(
      'PATCH /v1/alerts/{alert_id} was not sent. action has a value that is not taken. Did you mean REFUND? Send one of REFUND, ACCEPT_DISPUTE, CANCEL, REFUND_AND_CANCEL.',
    );
    expect(t.sandbox.requests()).toHaveLength(before);
  });
});
