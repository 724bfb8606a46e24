/**
 * The OpenAPI 3.1 document of everything the sandbox serves, made by zod-openapi from the routes and the
 * schemas of `wire/` and of the control surface. Served at `/openapi.json`.
 */
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { createDocument as render } from 'zod-openapi';
import { orderUpdateSchema } from '../../service/wire/order-update.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import { controlPaths } from './control-paths.ts';
import { detailSchema, errorsSchema, processorErrorSchema } from './errors.ts';
import { interfacePaths } from './interface-paths.ts';
import { documentOptions } from './json-schema.ts';
import { processorPaths } from './processor-paths.ts';
import { CONTROL_SCHEMAS, SCHEMAS } from './schemas.ts';
import { TAGS } from './tags.ts';
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
