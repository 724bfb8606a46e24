/** What the figures were measured on, and how busy the rest of the machine was meanwhile. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { sql } from 'kysely';
import type { OpenDatabase } from '../../src/base/db/connect.ts';

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly node: string;
  readonly postgres: string;
  readonly fsync: string;
}

export async function describeMachine(database: OpenDatabase): Promise<Machine> {
  const { rows } = await sql<{ version: string; fsync: string; commits: string }>`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as commits`.execute(database.db);
  const [row] = rows;
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.version,
    postgres: row?.version ?? 'unknown',
    fsync: `${row?.fsync}, synchronous_commit ${row?.commits}`,
  };
}

/** Processor time so far, in seconds. */
export interface CpuTimes {
  /** Of everybody but the {@link Measured.keepers}. */
  readonly all: number;
  /** When the host ran somebody else although this machine had work. */
  readonly stolen: number;
  readonly server: number;
  readonly postgres: number;
  readonly load: number;
}

const TICKS_PER_SECOND = 100;

/** Whose processor time is distinguished; process ids. */
export interface Measured {
  readonly postmaster: number;
  readonly load?: number;
  /** See `awake.ts`. */
  readonly keepers?: readonly number[];
}

/** Reads processor times where /proc tells them; undefined elsewhere. */
export async function readCpu(measured: Measured): Promise<CpuTimes | undefined> {
  const { postmaster, load, keepers = [] } = measured;
  try {
    const [total = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
    const fields = total.split(/\s+/).slice(1).map(Number);
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
    let postgres = 0;
    let kept = 0;
    for (const keeper of keepers) kept += ticksOf(keeper, undefined);
    for (const name of await readdir('/proc')) {
      if (/^\d+$/.test(name)) postgres += ticksOf(Number(name), postmaster);
    }
    const own = process.cpuUsage();
    return {
      all: (user + nice + system + irq + softirq - kept) / TICKS_PER_SECOND,
      stolen: steal / TICKS_PER_SECOND,
      server: (own.user + own.system) / 1_000_000,
      postgres: postgres / TICKS_PER_SECOND,
      load: load === undefined ? 0 : ticksOf(load, undefined) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
}

/**
 * Ticks of a process; with `parent`, only if it is that one's child, or that one itself. Read without a promise:
 * that would leave 64 KB of garbage for each process of the machine, which V8 collects in what is measured next.
 */
function ticksOf(pid: number, parent: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const isWanted = parent === undefined || fields[1] === parent || pid === parent;
    // The postmaster's own fields also hold the times of backends that have ended.
    const ended = pid === parent ? (fields[13] ?? 0) + (fields[14] ?? 0) : 0;
    return isWanted ? (fields[11] ?? 0) + (fields[12] ?? 0) + ended : 0;
  } catch {
    return 0;
  }
}

/**
 * Processor time so far of this process and of the server's processes, in seconds, to the microsecond: for what is too short to
 * be counted in ticks. Undefined where it cannot be told. What ended meanwhile, a parallel worker, is counted in ticks.
 */
export function spentSeconds(postmaster: number): number | undefined {
  try {
    const own = process.cpuUsage();
    let seconds = (own.user + own.system) / 1_000_000;
    for (const pid of childrenOf(postmaster)) seconds += nanosecondsOf(pid) / 1e9;
    return seconds + endedTicksOf(postmaster) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function nanosecondsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // It has ended.
    return 0;
  }
}

function endedTicksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[13]) + Number(fields[14]);
}

/** The process id of the server whose data lies in `folder`. */
export async function postmasterOf(folder: string): Promise<number> {
  const [first = ''] = (await readFile(`${folder}/data/postmaster.pid`, 'utf8')).split('\n');
  return Number(first);
}
