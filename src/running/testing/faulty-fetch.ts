/**
 * A `fetch` between Forestall and a processor's endpoint that spoils one call on request: before it
 * leaves, or after the endpoint has executed it. So an endpoint in any language is tried against lost
 * and broken answers without knowing of them.
 */
import type { ConformanceFault, FaultKind } from './conformance-fault.ts';

/** The `fetch`, and what plants a fault in it. */
export interface FaultyFetch {
  readonly fetch: typeof fetch;
  withFault<Value>(fault: ConformanceFault, call: () => Promise<Value>): Promise<Value>;
}

/** How a fixture of your own spoils calls. */
export interface FaultyFetchOptions {
  /** Whether the request asks for a refund. @default a POST whose path ends in `/refunds` */
  readonly isRefund?: (request: Request) => boolean;
  /** What makes the calls. @default the `fetch` of the moment; give the first one where you put this in its place */
  readonly through?: typeof fetch;
}

/** Creates one; without a fault it only passes calls on. */
export function createFaultyFetch(options: FaultyFetchOptions = {}): FaultyFetch {
  const { isRefund = isRefundOfContract } = options;
  const pass: typeof fetch = (...asked) => (options.through ?? fetch)(...asked);
  let planted: ConformanceFault | undefined;
  /** One that is not held is collected as garbage, and then its signal is never heard (nodejs/undici#3644). */
  const underWay = new Set<Request>();
  const strikes = ({ on }: ConformanceFault, request: Request): boolean =>
    on === 'reading' ? request.method === 'GET' : isRefund(request);
  return {
    async fetch(input, init): Promise<Response> {
      const request = new Request(input, init);
      underWay.add(request);
      try {
        const fault = planted;
        if (fault === undefined || !strikes(fault, request)) return await pass(request);
        const answer = fault.executes ? await pass(request) : undefined;
        return await spoil(fault.kind, await answer?.text(), request.signal);
      } finally {
        underWay.delete(request);
      }
    },
    async withFault<Value>(fault: ConformanceFault, call: () => Promise<Value>): Promise<Value> {
      planted = fault;
      try {
        return await call();
      } finally {
        planted = undefined;
      }
    },
  };
}

function isRefundOfContract({ method, url }: Request): boolean {
  return method === 'POST' && new URL(url).pathname.endsWith('/refunds');
}

const JSON_TYPE = { 'content-type': 'application/json' };
const REFUSAL = '{"code":"spoiled"}';

async function spoil(
  kind: FaultKind,
  text: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  switch (kind) {
    case 'html':
      return new Response('<html><body>OK</body></html>', {
        headers: { 'content-type': 'text/html' },
      });
    case 'truncated':
      return new Response((text ?? '{"items":[]}').slice(0, -1), { headers: JSON_TYPE });
    case 'empty':
      return new Response('', { headers: JSON_TYPE });
    case 'connection_lost':
      throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    case 'no_answer':
      return await untilGivenUp(signal);
    default:
      return new Response(REFUSAL, { status: Number(kind.slice(5)), headers: JSON_TYPE });
  }
}

/** As a socket would, it keeps the process alive while it waits. No caller waits longer than this for an answer. */
const WAIT_MS_MAX = 120_000;

async function untilGivenUp(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return await new Promise<never>((_resolve, reject) => {
    const held = setTimeout(() => reject(new TypeError('fetch failed')), WAIT_MS_MAX);
    const end = (): void => {
      clearTimeout(held);
      reject(signal.reason);
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
