/** A plain HTTP server on 127.0.0.1 that answers what a test tells it to, and remembers requests. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceClient, ServiceClientOptions } from '../../../src/service/client/index.ts';
import { createServiceClient, unlimitedBudget } from '../../../src/service/client/index.ts';

export interface SeenRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request: JSON with a status, or anything at all through the raw response. */
export type Handler = (
  request: SeenRequest,
  raw: { readonly response: ServerResponse; readonly message: IncomingMessage },
) => { readonly status?: number; readonly json?: unknown; readonly text?: string } | undefined;

export interface LocalServer {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  answer(handler: Handler): void;
  close(): Promise<void>;
}

export async function startLocalServer(): Promise<LocalServer> {
  let handler: Handler = () => ({ status: 500 });
  const requests: SeenRequest[] = [];
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request: SeenRequest = {
        method: message.method ?? '',
        url: message.url ?? '',
        headers: message.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(request);
      const reply = handler(request, { response, message });
      if (reply === undefined) return;
      response.statusCode = reply.status ?? 200;
      response.setHeader(
        'content-type',
        reply.text === undefined ? 'application/json' : 'text/html',
      );
      response.end(reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen: requests,
    answer: (next) => {
      handler = next;
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A client of `server` that neither waits nor limits itself, unless told so. */
export function clientOf(
  server: LocalServer,
  options: Partial<ServiceClientOptions> = {},
): ServiceClient {
  return createServiceClient({
    baseUrl: server.url,
    apiKey: 'org-key',
    partnerApiKey: 'partner-key',
    budget: unlimitedBudget,
    wait: async () => undefined,
    ...options,
  });
}

/** What a promise rejected with; fails the test when it did not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('Expected a rejection.');
    },
    (error: unknown) => error,
  );
}

const AT = '2026-03-01T10:00:00.123456Z';

/** An alert as the specification shows it. */
export const ALERT = {
  id: 'netalrt_1',
  organisation_id: 'org_1',
  merchant_id: 'mrch_1',
  merchant_ids: ['mrch_1'],
  enrolment_id: 'enrl_1',
  enrolment_type: 'NETA_ALERT',
  status: 'ACTION_REQUIRED',
  note: null,
  action_required_deadline: '2026-03-03T10:00:00.123456Z',
  transaction_amount_in_cents: 12990,
  transaction_currency_code: 'USD',
  transaction_card_scheme: 'SCHEME_B',
  integration_transaction_id: null,
  created_at: AT,
  updated_at: AT,
};

export const alertNumber = (number: number) => ({ ...ALERT, id: `netalrt_${number}` });
