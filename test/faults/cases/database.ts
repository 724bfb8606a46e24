/** F01–F08: PostgreSQL goes away, stalls, refuses. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import type { Answered } from '../rig/sign.ts';
import { send } from '../rig/sign.ts';
import { until } from '../rig/until.ts';
import { residentMb } from './bodies.ts';
import { harmless } from './signatures.ts';

/** A delivery is answered within this time, stored or not: the promise is 5 s, the rest the machine's. */
const ANSWER_MS_MAX = 6_000;

async function postAll(scene: Scene, bodies: readonly string[]): Promise<Answered[]> {
  return await Promise.all(bodies.map((body) => scene.post(body)));
}

/** How many of the events are stored. */
export async function storedOf(scene: Scene, bodies: readonly string[]): Promise<number> {
  const ids = bodies.map((body) => String(JSON.parse(body).id));
  const rows = await scene.rig.sql('select 1 from inbox_id where event_id = any($1)', [ids]);
  return rows.length;
}

/** Everything answers again: a delivery, readiness, and a whole dispute. */
export async function recovers(scene: Scene, limitMs = 10_000): Promise<number> {
  const startedMs = performance.now();
  await until(
    'deliveries are taken again',
    async () => (await scene.post(harmless())).status === 200,
    limitMs,
  );
  const tookMs = performance.now() - startedMs;
  await until('the listener says it is ready', async () => (await ready(scene)).status === 200);
  await scene.refundedOnce(await scene.dispute());
  return tookMs;
}

async function ready(scene: Scene): Promise<Answered> {
  return await send({ port: scene.rig.port('serve'), method: 'GET', path: '/readyz' });
}

function sameProcesses(scene: Scene): () => void {
  const roles = ['serve', 'work', 'console'] as const;
  const pids = roles.map((role) => scene.rig.running(role).map(({ pid }) => pid));
  return () =>
    deepEqual(
      roles.map((role) => scene.rig.running(role).map(({ pid }) => pid)),
      pids,
      'every process lives on',
    );
}

async function stopped(scene: Scene): Promise<string> {
  const { postgres } = scene.rig;
  const same = sameProcesses(scene);
  const bodies = Array.from({ length: 200 }, () => harmless());
  await postgres.stop('fast');
  const answers = await postAll(scene, bodies);
  deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
  const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
  ok(slowest <= ANSWER_MS_MAX, `the slowest answer took ${slowest} ms`);
  await postgres.start();
  await recovers(scene);
  const again = await postAll(scene, bodies);
  deepEqual(new Set(again.map(({ status }) => status)), new Set([200]));
  equal(await storedOf(scene, bodies), 200, 'all are stored');
  same();
  return `slowest 503 after ${(slowest / 1000).toFixed(1)} s`;
}

async function restarted(scene: Scene): Promise<string> {
  const { postgres, database } = scene.rig;
  const same = sameProcesses(scene);
  const took: number[] = [];
  for (const mode of ['fast', 'immediate'] as const) {
    await postgres.stop(mode);
    await postgres.start();
    took.push(await recovers(scene));
  }
  await postgres.query(
    'postgres',
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
    [database],
  );
  took.push(await recovers(scene));
  same();
  return `took deliveries again after ${took.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`;
}

async function stalled(scene: Scene): Promise<string> {
  const { serveToDatabase } = scene.rig.proxies;
  const same = sameProcesses(scene);
  const before = residentMb(scene);
  const bodies = Array.from({ length: 100 }, () => harmless());
  serveToDatabase.setMode('stall');
  try {
    const answers = await postAll(scene, bodies);
    deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
    ok(slowest <= ANSWER_MS_MAX, `the slowest answer took ${slowest} ms`);
    equal((await ready(scene)).status, 503, 'readiness is red');
    const grown = residentMb(scene) - before;
    ok(grown < 60, `memory grew by ${grown.toFixed(0)} MB`);
    return `slowest 503 after ${(slowest / 1000).toFixed(1)} s, memory grew by ${Math.max(0, grown).toFixed(0)} MB`;
  } finally {
    serveToDatabase.setMode('pass');
    serveToDatabase.cut();
    await recovers(scene, 30_000);
    same();
  }
}

/** Every process that serves somebody. */
const BACKENDS =
  'select pid from pg_stat_activity where pid <> pg_backend_pid() and datname is not null';

/** And the one that takes new connections: without it, what is silent is soon replaced by a new connection. */
const WHOLE_SERVER = `${BACKENDS}
  union all select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int`;

/** Stops every backend, or the whole server, where it stands. Returns what lets them continue. */
export async function freeze(
  { rig: { postgres } }: Scene,
  what: 'backends' | 'server' = 'backends',
): Promise<() => void> {
  const rows = await postgres.query('postgres', what === 'server' ? WHOLE_SERVER : BACKENDS);
  const pids = rows.map(({ pid }) => Number(pid));
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // It ended meanwhile: a connection was given up.
      }
    }
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

