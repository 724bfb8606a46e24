/**
 * Two PostgreSQL servers, the second a standby of the first by streaming replication. One of them has the
 * address; a failover kills or freezes the primary, promotes the standby, and makes the first one its standby.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import { locatePostgres } from '../../../src/base/db/embedded/server-location.ts';
import type { Postgres } from './postgres.ts';
import { createQuery, LOOKS_PATH, MOVABLE_CLOCK } from './postgres.ts';
import type { FaultProxy } from './proxy.ts';
import { openProxy } from './proxy.ts';
import type { Tools } from './tools.ts';
import { until } from './until.ts';

const run = promisify(execFile);

/** What becomes of the primary: `killed` ends its connections, `frozen` leaves them open and silent. */
export type Harm = 'killed' | 'frozen';

/** The two servers, used as one. */
export interface StandbyPair extends Postgres {
  /** Kills or freezes the primary, with every process of it. */
  harm(harm: Harm): void;
  /** The primary becomes the standby of the other, which is promoted. The address stays where it is. */
  switchOver(): Promise<void>;
  /** Lets the address lead to the standby, promoted or not. */
  switchAddress(): void;
  /** Makes a primary of the standby, which then waits for nobody. */
  promote(): Promise<void>;
  /**
   * The first primary becomes the standby of the new one: what is left of it goes for a copy of the other,
   * unless it has been since a {@link switchOver}.
   */
  rebuild(): Promise<void>;
  /** Resolves when the standby has received what is written now. */
  caughtUp(): Promise<void>;
  /** Holds up what the standby receives; asynchronous pairs only, the others would wait for it. */
  holdReplication(): void;
}

/** Options of {@link startPair}. */
export interface PairOptions {
  readonly tools: Tools;
  /** A commit waits for the standby. */
  readonly synchronous: boolean;
}

interface Server {
  readonly name: 'a' | 'b';
  readonly port: number;
  readonly dataDir: string;
  /** What a standby of this server connects to. */
  readonly stream: FaultProxy;
}

const USER = 'forestall';

/** A standby without an answer is given up soon, and a silent primary noticed soon. */
const SETTINGS = [
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  'max_connections = 200',
  'fsync = off',
  'wal_sender_timeout = 5s',
  'wal_receiver_timeout = 5s',
  'wal_retrieve_retry_interval = 500ms',
  `include_if_exists = 'role.conf'`,
];

const open = new Set<StandbyPair>();

/** Stops every pair that still runs, for a run that is interrupted. */
export async function stopAllPairs(): Promise<void> {
  await Promise.allSettled([...open].map((pair) => pair.close()));
}

