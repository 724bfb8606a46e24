/**
 * `npm run bench:cluster`: failovers of a PostgreSQL that Patroni keeps alive, while alerts flow in two organisations.
 *
 *   npm run bench:cluster -- --rounds 100 --minutes 90 --only killed,frozen --other-minor /path/to/bin
 *
 * Nothing of `npm test` needs it. Exit status 1: something was lost, refunded twice, answered falsely or not at all, or a round
 * went wrong. 2: programs are missing here.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { killAll } from '../faults/rig/child.ts';
import { rest, until } from '../faults/rig/until.ts';
import { fork, SYNC_LIMIT_MS, spawnSync } from '../support/child-process.ts';
import type { Books, Verdict } from './books.ts';
import { judge, longestPause } from './books.ts';
import type { Cluster, Node } from './cluster.ts';
import { startCluster } from './cluster.ts';
import type { Failure, Heal } from './failures.ts';
import { FAILURES } from './failures.ts';
import type { Programs } from './packages.ts';
import { findPrograms, installText, placesHere } from './packages.ts';
import { endAllIn, ordinaryUser } from './programs.ts';
import type { Round, Run } from './report.ts';
import { isGood, tableOf } from './report.ts';
import type { World } from './world.ts';
import { openWorld } from './world.ts';

const OUT = '.forestall/cluster';
const MINUTE_MS = 60_000;
/** Refunds that must be seen before a round goes on. */
const REFUNDS_SEEN = 3;
const REFUND_LIMIT_MS = 240_000;
/** Until every alert is answered, in the end: a delivery that was refused may come by the poll only. */
const DRAIN_LIMIT_MS = 8 * MINUTE_MS;
const SWEEPER = fileURLToPath(new URL('sweeper.ts', import.meta.url));

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    minutes: { type: 'string', default: '60' },
    alerts: { type: 'string', default: '50' },
    only: { type: 'string' },
    'other-minor': { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

/** Interrupted: no further round begins. */
let isOver = false;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function refundsAfter(world: World, fromMs: number): Promise<void> {
  await until(
    'refunds go again',
    async () => {
      const { alerts } = await world.books();
      return (
        alerts.filter(({ createdMs, refunds }) => createdMs > fromMs && refunds.length > 0)
          .length >= REFUNDS_SEEN
      );
    },
    REFUND_LIMIT_MS,
  );
}

interface Stage {
  readonly cluster: Cluster;
  readonly world: World;
  readonly servers: readonly [string, string];
}

async function playRound(
  { cluster, world, servers }: Stage,
  failure: Failure,
  round: number,
): Promise<Round> {
  const leader = await cluster.leader();
  const place = { cluster, leader, round, servers };
  const beganMs = Date.now();
  let takenOverMs = Number.NaN;
  const heals: Heal[] = [];
  try {
    heals.push((await failure.prepare?.(place)) ?? (async (): Promise<void> => undefined));
    const harmedMs = Date.now();
    heals.push(await failure.harm(place));
    await cluster.leaderAfter(leader);
    takenOverMs = Date.now() - harmedMs;
    // Alone no primary commits anything: what was prepared is put right before the primary that was lost.
    await heals.shift()?.();
    await refundsAfter(world, Date.now());
    await healAll(heals);
    await cluster.whole();
    await refundsAfter(world, Date.now());
  } catch (error) {
    await healAll(heals).catch(() => undefined);
    const pauseMs = longestPause(await world.books(), beganMs, Date.now());
    return { kind: failure.kind, pauseMs, takenOverMs, problem: String(error) };
  }
  const pauseMs = longestPause(await world.books(), beganMs, Date.now());
  return { kind: failure.kind, pauseMs, takenOverMs };
}

async function healAll(heals: Heal[]): Promise<void> {
  while (heals.length > 0) await heals.pop()?.();
}

async function storedOf(leader: Node, { taken }: Books): Promise<ReadonlySet<string>> {
  const rows = await leader.query(
    'select event_id from forestall.inbox_id where event_id = any($1)',
    [taken],
    'forestall',
  );
  return new Set(rows.map(({ event_id: id }) => String(id)));
}

async function verdictNow({ cluster, world }: Stage): Promise<Verdict> {
  const books = await world.books();
  return judge(books, await storedOf(await cluster.leader(), books));
}

async function finish({ cluster, world }: Stage, rounds: readonly Round[]): Promise<Run> {
  const isDone = ({ alerts }: Books): boolean => alerts.every(({ answers }) => answers.length > 0);
  await until(
    'every alert is answered',
    async () => isDone(await world.books()),
    DRAIN_LIMIT_MS,
  ).catch(() => undefined);
  const books = await world.books();
  const verdict = judge(books, await storedOf(await cluster.leader(), books));
  return {
    rounds,
    verdict,
    alerts: books.alerts.length,
    taken: books.taken.length,
    refused: world.refused(),
    reinitialised: cluster.reinitialised(),
  };
}

function versionOf(command: string, args: readonly string[] = ['--version']): string {
  const { stdout } = spawnSync(command, args, { timeout: SYNC_LIMIT_MS });
  return stdout.toString().split('\n')[0]?.trim() ?? '';
}

function machineLines(programs: Programs, servers: readonly [string, string]): string {
  const minors = [...new Set(servers)].map((server) => versionOf(join(server, 'postgres')));
  return [
    minors.join(' and '),
    versionOf(programs.patroni),
    versionOf(programs.etcd),
    versionOf(programs.haproxy, ['-v']),
    versionOf(programs.pgbouncer),
    `node ${process.version}`,
  ].join('; ');
}

async function play(programs: Programs, folder: string, limitMs: number): Promise<boolean> {
  const endMs = Date.now() + Number(values.minutes) * MINUTE_MS;
  const servers: [string, string] = [programs.server, values['other-minor'] ?? programs.server];
  say(machineLines(programs, servers));
  const failures = FAILURES.filter(
    ({ kind }) => values.only === undefined || values.only.split(',').includes(kind),
  );
  const cluster = await startCluster({ folder, programs, user: ordinaryUser(), limitMs });
  const world = await openWorld(cluster, { folder, limitMs });
  const stage: Stage = { cluster, world, servers };
  const rounds: Round[] = [];
  world.raise(Number(values.alerts));
  await refundsAfter(world, Date.now());
  say(`Three nodes, two organisations, ${values.alerts} alerts a minute; ${folder}`);
  let isWhole = true;
  while (rounds.length < Number(values.rounds) && Date.now() < endMs && !isOver) {
    const failure = failures[rounds.length % failures.length];
    if (failure === undefined) break;
    try {
      await cluster.whole();
    } catch (error) {
      // What was seen until then is judged.
      say(`     no further failover: ${String(error)}`);
      isWhole = false;
      break;
    }
    const round = await playRound(stage, failure, Math.floor(rounds.length / failures.length));
    rounds.push(round);
    const { kind, pauseMs, takenOverMs, problem = '' } = round;
    say(
      `${String(rounds.length).padStart(4)} ${kind.padEnd(24)} another primary after ${(takenOverMs / 1_000).toFixed(1)} s, no refund for ${(pauseMs / 1_000).toFixed(1)} s ${problem}`,
    );
    if (rounds.length % failures.length === 0) {
      const now = await verdictNow(stage);
      say(
        `     so far: answered 200 and missing ${now.lost.length}; refunded twice ${now.refundedTwice.length}; false answers ${now.falseAnswers.length}`,
      );
    }
    if (world.ended().length > 0) throw new Error(`${world.ended().join()} has ended.`);
  }
  world.raise(0);
  await rest(1_000);
  const run = await finish(stage, rounds);
  const table = tableOf(run);
  mkdirSync(OUT, { recursive: true });
  writeFileSync(
    join(OUT, 'report.json'),
    `${JSON.stringify({ machine: machineLines(programs, servers), ...run }, null, 2)}\n`,
  );
  writeFileSync(join(OUT, 'summary.txt'), `${table}\n`);
  say(table);
  await world.close();
  await cluster.close();
  return isWhole && isGood(run);
}

const found = findPrograms(placesHere());
const other = values['other-minor'];
if ('missing' in found) {
  say(installText(found.missing));
  process.exit(2);
}
// A replica that is made again is copied by the client's program: without it the cluster is never whole again.
const notThere =
  other === undefined
    ? []
    : ['postgres', 'pg_ctl', 'pg_rewind', 'pg_basebackup'].filter(
        (program) => !existsSync(join(other, program)),
      );
if (notThere.length > 0) {
  say(
    `--other-minor: ${other} holds no ${notThere.join(', ')}: it needs PostgreSQL's server and client.`,
  );
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'forestall-cluster-'));
// Starting and draining come on top of the rounds.
const limitMs = (Number(values.minutes) + 25) * MINUTE_MS;
const sweeper = fork(SWEEPER, [folder, String(process.pid), String(limitMs)], {
  detached: true,
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  timeout: limitMs + MINUTE_MS,
});
sweeper.unref();
sweeper.disconnect();
let status = 1;
const clear = (): void => {
  killAll();
  endAllIn(folder);
  if (values.keep) sweeper.kill('SIGKILL');
  else rmSync(folder, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first one ends the rounds, and lets what was seen be judged.
    if (signal === 'SIGINT' && !isOver) {
      isOver = true;
      return;
    }
    clear();
    process.exit(1);
  });
}
try {
  status = (await play(found, folder, limitMs)) ? 0 : 1;
} catch (error) {
  say(`${error instanceof Error ? error.stack : String(error)}`);
} finally {
  clear();
}
process.exit(status);
