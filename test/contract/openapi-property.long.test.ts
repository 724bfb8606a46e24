/**
 * Guarantee: whatever is sent to any endpoint of the OpenAPI document is answered with a status and a
 * body that the document describes, and a request that fits the document is not refused for its form.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Reply } from './support/contract.ts';
import { contract, sandboxRule } from './support/contract.ts';
import { completeOrder, ruleset } from './support/examples.ts';
import { fromSchema } from './support/from-schema.ts';
import type { Json } from './support/json.ts';

const t = contract({ requestsPerMinute: 1_000_000 });

const SEED = 20_261_120;
const RUNS = 12;

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly described: Json;
}

async function readDocument(): Promise<{ document: Json; operations: Operation[] }> {
  const document = (await t.send({ method: 'GET', path: '/openapi.json' })).json;
  const operations = Object.entries<Record<string, Json>>(document.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, described]) => ({
        method: method.toUpperCase(),
        path,
        described,
      })),
  );
  return { document, operations };
}

/** What the path parameters name, so that many requests reach the rules behind them. */
async function existingIds(): Promise<Record<string, string>> {
  const created = (await t.org('POST', '/v1/orders/', [completeOrder(t)])).json.results?.[0];
  const alert = t.sandbox.createAlert();
  const charge = t.sandbox.createCharge();
  return {
    order_id: created?.id ?? 'ord_none',
    alert_id: alert.id,
    merchant_id: t.merchantId,
    enrolment_id: t.alertEnrolmentId,
    integration_id: t.integrationId,
    lookup_id: t.sandbox.createLookup({ type: 'NETB_ORDER_INSIGHT' }).id,
    subscription_id: t.sandbox.accounts.subscriptionId,
    reference: charge.reference,
  };
}

/** What a run must not do to the sandbox it runs in. */
const APART = new Set(['/sandbox/reset', '/sandbox/snapshot', '/sandbox/clock']);

function pathWith(path: string, ids: Record<string, string>, known: boolean): string {
  return path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) =>
    known ? (ids[name] ?? 'none') : 'none',
  );
}

/** Checks every answer against the document, as a generated client would read it. */
function createJudge(document: Json): (operation: Operation, reply: Reply) => void {
  const ajv = new Ajv2020({ strict: false });
  // The package is CommonJS: its function is the default of the default.
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  return ({ method, path, described }, reply) => {
    const about = `${method} ${path} answered ${reply.status}: ${reply.text.slice(0, 400)}`;
    const response = described.responses[reply.status];
    expect(response, about).toBeDefined();
    if (response.content?.['application/json'] === undefined) return;
    const pointer = [path, method.toLowerCase(), 'responses', `${reply.status}`]
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/');
    const $ref = `document#/paths/${pointer}/content/application~1json/schema`;
    const fits = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    expect(fits(reply.json), `${about} ${ajv.errorsText(fits.errors)}`).toBe(true);
  };
}

/** A body that names what exists, so that it gets beyond "not found". */
function withIds(body: Json, ids: Record<string, string>): Json {
  if (Array.isArray(body)) return body.map((entry) => withIds(entry, ids));
  if (typeof body !== 'object' || body === null) return body;
  const named = Object.entries(body).map(([name, value]) => {
    const id = name === 'organisation_id' ? t.organisationId : ids[name.replace(/s$/, '')];
    if (id === undefined) return [name, value];
    return [name, Array.isArray(value) ? [id] : id];
  });
  return Object.fromEntries(named);
}

async function send(path: string, method: string, body: unknown): Promise<Reply> {
  return /^\/v[12]/.test(path) ? t.partner(method, path, body) : t.send({ method, path, body });
}

