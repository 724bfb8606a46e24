/**
 * The JSON API of the feed: create an order, change one, read its state. Answers come after the
 * order is stored; it is sent later.
 *
 * Mount it at `/api/orders`, behind the console's login.
 */

import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import express from 'express';
import type { Db } from '../base/db/database.ts';
import { JSON_PROBLEMS } from '../service/wire/strict-json.ts';
import type { ChangeResult } from './change-order.ts';
import { acceptOrders } from './intake.ts';
import type { IntakeContext } from './intake-context.ts';
import type { IntakeResult } from './intake-result.ts';
import { describeResult, isStored } from './intake-result.ts';
import { readOrder } from './order.store.ts';
import { acceptChange } from './order-changes.ts';
import { findParts } from './order-push.store.ts';
import type { OrdersBody } from './read-body.ts';
import {
  LIST_VALUES_MAX,
  ORDER_BYTES_MAX,
  OrderList,
  readOrdersBody,
  receiveOrdersBody,
} from './read-body.ts';

/** Largest request body, in bytes: a thousand large orders. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** Orders in one request. */
const ORDERS_MAX = 1_000;

/** What the routes work with. */
export interface OrderRoutesDeps extends IntakeContext {
  readonly db: Db;
}

/** Creates the router for `POST /`, `PATCH /:reference_id` and `GET /:reference_id`. */
export function createOrderRoutes(deps: OrderRoutesDeps): Router {
  const router = express.Router();
  const raw = express.raw({ type: () => true, limit: BODY_BYTES_MAX, inflate: false });
  const body: RequestHandler = (req, res, next) =>
    isReadAsItArrives(req) ? next() : raw(req, res, next);
  router.post(
    '/',
    body,
    answer(async (req, res) => postOrders(deps, req, res)),
  );
  router.patch(
    '/:reference_id',
    body,
    answer(async (req, res) => patchOrder(deps, req, res)),
  );
  router.get(
    '/:reference_id',
    answer(async (req, res) => getOrder(deps, req, res)),
  );
  return router;
}

type Handler = (req: Request, res: Response) => Promise<void>;

/** Hands what a handler throws to the console's error page. */
function answer(handler: Handler): (req: Request, res: Response, next: NextFunction) => void {
  return (req, res, next): void => {
    handler(req, res).catch(next);
  };
}

async function postOrders(deps: OrderRoutesDeps, req: Request, res: Response): Promise<void> {
  const read = await readBody(req);
  if (!read.ok) {
    refuseBody(res, read);
    return;
  }
  const { value } = read;
  const many = Array.isArray(value) || value instanceof OrderList;
  const inputs: OrderList | readonly unknown[] = many ? value : [value];
  if (inputs.length === 0 || inputs.length > ORDERS_MAX) {
    refuseCount(res);
    return;
  }
  const results = await acceptOrders(deps, inputs);
  const [first] = results;
  if (!many && first !== undefined) {
    res.status(statusOf(first)).json(shownResult(first));
    return;
  }
  const stored = results.filter(isStored);
  res.status(stored.length > 0 ? 200 : 422).json({
    accepted: stored.length,
    refused: results.length - stored.length,
    results: results.map((result, index) => ({ index, ...shownResult(result) })),
  });
}

function statusOf(result: IntakeResult): number {
  switch (result.kind) {
    case 'accepted':
    case 'corrected':
      return 201;
    case 'unchanged':
    case 'changed':
      return 200;
    case 'differs':
      return 409;
    case 'refused':
      return 422;
    default:
      return result satisfies never;
  }
}

function shownResult(result: IntakeResult): Record<string, unknown> {
  const common = { result: result.kind, reference_id: result.referenceId };
  if (result.kind === 'refused') {
    const errors = result.problems.map(({ field, problem }) => ({
      code: 'INVALID_ORDER',
      field,
      message: `${field} ${problem}`,
    }));
    return { ...common, errors };
  }
  const known = { ...common, integration_id: result.integrationId, state: result.state };
  if (result.kind === 'differs') {
    const message = describeResult(result);
    const errors = result.fields.map((field) => ({ code: 'ORDER_DIFFERS', field, message }));
    return { ...known, parts: result.parts, errors };
  }
  if (result.kind === 'changed') return { ...known, parts: result.parts };
  return { ...known, reason: result.reason, warnings: result.warnings };
}

async function patchOrder(deps: OrderRoutesDeps, req: Request, res: Response): Promise<void> {
  const read = await readBody(req);
  if (!read.ok) {
    refuseBody(res, read);
    return;
  }
  const result = await acceptChange(deps, {
    referenceId: referenceOf(req),
    integrationId: integrationOf(req),
    // A list is no change, however long.
    change: read.value instanceof OrderList ? [] : read.value,
  });
  answerChange(res, result);
}

