/** The seven kinds of failure. Each takes a whole cluster, and leaves one that becomes whole by itself. */
import { appendFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../src/base/kernel/errors.ts';
import { rest, until } from '../faults/rig/until.ts';
import { SYNC_LIMIT_MS, spawnSync } from '../support/child-process.ts';
import type { Cluster, Node } from './cluster.ts';
import { processesIn, processTitled, signalAllIn } from './programs.ts';

/** Where a failure happens. */
export interface Place {
  readonly cluster: Cluster;
  readonly leader: Node;
  /** Counted from 0, of each kind by itself. */
  readonly round: number;
  /** Folders of PostgreSQL's programs, of one minor version each. */
  readonly servers: readonly [string, string];
}

/** Puts right what was harmed, once another is the primary. */
export type Heal = () => Promise<void>;

/** One kind. */
export interface Failure {
  readonly kind: string;
  /** What goes before it, and is no failure of the primary yet. It is put right as soon as another is the primary. */
  readonly prepare?: (place: Place) => Promise<Heal>;
  /** Harms the primary, so that another takes over. */
  harm(place: Place): Promise<Heal>;
}

const MEGABYTE = 1_048_576;
/** Of the file system. */
const PAGE = 4_096;
/** More than a standby may lack to take over (`maximum_lag_on_failover`). */
const LAG_BYTES = 8 * MEGABYTE;
/** Write-ahead log that is written onto a full disk at most, in so many statements. */
const FILL_STATEMENTS = 40;

const nothing: Heal = async () => undefined;

async function writeLog(node: Node, bytes: number): Promise<void> {
  // Not in a transaction: nothing waits for a standby.
  await node.query(`select pg_logical_emit_message(false, 'bench', repeat('x', $1::int))`, [bytes]);
}

async function switchOver({ cluster, leader }: Place): Promise<Heal> {
  await cluster.switchOver(leader, await cluster.synchronous());
  return nothing;
}

/** The machine is gone: PostgreSQL and Patroni. */
async function kill({ leader }: Place): Promise<Heal> {
  leader.signal('SIGKILL');
  return async () => leader.start();
}

/** It wakes up, and takes itself for the primary, while the load goes on. */
async function freeze({ leader }: Place): Promise<Heal> {
  leader.signal('SIGSTOP');
  return async () => leader.signal('SIGCONT');
}

/**
 * In even rounds its Patroni reaches no etcd; in odd ones it is gone, so that nobody demotes PostgreSQL, and two answer as
 * the primary.
 */
async function cutOff({ leader, round }: Place): Promise<Heal> {
  if (round % 2 === 0) {
    for (const way of leader.etcdWays) way.setMode(round % 4 === 0 ? 'stall' : 'refuse');
    return async () => {
      for (const way of leader.etcdWays) way.setMode('pass');
    };
  }
  await leader.patroni().end('SIGKILL');
  return async () => leader.start();
}

/** The synchronous standby falls behind; commits wait until Patroni names the other one. */
async function lag(place: Place): Promise<Heal> {
  const { cluster, leader } = place;
  const slow = await cluster.synchronous();
  const receiver = await until(`${slow.name} receives`, async () =>
    processTitled(slow.dataFolder, 'walreceiver'),
  );
  process.kill(receiver, 'SIGSTOP');
  const other = await until(
    'the other standby is synchronous',
    async () => {
      const now = await cluster.synchronous();
      return now === slow ? undefined : now;
    },
    120_000,
  );
  await writeLog(leader, LAG_BYTES);
  return async () => {
    const primary = await cluster.leaderAfter(leader);
    process.kill(receiver, 'SIGCONT');
    if (primary !== other) {
      throw new Error(`${primary.name} took over, which was ${LAG_BYTES} bytes behind.`);
    }
  };
}

/** Appends to the file until there is no room for a single page. */
function fillUp(file: string): void {
  for (let size = MEGABYTE; size >= PAGE; ) {
    try {
      appendFileSync(file, Buffer.alloc(size));
    } catch (error) {
      if (codeOf(error) !== 'ENOSPC') throw error;
      size /= 2;
    }
  }
}

/** Nothing is left on its disk, and what is written next is its log: PostgreSQL ends, and cannot start again. */
async function fillDisk({ leader }: Place): Promise<Heal> {
  const filler = join(leader.diskFolder, 'filler');
  if (leader.hasOwnDisk) {
    const { bavail, bsize } = statfsSync(leader.diskFolder);
    run('fallocate', [
      '--length',
      String(Math.max(MEGABYTE, bavail * bsize - 4 * MEGABYTE)),
      filler,
    ]);
    fillUp(filler);
  } else {
    // No file may grow: what PostgreSQL reports is "File too large" in the place of "No space left".
    for (const pid of processesIn(leader.folder)) {
      run('prlimit', [`--pid=${pid}`, '--fsize=65536:65536']);
    }
  }
  for (let statement = 0; statement < FILL_STATEMENTS; statement++) {
    try {
      await writeLog(leader, LAG_BYTES);
    } catch (error) {
      if (
        !/No space left|too large|terminat|ECONNRE|reset|closed|starting|recovery/i.test(
          String(error),
        )
      )
        throw error;
      break;
    }
  }
  return async () => {
    run('rm', ['--force', filler]);
    if (leader.hasOwnDisk) return;
    // The limit is inherited by whatever Patroni starts.
    signalAllIn(leader.folder, 'SIGKILL');
    leader.start();
  };
}

async function exchange({ round, servers }: Place, node: Node): Promise<void> {
  await node.stop();
  node.useServer(servers[(round + 1) % 2] ?? servers[0]);
  node.start();
}

/** Standbys first, one after the other. */
async function upgradeStandbys(place: Place): Promise<Heal> {
  const { cluster, leader } = place;
  for (const node of cluster.nodes) {
    if (node === leader) continue;
    await exchange(place, node);
    await rest(1_000);
    await cluster.whole();
  }
  return nothing;
}

/** Then the primary hands over, and is exchanged too. */
async function upgradePrimary(place: Place): Promise<Heal> {
  await switchOver(place);
  return () => exchange(place, place.leader);
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { timeout: SYNC_LIMIT_MS });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
}

/** In the order in which they come. */
export const FAILURES: readonly Failure[] = [
  { kind: 'switchover', harm: switchOver },
  { kind: 'killed', harm: kill },
  { kind: 'frozen', harm: freeze },
  { kind: 'cut off from etcd', harm: cutOff },
  { kind: 'a replica lags', prepare: lag, harm: kill },
  { kind: 'full disk', harm: fillDisk },
  { kind: 'rolling minor upgrade', prepare: upgradeStandbys, harm: upgradePrimary },
];
