/** Runs one endpoint over HTTP: reads the request, lets a planted fault bend it, answers. */
import { Buffer } from 'node:buffer';
import type { Request, Response } from 'express';
import { invalid, Refusal } from '../refusal.ts';
import type { RequestEntry } from '../request-log.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { answerFaulty } from './faulty.ts';
import type { Answer, Method } from './route.ts';

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

/** A request, how to answer it, and what its path says. */
interface Exchange {
  /** The endpoint's, as faults and the request log name it. */
  readonly name: string;
  readonly req: Request;
  readonly res: Response;
  readonly entry: RequestEntry;
  readonly params: Incoming['params'];
}

export async function serve(
  context: SandboxContext,
  endpoint: Endpoint,
  exchange: Exchange,
): Promise<void> {
  const { name, req, res, entry } = exchange;
  const incoming = read(context, exchange);
  const fault = endpoint.faultable
    ? context.faults.take({
        target: name,
        text: () => `${req.originalUrl}\n${incoming.rawBody.toString()}`,
      })
    : undefined;
  if (fault === undefined) {
    const answer = runEndpoint(context, endpoint, incoming);
    send(context, res, { answer: answer instanceof Promise ? await answer : answer, entry });
    return;
  }
  const run = async (concurrent: boolean): Promise<Answer> =>
    await runEndpoint(context, endpoint, { ...incoming, concurrent });
  entry.fault = fault.kind;
  await answerFaulty(context, fault, {
    res,
    run,
    send: (answer) => send(context, res, { answer, entry }),
  });
}

/** Runs the handler; a refusal becomes its answer, anything else a `500`. */
function runEndpoint(
  context: SandboxContext,
  endpoint: Endpoint,
  incoming: Incoming,
): Answer | Promise<Answer> {
  const refuse = (error: unknown): Answer => answerOf(context, endpoint, error);
  try {
    const answer = endpoint.handle(incoming);
    // Few endpoints have to wait; the others are answered in the same turn.
    return answer instanceof Promise ? answer.catch(refuse) : answer;
  } catch (error) {
    return refuse(error);
  }
}

function answerOf(context: SandboxContext, endpoint: Endpoint, error: unknown): Answer {
  if (error instanceof Refusal) return { status: error.httpStatus, body: error.body };
  context.settings.log.error({ err: error, endpoint: endpoint.path }, 'sandbox endpoint failed');
  const entry = { code: 'SERVER_ERROR', message: 'The sandbox failed. See its log.' };
  return { status: 500, body: { errors: [entry] } };
}

function send(
  context: SandboxContext,
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
  const json = JSON.stringify(context.settings.brandTokens.toWire(answer.body));
  if (json.length <= LOGGED_CHARS_MAX) entry.answer = json;
  const bytes = Buffer.byteLength(json);
  res.statusCode = answer.status;
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', bytes);
  // A text goes out in one write with its headers; bytes would go in two. ASCII needs no encoding.
  res.end(json, bytes === json.length ? 'latin1' : 'utf8');
}

const NO_BYTES = Buffer.alloc(0);

function read(context: SandboxContext, { req, entry, params }: Exchange): Incoming {
  const rawBody = Buffer.isBuffer(req.body) ? req.body : NO_BYTES;
  return {
    method: req.method,
    url: req.originalUrl,
    params,
    query: req.url.includes('?') ? singles(context.settings.brandTokens.fromWire(req.query)) : {},
    rawBody,
    concurrent: false,
    entry,
    header: (name) => req.get(name),
    readBody(): unknown {
      const body = context.settings.brandTokens.fromWire(parse(rawBody));
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
      { cause },
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

export function createEntry(
  context: SandboxContext,
  req: Request,
  endpoint: string | null,
): RequestEntry {
  const atMs = context.clock.nowMs();
  return {
    at: new Date(atMs).toISOString(),
    atMs,
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
