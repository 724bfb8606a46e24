/**
 * What a flood of alerts into one organisation costs the others of its installation: from their webhooks to their
 * decisions, alone and beside it, in the same run. `node test/bench/flood.ts [alerts] [seconds] [per second]`
 *
 * `serve` and `work` are processes of their own; the service, the processor and the sender are this one. A pair of
 * figures comes from minutes that follow each other, so that a busy machine weighs on both.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { signDelivery } from '../../src/alerts/receive/signature.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import type { Child } from '../faults/rig/child.ts';
import { forestall } from '../faults/rig/rig.ts';
import type { Row } from './rows.ts';
import { printRows } from './rows.ts';

/** Most that the flood may add to the 99th percentile of the others. */
const RATIO_MAX = 1.1;
const OTHERS = 20;
/** Of all others together. */
const PER_SECOND = 10;
/** Connections that the flood comes over. */
const FLOOD_CONNECTIONS = 8;
const WARM_UP_SECONDS = 15;
const POLICY = new URL('../faults/rig/policy.yaml', import.meta.url).pathname;
const SECRET = 'processor-secret-of-the-flood-bench';
const AMOUNT_MINOR = 4_900;

interface Alert {
  readonly organisation: number;
  readonly id: string;
  readonly sentMs: number;
}

/** What it takes to send one. */
interface Bench {
  readonly servePort: number;
  readonly shown: Map<string, Record<string, unknown>>;
  readonly perSecond: number;
}

const organisationOf = (place: number): string => `org_${String(place).padStart(26, '0')}`;
const secretOf = (place: number): string => `whsec_of-organisation-${place}`;

/** Customers pay with cards of their own. */
const last4Of = (place: number): string => String((place * 7_919) % 10_000).padStart(4, '0');

let counter = 0;

function alertOf(organisation: number): Record<string, unknown> & { readonly id: string } {
  counter += 1;
  const now = new Date().toISOString();
  return {
    id: `netalrt_bench${String(counter).padStart(8, '0')}`,
    organisation_id: organisationOf(organisation),
    enrolment_type: 'NETA_ALERT',
    status: 'ACTION_REQUIRED',
    note: null,
    action_required_deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
    transaction_amount_in_cents: AMOUNT_MINOR,
    transaction_currency_code: 'USD',
    transaction_authorised_at: new Date(Date.now() - 86_400_000).toISOString(),
    transaction_authorisation_code: String(counter).padStart(6, '0'),
    transaction_acquirer_reference_number: `7${String(counter).padStart(22, '0')}`,
    transaction_card_bin: '411111',
    transaction_card_last4: last4Of(counter),
    transaction_card_scheme: 'SCHEME_A',
    transaction_refund_outcome: null,
    created_at: now,
    updated_at: now,
  };
}

async function sendAlert({ servePort, shown }: Bench, organisation: number): Promise<Alert> {
  const alert = alertOf(organisation);
  shown.set(alert.id, alert);
  const event = { id: `evt_${alert.id}`, type: 'alert.created', data: { object: alert } };
  const raw = Buffer.from(
    JSON.stringify({ ...event, created_at: alert['created_at'], api_version: 'v1' }),
  );
  const sentMs = Date.now();
  const url = `http://127.0.0.1:${servePort}/webhooks/brand-${organisation}`;
  for (;;) {
    const signature = signDelivery(secretOf(organisation), raw, Math.floor(Date.now() / 1_000));
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    const answer = await fetch(url, { method: 'POST', headers, body: raw });
    await answer.arrayBuffer();
    if (answer.ok) return { organisation, id: alert.id, sentMs };
    // Told to come again, as the service would.
    await sleep(200);
  }
}

/** The others' alerts, evenly over the time. */
async function sendOthers(bench: Bench, seconds: number): Promise<readonly Alert[]> {
  const { perSecond } = bench;
  const sent: Promise<Alert>[] = [];
  const startedMs = performance.now();
  for (let place = 0; place < seconds * perSecond; place++) {
    const atMs = startedMs + (place * 1_000) / perSecond;
    await sleep(Math.max(0, atMs - performance.now()));
    sent.push(sendAlert(bench, 1 + (place % OTHERS)));
  }
  return await Promise.all(sent);
}

async function sendFlood(bench: Bench, alerts: number): Promise<void> {
  let left = alerts;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await sendAlert(bench, 0);
    }
  };
  await Promise.all(Array.from({ length: FLOOD_CONNECTIONS }, one));
}

