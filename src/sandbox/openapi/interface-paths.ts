/** The paths of the interface, from the routes that are served and the table of operations. */
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Route } from '../http/route.ts';
import { LIMIT_MAX } from '../listing.ts';
import { ROUTES } from '../routes.ts';
import {
  detailSchema,
  FORBIDDEN,
  NOT_FOUND,
  RATE_LIMITED,
  UNAUTHORISED,
  UNPROCESSABLE,
} from './errors.ts';
import { EXAMPLES } from './examples.ts';
import { pathParameters, requestBodyOf, statusOf } from './operation-parts.ts';
import type { Operation } from './operations.ts';
import { OPERATIONS } from './operations.ts';
import { SCHEMAS } from './schemas.ts';

export function interfacePaths(): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const route of ROUTES) {
    const operation = OPERATIONS[`${route.method} ${route.path}`];
    if (operation === undefined) continue;
    // Served with and without a trailing slash; generators and linters want it without.
    const path = route.path.replace(/\/$/, '');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, operation) };
  }
  return paths;
}

function describe(route: Route, operation: Operation): ZodOpenApiOperationObject {
  const keys = route.partnerOnly === true ? 'partner keys only' : 'organisation and partner keys';
  const { request } = operation;
  return {
    operationId: operation.id,
    tags: [tagOf(route.path)],
    summary: operation.summary,
    description: `Ability ${route.ability}; ${keys}.`,
    ...(route.path.startsWith('/v1/enrolments') ? { deprecated: true } : {}),
    requestParams: {
      ...pathParameters(route.path),
      ...(operation.list === undefined ? {} : { query: operation.list.extend(PAGING) }),
    },
    ...requestBodyOf(request && SCHEMAS[request], request && EXAMPLES[request]),
    responses: responses(route.method, operation),
  };
}

const PAGING = {
  limit: z
    .int()
    .min(0)
    .optional()
    .meta({ description: `At most ${LIMIT_MAX}, which is the default.` }),
  offset: z.int().min(0).optional().meta({ description: 'How many to pass over.' }),
};

const TAGS: Readonly<Record<string, string>> = {
  rulesets: 'Rulesets',
  merchants: 'Merchants',
  enrolments: 'Enrolments',
  orders: 'Orders',
  alerts: 'Alerts',
  integrations: 'Integrations',
  lookups: 'Lookups',
  simulate: 'Simulations',
};

function tagOf(path: string): string {
  const [, , resource = ''] = path.split('/');
  return TAGS[resource] ?? resource;
}

function responses(
  method: Route['method'],
  operation: Operation,
): Record<`${1 | 2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject> {
  const isOrderUpdate = operation.id === 'updateOrder';
  const failed = {
    description: 'Every order failed; the same shape, and nothing was created',
    content: { 'application/json': { schema: SCHEMAS.OrderCreateResult } },
  };
  const noOrder = {
    description: 'No such order, in a form of its own',
    content: { 'application/json': { schema: detailSchema } },
  };
  return {
    [statusOf(method, operation)]: success(operation),
    ...(operation.id === 'createOrders' ? { '400': failed } : {}),
    '401': UNAUTHORISED,
    '403': FORBIDDEN,
    '404': isOrderUpdate ? noOrder : NOT_FOUND,
    '422': UNPROCESSABLE,
    '429': RATE_LIMITED,
  };
}

function success(operation: Operation): ZodOpenApiResponseObject {
  if (operation.response === undefined) return { description: 'Done' };
  const item = SCHEMAS[operation.response];
  const schema =
    operation.list === undefined ? item : z.object({ items: z.array(item), count: z.int().min(0) });
  return { description: operation.summary, content: { 'application/json': { schema } } };
}
