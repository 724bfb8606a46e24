/** HA1–HA4: the primary is lost under load, a standby takes over, and everything continues by itself. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import type { FaultCase } from '../case.ts';
import { SkippedError } from '../case.ts';
import type { Rig } from '../rig/rig.ts';
import { openRig, privatePortOf } from '../rig/rig.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { createScene } from '../rig/scene.ts';
import { send } from '../rig/sign.ts';
import type { Harm, StandbyPair } from '../rig/standby.ts';
import { startPair } from '../rig/standby.ts';
import { findTools } from '../rig/tools.ts';
import { rest, until } from '../rig/until.ts';
import { checkWorld } from '../world-checks.ts';
import { storedOf } from './database.ts';
import { takenOver } from './proven.ts';
import { harmless } from './signatures.ts';

/** From the moment on when the address leads to a new primary. */
const RECOVERY_MS_MAX = 30_000;

/** How long the address leads to a server that cannot be written to, in milliseconds. */
const READ_ONLY_MS = 20_000;

/** How long no server answers at all, in milliseconds: as long as it takes until a primary is given up. */
const FROZEN_MS = 30_000;

/** As it is where nobody set it: what recovers must not wait for the next poll. */
const POLL_SECONDS = 120;

/** Between two deliveries of the load, in milliseconds. */
const LOAD_EVERY_MS = 25;

/**
 * How a failover goes. `frozen long`: the address stays with the frozen one for a while · `too early`: the address leads to the standby for a while before that is promoted ·
 * `too late`: it leads to the old primary for a while, which is a standby then.
 */
type Way = Harm | 'frozen long' | 'too early' | 'too late';

/** A world on a pair of servers of its own, with its checks at the end. */
async function onPair(
  outer: Scene,
  how: { readonly name: string; readonly synchronous: boolean },
  play: (scene: Scene, pair: StandbyPair) => Promise<string>,
): Promise<string> {
  const tools = findTools();
  if (tools === undefined) {
    throw new SkippedError(
      'no PostgreSQL with pg_basebackup is installed here (Debian: apt-get install postgresql)',
    );
  }
  const pair = await startPair({ tools, synchronous: how.synchronous });
  const replicas = { serve: 1, work: 2, console: 1 };
  const { openNeighbour } = outer.rig;
  const place = { postgres: pair, replicas, pollSeconds: POLL_SECONDS, openNeighbour };
  const rig = await openRig(join(outer.rig.folder, how.name), place);
  try {
    const scene = createScene(rig, outer.time);
    const figures = await play(scene, pair);
    const beside = await rig.neighbour?.check(rig);
    for (const found of [beside, await checkWorld(rig)]) {
      if (found !== undefined) equal(found.status, 'passed', found.detail);
    }
    return beside === undefined ? figures : `${figures}; beside them ${beside.detail}`;
  } finally {
    await rig.close();
    await pair.close();
  }
}

/** Deliveries, one after the other, until stopped; those answered 200 are promised. */
interface Load {
  readonly promised: string[];
  readonly statuses: Map<number, number>;
  /** When the last one was answered 200, by `performance.now()`. */
  lastMs: number;
  stop(): Promise<void>;
}

function startLoad(scene: Scene): Load {
  let isOver = false;
  const calls = new Set<Promise<void>>();
  const load: Load = {
    promised: [],
    statuses: new Map(),
    lastMs: 0,
    async stop(): Promise<void> {
      isOver = true;
      await sending;
      await Promise.all(calls);
    },
  };
  const one = async (): Promise<void> => {
    const body = harmless();
    const { status } = await scene.post(body);
    load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1);
    if (status !== 200) return;
    load.promised.push(String(JSON.parse(body).id));
    load.lastMs = performance.now();
  };
  const sending = (async (): Promise<void> => {
    while (!isOver) {
      const call = one().finally(() => calls.delete(call));
      calls.add(call);
      await rest(LOAD_EVERY_MS);
    }
  })();
  return load;
}