/** The moments of an alert, in milliseconds after it was sent: the 50th and the 99th percentile of each. */
interface Latency {
  readonly stored: readonly [number, number];
  readonly applied: readonly [number, number];
  readonly matched: readonly [number, number];
  readonly decided: readonly [number, number];
}

interface Moments {
  readonly id: string;
  readonly stored: number;
  readonly applied: number;
  readonly matched: number;
  readonly decided: number;
}

/** Waits for the decisions, and says how long they took. */
async function latencyOf(pool: pg.Pool, alerts: readonly Alert[]): Promise<Latency> {
  const sentMs = new Map(alerts.map((alert) => [alert.id, alert.sentMs]));
  const ids = [...sentMs.keys()];
  for (let tries = 0; tries < 600; tries++) {
    const { rows } = await pool.query<{ left: number }>(
      'select count(*)::int as left from unnest($1::text[]) as a (id) where not exists (select from decision where alert_id = a.id)',
      [ids],
    );
    if (rows[0]?.left === 0) break;
    await sleep(500);
  }
  const { rows } = await pool.query<Moments>(
    `select a.id, ${msOf('e.received_at')} as stored, ${msOf('c.opened_at')} as applied,
       ${msOf('(select min(matched_at) from match where alert_id = a.id)')} as matched,
       ${msOf('(select min(decided_at) from decision where alert_id = a.id)')} as decided
     from unnest($1::text[]) as a (id)
     join inbox_event e on e.event_id = 'evt_' || a.id left join alert_case c on c.alert_id = a.id`,
    [ids],
  );
  const undecided = rows.filter(({ decided }) => decided === null);
  if (undecided.length > 0) {
    const few = JSON.stringify(undecided.slice(0, 5));
    throw new Error(`${undecided.length} of ${ids.length} alerts were not decided: ${few}`);
  }
  const of = (name: Exclude<keyof Moments, 'id'>): readonly [number, number] => {
    const times = rows.map((row) => row[name] - (sentMs.get(row.id) ?? Number.NaN));
    times.sort((a, b) => a - b);
    const at = (share: number): number =>
      Math.round(times[Math.floor(times.length * share)] ?? Number.NaN);
    return [at(0.5), at(0.99)];
  };
  return {
    stored: of('stored'),
    applied: of('applied'),
    matched: of('matched'),
    decided: of('decided'),
  };
}

const msOf = (moment: string): string => `(extract(epoch from ${moment}) * 1000)::float8`;

/** The service and the processor of everybody: whatever is asked about is there. */
function answer(method: string, url: URL, body: string, shown: Bench['shown']): unknown {
  const [, area, what, id] = url.pathname.split('/');
  if (area === 'processor') return processorAnswer(method, url, body);
  if (what !== 'alerts') return [];
  if (id === undefined) return [];
  const alert = shown.get(id);
  if (alert === undefined || method === 'GET') return alert;
  const outcome = JSON.parse(body).action === 'REFUND' ? 'REFUNDED' : 'NOT_REFUNDED';
  const closed = { ...alert, status: 'RESOLVED', transaction_refund_outcome: outcome };
  shown.set(id, closed);
  return closed;
}

const refunds = new Map<string, Record<string, unknown>>();

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
  if (what === 'refunds' && method === 'GET') return { items: [] };
  if (what === 'refunds') {
    const order = JSON.parse(body) as Record<string, unknown>;
    const reference = String(order['charge_reference']);
    const refund = {
      reference: `re_${reference}`,
      idempotency_key: order['idempotency_key'] ?? null,
      charge_reference: reference,
      status: 'succeeded',
      failure_code: null,
      amount_in_cents: order['amount_in_cents'],
      currency: 'USD',
      created_at: new Date().toISOString(),
    };
    refunds.set(reference, refund);
    return refund;
  }
  const arn = url.searchParams.get('acquirer_reference_number');
  if (id !== undefined) return chargeOf(decodeURIComponent(id));
  return { items: arn === null ? [] : [chargeOf(`ch_${arn}`)] };
}

function chargeOf(reference: string): Record<string, unknown> {
  const refund = refunds.get(reference);
  const arn = reference.slice('ch_'.length);
  const place = Number(arn.slice(-8));
  return {
    reference,
    status: 'captured',
    amount_in_cents: AMOUNT_MINOR,
    currency: 'USD',
    disputed: false,
    authorised_at: new Date(Date.now() - 86_400_000).toISOString(),
    acquirer_reference_number: arn,
    authorisation_code: String(place).padStart(6, '0'),
    refundable_in_cents: refund === undefined ? AMOUNT_MINOR : 0,
    card: { brand: 'SCHEME_A', bin: '411111', last4: last4Of(place) },
    refunds: refund === undefined ? [] : [refund],
  };
}

