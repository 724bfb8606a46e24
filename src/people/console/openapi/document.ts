/**
 * The OpenAPI 3.1 document of the JSON API, made by zod-openapi from the schemas that the routes read with
 * and from those of the answers. Served at `/api/openapi.json`.
 */
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { createDocument } from 'zod-openapi';
import { pathParameters, requestBodyOf } from '../../../sandbox/openapi/operation-parts.ts';
import type { ApiTag, Operation } from '../../../surface/web/operation.ts';
import { OPERATIONS } from './operations.ts';
import { refusal } from './order-answers.ts';

const REFUSALS = {
  400: 'The request is not valid; each error names its field',
  401: 'No token, or one that is not known',
  403: 'The role does not allow it, or money would move and nobody confirmed who they are',
  404: 'There is none',
  409: 'The state does not allow it any more, or somebody else was first',
  410: 'It was there, and is no longer kept',
  413: 'The body is too large',
  422: 'A rule refuses it',
} as const;

const HEAD = {
  openapi: '3.1.1',
  info: {
    title: 'Forestall JSON API',
    version: '1',
    description:
      'For programs of the merchant: alerts and decisions, reviews, orders, findings, events. Amounts are whole minor units of their currency, moments ISO 8601 UTC.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
} as const;

/** Each once, in the order of its first operation. */
function tagsOf(operations: readonly Operation[]): ApiTag[] {
  return [...new Map(operations.map(({ tag }) => [tag.name, { ...tag }])).values()];
}

export function apiDocument(serverUrl: string): object {
  const document = createDocument(
    {
      ...HEAD,
      security: [{ token: [] }],
      servers: [{ url: serverUrl, description: 'This console' }],
      tags: tagsOf(Object.values(OPERATIONS)),
      paths: paths(),
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'The console token, or the token of an operator whose role suffices.',
          },
        },
      },
    },
    {
      // Any JSON value, where it depends on what it is about.
      allowEmptySchema: { any: true, unknown: true, lazy: true, custom: true },
      override: ({ zodSchema, jsonSchema }): void => {
        // A schema that refers to itself renders well in no generator, and says no more than "any JSON".
        if (zodSchema._zod.def.type !== 'lazy') return;
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      },
    },
  );
  return document;
}

function paths(): ZodOpenApiPathsObject {
  const found: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const [method = '', path = ''] = name.split(' ');
    found[path] = { ...found[path], [method.toLowerCase()]: describe(method, path, operation) };
  }
  return found;
}

function describe(method: string, path: string, operation: Operation): ZodOpenApiOperationObject {
  const { tag, summary, description, query, body, answers, refusals = [] } = operation;
  return {
    operationId: idOf(method, path),
    tags: [tag.name],
    summary,
    ...(description === undefined ? {} : { description }),
    requestParams: { ...pathParameters(path), ...(query === undefined ? {} : { query }) },
    ...requestBodyOf(body),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => [
          status,
          { description: summary, content: { 'application/json': { schema } } },
        ]),
      ),
      ...Object.fromEntries(
        ([400, 401, 403, ...refusals, ...(body === undefined ? [] : [413 as const])] as const).map(
          (status) => [
            status,
            { description: REFUSALS[status], content: { 'application/json': { schema: refusal } } },
          ],
        ),
      ),
    },
  };
}

/** `POST /api/alerts/{id}/decision` → `postAlertsIdDecision`. */
function idOf(method: string, path: string): string {
  const words = path.split(/[^a-z]+/).filter((word) => word !== '' && word !== 'api');
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return [method.toLowerCase(), ...words.map(capital)].join('');
}
