/**
 * The OpenAPI 3.1 document of the interface, made from the routes the sandbox serves and the
 * schemas of `wire/`. Served at `/openapi.json`.
 */
import { EVENT_API_VERSIONS, EVENT_TYPES, entityOfEventType } from '../../service/wire/event.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Route } from '../http/route.ts';
import { ROUTES } from '../routes.ts';
import type { JsonObject } from './components.ts';
import { componentSchemas, ref } from './components.ts';
import type { Operation } from './operations.ts';
import { OPERATIONS } from './operations.ts';
import type { SchemaName } from './schemas.ts';

/** `GET /openapi.json`. */
export function openapiEndpoint(): Endpoint {
  return {
    method: 'GET',
    path: '/openapi.json',
    faultable: false,
    handle: () => ({ status: 200, body: createDocument() }),
  };
}

/** The whole document. */
export function createDocument(): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chargeback prevention service',
      version: '1',
      description:
        'The interface as the sandbox serves it. NETA, NETB, SCHEME_A and SCHEME_B stand for real identifiers.',
    },
    security: [{ apiKey: [] }],
    paths: paths(),
    webhooks: webhooks(),
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { ...componentSchemas(), Errors: ERRORS, Detail: DETAIL },
    },
  };
}

const text = { type: 'string' };

const ERRORS = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: text, message: text, field: text },
      },
    },
  },
};

const DETAIL = { type: 'object', required: ['detail'], properties: { detail: text } };

function paths(): JsonObject {
  const result: Record<string, JsonObject> = {};
  for (const route of ROUTES) {
    const operation = OPERATIONS[`${route.method} ${route.path}`];
    if (operation === undefined) continue;
    const methods = result[route.path] ?? {};
    methods[route.method.toLowerCase()] = describe(route, operation);
    result[route.path] = methods;
  }
  return result;
}

function describe(route: Route, operation: Operation): JsonObject {
  const keys = route.partnerOnly === true ? 'partner keys only' : 'organisation and partner keys';
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `Ability ${route.ability}; ${keys}.`,
    ...(route.path.startsWith('/v1/enrolments') ? { deprecated: true } : {}),
    parameters: parameters(route, operation),
    ...(operation.request === undefined
      ? {}
      : { requestBody: { required: true, content: json(ref(operation.request)) } }),
    responses: responses(operation),
  };
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

function parameters(route: Route, operation: Operation): readonly JsonObject[] {
  const inPath = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: text,
  }));
  if (operation.list !== true) return inPath;
  const filters = (operation.query ?? []).map((name) => ({ name, in: 'query', schema: text }));
  const paging = ['limit', 'offset'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'integer', minimum: 0 },
  }));
  return [...inPath, ...filters, ...paging];
}

function responses(operation: Operation): JsonObject {
  const status = operation.status ?? 200;
  const refused = (description: string): JsonObject => ({
    description,
    content: json(ref('Errors')),
  });
  const isOrderUpdate = operation.id === 'updateOrder';
  return {
    [status]: success(operation),
    ...(operation.id === 'createOrders'
      ? { 400: { description: 'Every order failed', content: json(ref('OrderCreateResult')) } }
      : {}),
    401: refused('The key is invalid, expired, or of the wrong level'),
    403: refused('The key lacks the ability'),
    404: isOrderUpdate
      ? { description: 'No such order', content: json(ref('Detail')) }
      : refused('Missing, or out of scope'),
    422: refused('A rule refuses the request'),
    429: refused('More than 100 requests a minute; no Retry-After'),
  };
}

function success(operation: Operation): JsonObject {
  if (operation.response === undefined) return { description: 'Done' };
  const item = ref(operation.response);
  if (operation.list !== true) return { description: operation.summary, content: json(item) };
  const list = {
    type: 'object',
    required: ['items', 'count'],
    properties: { items: { type: 'array', items: item }, count: { type: 'integer', minimum: 0 } },
  };
  return { description: operation.summary, content: json(list) };
}

const EVENT_SCHEMAS: Readonly<Record<keyof typeof EVENT_API_VERSIONS, SchemaName>> = {
  alert: 'Alert',
  enrolment: 'Enrolment',
  representment: 'Representment',
  scheme_notice: 'SchemeNotice',
  lookup: 'Lookup',
};

function webhooks(): JsonObject {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, webhook(type)]));
}

function webhook(type: string): JsonObject {
  const entity = entityOfEventType(type) ?? 'alert';
  const updated = type.endsWith('.updated');
  const data = {
    type: 'object',
    required: updated ? ['object', 'previous_attributes'] : ['object'],
    properties: {
      object: ref(EVENT_SCHEMAS[entity]),
      ...(updated ? { previous_attributes: { type: 'object' } } : {}),
    },
  };
  const envelope = {
    type: 'object',
    required: ['id', 'type', 'created_at', 'data', 'api_version'],
    properties: {
      id: text,
      type: { const: type },
      created_at: { type: 'string', format: 'date-time' },
      data,
      api_version: { const: EVENT_API_VERSIONS[entity] },
    },
  };
  const header = (name: string): JsonObject => ({
    name,
    in: 'header',
    required: true,
    schema: text,
  });
  return {
    post: {
      operationId: `on_${type.replace('.', '_')}`,
      security: [],
      parameters: [header('X-Signature'), header('X-Idempotency-Key')],
      requestBody: { required: true, content: json(envelope) },
      responses: { '2XX': { description: 'Received, within 20 seconds' } },
    },
  };
}
