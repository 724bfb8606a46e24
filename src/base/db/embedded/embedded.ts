/**
 * A real PostgreSQL inside the project's own folder, for when no `DATABASE_URL` is given.
 *
 * Data stays under `.forestall/`. A second start while one runs is refused clearly; a server
 * left running by a killed process is stopped and its lock healed before a new one is started. The
 * server has its own session, so that Ctrl-C reaches Forestall alone, which drains before it stops it.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  access,
  chmod,
  constants,
  lchown,
  mkdtemp,
  readdir,
  readFile,
  rm,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { ConfigError, codeOf, DatabaseError, messageOf } from '../../kernel/errors.ts';
import { lockFolder } from './folder-lock.ts';
import { freePort } from './free-port.ts';
import type { ServerLocation } from './server-location.ts';
import { isFolderOf, locatePostgres, serverUsers } from './server-location.ts';

const run = promisify(execFile);

/** Options of {@link startEmbeddedPostgres}. */
export interface EmbeddedOptions {
  /** Where the data lies; ignored when `temporary`. @default '.forestall/postgres' */
  readonly folder?: string;
  /** Keep the data in a folder of its own and remove it on stop. @default false */
  readonly temporary?: boolean;
  /** Where `initdb` and `pg_ctl` of an installed PostgreSQL are. @default those of the npm package */
  readonly binFolder?: string;
  /** Refuse to keep the data where the system removes what is old. @default false */
  readonly mustStay?: boolean;
  /** Trade durability for speed: no fsync. For tests only. @default false */
  readonly volatile?: boolean;
  /** Keep the data of a `temporary` server in memory, where the machine has room for it. @default false */
  readonly inMemory?: boolean;
  /** Be reached by a socket in its folder: a statement costs less than over TCP. Only with `temporary`. @default false */
  readonly socket?: boolean;
}

/** A running server. */
export interface EmbeddedPostgres {
  readonly connectionString: string;
  /** Where the data lies. */
  readonly folder: string;
  /** Stops the server, waiting for it. Data stays unless `temporary`. */
  stop(): Promise<void>;
}

/** Where the data lies unless another folder is named. */
export const EMBEDDED_FOLDER = join('.forestall', 'postgres');

const USER = 'forestall';
const DATABASE = 'forestall';
const TEMPORARY_PREFIX = 'forestall-temporary-';
/** A file system in memory that Linux has. Making and removing a database there takes a fifth of the processor time. */
const MEMORY_FOLDER = '/dev/shm';
/** What must be free for it, in bytes: several times what a run of our tests takes. */
const MEMORY_FREE_MIN = 3 * 2 ** 30;
/** Longest wait for the server to start or stop, in seconds. */
const WAIT_SECONDS = 30;

/**
 * Starts PostgreSQL, initialising its folder on first use.
 *
 * @throws {ConfigError} when another Forestall runs on the folder, no server is installed, or the data cannot stay
 * @throws {DatabaseError} when the server does not come up; the message carries its last lines
 */
