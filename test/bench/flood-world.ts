/**
 * The service and the processor of every organisation of the flood bench, in a process of their own: whatever is
 * asked about is there. Sends its address to the parent, and, when that says anything, when each alert was answered. Each
 * organisation may have a processor of its own: whatever begins with `/processor` is one.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { alertOf, chargeOf, numberIn } from './flood-alert.ts';

/** Alerts that were answered. */
const closed = new Map<string, unknown>();
/** When, in milliseconds. */
const closedMs = new Map<string, number>();
const refunds = new Map<string, Record<string, unknown>>();

function answer(method: string, url: URL, body: string): unknown {
  const [, area, what, id] = url.pathname.split('/');
  if (area?.startsWith('processor') === true) return processorAnswer(method, url, body);
  if (what === 'orders' && method === 'POST') return ordersTaken(JSON.parse(body));
  // A list is asked for with a slash at its end.
  if (what !== 'alerts' || id === undefined || id === '') return [];
  const number = numberIn(id);
  if (number === undefined) return undefined;
  const alert = closed.get(id) ?? alertOf(number);
  if (method === 'GET') return alert;
  const outcome = JSON.parse(body).action === 'REFUND' ? 'REFUNDED' : 'NOT_REFUNDED';
  const answered = { ...alert, status: 'RESOLVED', transaction_refund_outcome: outcome };
  closed.set(id, answered);
  closedMs.set(id, Date.now());
  return answered;
}

let orders = 0;

function ordersTaken(sent: readonly Record<string, unknown>[]): unknown {
  const results = sent.map((order) => ({ ...order, id: `ord_${orders++}` }));
  return { created: results.length, failed: 0, results, errors: [] };
}

function processorAnswer(method: string, url: URL, body: string): unknown {
  const [, , what, id] = url.pathname.split('/');
  if (what === 'capabilities') {
    return {
      idempotency_ttl_hours: 24,
      can_lookup_by_reference: true,
      lookup_lag_seconds: 0,
      refuses_over_refund: true,
      async_refunds: false,
      pending_counts: false,
      request_lifetime_seconds: 60,
    };
  }
  if (what === 'refunds') return method === 'GET' ? { items: [] } : refund(JSON.parse(body));
  const arn = url.searchParams.get('acquirer_reference_number');
  if (id !== undefined) return charge(decodeURIComponent(id).slice('ch_'.length));
  return { items: arn === null ? [] : [charge(arn)] };
}

function charge(arn: string): Record<string, unknown> | undefined {
  return chargeOf(arn, refunds.get(`ch_${arn}`));
}

function refund(order: Record<string, unknown>): Record<string, unknown> {
  const reference = String(order['charge_reference']);
  const made = {
    reference: `re_${reference}`,
    idempotency_key: order['idempotency_key'] ?? null,
    charge_reference: reference,
    status: 'succeeded',
    failure_code: null,
    amount_in_cents: order['amount_in_cents'],
    currency: 'USD',
    created_at: new Date().toISOString(),
  };
  refunds.set(reference, made);
  return made;
}

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { method = 'GET', url = '/' } = request;
    const found = answer(method, new URL(url, 'http://world'), body);
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { errors: [{ code: 'NOT_FOUND', message: 'none' }] }));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('message', () => process.send?.({ closed: [...closedMs], orders }));
process.once('disconnect', () => process.exit());