/** How often the workers have looked before they acted. */
function looks(rig: Rig): number {
  return rig
    .children()
    .flatMap((child) => child.text().match(/reconciled: refunds and answers continue/g) ?? [])
    .length;
}

/** Milliseconds since the new primary could be reached. */
interface Recovery {
  /** Until a delivery was answered 200. */
  readonly deliveriesMs: number;
  /** Until an alert that came at that moment was refunded and answered. */
  readonly alertMs: number;
  readonly disputes: readonly Dispute[];
}

/** Returns when the address leads to a new primary. */
async function lose(scene: Scene, pair: StandbyPair, way: Way): Promise<void> {
  switch (way) {
    case 'too late':
      await pair.switchOver();
      await beReadOnly(scene);
      return pair.switchAddress();
    case 'too early':
      pair.harm('killed');
      pair.switchAddress();
      await beReadOnly(scene);
      return await pair.promote();
    default:
      pair.harm(way === 'killed' ? 'killed' : 'frozen');
      // Deliveries and rounds begin on silent connections meanwhile.
      await rest(way === 'frozen long' ? FROZEN_MS : 1_000);
      await pair.promote();
      return pair.switchAddress();
  }
}

/** Long enough for every loop to have failed several times. */
async function beReadOnly({ rig }: Scene): Promise<void> {
  const [serve] = rig.running('serve');
  ok(serve !== undefined);
  const port = await privatePortOf(serve);
  await until('readiness tells that the database is read-only', async () => {
    const answer = await send({ port, method: 'GET', path: '/readyz' });
    return answer.status === 503 && answer.body.includes('read-only');
  });
  await rest(READ_ONLY_MS);
  const [row] = await rig.sql(
    `select count(*)::int as count from pg_stat_activity where application_name like 'forestall%'`,
  );
  const count = Number(row?.['count']);
  ok(count < 20, `${count} connections stand on a server that cannot be used`);
}

async function failOver(scene: Scene, pair: StandbyPair, load: Load, way: Way): Promise<Recovery> {
  const { rig } = scene;
  const looked = looks(rig);
  const before = await Promise.all([scene.dispute(), scene.dispute(), scene.dispute()]);
  // Somewhere between the webhook and the answer.
  await rest(Math.random() * 400);
  await lose(scene, pair, way);
  const switchedMs = performance.now();
  const after = await scene.dispute();
  await until('deliveries are taken again', async () => load.lastMs > switchedMs, 120_000);
  const deliveriesMs = load.lastMs - switchedMs;
  await scene.reaches(after.alertId, 'DECLARED_REFUND', 180_000);
  const alertMs = performance.now() - switchedMs;
  await until('the workers have looked first', async () => looks(rig) > looked);
  await pair.rebuild();
  return { deliveriesMs, alertMs, disputes: [...before, after] };
}