export async function startEmbeddedPostgres(
  options: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> {
  const wanted =
    options.temporary === true
      ? await temporaryFolder(options.inMemory === true ? await roomInMemory() : undefined)
      : resolve(options.folder ?? EMBEDDED_FOLDER);
  const location = await locatePostgres(wanted, options);
  const release = await lockFolder(location.folder);
  const hasData = await exists(join(location.folder, 'data', 'PG_VERSION'));
  try {
    const connectionString = await start(location, options);
    return {
      connectionString,
      folder: location.folder,
      async stop(): Promise<void> {
        await control(location, ['stop', '--mode=fast']);
        await release();
        if (options.temporary === true) await rm(location.folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await release();
    if (error instanceof ConfigError) throw error;
    const isFull = codeOf(error) === 'ENOSPC' || (await freeBytes(location.folder)) < FULL_BYTES;
    const lines = (await lastLines(location)) ?? messageOf(error).trim();
    throw new DatabaseError(startProblem({ folder: location.folder, lines, isFull, hasData }), {
      cause: error,
    });
  }
}

/** A server cannot start with less, in bytes: it writes its first log segment. */
const FULL_BYTES = 32 * 2 ** 20;

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** What a start that failed says. Only a folder that holds nothing may be removed. Pure. */
export function startProblem({
  folder,
  lines,
  isFull,
  hasData,
}: {
  readonly folder: string;
  /** What the server said last. */
  readonly lines: string;
  readonly isFull: boolean;
  /** An earlier start has left rows. */
  readonly hasData: boolean;
}): string {
  const kept = hasData ? ' Do not remove the folder: it holds your data.' : '';
  if (isFull || /no space left on device/i.test(lines)) {
    return `The disk is full: the embedded PostgreSQL in ${folder} cannot start. Make room, then start again.${kept}`;
  }
  const said = lines.replace(/[.\s]*$/, '.');
  const step = hasData
    ? `Correct the cause; ${join(folder, 'postgres.log')} says more.${kept}`
    : 'Remove that folder to begin afresh, or set DATABASE_URL.';
  return `The embedded PostgreSQL in ${folder} did not start: ${said} ${step}`;
}

async function start(location: ServerLocation, options: EmbeddedOptions): Promise<string> {
  const dataDir = join(location.folder, 'data');
  const password = await readPassword(location);
  if (!(await exists(join(dataDir, 'PG_VERSION')))) {
    await initialise(location, dataDir, options.binFolder === undefined);
  }
  // A server whose Forestall was killed still holds the data; ours is the only lock holder now.
  if (await isRunning(location)) await control(location, ['stop', '--mode=fast']);
  const port = await freePort();
  const flags = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-c unix_socket_directories='${options.socket === true ? location.folder : ''}'`,
    '-c max_connections=200',
    ...(options.volatile === true
      ? ['-c fsync=off', '-c synchronous_commit=off', '-c full_page_writes=off']
      : []),
  ].join(' ');
  const log = join(location.folder, 'postgres.log');
  await control(location, ['start', `--log=${log}`, `--options=${flags}`]);
  const base = `postgres://${USER}:${password}@127.0.0.1:${port}`;
  const way = options.socket === true ? `?host=${encodeURIComponent(location.folder)}` : '';
  await ensureDatabase(`${base}/postgres${way}`);
  return `${base}/${DATABASE}${way}`;
}

/** The password is made once per folder: other users of the machine can reach the port. */
async function readPassword(location: ServerLocation): Promise<string> {
  const file = join(location.folder, 'password');
  if (!(await exists(file))) {
    // Through no link that the folder's user may have put there.
    await writeFile(file, randomBytes(18).toString('hex'), { mode: 0o600, flag: 'wx' });
    if (location.user !== undefined) await lchown(file, location.user.uid, location.user.gid);
  }
  return (await readFile(file, 'utf8')).trim();
}

async function initialise(
  location: ServerLocation,
  dataDir: string,
  isOwn: boolean,
): Promise<void> {
  // What an interrupted first start left behind has no PG_VERSION and holds nothing.
  await rm(dataDir, { recursive: true, force: true });
  await run(
    location.programs.initdb,
    [
      `--pgdata=${dataDir}`,
      `--username=${USER}`,
      '--auth=scram-sha-256',
      `--pwfile=${join(location.folder, 'password')}`,
      // Many rounds slow down anyone who guesses words. 144 random bits cannot be guessed, and each connection pays.
      // Known from PostgreSQL 16 on.
      ...(isOwn ? ['--set=scram_iterations=1'] : []),
      '--encoding=UTF8',
      '--locale=C',
      '--no-instructions',
    ],
    { ...location.user, cwd: location.folder },
  );
}

async function control(location: ServerLocation, args: readonly string[]): Promise<void> {
  const dataDir = join(location.folder, 'data');
  await run(
    location.programs.pg_ctl,
    [...args, `--pgdata=${dataDir}`, '--wait', `--timeout=${WAIT_SECONDS}`, '--silent'],
    { ...location.user, cwd: location.folder },
  );
}

async function isRunning(location: ServerLocation): Promise<boolean> {
  try {
    await run(location.programs.pg_ctl, ['status', `--pgdata=${join(location.folder, 'data')}`], {
      ...location.user,
      cwd: location.folder,
    });
    return true;
  } catch {
    return false;
  }
}

async function ensureDatabase(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      DATABASE,
    ]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** A fresh folder; those whose process was killed are removed on the way. */
async function temporaryFolder(parent: string = tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    if (name.startsWith(TEMPORARY_PREFIX)) await removeAbandoned(join(parent, name));
  }
  const folder = await mkdtemp(join(parent, TEMPORARY_PREFIX));
  await chmod(folder, 0o755);
  return folder;
}

/** The folder whose files lie in memory; undefined where there is none, or too little is free. */
async function roomInMemory(): Promise<string | undefined> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    const free = Math.min(bavail * bsize, process.availableMemory());
    return free >= MEMORY_FREE_MIN ? MEMORY_FOLDER : undefined;
  } catch {
    return undefined;
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  try {
    if (!(await exists(join(folder, 'owner.json')))) return;
    // Anybody may make such a name; as root, what lies there would be given away or removed.
    if (!(await isFolderOf(await serverUsers(), folder))) return;
    const release = await lockFolder(folder);
    const location = await locatePostgres(folder);
    if (await isRunning(location)) await control(location, ['stop', '--mode=immediate']);
    await release();
    await rm(folder, { recursive: true, force: true });
  } catch {
    // In use, or somebody else's: leave it.
  }
}

/** Undefined: it left no log. */
async function lastLines(location: ServerLocation): Promise<string | undefined> {
  try {
    const text = await readFile(join(location.folder, 'postgres.log'), 'utf8');
    return text.trim().split('\n').slice(-3).join(' ');
  } catch {
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await readFile(path);
    return true;
  } catch {
    return false;
  }
}