/** Starts both. */
export async function startPair({ tools, synchronous }: PairOptions): Promise<StandbyPair> {
  const wanted = await mkdtemp(join(tmpdir(), 'forestall-pair-'));
  chmodSync(wanted, 0o755);
  const { folder, user } = await locatePostgres(wanted);
  const password = randomBytes(18).toString('hex');
  const serverOf = async (name: 'a' | 'b'): Promise<Server> => {
    const port = await freePort();
    return { name, port, dataDir: join(folder, name), stream: await openProxy(() => port) };
  };
  let primary = await serverOf('a');
  let standby = await serverOf('b');
  let address = primary;
  let isFollowing = false;
  const execute = async (program: string, args: readonly string[]): Promise<void> => {
    await run(program, [...args], { ...user, cwd: folder, env: { PGPASSWORD: password } });
  };
  const control = (server: Server, args: readonly string[]): Promise<void> =>
    execute(tools.pg_ctl, [...args, `--pgdata=${server.dataDir}`, '--wait', '--silent']);
  const start = (server: Server): Promise<void> =>
    control(server, [
      'start',
      `--log=${join(folder, `${server.name}.log`)}`,
      `--options=-p ${server.port}`,
    ]);
  /** Whom a commit waits for: known when it starts, told again by a reload. */
  const waitFor = async (server: Server, names: '*' | ''): Promise<void> => {
    const file = join(server.dataDir, 'role.conf');
    await writeFile(file, `synchronous_standby_names = '${names}'\n`);
    if (user !== undefined) await chown(file, user.uid, user.gid);
  };
  const url = (database: string, port: number): string =>
    `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  let looks = createQuery((database) => url(database, address.port));
  const query: Postgres['query'] = (database, text, values) => looks.query(database, text, values);
  const sourceOf = ({ stream }: Server): string =>
    `host=127.0.0.1 port=${stream.port} user=${USER} password=${password}`;
  const copy = async (): Promise<void> => {
    await rm(standby.dataDir, { recursive: true, force: true });
    await execute(tools.pg_basebackup, [
      `--pgdata=${standby.dataDir}`,
      `--dbname=${sourceOf(primary)}`,
      '--write-recovery-conf',
      '--wal-method=stream',
      '--checkpoint=fast',
      '--no-sync',
    ]);
    await waitFor(standby, '');
    await start(standby);
  };
  const isAttached = async (condition: string): Promise<boolean> => {
    const found = await query('postgres', `select from pg_stat_replication where ${condition}`);
    return found.length > 0;
  };
  const attach = async (): Promise<void> => {
    await until('the standby follows', () => isAttached(`state = 'streaming'`));
    if (!synchronous) return;
    await waitFor(primary, '*');
    await control(primary, ['reload']);
    await until('commits wait for the standby', () => isAttached(`sync_state = 'sync'`));
  };

  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  await execute(tools.initdb, [
    `--pgdata=${primary.dataDir}`,
    `--username=${USER}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]);
  await appendFile(join(primary.dataDir, 'postgresql.conf'), `${SETTINGS.join('\n')}\n`);
  await start(primary);
  await copy();
  await attach();

  const pair: StandbyPair = {
    get port(): number {
      return address.port;
    },
    url,
    query,
    async createDatabase(name): Promise<void> {
      await query('postgres', `create database ${name}`);
      await query('postgres', `alter database ${name} set search_path = ${LOOKS_PATH}`);
      await query(name, MOVABLE_CLOCK);
    },
    async moveClock(database, offsetMs): Promise<void> {
      await query(database, `update fault_clock set ahead = $1 * interval '1 millisecond'`, [
        offsetMs,
      ]);
    },
    stop: (mode) => control(primary, ['stop', `--mode=${mode}`]),
    start: () => start(primary),
    harm: (harm) => signalAll(primary, harm === 'killed' ? 'SIGKILL' : 'SIGSTOP'),
    switchAddress(): void {
      address = standby;
      // Its connections may be silent: they are left behind, not waited for.
      void looks.closePools().catch(() => undefined);
      looks = createQuery((database) => url(database, address.port));
    },
    promote: () => control(standby, ['promote']),
    async switchOver(): Promise<void> {
      await control(primary, ['stop', '--mode=fast']);
      await control(standby, ['promote']);
      await waitFor(primary, '');
      const follow = `primary_conninfo = '${sourceOf(standby)}'\n`;
      await appendFile(join(primary.dataDir, 'postgresql.auto.conf'), follow);
      await writeFile(join(primary.dataDir, 'standby.signal'), '');
      await start(primary);
      isFollowing = true;
    },
    async rebuild(): Promise<void> {
      if (!isFollowing) signalAll(primary, 'SIGKILL');
      [primary, standby] = [standby, primary];
      primary.stream.setMode('pass');
      if (!isFollowing) await copy();
      isFollowing = false;
      await attach();
    },
    caughtUp: () =>
      until('the standby has everything', () =>
        isAttached('replay_lsn >= pg_current_wal_lsn()'),
      ).then(() => undefined),
    holdReplication: () => primary.stream.setMode('stall'),
    async close(): Promise<void> {
      open.delete(pair);
      await looks.closePools();
      for (const server of [primary, standby]) {
        signalAll(server, 'SIGKILL');
        await server.stream.close();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
  open.add(pair);
  return pair;
}

/** A killed postmaster's children end by themselves, but not at once; a stopped one's would continue. */
function signalAll({ dataDir }: Server, signal: NodeJS.Signals): void {
  for (const pid of processesOf(dataDir)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}

/** The postmaster, first, and its children. */
function processesOf(dataDir: string): number[] {
  try {
    const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    const children = readdirSync('/proc').filter((name) => parentOf(name) === pid);
    return parentOf(String(pid)) === undefined ? [] : [pid, ...children.map(Number)];
  } catch {
    return [];
  }
}

function parentOf(pid: string): number | undefined {
  if (!/^\d+$/.test(pid)) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
