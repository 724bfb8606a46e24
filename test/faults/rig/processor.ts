/**
 * A payment processor in a process of its own: the HTTP processor contract in front of a ledger that
 * is a file. The ledger, not our tables, says how often money moved.
 *
 *   node processor.ts <ledger file> <secret> [test|live]
 *
 * Each charge carries the faults of its next refund calls, so that cases do not disturb each other.
 * Like real ones it keeps a key for 24 hours, refuses a refund above what is left, and executes what
 * it was sent also when the caller has gone.
 */
import { createHmac } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { ChargeFields, LedgerEntry, RefundFault } from './processor-types.ts';

const [ledgerFile = '', secret = '', mode] = process.argv.slice(2);
const KEY_LIFE_MS = 24 * 3_600_000;

interface Charge {
  fields: ChargeFields;
  faults: RefundFault[];
  /** Reads of it and of its refunds answer 503. */
  readsDown: boolean;
  /** How long a new refund stays invisible to reads. */
  lagMs: number;
  /** How long after its arrival a late refund executes, in real milliseconds. */
  lateMs: number;
}

interface Call {
  readonly method: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
  readonly key: string;
  readonly response: ServerResponse;
}

const charges = new Map<string, Charge>();
const ledger: LedgerEntry[] = [];
const keys = new Map<string, { entry: LedgerEntry; body: string }>();
const calls: { charge: string; key: string; atMs: number }[] = [];
let offsetMs = 0;

const nowMs = (): number => Date.now() + offsetMs;

function record(entry: LedgerEntry): void {
  ledger.push(entry);
  appendFileSync(ledgerFile, `${JSON.stringify(entry)}\n`);
}

function moved(reference: string): number {
  return ledger
    .filter(({ charge, status }) => charge === reference && status !== 'failed')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function showRefund(entry: LedgerEntry): Record<string, unknown> {
  return {
    reference: entry.reference,
    idempotency_key: entry.key,
    charge_reference: entry.charge,
    status: entry.status,
    failure_code: entry.status === 'failed' ? 'failed_later' : null,
    amount_in_cents: entry.amountMinor,
    currency: entry.currency,
    created_at: new Date(entry.atMs).toISOString(),
  };
}

function isVisible(entry: LedgerEntry): boolean {
  return entry.key === null || nowMs() - entry.atMs >= (charges.get(entry.charge)?.lagMs ?? 0);
}

function showCharge({ fields }: Charge): Record<string, unknown> {
  const { card_bin: bin, card_last4: last4, ...rest } = fields;
  return {
    ...rest,
    refundable_in_cents:
      fields.status === 'captured' ? fields.amount_in_cents - moved(fields.reference) : 0,
    card: { brand: 'SCHEME_A', bin, last4 },
    refunds: ledger
      .filter((entry) => entry.charge === fields.reference && isVisible(entry))
      .map(showRefund),
  };
}

function reply(response: ServerResponse, status: number, json: unknown): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
}

/** Executes a refund once per key. Returns the answer it would give. */
function execute(call: Call, status: LedgerEntry['status']): { status: number; json: unknown } {
  const reference = String(call.body['charge_reference']);
  const amountMinor = Number(call.body['amount_in_cents']);
  const text = JSON.stringify(call.body);
  const known = keys.get(call.key);
  if (known !== undefined && nowMs() - known.entry.atMs < KEY_LIFE_MS) {
    return known.body === text
      ? { status: 200, json: showRefund(known.entry) }
      : { status: 400, json: { error: { code: 'idempotency_key_reused' } } };
  }
  const charge = charges.get(reference);
  if (charge === undefined) return { status: 404, json: { error: { code: 'charge_not_found' } } };
  if (amountMinor > charge.fields.amount_in_cents - moved(reference)) {
    return {
      status: 422,
      json: { error: { code: 'charge_already_refunded', failure_class: 'done' } },
    };
  }
  const entry: LedgerEntry = {
    reference: `re_${ledger.length + 1}`,
    charge: reference,
    key: call.key,
    amountMinor,
    currency: String(call.body['currency']),
    alertId: String(call.body['alert_id']),
    atMs: nowMs(),
    status,
  };
  record(entry);
  keys.set(call.key, { entry, body: text });
  return { status: 200, json: showRefund(entry) };
}

/** What each fault does with a refund call. Not answering is a fault, too. */
const FAULTS: Readonly<Record<RefundFault, (call: Call) => void>> = {
  hang: () => undefined,
  hang_after: (call) => void execute(call, 'succeeded'),
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  reset_after(call) {
    execute(call, 'succeeded');
    call.response.socket?.resetAndDestroy();
  },
  error: ({ response }) => reply(response, 500, { error: { code: 'server_error' } }),
  error_after(call) {
    execute(call, 'succeeded');
    reply(call.response, 500, { error: { code: 'server_error' } });
  },
  truncated_after(call) {
    const { json } = execute(call, 'succeeded');
    call.response.writeHead(200, { 'content-type': 'application/json' });
    call.response.end(JSON.stringify(json).slice(0, 30));
  },
  html_after(call) {
    execute(call, 'succeeded');
    call.response.writeHead(200, { 'content-type': 'text/html' });
    call.response.end('<html><body>Thank you</body></html>');
  },
  late(call) {
    const charge = charges.get(String(call.body['charge_reference']));
    setTimeout(() => execute(call, 'succeeded'), charge?.lateMs ?? 0);
    call.response.socket?.resetAndDestroy();
  },
  key_in_use: ({ response }) => reply(response, 409, { error: { code: 'idempotency_key_in_use' } }),
  key_reused: ({ response }) => reply(response, 400, { error: { code: 'idempotency_key_reused' } }),
  no_balance: ({ response }) => reply(response, 422, { error: { code: 'insufficient_balance' } }),
  window_over: ({ response }) =>
    reply(response, 422, { error: { code: 'refund_window_over', failure_class: 'final' } }),
  dispute_open: ({ response }) =>
    reply(response, 422, { error: { code: 'charge_disputed', failure_class: 'final' } }),
  pending(call) {
    const { status, json } = execute(call, 'pending');
    reply(call.response, status, json);
  },
};

