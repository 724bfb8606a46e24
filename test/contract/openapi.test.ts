/** Guarantee: the OpenAPI document covers every endpoint served, and what is answered fits it. */
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../../src/sandbox/routes.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { alertEnrolment, alertSimulation, completeOrder, ruleset } from './support/examples.ts';
import type { Json } from './support/json.ts';

const t = contract();

interface Described {
  operationId: string;
  parameters: { in: string; name: string }[];
}

async function document(): Promise<Json> {
  const reply = await t.send({ method: 'GET', path: '/openapi.json' });
  expect(reply.status).toBe(200);
  return reply.json;
}

/** Checks a value against a schema of the document, as a generated client would. */
async function problemsOf(value: unknown, schema: object): Promise<unknown[]> {
  const { components } = await document();
  // zod resolves references below the schema itself.
  const local = JSON.parse(
    JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    ),
  );
  const result = z.fromJSONSchema(local).safeParse(value);
  return result.success ? [] : result.error.issues;
}

sandboxRule('the document describes every endpoint that is served, and no other', async () => {
  const { openapi, paths } = await document();
  expect(openapi).toMatch(/^3\.1\./);
  const described = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(described.toSorted()).toEqual(served.toSorted());
});

sandboxRule('every reference resolves, ids are unique, path parameters are declared', async () => {
  const whole = await document();
  const names = new Set(Object.keys(whole.components.schemas));
  const references = JSON.stringify(whole).match(/"\$ref":"[^"]+"/g) ?? [];
  expect(references.length).toBeGreaterThan(50);
  for (const reference of references) {
    expect(names).toContain(reference.slice('"$ref":"#/components/schemas/'.length, -1));
  }
  const ids: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, Described>>(whole.paths)) {
    for (const operation of Object.values(methods)) {
      ids.push(operation.operationId);
      const declared = operation.parameters.filter((it) => it.in === 'path').map((it) => it.name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
});

sandboxRule('the ten events are described as webhooks with their api_version', async () => {
  const { webhooks } = await document();
  expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES]);
  const versionOf = (type: string): string =>
    webhooks[type].post.requestBody.content['application/json'].schema.properties.api_version.const;
  expect(versionOf('alert.updated')).toBe('v1');
  expect(versionOf('enrolment.updated')).toBe('v2');
});

describe('answers fit the document', () => {
  const calls: [string, string, string, () => unknown][] = [
    ['createRuleset', 'POST', '/v1/rulesets', () => ruleset(t)],
    ['createEnrolment', 'POST', '/v2/enrolments', () => alertEnrolment(t)],
    ['createOrders', 'POST', '/v1/orders/', () => [completeOrder(t)]],
    ['simulateAlert', 'POST', '/v1/simulate/alerts', () => alertSimulation(t)],
    [
      'simulateLookup',
      'POST',
      '/v1/simulate/lookups',
      () => ({ organisation_id: t.organisationId, type: 'NETB_ORDER_INSIGHT' }),
    ],
    [
      'simulateSchemeNotice',
      'POST',
      '/v1/simulate/scheme-notices',
      () => ({ organisation_id: t.organisationId }),
    ],
    ['listMerchants', 'GET', '/v1/merchants', () => undefined],
    ['listIntegrations', 'GET', '/v1/integrations/', () => undefined],
  ];
  for (const [id, method, path, body] of calls) {
    sandboxRule(`${id}: request and answer fit their schemas`, async () => {
      const operation = (await document()).paths[path][method.toLowerCase()];
      const sent = body();
      const reply = await t.partner(method, path, sent);
      const { schema } = operation.responses[reply.status].content['application/json'];
      expect(await problemsOf(reply.json, schema)).toEqual([]);
      if (sent !== undefined) {
        const request = operation.requestBody.content['application/json'].schema;
        expect(await problemsOf(sent, request)).toEqual([]);
      }
    });
  }

  sandboxRule('an answer that does not fit is noticed', async () => {
    const { schema } = (await document()).paths['/v1/alerts/{alert_id}'].get.responses[200].content[
      'application/json'
    ];
    const alert = t.sandbox.createAlert();
    expect(await problemsOf(alert, schema)).toEqual([]);
    expect(await problemsOf({ ...alert, transaction_amount_in_cents: '1' }, schema)).not.toEqual(
      [],
    );
  });

  sandboxRule('a refusal fits the error schema', async () => {
    const { schema } = (await document()).paths['/v1/alerts/{alert_id}'].get.responses[404].content[
      'application/json'
    ];
    const reply = await t.org('GET', '/v1/alerts/netalrt_none');
    expect(await problemsOf(reply.json, schema)).toEqual([]);
    expect(await problemsOf({ detail: 'no' }, schema)).not.toEqual([]);
  });
});
