/** Guarantee: the OpenAPI document covers every endpoint served, and what is answered fits it. */
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { endpointName } from '../../src/sandbox/http/route.ts';
import { CONTROL_OPERATIONS } from '../../src/sandbox/openapi/control-operations.ts';
import { EXAMPLES } from '../../src/sandbox/openapi/examples.ts';
import { PROCESSOR_CALLS } from '../../src/sandbox/processor/endpoints.ts';
import { ROUTES } from '../../src/sandbox/routes.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { alertEnrolment, alertSimulation, completeOrder, ruleset } from './support/examples.ts';
import type { Json } from './support/json.ts';

const t = contract();

interface Described {
  operationId: string;
  parameters?: { in: string; name: string }[];
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
  const described = Object.entries(paths as Record<string, object>)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    .filter((name) => !name.includes(' /sandbox/'));
  const served = [...ROUTES, ...PROCESSOR_CALLS].map(endpointName);
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
      const { parameters = [] } = operation;
      const declared = parameters
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  }
  expect(new Set(ids).size).toBe(ids.length);
});

sandboxRule('the control surface is described, each endpoint in its own words', async () => {
  const { paths } = await document();
  const described = Object.entries(paths as Record<string, Record<string, Json>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { summary }]) => ({
        name: `${method.toUpperCase()} ${path}`,
        summary,
      })),
  );
  const control = described.filter(({ name }) => name.includes(' /sandbox/'));
  const names = control.map(({ name }) => name);
  expect(Object.keys(CONTROL_OPERATIONS).filter((name) => !names.includes(name))).toEqual([]);
  expect(control.filter(({ name, summary }) => summary === name)).toEqual([]);
});

sandboxRule('filters and sorts are described with their values', async () => {
  const { parameters } = (await document()).paths['/v1/alerts'].get;
  const valuesOf = (name: string): unknown =>
    parameters.find((parameter: Json) => parameter.name === name).schema.enum;
  expect(valuesOf('status')).toEqual(['ACTION_REQUIRED', 'RESOLVED', 'INVALID']);
  expect(valuesOf('enrolment_type')).toEqual(['NETA_ALERT', 'NETB_RDR']);
  expect(valuesOf('sort')).toContain('-action_required_deadline');
});

sandboxRule('the document names the address it was asked under as its server', async () => {
  expect((await document()).servers).toEqual([{ url: t.url, description: 'This sandbox' }]);
});

sandboxRule('every request of the interface has an example that fits', async () => {
  const { paths } = await document();
  let examples = 0;
  for (const [path, methods] of Object.entries<Record<string, Json>>(paths)) {
    for (const { requestBody } of Object.values(methods)) {
      if (!/^\/v[12]/.test(path) || requestBody === undefined) continue;
      const { schema, example } = requestBody.content['application/json'];
      expect([path, await problemsOf(example, schema)]).toEqual([path, []]);
      expect(example).toBeDefined();
      examples += 1;
    }
  }
  expect(examples).toBe(Object.keys(EXAMPLES).length + 1);
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
      const operation = (await document()).paths[path.replace(/\/$/, '')][method.toLowerCase()];
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
