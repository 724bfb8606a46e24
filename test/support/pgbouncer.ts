/**
 * PgBouncer in front of a PostgreSQL, as its Debian package installs it. What needs one is left out where it is
 * not installed.
 */
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import type { ChildProcess } from './child-process.ts';
import { SYNC_LIMIT_MS, spawn, spawnSync } from './child-process.ts';

/** Whether there is one on this machine. */
export const HAS_PGBOUNCER =
  spawnSync('pgbouncer', ['--version'], { timeout: SYNC_LIMIT_MS }).status === 0;

/** Said in the title of what is left out. */
export const PGBOUNCER_NOTE = HAS_PGBOUNCER ? '' : ' (left out: pgbouncer is not installed)';

/** How long a connection of a client keeps one of the server's. */
export type PoolMode = 'session' | 'transaction' | 'statement';

/** A running PgBouncer. */
export interface Pgbouncer {
  /** The address of one of the server's databases through it. */
  urlOf(database: string): string;
  stop(): Promise<void>;
}

/** Connections to the server for each database: few to share, or one for each of ours. */
const SERVER_CONNECTIONS: Readonly<Record<PoolMode, number>> = {
  session: 60,
  transaction: 6,
  statement: 6,
};

/** What to start. */
export interface PgbouncerOptions {
  /** An address of the server; everybody is let in as its user. */
  readonly server: string;
  readonly mode: PoolMode;
  /** Further lines of its configuration. */
  readonly lines?: readonly string[];
}

/** Starts it. */
export async function startPgbouncer(options: PgbouncerOptions): Promise<Pgbouncer> {
  const { mode, lines = [] } = options;
  const server = new URL(options.server);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'forestall-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const target = `host=${server.hostname} port=${server.port}`;
  await writeFile(
    file,
    [
      '[databases]',
      `* = ${target} user=${server.username} password=${server.password}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      `default_pool_size = ${SERVER_CONNECTIONS[mode]}`,
      ...lines,
    ].join('\n'),
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['--user=nobody'] : [];
  const child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  await listening(child);
  return {
    urlOf: (database) => `postgres://someone@127.0.0.1:${port}/${database}`,
    async stop(): Promise<void> {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until it says that it runs, and continues reading what it says. */
function listening(child: ChildProcess): Promise<void> {
  return new Promise((done, fail) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      if (said.includes('process up')) done();
    });
    child.once('exit', () => fail(new Error(`PgBouncer did not start: ${said}`)));
  });
}
