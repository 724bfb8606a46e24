/**
 * The OpenAPI 3.1 document of everything the sandbox serves, made by zod-openapi from the routes and the
 * schemas of `wire/` and of the control surface. Served at `/openapi.json`.
 */
import type { z } from 'zod';
import type { CreateDocumentOptions, ZodOpenApiPathsObject } from 'zod-openapi';
import { createDocument as render } from 'zod-openapi';
import { merchantUpdateSchema } from '../../service/wire/merchant.ts';
import { orderUpdateSchema } from '../../service/wire/order-update.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import { controlPaths } from './control-paths.ts';
import { detailSchema, errorsSchema, processorErrorSchema } from './errors.ts';
import { interfacePaths } from './interface-paths.ts';
import { processorPaths } from './processor-paths.ts';
import { CONTROL_SCHEMAS, SCHEMAS } from './schemas.ts';
import { webhooks } from './webhooks.ts';

export type JsonObject = Record<string, unknown>;

/** `GET /openapi.json`, with the address it was asked under as its server. */
export function openapiEndpoint(endpoints: readonly Endpoint[]): Endpoint {
  let last: { readonly url: string; readonly body: JsonObject } | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    faultable: false,
    handle(incoming): Answer {
      const host = incoming.header('host');
      const url = host === undefined ? '/' : `http://${host}`;
      if (last?.url !== url) last = { url, body: createDocument(endpoints, url) };
      return { status: 200, body: last.body };
    },
  };
}

/** The whole document. `endpoints`: what is served, the interface included. */
export function createDocument(endpoints: readonly Endpoint[], serverUrl: string): JsonObject {
  // The interface ignores fields that it does not know; the rest refuses them.
  const service = render(
    {
      ...HEAD,
      paths: interfacePaths(),
      webhooks: webhooks(),
      components: { schemas: { ...SCHEMAS, Errors: errorsSchema, Detail: detailSchema } },
    },
    documentOptions(new Set([orderUpdateSchema])),
  );
  const own: ZodOpenApiPathsObject = { ...processorPaths(), ...controlPaths(endpoints) };
  const rest = render(
    {
      ...HEAD,
      paths: own,
      components: {
        schemas: { ...CONTROL_SCHEMAS, Errors: errorsSchema, ProcessorError: processorErrorSchema },
      },
    },
    documentOptions('everything'),
  );
  return {
    ...HEAD,
    servers: [{ url: serverUrl, description: 'This sandbox' }],
    tags: TAGS,
    security: [{ apiKey: [] }],
    paths: { ...service.paths, ...rest.paths },
    webhooks: service.webhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        callSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Signature',
          description: 'Needed when the sandbox was started with a processor secret.',
        },
      },
      schemas: { ...rest.components?.schemas, ...service.components?.schemas },
    },
  };
}

const HEAD = {
  openapi: '3.1.1',
  info: {
    title: 'Chargeback prevention service, as the sandbox serves it',
    version: '1.0.0',
    description:
      'The interface with its events, the HTTP processor contract, and the control surface of the sandbox. NETA, NETB, SCHEME_A and SCHEME_B stand for real identifiers.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
} as const;

const TAGS = [
  { name: 'Rulesets', description: 'What the network answers to disputes by itself.' },
  { name: 'Merchants', description: 'One per acquiring MID or CAID. Partner keys only.' },
  { name: 'Enrolments', description: 'Merchants in prevention programmes. Partner keys only.' },
  { name: 'Orders', description: 'The order feed.' },
  { name: 'Alerts', description: 'Notices of networks, and how each was resolved.' },
  { name: 'Integrations', description: 'Sources of orders and transactions.' },
  { name: 'Lookups', description: 'Requests of networks for order data.' },
  { name: 'Simulations', description: 'Makes things happen in test organisations.' },
  { name: 'Events', description: 'Webhooks the service sends.' },
  { name: 'Processor', description: 'The HTTP processor contract, played by the sandbox.' },
  {
    name: 'Control',
    description: 'The sandbox itself: its clock, faults, accounts and books. No key.',
  },
] as const;

type Override = Extract<
  NonNullable<CreateDocumentOptions['override']>,
  (...args: never) => unknown
>;
type Context = Parameters<Override>[0];

/** Whole numbers are safe integers anyway. */
const SAFE_BOUNDS: ReadonlySet<unknown> = new Set([
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
]);

/** Options for one part of the document. `refuses`: what refuses unknown fields there. */
function documentOptions(
  refuses: 'everything' | ReadonlySet<z.core.$ZodType>,
): CreateDocumentOptions {
  return {
    override: (context): void => {
      simplify(context);
      if (refuses !== 'everything' && !refuses.has(context.zodSchema)) allowUnknown(context);
    },
    allowEmptySchema: { any: true, unknown: true, lazy: true, custom: true },
  };
}

/** Updates that change nothing are refused. */
const NEVER_EMPTY: ReadonlySet<z.core.$ZodType> = new Set([
  orderUpdateSchema,
  merchantUpdateSchema,
]);

function simplify({ zodSchema, jsonSchema }: Context): void {
  if (NEVER_EMPTY.has(zodSchema)) jsonSchema.minProperties = 1;
  const { type } = zodSchema._zod.def;
  // Any JSON: zod writes it as a schema that refers to itself, which no generator renders well.
  if (type === 'lazy')
    for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  // Moments are read with their zone and stay strings.
  if (type === 'pipe') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  if (jsonSchema.format !== undefined) Reflect.deleteProperty(jsonSchema, 'pattern');
  for (const bound of ['minimum', 'maximum'] as const) {
    if (SAFE_BOUNDS.has(jsonSchema[bound])) Reflect.deleteProperty(jsonSchema, bound);
  }
}

/** The interface takes fields that it does not know, and ignores or keeps them. */
function allowUnknown({ jsonSchema }: Context): void {
  if (jsonSchema.additionalProperties === false) {
    Reflect.deleteProperty(jsonSchema, 'additionalProperties');
  }
}