function answerChange(res: Response, result: ChangeResult): void {
  switch (result.kind) {
    case 'changed':
    case 'unchanged':
      res.status(200).json({
        result: result.kind,
        reference_id: result.referenceId,
        state: result.state,
        parts: result.parts,
      });
      return;
    case 'unknown_order':
      notFound(res, result.referenceId);
      return;
    case 'refused':
      refuse(
        res,
        422,
        result.problems.map(({ field, problem }) => ({
          code: 'INVALID_CHANGE',
          field,
          message: `${field} ${problem}`,
        })),
      );
      return;
    default:
      result satisfies never;
  }
}

async function getOrder(deps: OrderRoutesDeps, req: Request, res: Response): Promise<void> {
  const referenceId = referenceOf(req);
  const wanted = { referenceId, integrationId: integrationOf(req) };
  const row = await readOrder(deps.db, deps.organisationId, wanted);
  if (row === undefined) {
    notFound(res, referenceId);
    return;
  }
  const parts = await findParts(deps.db, {
    organisationId: deps.organisationId,
    integrationId: row.integration_id,
    referenceId,
  });
  res.json({
    reference_id: row.reference_id,
    integration_id: row.integration_id,
    state: row.state,
    order_id: row.order_id,
    reason: row.reason,
    error_code: row.error_code,
    ready: row.ready,
    missing: row.missing,
    warnings: row.warnings,
    difference: row.difference,
    pending: parts.map(({ part, state, reason }) => ({ part, state, reason })),
    accepted_at: row.accepted_at.toISOString(),
    changed_at: row.changed_at.toISOString(),
    settled_at: row.settled_at?.toISOString() ?? null,
    order: row.body,
  });
}

/** A long body that declares its length: it is refused before it is there as a whole. */
function isReadAsItArrives(req: Request): boolean {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = req.headers;
  const bytes = Number(length ?? 0);
  return bytes > ORDER_BYTES_MAX && bytes <= BODY_BYTES_MAX && encoding === 'identity';
}

/** The body as JSON: from bytes, as a parser mounted before us has left it, or as it arrives. */
async function readBody(req: Request): Promise<OrdersBody> {
  const body: unknown = req.body;
  if (Buffer.isBuffer(body)) return await readOrdersBody(body, ORDERS_MAX);
  return body === undefined ? await receiveBody(req) : { ok: true, value: body };
}

/**
 * Reads the body while it arrives. What is left of one that is refused is taken from the connection, and not kept: many clients read
 * no answer before they have sent everything.
 *
 * @throws {Error} with the status 400 where the sender went away before its end
 */
async function receiveBody(req: Request): Promise<OrdersBody> {
  try {
    return await receiveOrdersBody(req.iterator({ destroyOnReturn: false }), ORDERS_MAX);
  } catch (error) {
    throw Object.assign(new Error('the request ended early', { cause: error }), { status: 400 });
  } finally {
    req.resume();
  }
}

function referenceOf(req: Request): string {
  const reference = req.params['reference_id'];
  return typeof reference === 'string' ? reference : '';
}

function integrationOf(req: Request): string | undefined {
  const integration = req.query['integration_id'];
  return typeof integration === 'string' ? integration : undefined;
}

function refuseBody(res: Response, refusal: Extract<OrdersBody, { ok: false }>): void {
  const { reason } = refusal;
  if (reason === 'too_large') {
    const { index } = refusal;
    const which = index === undefined ? 'The order' : `Order ${index} of the list, counted from 0,`;
    const message = `${which} has more than ${ORDER_BYTES_MAX} bytes, which are the most that are taken. Nothing was stored.`;
    refuse(res, 413, [{ code: 'ORDER_TOO_LARGE', message }]);
    return;
  }
  if (reason === 'too_many_values') {
    const message = `The orders of the list hold more than ${LIST_VALUES_MAX} values, which are the most that are taken in one request. Send fewer orders at a time. Nothing was stored.`;
    refuse(res, 413, [{ code: 'TOO_MANY_VALUES', message }]);
    return;
  }
  if (reason === 'too_many_orders') {
    refuseCount(res);
    return;
  }
  const message = `The body cannot be read: ${JSON_PROBLEMS[reason]}. Send an order as JSON.`;
  refuse(res, 400, [{ code: 'NOT_JSON', message }]);
}

function refuseCount(res: Response): void {
  const message = `Send one order, or an array of 1 to ${ORDERS_MAX}.`;
  refuse(res, 422, [{ code: 'ORDER_COUNT', message }]);
}

function refuse(res: Response, status: number, errors: readonly Record<string, unknown>[]): void {
  res.status(status).json({ errors });
}

function notFound(res: Response, referenceId: string): void {
  refuse(res, 404, [{ code: 'NOT_FOUND', message: `No order has the reference ${referenceId}.` }]);
}
