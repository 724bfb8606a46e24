/** A PostgreSQL of its own that can be killed with SIGKILL, all of its processes, and comes back with what was committed. */
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../../src/base/db/connect.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { startEmbeddedPostgres } from '../../../src/base/db/embedded/embedded.ts';
import { migrateToLatest } from '../../../src/base/db/migrate.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { ChildProcess } from '../../support/child-process.ts';
import { spawn } from '../../support/child-process.ts';

export interface MortalDatabase {
  readonly connectionString: string;
  /** For what is done before the first kill. */
  readonly db: Db;
  /** Kills it, and returns when it takes connections again. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

/** A server that was started again ends with the test at the latest, in milliseconds. */
const LIFE_MS = 2 * 3_600_000;

export async function openMortalDatabase(): Promise<MortalDatabase> {
  const server = await startEmbeddedPostgres({ temporary: true });
  const { connectionString } = server;
  const opened = openDatabase({ connectionString, log: createLog({ level: 'silent' }) });
  await migrateToLatest(opened.db);
  const data = join(server.folder, 'data');
  const { uid, gid } = await stat(data);
  const pidOf = async (): Promise<number> =>
    Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  // As it was started: the program and its arguments, each quoted.
  const line = await readFile(join(data, 'postmaster.opts'), 'utf8');
  const [program = '', ...options] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? '',
  );
  const answers = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    connectionString,
    db: opened.db,
    async kill(): Promise<void> {
      process.kill(await pidOf(), 'SIGKILL');
      // Its other processes end by themselves when they see that it is gone.
      let child = spawnServer();
      for (;;) {
        if (await answers()) return;
        await new Promise((done) => setTimeout(done, 200));
        // It refuses to start while one of them is left.
        if (child.exitCode !== null || child.signalCode !== null) child = spawnServer();
      }
    },
    async close(): Promise<void> {
      await opened.close().catch(() => undefined);
      process.kill(await pidOf(), 'SIGQUIT');
      while (await answers()) await new Promise((done) => setTimeout(done, 100));
      await rm(server.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };

  function spawnServer(): ChildProcess {
    return spawn(program, options, {
      ...(process.getuid?.() === 0 ? { uid, gid } : {}),
      cwd: data,
      stdio: 'ignore',
      timeout: LIFE_MS,
      killSignal: 'SIGKILL',
    });
  }
}