async function frozen(scene: Scene): Promise<string> {
  const bodies = Array.from({ length: 50 }, () => harmless());
  const thaw = await freeze(scene);
  let slowest = 0;
  try {
    const answers = await postAll(scene, bodies);
    slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
    ok(slowest <= ANSWER_MS_MAX, `the slowest answer took ${slowest} ms`);
    for (const { status } of answers) ok(status === 200 || status === 503, `answered ${status}`);
  } finally {
    thaw();
  }
  await recovers(scene, 30_000);
  return `every backend stopped by SIGSTOP; slowest answer after ${(slowest / 1000).toFixed(1)} s`;
}

async function workersStuck(scene: Scene): Promise<string> {
  const { workToDatabase } = scene.rig.proxies;
  workToDatabase.setMode('stall');
  try {
    const took: number[] = [];
    for (let count = 0; count < 200; count++) {
      const { status, tookMs } = await scene.post(harmless());
      equal(status, 200);
      took.push(tookMs);
    }
    took.sort((a, b) => a - b);
    const p99 = took[Math.floor(took.length * 0.99)] ?? 0;
    ok(p99 < 1_000, `p99 ${p99} ms`);
    return `p99 of 200 deliveries ${p99.toFixed(0)} ms while no worker reaches the database`;
  } finally {
    workToDatabase.setMode('pass');
    workToDatabase.cut();
    await recovers(scene, 30_000);
  }
}

/** A trigger that makes the database refuse what it is told to refuse. */
export async function refusing(
  scene: Scene,
  { table, condition, code }: { table: string; condition: string; code: string },
): Promise<() => Promise<void>> {
  // Under load the statement may meet a deadlock: then it is its turn again.
  const tell = (text: string): Promise<unknown> =>
    until(
      'the database is told what to refuse',
      async () => (await scene.rig.sql(text)).length + 1,
    );
  await tell(`create or replace function fault_refuse() returns trigger language plpgsql as $$ begin
    if ${condition} then raise exception 'injected' using errcode = '${code}'; end if;
    return new; end $$`);
  await tell(`create or replace trigger fault_refuse before insert on ${table}
    for each row execute function fault_refuse()`);
  return async () => void (await tell(`drop trigger if exists fault_refuse on ${table}`));
}

async function collisions(scene: Scene): Promise<void> {
  await scene.rig.sql('create sequence fault_collisions');
  for (const code of ['40P01', '40001']) {
    await scene.rig.sql('alter sequence fault_collisions restart');
    const condition = `nextval('fault_collisions') <= 2`;
    const clear = await refusing(scene, { table: 'movement', condition, code });
    try {
      await scene.refundedOnce(await scene.dispute());
    } finally {
      await clear();
    }
  }
}

async function diskFull(scene: Scene): Promise<void> {
  const clear = await refusing(scene, { table: 'inbox_event', condition: 'true', code: '53100' });
  const bodies = Array.from({ length: 20 }, () => harmless());
  try {
    const answers = await postAll(scene, bodies);
    deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    equal(await storedOf(scene, bodies), 0);
  } finally {
    await clear();
  }
  const again = await postAll(scene, bodies);
  deepEqual(new Set(again.map(({ status }) => status)), new Set([200]), 'it resumes by itself');
}

async function readOnly(scene: Scene): Promise<void> {
  const { postgres, database } = scene.rig;
  const same = sameProcesses(scene);
  const switchTo = async (mode: 'on' | 'off'): Promise<void> => {
    await postgres.query(
      'postgres',
      `alter database ${database} set default_transaction_read_only = ${mode}`,
    );
    await postgres.query(
      'postgres',
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [database],
    );
  };
  await switchTo('on');
  const bodies = Array.from({ length: 20 }, () => harmless());
  try {
    const answers = await postAll(scene, bodies);
    deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    await until('readiness is red', async () => (await ready(scene)).status === 503);
  } finally {
    await switchTo('off');
  }
  await recovers(scene, 30_000);
  same();
}

export const DATABASE_CASES: readonly FaultCase[] = [
  { id: 'F01', place: 'loud', quick: true, run: stopped },
  { id: 'F02', place: 'loud', run: restarted },
  {
    id: 'F03',
    place: 'loud',
    run: async (scene) => `${await stalled(scene)}; ${await frozen(scene)}`,
  },
  { id: 'F05', place: 'loud', run: workersStuck },
  { id: 'F06', place: 'alone', run: collisions },
  { id: 'F07', place: 'alone', quick: true, run: diskFull },
  { id: 'F08', place: 'alone', run: readOnly },
];