async function failOvers(scene: Scene, pair: StandbyPair, ways: readonly Way[]): Promise<string> {
  const { rig } = scene;
  const load = startLoad(scene);
  const recoveries: Recovery[] = [];
  try {
    for (const way of ways) recoveries.push(await failOver(scene, pair, load, way));
  } finally {
    await load.stop();
  }
  const disputes = recoveries.flatMap((each) => each.disputes);
  const shown = recoveries
    .map(({ deliveriesMs, alertMs }, index) => {
      return `${ways[index]} ${(deliveriesMs / 1000).toFixed(1)}/${(alertMs / 1000).toFixed(1)}`;
    })
    .join(', ');
  deepEqual(
    (['serve', 'work', 'console'] as const).map((role) => rig.running(role).length),
    [1, 2, 1],
    'every process lives on',
  );
  await takenOver(scene, disputes);
  for (const dispute of disputes) await scene.refundedOnce(dispute, 180_000);
  const [row] = await rig.sql(
    'select count(*)::int as count from inbox_id where event_id = any($1)',
    [load.promised],
  );
  equal(row?.['count'], load.promised.length, 'every event answered 200 is stored');
  for (const status of load.statuses.keys()) ok(status === 200 || status === 503, `${status}`);
  const worst = Math.max(...recoveries.map(({ alertMs }) => alertMs));
  ok(worst < RECOVERY_MS_MAX, `the slowest recovery took ${worst} ms: ${shown}`);
  const answers = [...load.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  return `${ways.length} failovers, seconds until a delivery / an alert was answered: ${shown}; ${answers}, every 200 stored; ${disputes.length} alerts each refunded once`;
}

function failOverCase(name: string, ways: readonly Way[]): FaultCase['run'] {
  return (outer) =>
    onPair(outer, { name, synchronous: true }, (scene, pair) => failOvers(scene, pair, ways));
}

const PATCH = 'PATCH /v1/alerts/{alert_id}';

/**
 * A standby that nobody waits for has not heard of the last alerts: one refunded and answered, one refunded
 * only, one not acted upon; nor of the deliveries beside them.
 */
async function loseLast(scene: Scene, pair: StandbyPair): Promise<string> {
  const { rig } = scene;
  const make = (): Promise<Dispute> => scene.dispute();
  const known = await make();
  await scene.refundedOnce(known);
  await pair.caughtUp();
  pair.holdReplication();
  const answered = await make();
  await scene.refundedOnce(answered);
  const clear = await rig.sandbox.fault({ on: PATCH, kind: 'status', status: 503, times: 10_000 });
  const refunded = await make();
  await until(
    'the refund was made',
    async () => (await rig.processor.ours(refunded.charge.reference)).length === 1,
  );
  rig.proxies.workToProcessor.setMode('refuse');
  const untouched = await make();
  const bodies = Array.from({ length: 50 }, () => harmless());
  for (const body of bodies) equal((await scene.post(body)).status, 200);
  const ids = [answered, refunded, untouched].map(({ alertId }) => alertId);
  const knownTo = async (): Promise<number> =>
    (await rig.sql('select from alert where id = any($1)', [ids])).length;
  await until('the primary knows all three', async () => (await knownTo()) === 3);
  pair.harm('killed');
  await pair.promote();
  pair.switchAddress();
  equal(await knownTo(), 0, 'the standby knows none of them');
  await clear();
  rig.proxies.workToProcessor.setMode('pass');
  const lost = 50 - (await storedOf(scene, bodies));
  await scene.refundedOnce(refunded, 120_000);
  await scene.refundedOnce(untouched, 120_000);
  await scene.refundedOnce(known);
  // Nothing is open about it, so that it is seen by a whole poll: of two organisations each has one a minute.
  const end = await until(
    'the alert that was answered is known again',
    () => scene.caseOf(answered.alertId),
    120_000,
  );
  await until('it is closed', async () =>
    ['CLOSED_REMOTE', 'DECLARED_REFUND'].includes(
      (await scene.caseOf(answered.alertId))?.state ?? '',
    ),
  );
  equal((await rig.processor.ours(answered.charge.reference)).length, 1, 'one refund');
  const told = (await scene.messages('lost_time')).join();
  match(told, /may not be in this database, although it was answered 200/);
  const findings = await rig.sql(`select from finding where kind = 'unlisted_period'`);
  equal(findings.length, 1, 'the lost time stands among the findings');
  return `${lost} of 50 deliveries and 3 alerts were lost with the primary; all alerts were read again and none was refunded twice (${end.state} first); people were told of the time`;
}

/** Twenty, in turn. */
const WAYS: readonly Way[] = ['killed', 'frozen', 'too early', 'too late'];
const TWENTY = Array.from({ length: 5 }, () => WAYS).flat();

export const FAILOVER_CASES: readonly FaultCase[] = [
  { id: 'HA1', place: 'pair', run: failOverCase('failovers', TWENTY) },
  { id: 'HA2', place: 'pair', run: failOverCase('silent', ['frozen', 'frozen long']) },
  { id: 'HA3', place: 'pair', run: failOverCase('read-only', ['too early', 'too late']) },
  {
    id: 'HA4',
    place: 'pair',
    run: (outer) => onPair(outer, { name: 'asynchronous', synchronous: false }, loseLast),
  },
];
