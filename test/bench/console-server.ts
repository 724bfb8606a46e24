/** A database for the benches of the console, and its pages as somebody who is signed in asks for them. */
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { createHttpServer } from '../../src/alerts/receive/http-server.ts';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import type { Clock } from '../../src/base/kernel/clock.ts';
import { nowDate } from '../../src/base/kernel/clock.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import type { PartHealth } from '../../src/health/health.ts';
import { readHealth } from '../../src/health/health.ts';
import { readBacklog } from '../../src/orders/feed-status.store.ts';
import { createConsoleApp } from '../../src/people/console/console-app.ts';
import { postmasterOf } from './machine.ts';

/** Filling in takes longer than any page may. */
const FILL_TIMEOUT_MS = 15 * 60_000;
const TOKEN = 'console-token-for-the-bench';

/** A migrated database on a server of its own. */
export interface BenchDatabase extends OpenDatabase {
  readonly postmaster: number;
}

/** Opens it, in this folder or, without one, for this run only; runs the bench and closes it. */
export async function onBenchDatabase(
  folder: string | undefined,
  bench: (database: BenchDatabase) => Promise<void>,
): Promise<void> {
  const server = await startEmbeddedPostgres(
    folder === undefined ? { temporary: true, volatile: true } : { folder, volatile: true },
  );
  const database = openDatabase({
    connectionString: server.connectionString,
    log: createLog({ level: 'error' }),
    statementTimeoutMs: FILL_TIMEOUT_MS,
  });
  try {
    await migrateToLatest(database.db);
    const { rows } = await sql<{ folder: string }>`
      select current_setting('data_directory') as folder`.execute(database.db);
    const postmaster = await postmasterOf(dirname(rows[0]?.folder ?? ''));
    await bench({ ...database, postmaster });
  } finally {
    await database.close();
    await server.stop();
  }
}

/** Asks for a page. @returns the answer's status, size and text */
export type AskPage = (
  path: string,
) => Promise<{ readonly status: number; readonly bytes: number; readonly text: string }>;

/** Serves the console, signs in, and runs the bench. */
export async function onConsole(
  { db }: OpenDatabase,
  { clock, organisationId }: { readonly clock: Clock; readonly organisationId: string },
  bench: (ask: AskPage) => Promise<void>,
): Promise<void> {
  // Read anew for each request, as a process does that was asked nothing for a second and a half.
  let health: Promise<PartHealth[]> | undefined;
  const app = createConsoleApp({
    db,
    clock,
    log: createLog({ level: 'error' }),
    organisationId,
    token: TOKEN,
    decide: async () => ({ ok: true }),
    replayEvent: async () => ({ ok: true }),
    health: () => {
      health ??= readHealth(db, { organisationId, now: nowDate(clock) });
      return health.then((parts) => ({ ok: true, parts }));
    },
    feedBacklog: () => readBacklog(db, organisationId),
  });
  const listener = createHttpServer(app);
  await new Promise<void>((done) => {
    listener.listen(0, '127.0.0.1', done);
  });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  try {
    const answer = await fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token: TOKEN }),
    });
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    await bench(async (path) => {
      health = undefined;
      const headers: Record<string, string> =
        path === '/metrics' ? { authorization: `Bearer ${TOKEN}` } : { cookie };
      const page = await fetch(url + path, { headers, redirect: 'manual' });
      const text = await page.text();
      return { status: page.status, bytes: Buffer.byteLength(text), text };
    });
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
}
