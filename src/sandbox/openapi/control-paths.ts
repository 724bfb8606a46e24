/**
 * The control surface in the document: every endpoint of it that is served, with what the table of
 * operations says about it.
 */
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Endpoint } from '../http/endpoint.ts';
import type { ControlOperation } from './control-operations.ts';
import { CONTROL_OPERATIONS } from './control-operations.ts';
import { NOT_FOUND, UNPROCESSABLE } from './errors.ts';
import { pathParameters, requestBodyOf, statusOf } from './operation-parts.ts';

/** Every path of the control surface. Its page is no part of it. */
export function controlPaths(endpoints: readonly Endpoint[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    if (!path.startsWith('/sandbox/')) continue;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(endpoint) };
  }
  return paths;
}

function describe({ method, path }: Endpoint): ZodOpenApiOperationObject {
  const operation = CONTROL_OPERATIONS[`${method} ${path}`] ?? {};
  const { summary = `${method} ${path}`, request, query } = operation;
  const status = statusOf(method, operation);
  return {
    operationId: idOf(method, path),
    tags: ['Control'],
    summary,
    security: [],
    requestParams: { ...pathParameters(path), ...(query === undefined ? {} : { query }) },
    ...requestBodyOf(request),
    responses: {
      [status]: success(summary, status, operation),
      '404': NOT_FOUND,
      '422': UNPROCESSABLE,
    },
  };
}

/** `POST /sandbox/alerts/{alert_id}/resolve` → `controlPostAlertsAlertIdResolve`. */
function idOf(method: string, path: string): string {
  const words = [method.toLowerCase(), ...path.split(/[^a-z]+/).slice(2)].filter(
    (word) => word !== '',
  );
  return `control${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`;
}

const items = z.looseObject({ items: z.array(z.unknown()) });
const anything = z.looseObject({});
const text = z.string();

function success(
  description: string,
  status: string,
  { response, isList, contentType }: ControlOperation,
): ZodOpenApiResponseObject {
  if (status === '204') return { description };
  if (contentType !== undefined)
    return { description, content: { [contentType]: { schema: text } } };
  const schema = response ?? (isList === true ? items : anything);
  return { description, content: { 'application/json': { schema } } };
}