function postRefund(call: Call): void {
  const reference = String(call.body['charge_reference']);
  calls.push({ charge: reference, key: call.key, atMs: nowMs() });
  const fault = charges.get(reference)?.faults.shift();
  if (fault !== undefined) {
    FAULTS[fault](call);
    return;
  }
  const { status, json } = execute(call, 'succeeded');
  reply(call.response, status, json);
}

function search({ url, response }: Call): void {
  const wanted = [...url.searchParams].filter(([name]) => !name.startsWith('authorised_'));
  const found = [...charges.values()].filter(({ fields }) =>
    wanted.every(([name, value]) => String(Reflect.get(fields, name)) === value),
  );
  const from = Date.parse(url.searchParams.get('authorised_from') ?? '1970-01-01');
  const to = Date.parse(url.searchParams.get('authorised_to') ?? '2999-01-01');
  const within = found.filter(({ fields }) => {
    const at = Date.parse(fields.authorised_at);
    return at >= from && at <= to;
  });
  reply(response, 200, { items: within.map(showCharge) });
}

function readOne({ url, response }: Call): void {
  const charge = charges.get(decodeURIComponent(url.pathname.split('/')[2] ?? ''));
  if (charge === undefined) reply(response, 404, { error: { code: 'charge_not_found' } });
  else if (charge.readsDown) reply(response, 503, {});
  else reply(response, 200, showCharge(charge));
}

function findRefunds({ url, response }: Call): void {
  const key = url.searchParams.get('idempotency_key');
  const mine = calls.find((call) => call.key === key)?.charge ?? '';
  if (charges.get(mine)?.readsDown === true) {
    reply(response, 503, {});
    return;
  }
  const items = ledger.filter((entry) => entry.key === key && isVisible(entry)).map(showRefund);
  reply(response, 200, { items });
}

/** What the cases set and read; not part of the contract. */
function control(call: Call): void {
  const { body, url, response } = call;
  if (url.pathname === '/control/charges') {
    const fields = body['fields'] as ChargeFields;
    const known = charges.get(fields.reference);
    charges.set(fields.reference, {
      fields: { ...known?.fields, ...fields },
      faults: (body['faults'] as RefundFault[] | undefined) ?? known?.faults ?? [],
      readsDown: body['readsDown'] === true,
      lagMs: Number(body['lagMs'] ?? 0),
      lateMs: Number(body['lateMs'] ?? 0),
    });
  } else if (url.pathname === '/control/support') {
    record({
      reference: `su_${ledger.length + 1}`,
      charge: String(body['charge']),
      key: null,
      amountMinor: Number(body['amountMinor']),
      currency: 'USD',
      alertId: '',
      atMs: nowMs(),
      status: 'succeeded',
    });
  } else if (url.pathname === '/control/settle') {
    const entry = ledger.find(({ charge, key }) => charge === body['charge'] && key !== null);
    if (entry !== undefined) entry.status = body['status'] as LedgerEntry['status'];
  } else if (url.pathname === '/control/clock') {
    offsetMs = Number(body['offsetMs']);
  }
  const captured = [...charges.values()].map(({ fields }) => [
    fields.reference,
    fields.amount_in_cents,
  ]);
  reply(response, 200, { ledger, calls, captured });
}

function isSigned(request: IncomingMessage, raw: string): boolean {
  const [, t = '', digest = ''] =
    /^t=(\d+),v1=([0-9a-f]{128})$/.exec(String(request.headers['x-signature'] ?? '')) ?? [];
  const signed = `${t}.${request.method} ${request.url}.${raw}`;
  return createHmac('sha512', secret).update(signed).digest('hex') === digest;
}

const CAPABILITIES = {
  idempotency_ttl_hours: 24,
  can_lookup_by_reference: true,
  // Ten minutes, as F50 has it: an absent refund proves nothing before.
  lookup_lag_seconds: 600,
  refuses_over_refund: true,
  async_refunds: true,
  pending_counts: false,
  request_lifetime_seconds: 60,
  ...(mode === undefined ? {} : { mode }),
};

function dispatch(call: Call): void {
  const { method, url, response } = call;
  const path = `${method} ${url.pathname}`;
  if (url.pathname.startsWith('/control/')) control(call);
  else if (path === 'GET /capabilities') reply(response, 200, CAPABILITIES);
  else if (path === 'POST /refunds') postRefund(call);
  else if (path === 'GET /refunds') findRefunds(call);
  else if (path === 'GET /charges') search(call);
  else if (path.startsWith('GET /charges/')) readOne(call);
  else reply(response, 501, { error: { code: 'not_offered' } });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const raw = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? '/', 'http://processor');
    if (!url.pathname.startsWith('/control/') && !isSigned(request, raw)) {
      reply(response, 401, { error: { code: 'signature_refused' } });
      return;
    }
    dispatch({
      method: request.method ?? '',
      url,
      body: raw === '' ? {} : JSON.parse(raw),
      key: String(request.headers['idempotency-key'] ?? ''),
      response,
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stdout.write(`listening ${address.port}\n`);
});
