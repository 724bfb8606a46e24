/**
 * The network between us, the service and the processor, with what goes wrong on it.
 *
 * Every request of ours waits for the scheduler, then meets its fault: an error, a lost reply, a late
 * execution, an answer that cannot be read, none at all. Webhooks come in here too; their faults are
 * the sandbox's own, and a 2xx for an event that is not stored is a violation (I7).
 */
import { Buffer } from 'node:buffer';
import type { RequestListener } from 'node:http';
import type { FixedClock } from '../../src/base/kernel/clock.ts';
import type { Random } from '../../src/sandbox/ids.ts';
import type { Actor } from './actor.ts';
import { currentActor, runAs, runAsWorld } from './actor.ts';
import type { LoopbackAnswer, LoopbackRequest } from './loopback.ts';
import { exchangeInside } from './loopback.ts';
import type { Scheduler } from './scheduler.ts';
import { withoutRefunds } from './shown-refunds.ts';
import type { Outage, Side, Weather } from './weather.ts';
import { oneOf } from './weather.ts';

const CALL_FAULTS = [
  'status',
  'status_after',
  'drop_before',
  'drop_after',
  'late',
  'malformed',
  'truncated',
  'hang',
  'hang_after',
  'slow',
] as const;
export type CallFault = (typeof CALL_FAULTS)[number] | 'refused' | 'mute';

/** Longest call of ours, in milliseconds: the product's own limit. */
const CALL_MS = 10_000;

/** A listener of ours that takes webhooks. */
export interface Receiver {
  readonly actor: Actor;
  readonly listener: RequestListener;
}

/** Parts of the network. */
export interface EdgesOptions {
  readonly scheduler: Scheduler;
  readonly clock: FixedClock;
  readonly random: Random;
  readonly weather: Weather;
  /** What the services and processors do with a request. */
  readonly executeAt: (asked: LoopbackRequest) => Promise<LoopbackAnswer>;
  readonly receivers: () => readonly Receiver[];
  /** Faults end at this moment, in milliseconds. */
  readonly calmFromMs: number;
  readonly startMs: number;
  readonly requestLifetimeMs: number;
  /** Called after each execution of a call that can change something. */
  readonly onExecuted: (request: LoopbackRequest) => void;
  readonly onAcknowledged: (delivered: LoopbackRequest) => void;
}

/** What came back over the network. */
interface Reply {
  readonly afterMs: number;
  readonly answer: LoopbackAnswer | Error;
}

/** The network. */
export interface Edges {
  readonly fetch: typeof globalThis.fetch;
  /** How often each fault struck. */
  readonly struck: Map<string, number>;
  /** Executions that a late request still owes, under way. */
  readonly late: Set<Promise<unknown>>;
}

/** Makes the network. */
export function createEdges(options: EdgesOptions): Edges {
  const edges: Edges = {
    fetch: async (input, init) => {
      // The client hands over a request of its own; another one around it would be copied for nothing.
      const request =
        input instanceof Request && init === undefined ? input : new Request(input, init);
      const asked = await readRequest(request);
      const actor = currentActor();
      if (actor === undefined) return await deliver(options, edges, asked);
      return await callOut(options, edges, { actor, asked, request });
    },
    struck: new Map(),
    late: new Set(),
  };
  return edges;
}

async function readRequest(request: Request): Promise<LoopbackRequest> {
  const url = new URL(request.url);
  return {
    origin: url.origin,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: Object.fromEntries(request.headers),
    body: Buffer.from(await request.arrayBuffer()),
  };
}

interface Call {
  readonly actor: Actor;
  readonly asked: LoopbackRequest;
  /** Kept until the end: once it is collected as garbage, its signal is never aborted. */
  readonly request: Request;
}

async function callOut(options: EdgesOptions, edges: Edges, call: Call): Promise<Response> {
  const { scheduler } = options;
  const { actor, asked, request } = call;
  const { signal } = request;
  const reply = await scheduler.enter({
    actor,
    kind: 'call',
    label: `${asked.method} ${asked.path}`,
    run: async () => {
      // The caller may have given up while it was stopped.
      signal.throwIfAborted();
      const fault = drawFault(options, asked);
      if (fault !== undefined) note(options, edges, fault);
      return await travel(options, edges, { asked, fault });
    },
  });
  if (reply.afterMs > 0) await scheduler.sleep(actor, reply.afterMs, signal);
  call.request.signal.throwIfAborted();
  if (reply.answer instanceof Error) throw reply.answer;
  const { status, headers, body } = reply.answer;
  scheduler.note(`${status} ${body.length}`);
  return new Response(status === 204 ? null : new Uint8Array(body), { status, headers });
}

function note({ scheduler }: EdgesOptions, { struck }: Edges, fault: string): void {
  scheduler.note(`fault ${fault}`);
  struck.set(fault, (struck.get(fault) ?? 0) + 1);
}

function sidesOf(asked: LoopbackRequest): readonly Side[] {
  if (!asked.path.startsWith('/processor/')) return ['service'];
  return isRefundCall(asked) ? ['processor', 'refunds'] : ['processor'];
}

function isRefundCall({ method, path }: LoopbackRequest): boolean {
  return method === 'POST' && path === '/processor/refunds';
}

