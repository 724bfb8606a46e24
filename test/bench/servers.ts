/** The applications that are compared, and the process that sends to them. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Pool } from 'pg';
import { RECEIVED, send } from '../../src/alerts/receive/answers.ts';
import { createBodyBudget } from '../../src/alerts/receive/body-budget.ts';
import { createReceiveCounters } from '../../src/alerts/receive/counters.ts';
import { hashOf, readBody } from '../../src/alerts/receive/delivery.ts';
import { createGroupCommit } from '../../src/alerts/receive/group-commit.ts';
import { createHttpServer } from '../../src/alerts/receive/http-server.ts';
import type { Inbox, StoreOutcome } from '../../src/alerts/receive/inbox.ts';
import { createReceiverApp, readRawBody } from '../../src/alerts/receive/receiver.ts';
import { createReception } from '../../src/alerts/receive/reception.ts';
import { createVerifier, signatureHeaders } from '../../src/alerts/receive/signature.ts';
import { systemClock } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { BENCH_SECRET } from './events.ts';
import type { LoadOrder, LoadReport } from './load.ts';

const log = createLog({ level: 'error' });
const bodies = createBodyBudget();
const verifier = createVerifier({ secrets: [BENCH_SECRET], clock: systemClock });

/** What the comparisons do with a verified, parsed event. */
type Keep = (
  event: { readonly id: string },
  body: Buffer,
  signedAtSeconds: number,
) => Promise<void>;

/** Express, raw body, signature, JSON.parse, and whatever `keep` does. */
function plainApp(keep: Keep): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.post('/webhooks', async (request, response) => {
    const read = await readRawBody(request, bodies);
    if (!read.ok) return void response.status(400).end();
    const verdict = verifier.verify(signatureHeaders(request.rawHeaders), read.body);
    if (!verdict.ok) return void response.status(401).end();
    const event: { id: string } = JSON.parse(read.body.toString('utf8'));
    await keep(event, read.body, verdict.signedAtSeconds);
    send(response, RECEIVED);
  });
  return app;
}

/** The ceiling: everything but storing. */
export function ceilingApp(): RequestListener {
  return plainApp(async () => undefined);
}

/** What one would write first: one INSERT per request, deduplicated by the event's id, on a plain pool. */
export async function insertingApp(pool: Pool): Promise<RequestListener> {
  await pool.query(
    `create table if not exists plain_event
       (id text primary key, received_at timestamptz not null, signed_at timestamptz not null, body bytea not null)`,
  );
  return plainApp(async (event, body, signedAtSeconds) => {
    await pool.query(
      'insert into plain_event values ($1, now(), to_timestamp($2), $3) on conflict do nothing',
      [event.id, signedAtSeconds, body],
    );
  });
}

/** Forestall's own receiver. */
export function receiverApp(inbox: Inbox): RequestListener {
  const reception = createReception({
    inbox,
    verifiers: new Map([['', verifier]]),
    clock: systemClock,
    log,
    counters: createReceiveCounters(),
  });
  return createReceiverApp({ reception, log, readyz: () => ({ ok: true }) });
}

/** The same without a database: everything that Forestall does with a delivery but storing it. */
export function doorApp(): RequestListener {
  return receiverApp({
    async store({ body }) {
      readBody(body, hashOf(body));
      return STORED;
    },
    noteStale: async () => undefined,
    pending: 0,
    close: async () => undefined,
  });
}

const STORED: StoreOutcome = { duplicate: false, quarantined: undefined };

/**
 * Our receiver, and for each of its flushes a commit that is written to disk and stores nothing: no store that answers
 * after the commit is faster with these flushes.
 */
export function committingApp(pool: Pool): RequestListener {
  const commits = createGroupCommit<Buffer, StoreOutcome>({
    async flush(bodies) {
      await pool.query({ name: 'bench_commit', text: EMPTY_COMMIT, values: [] });
      return bodies.map(() => STORED);
    },
    bytesOf: (body) => body.length,
  });
  return receiverApp({
    async store({ body }) {
      readBody(body, hashOf(body));
      return await commits.add(body);
    },
    noteStale: async () => undefined,
    get pending(): number {
      return commits.pending;
    },
    close: () => commits.drain(),
  });
}

/** A message of a transaction in the log of PostgreSQL, which nobody reads: the smallest thing to commit. */
const EMPTY_COMMIT = `select pg_logical_emit_message(true, 'bench', '')`;

/** Serves `app` on a free port while `use` runs. */
export async function whileServing<Result>(
  app: RequestListener,
  use: (port: number) => Promise<Result>,
): Promise<Result> {
  const server = createHttpServer(app);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  }
}

/** The load generator. */
export interface Load {
  readonly pid: number;
  /** Makes the requests ready; what it returns sends them. */
  prepare(order: LoadOrder): Promise<() => Promise<LoadReport>>;
  stop(): void;
}

export function startLoad(): Load {
  const child: ChildProcess = fork(new URL('load.ts', import.meta.url));
  return {
    pid: child.pid ?? 0,
    async prepare(order) {
      const ready = once(child, 'message');
      child.send(order);
      await ready;
      return async () => {
        const ended = once(child, 'message');
        child.send('go');
        const [{ report, error }] = (await ended) as [{ report?: LoadReport; error?: string }];
        if (report === undefined) throw new Error(error);
        return report;
      };
    },
    stop: () => void child.kill(),
  };
}