sandboxRule(
  'requests made from the document are answered as it says, and not refused for their form',
  async () => {
    const { document, operations } = await readDocument();
    const judge = createJudge(document);
    const ids = await existingIds();
    const forms = /^VALIDATION_(?:REQUIRED|INVALID_TYPE|INVALID_FORMAT|UNKNOWN_FIELD|FIELD_NOT_)/;
    let taken = 0;
    for (const operation of operations.filter(({ path }) => !APART.has(path))) {
      const { schema } = operation.described.requestBody?.content['application/json'] ?? {};
      const bodies = schema && fromSchema(schema, document.components.schemas);
      const property = fc.asyncProperty(
        bodies ?? fc.constant(undefined),
        fc.boolean(),
        async (made, known) => {
          const body = known ? withIds(made, ids) : made;
          const path = pathWith(operation.path, ids, known);
          const reply = await send(path, operation.method, body);
          judge(operation, reply);
          if (reply.status < 300) taken += 1;
          if (reply.status !== 422 || bodies === undefined) return;
          const codes: string[] = reply.json.errors.map((error: Json) => error.code);
          const refused = codes.filter((code) => forms.test(code));
          expect([operation.path, JSON.stringify(body), refused]).toEqual([
            operation.path,
            JSON.stringify(body),
            [],
          ]);
        },
      );
      await fc.assert(property, { seed: SEED, numRuns: bodies === undefined ? 2 : RUNS });
    }
    expect(taken).toBeGreaterThan(200);
  },
  60_000,
);

sandboxRule(
  'requests of any form are answered as the document says, and never with a 5xx',
  async () => {
    const { document, operations } = await readDocument();
    const judge = createJudge(document);
    const ids = await existingIds();
    for (const operation of operations) {
      if (operation.described.requestBody === undefined || APART.has(operation.path)) continue;
      const property = fc.asyncProperty(fc.jsonValue(), async (body) => {
        const reply = await send(pathWith(operation.path, ids, true), operation.method, body);
        judge(operation, reply);
        expect(reply.status).toBeLessThan(500);
      });
      await fc.assert(property, { seed: SEED, numRuns: RUNS });
    }
  },
  60_000,
);

sandboxRule('unknown fields are ignored or refused, as the document says', async () => {
  const { operations } = await readDocument();
  const ids = await existingIds();
  let checked = 0;
  for (const { method, path, described } of operations) {
    const content = described.requestBody?.content['application/json'];
    const { $ref = '' } = content?.schema ?? {};
    if (content?.example === undefined || Array.isArray(content.example)) continue;
    const refuses = $ref.endsWith('/OrderUpdate');
    const body = { ...withIds(content.example, ids), nobody_knows_this: 1 };
    const reply = await send(pathWith(path, ids, true), method, body);
    const codes: string[] = (reply.json.errors ?? []).map((error: Json) => error.code);
    const refused = codes.some((code) => /UNKNOWN_FIELD|NOT_UPDATABLE/.test(code));
    expect([path, refused]).toEqual([path, refuses]);
    checked += 1;
  }
  expect(checked).toBeGreaterThan(12);
});

sandboxRule('every example of the document is taken as it stands', async () => {
  const { document, operations } = await readDocument();
  const judge = createJudge(document);
  const own = { organisation_id: t.organisationId, enrolment_ids: [t.rdrEnrolmentId] };
  const empty = { ...own, outcome: 'REFUND', join_operator: 'AND' };
  const bare = (await t.org('POST', '/v1/rulesets', empty)).json.id;
  const full = (await t.org('POST', '/v1/rulesets', ruleset(t))).json;
  let taken = 0;
  for (const operation of operations) {
    const { method, path, described } = operation;
    const { example } = described.requestBody?.content['application/json'] ?? {};
    if (example === undefined) continue;
    const ids = {
      ...(await existingIds()),
      ruleset_id: path.endsWith('/rules') ? bare : full.id,
      rule_id: full.rules[0].id,
    };
    const reply = await send(pathWith(path, ids, true), method, withIds(example, ids));
    judge(operation, reply);
    expect([method, path, reply.status < 300, reply.text]).toEqual([
      method,
      path,
      true,
      reply.text,
    ]);
    taken += 1;
  }
  expect(taken).toBeGreaterThan(14);
});