async function openWorld(shown: Bench['shown']): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://world');
      const found = answer(request.method ?? 'GET', url, body, shown);
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? { errors: [{ code: 'NOT_FOUND', message: 'none' }] }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function writeInstallation(folder: string, url: string): Promise<string> {
  const entries: string[] = [];
  for (let place = 0; place <= OTHERS; place++) {
    await writeFile(join(folder, `${place}.key`), `key-of-organisation-${place}`);
    await writeFile(join(folder, `${place}.secret`), secretOf(place));
    entries.push(
      `  - {id: ${organisationOf(place)}, name: Brand ${place}, path: brand-${place}, api_key: {file: ${place}.key}, webhook_secrets: [{file: ${place}.secret}]}`,
    );
  }
  const file = join(folder, 'installation.yaml');
  const defaults = `defaults: {service_url: '${url}', processor: '${url}/processor/', processor_secret: {env: FLOOD_SECRET}, policy: ${POLICY}}`;
  await writeFile(file, ['version: 1', defaults, 'organisations:', ...entries, ''].join('\n'));
  return file;
}

/** Measures both, others alone and others beside the flood. */
export async function benchFlood(
  alerts: number,
  seconds: number,
  perSecond = PER_SECOND,
): Promise<readonly Row[]> {
  const server = await startEmbeddedPostgres({ temporary: true, volatile: true });
  const folder = await mkdtemp(join(tmpdir(), 'forestall-flood-'));
  const shown: Bench['shown'] = new Map();
  const world = await openWorld(shown);
  const children: Child[] = [];
  const pool = new pg.Pool({ connectionString: server.connectionString, max: 2 });
  try {
    const env = {
      DATABASE_URL: server.connectionString,
      FORESTALL_INSTALLATION: await writeInstallation(folder, world.url),
      FLOOD_SECRET: SECRET,
      FORESTALL_LOG_LEVEL: 'info',
      PORT: '0',
      FORESTALL_METRICS_PORT: '0',
    };
    const start = (role: string): Child => {
      const child = forestall(folder, { name: role, args: [role], env });
      children.push(child);
      return child;
    };
    await start('migrate').ended;
    const serve = start('serve');
    await start('work').printed(/"msg":"organisations started"/);
    const [, port = ''] = await serve.printed(/"port":(\d+).*"msg":"listening"/);
    const bench = { servePort: Number(port), shown, perSecond };
    await latencyOf(pool, await sendOthers(bench, WARM_UP_SECONDS));
    const alone = await latencyOf(pool, await sendOthers(bench, seconds));
    const flood = sendFlood(bench, alerts);
    const beside = await latencyOf(pool, await sendOthers(bench, seconds));
    await flood;
    const again = await latencyOf(pool, await sendOthers(bench, seconds));
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::int as count from decision where organisation_id = $1',
      [organisationOf(0)],
    );
    const show = (latency: Latency): string =>
      [latency.stored, latency.applied, latency.matched, latency.decided]
        .map(([p50, p99]) => `${p50}/${p99}`)
        .join(' → ');
    const ratio = beside.decided[1] / alone.decided[1];
    return [
      row('p50/p99 in ms until', 'stored → applied → matched → decided'),
      row(`${OTHERS} others alone, ${perSecond}/s`, show(alone)),
      row(`the same beside ${alerts.toLocaleString('en')} alerts into one`, show(beside)),
      row('the same right after', show(again)),
      row('of the flood decided by then', String(rows[0]?.count ?? 0)),
      {
        name: 'p99 of the others beside / alone',
        measured: ratio.toFixed(2),
        target: `≤ ${RATIO_MAX.toFixed(2)}`,
        met: ratio <= RATIO_MAX,
      },
    ];
  } finally {
    for (const child of children) if (child.isRunning()) await child.end('SIGKILL');
    await pool.end();
    world.close();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

function row(name: string, measured: string): Row {
  return { name, measured, target: '', met: true };
}

if (import.meta.main) {
  const [alerts = '10000', seconds = '60', perSecond = PER_SECOND] = process.argv.slice(2);
  const rows = await benchFlood(Number(alerts), Number(seconds), Number(perSecond));
  printRows(rows);
  if (rows.some(({ met }) => !met)) process.exitCode = 1;
}
