/**
 * Runs one endpoint over HTTP: reads the request, lets a planted fault bend it, answers.
 */
import { Buffer } from 'node:buffer';
import type { Request, Response } from 'express';
import { invalid, Refusal } from '../refusal.ts';
import type { RequestEntry } from '../request-log.ts';
import type { World } from '../world.ts';
import { nowIso } from '../world.ts';
import { answerFaulty } from './faulty.ts';
import type { Answer, Method } from './route.ts';
import { endpointName } from './route.ts';

/** A request as an endpoint sees it. */
export interface Incoming {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly rawBody: Buffer;
  readonly concurrent: boolean;
  readonly entry: RequestEntry;
  header(name: string): string | undefined;
  /** The parsed body; undefined when there is none. @throws Refusal 422 when it is no JSON */
  readBody(): unknown;
}

/** Something the server answers. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  /** Whether planted faults may strike: the control surface itself never fails on purpose. */
  readonly faultable: boolean;
  handle(incoming: Incoming): Answer | Promise<Answer>;
}

/** Larger bodies and answers are not kept in the request log. */
const LOGGED_CHARS_MAX = 16 * 1024;

/** Answers one request. */
export async function serve(
  world: World,
  endpoint: Endpoint,
  exchange: { readonly req: Request; readonly res: Response; readonly entry: RequestEntry },
): Promise<void> {
  const { req, res, entry } = exchange;
  const incoming = read(world, req, entry);
  const fault = endpoint.faultable
    ? world.faults.take({
        target: endpointName(endpoint),
        text: () => `${req.originalUrl}\n${incoming.rawBody.toString()}`,
      })
    : undefined;
  const run = (concurrent: boolean): Promise<Answer> =>
    runEndpoint(world, endpoint, { ...incoming, concurrent });
  if (fault === undefined) {
    send(world, res, { answer: await run(false), entry });
    return;
  }
  entry.fault = fault.kind;
  await answerFaulty(world, fault, {
    res,
    run,
    send: (answer) => send(world, res, { answer, entry }),
  });
}

/** Runs the handler; a refusal becomes its answer, anything else a `500`. */
async function runEndpoint(world: World, endpoint: Endpoint, incoming: Incoming): Promise<Answer> {
  try {
    return await endpoint.handle(incoming);
  } catch (error) {
    if (error instanceof Refusal) return { status: error.httpStatus, body: error.body };
    world.settings.log.error({ err: error, endpoint: endpoint.path }, 'sandbox endpoint failed');
    const entry = { code: 'SERVER_ERROR', message: 'The sandbox failed. See its log.' };
    return { status: 500, body: { errors: [entry] } };
  }
}

function send(
  world: World,
  res: Response,
  result: { readonly answer: Answer; readonly entry: RequestEntry },
): void {
  const { answer, entry } = result;
  entry.status = answer.status;
  if (answer.headers !== undefined) res.set(answer.headers);
  if (answer.body === undefined) {
    res.status(answer.status).end();
    return;
  }
  if (answer.contentType !== undefined) {
    res.status(answer.status).type(answer.contentType).send(answer.body);
    return;
  }
  const json = JSON.stringify(world.settings.brandTokens.toWire(answer.body));
  if (json.length <= LOGGED_CHARS_MAX) entry.answer = json;
  res.status(answer.status).type('application/json').send(json);
}

function read(world: World, req: Request, entry: RequestEntry): Incoming {
  const rawBody = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  return {
    method: req.method,
    url: req.originalUrl,
    params: singles(req.params),
    query: singles(world.settings.brandTokens.fromWire(req.query)),
    rawBody,
    concurrent: false,
    entry,
    header: (name) => req.get(name),
    readBody(): unknown {
      const body = world.settings.brandTokens.fromWire(parse(rawBody));
      if (rawBody.length <= LOGGED_CHARS_MAX) entry.body = body;
      return body;
    },
  };
}

function parse(rawBody: Buffer): unknown {
  if (rawBody.length === 0) return undefined;
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch (cause) {
    throw invalid(
      [
        {
          code: 'VALIDATION_INVALID_JSON',
          message: 'The body is not JSON. Send one JSON value in UTF-8.',
        },
      ],
      {
        cause,
      },
    );
  }
}

/** Each name once, the first value counting. */
function singles(values: unknown): Record<string, string> {
  const result: Record<string, string> = {};
  if (typeof values !== 'object' || values === null) return result;
  for (const [name, value] of Object.entries(values)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string') result[name] = first;
  }
  return result;
}

/** Makes the log entry of a request. */
export function createEntry(world: World, req: Request, endpoint: string | null): RequestEntry {
  return {
    at: nowIso(world),
    atMs: world.clock.nowMs(),
    method: req.method,
    path: req.originalUrl,
    endpoint,
    key_id: null,
    status: null,
    fault: null,
    body: undefined,
    answer: null,
  };
}