function outageOf(
  { weather, clock, startMs }: EdgesOptions,
  sides: readonly Side[],
): Outage | undefined {
  const atMs = clock.nowMs() - startMs;
  return weather.outages.find(
    (outage) => sides.includes(outage.side) && outage.fromMs <= atMs && atMs < outage.toMs,
  );
}

function drawFault(options: EdgesOptions, asked: LoopbackRequest): CallFault | undefined {
  const { weather, random, clock, calmFromMs } = options;
  if (clock.nowMs() >= calmFromMs) return undefined;
  const outage = outageOf(options, sidesOf(asked));
  if (outage !== undefined) return outage.manner;
  const share = isRefundCall(asked) ? weather.refundFaults : weather.callFaults;
  return random() < share ? oneOf(random, CALL_FAULTS) : undefined;
}

interface Journey {
  readonly asked: LoopbackRequest;
  readonly fault: CallFault | undefined;
}

async function travel(options: EdgesOptions, edges: Edges, journey: Journey): Promise<Reply> {
  const { asked, fault } = journey;
  const { random } = options;
  const answerNow = (): Promise<LoopbackAnswer> => runAsWorld(() => executeAt(options, asked));
  const execute = async (): Promise<Reply> => ({ afterMs: 0, answer: await answerNow() });
  switch (fault) {
    case undefined:
      return await execute();
    case 'slow':
      return { ...(await execute()), afterMs: 1 + random() * CALL_MS * 0.9 };
    case 'status':
      return { afterMs: 0, answer: refusal(oneOf(random, [429, 500, 502, 503])) };
    case 'refused':
      return { afterMs: 0, answer: refusal(503) };
    case 'status_after':
      await execute();
      return { afterMs: 0, answer: refusal(oneOf(random, [500, 502, 504])) };
    case 'drop_before':
      return broken();
    case 'drop_after':
      await execute();
      return broken();
    case 'hang':
      return nothing();
    case 'mute':
    case 'hang_after':
      await execute();
      return nothing();
    case 'late':
      scheduleLate(options, edges, asked);
      return broken();
    case 'malformed':
    case 'truncated':
      return { afterMs: 0, answer: spoilt(await answerNow(), fault) };
  }
}

function broken(): Reply {
  return { afterMs: 0, answer: new TypeError('fetch failed: the connection was cut') };
}

function nothing(): Reply {
  return { afterMs: CALL_MS, answer: new DOMException('No answer', 'TimeoutError') };
}

/** A request that we gave up on still executes, within the life the processor states for it. */
function scheduleLate(options: EdgesOptions, edges: Edges, asked: LoopbackRequest): void {
  const { scheduler, clock, random, requestLifetimeMs } = options;
  const afterMs = 1 + Math.floor(random() * (requestLifetimeMs - 1));
  scheduler.at(clock.nowMs() + afterMs, () => {
    scheduler.note(`late ${asked.method} ${asked.path}`);
    const run = executeAt(options, asked).finally(() => edges.late.delete(run));
    edges.late.add(run);
  });
}

async function executeAt(
  { executeAt: execute, onExecuted, weather }: EdgesOptions,
  asked: LoopbackRequest,
): Promise<LoopbackAnswer> {
  const answer = await execute(asked);
  if (asked.method !== 'GET') onExecuted(asked);
  const isCharge = asked.method === 'GET' && asked.path.startsWith('/processor/charges');
  // Such a processor never shows what came through its interface.
  return weather.hidesOurRefunds && isCharge
    ? withoutRefunds(answer, ({ idempotency_key: key }) => key !== null)
    : answer;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function refusal(status: number): LoopbackAnswer {
  const code = status === 429 ? 'RATE_LIMITED' : 'SERVER_ERROR';
  const body = Buffer.from(JSON.stringify({ errors: [{ code, message: 'simulated' }] }));
  return { status, headers: JSON_TYPE, body };
}

function spoilt(answer: LoopbackAnswer, fault: 'malformed' | 'truncated'): LoopbackAnswer {
  return fault === 'malformed'
    ? { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<p>Later.</p>') }
    : { ...answer, headers: JSON_TYPE, body: answer.body.subarray(0, answer.body.length >> 1) };
}

/** A webhook, as the service sends it: to any listener of ours that is up. */
async function deliver(
  options: EdgesOptions,
  edges: Edges,
  asked: LoopbackRequest,
): Promise<Response> {
  const up = options.receivers();
  const isAway = options.clock.nowMs() < options.calmFromMs && outageOf(options, ['webhook']);
  if (isAway || up.length === 0) {
    note(options, edges, 'webhook refused');
    throw new TypeError('fetch failed: connection refused');
  }
  const { actor, listener } = oneOf(options.random, up);
  const died = new Promise<never>((_, reject) => {
    actor.onDeath.push(() => reject(new TypeError('fetch failed: the receiver died')));
  });
  const answer = await Promise.race([runAs(actor, () => exchangeInside(listener, asked)), died]);
  options.scheduler.note(`webhook ${answer.status}`);
  if (answer.status >= 200 && answer.status < 300) options.onAcknowledged(asked);
  return new Response(new Uint8Array(answer.body), { status: answer.status });
}
