/**
 * The fakes behind HTTP, so that their ledgers outlive a worker that is killed in its own process. The
 * processor speaks the HTTP contract; the service a minimum of its own interface.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/service/wire/processor.ts';
import type { SagaWorld } from './saga-world.ts';

/** Running fakes. */
export interface HttpFakes {
  readonly processorUrl: string;
  readonly serviceUrl: string;
  close(): Promise<void>;
}

type Handler = (
  request: IncomingMessage,
  body: Record<string, unknown>,
) => Promise<{ status: number; json: unknown }>;

async function serve(handler: Handler): Promise<Server> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const { status, json } = await handler(request, text === '' ? {} : JSON.parse(text));
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const wireRefund = (refund: ProcessorRefund) => ({
  reference: refund.reference,
  idempotency_key: refund.idempotencyKey,
  charge_reference: refund.chargeReference,
  status: refund.status,
  failure_code: refund.failureCode,
  amount_in_cents: refund.amountMinor,
  currency: refund.currency,
  created_at: refund.createdAt,
});

const wireCharge = (charge: ProcessorCharge) => ({
  reference: charge.reference,
  status: charge.status,
  amount_in_cents: charge.amountMinor,
  currency: charge.currency,
  refundable_in_cents: charge.refundableMinor,
  disputed: charge.disputed,
  refunds: charge.refunds.map(wireRefund),
});

function processorHandler({ processor }: SagaWorld): Handler {
  return async (request, body) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const key = String(request.headers['idempotency-key'] ?? '');
    if (url.pathname === '/capabilities') {
      const { caps } = processor;
      return {
        status: 200,
        json: {
          idempotency_ttl_hours: caps.idempotencyTtlHours,
          can_lookup_by_reference: caps.canLookupByReference,
          lookup_lag_seconds: caps.lookupLagSeconds,
          refuses_over_refund: caps.refusesOverRefund,
          async_refunds: caps.asyncRefunds,
          pending_counts: caps.pendingCounts,
          request_lifetime_seconds: caps.requestLifetimeSeconds,
        },
      };
    }
    if (request.method === 'POST' && url.pathname === '/refunds') {
      const outcome = await processor.refund(
        {
          idempotencyKey: key,
          chargeReference: String(body['charge_reference']),
          amountMinor: Number(body['amount_in_cents']),
          currency: String(body['currency']),
          reason: String(body['reason']),
          alertId: String(body['alert_id']),
        },
        AbortSignal.timeout(10_000),
      );
      if (outcome.kind === 'confirmed') return { status: 200, json: wireRefund(outcome.refund) };
      return { status: 500, json: {} };
    }
    if (url.pathname === '/refunds') {
      const found = processor.ledger.filter(
        (entry) => entry.key === url.searchParams.get('idempotency_key'),
      );
      const items = found.map((entry) => ({
        reference: entry.reference,
        idempotency_key: entry.key,
        charge_reference: entry.chargeReference,
        status: entry.status,
        amount_in_cents: entry.amountMinor,
        currency: 'EUR',
      }));
      return { status: 200, json: { items } };
    }
    const charge = await processor.readCharge(url.pathname.split('/')[2] ?? '');
    return charge.kind === 'found'
      ? { status: 200, json: wireCharge(charge.value) }
      : { status: 404, json: {} };
  };
}

function serviceHandler({ service }: SagaWorld): Handler {
  return async (request, body) => {
    const alertId = (request.url ?? '').split('/').at(-1) ?? '';
    const signal = AbortSignal.timeout(10_000);
    if (request.method === 'GET') {
      const read = await service.get(alertId, signal);
      return read.kind === 'found'
        ? { status: 200, json: read.object }
        : { status: 404, json: { errors: [{ code: 'NOT_FOUND', message: '' }] } };
    }
    const acted = await service.act(
      alertId,
      { action: body['action'] as 'REFUND', note: String(body['note']), deadlineMs: 0 },
      signal,
    );
    return acted.kind === 'answered'
      ? { status: 200, json: acted.object }
      : { status: 422, json: { errors: [{ code: 'INVALID_ACTION', message: '' }] } };
  };
}

/** Puts a world's fakes behind HTTP. */
export async function serveFakes(world: SagaWorld): Promise<HttpFakes> {
  const processor = await serve(processorHandler(world));
  const service = await serve(serviceHandler(world));
  const close = (server: Server) =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return {
    processorUrl: urlOf(processor),
    serviceUrl: urlOf(service),
    async close() {
      await Promise.all([close(processor), close(service)]);
    },
  };
}
