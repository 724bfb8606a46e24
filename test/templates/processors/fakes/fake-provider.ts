/** Serves one provider's API through nock, with faults that strike the transport, not the books. */
import nock from 'nock';
import type { ConformanceFault } from '../../../../src/running/testing/conformance-fault.ts';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeProvider {
  readonly requests: FakeRequest[];
  withFault<Value>(fault: ConformanceFault, call: () => Promise<Value>): Promise<Value>;
  stop(): void;
}

export interface Fake {
  readonly base: string;
  handle(request: FakeRequest): FakeAnswer;
  /** Whether this request asks for a refund. */
  isRefund(request: FakeRequest): boolean;
  /** Whether this request is part of reading; tokens are not. */
  isReading?(request: FakeRequest): boolean;
  /** What the provider says when it refuses for good: with a faulty status it must not be believed. */
  readonly refusal: unknown;
}

// Loaded, it stands before the network at once; the files that come after in this process would pay for it.
nock.restore();

type Served = [status: number, body: string, headers: Record<string, string>];

/** Starts serving. Everything else on the network is refused until `stop`. */
export function serveFake(fake: Fake): FakeProvider {
  const requests: FakeRequest[] = [];
  let active: ConformanceFault | undefined;

  function strikes(request: FakeRequest): boolean {
    if (active === undefined) return false;
    if (active.on === 'refund') return fake.isRefund(request);
    return fake.isReading?.(request) ?? true;
  }

  async function serve(received: Request): Promise<Served> {
    const url = new URL(received.url);
    const request = {
      method: received.method,
      path: url.pathname,
      query: url.searchParams,
      headers: Object.fromEntries(received.headers),
      body: await received.text(),
    };
    requests.push(request);
    if (active === undefined || !strikes(request)) {
      const { status, body, headers } = fake.handle(request);
      return [status, body === undefined ? '' : JSON.stringify(body), { ...JSON_TYPE, ...headers }];
    }
    const answered = active.executes ? fake.handle(request).body : { id: 'none', data: [] };
    return await misbehave(active, JSON.stringify(answered), fake.refusal);
  }

  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
    const reply = serve as unknown as (uri: string) => Promise<nock.ReplyFnResult>;
    nock(fake.base).persist().intercept(/.*/, method).reply(reply);
  }
  return {
    requests,
    async withFault(fault, call) {
      active = fault;
      try {
        return await call();
      } finally {
        active = undefined;
      }
    },
    stop() {
      nock.cleanAll();
      nock.enableNetConnect();
      nock.restore();
    },
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function misbehave(
  fault: ConformanceFault,
  answered: string,
  refusal: unknown,
): Promise<Served> {
  switch (fault.kind) {
    case 'html':
      return [200, '<html><body>OK</body></html>', { 'content-type': 'text/html' }];
    case 'truncated':
      return [200, answered.slice(0, Math.floor(answered.length / 2)), JSON_TYPE];
    case 'empty':
      return [200, '', JSON_TYPE];
    case 'connection_lost':
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    case 'no_answer':
      return await new Promise(() => undefined);
    default:
      return [Number(fault.kind.slice('http_'.length)), JSON.stringify(refusal), JSON_TYPE];
  }
}

/** Serves answers as recorded: the same function for every request. */
export function serveAnswers(
  base: string,
  handle: (request: FakeRequest) => FakeAnswer,
): FakeProvider {
  return serveFake({ base, handle, isRefund: () => false, refusal: {} });
}
