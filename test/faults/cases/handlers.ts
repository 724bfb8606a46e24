/** F40, F41, F43, V16.5.3: steps that race, run twice at once, always fail, or ask a policy that does. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { FaultCase } from '../case.ts';
import type { AsideWorld } from '../rig/aside.ts';
import { startChild } from '../rig/child.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { digits } from '../rig/scene.ts';
import { runSuite } from '../rig/suite.ts';
import { until } from '../rig/until.ts';
import { ask } from './console.ts';
import { aside } from './odd-alerts.ts';

const THROWS_AT = new URL('../rig/throws-at.ts', import.meta.url).href;
const EMBEDDER = fileURLToPath(new URL('../rig/embedder.ts', import.meta.url));
const RACES = 1_000;

/** The service allows a hundred calls a minute: a thousand races take a world whose time is a fixed clock. */
async function races({ rig }: Scene): Promise<string> {
  const file = 'integration/refund/recovery.test.ts';
  const env = { FORESTALL_TEST_RACES: String(RACES) };
  const passed = await runSuite(rig.folder, { file, named: 'F40', env });
  match(passed.join('\n'), new RegExp(`${RACES} times`), 'as often as was asked for');
  return `test/${file}: ${passed.join('; ')}`;
}

const QUEUE = 'forestall.minute.v1';

/** The job ends by its expiry while its handler works on, is begun again, and both run at once. */
async function expiredJobs(world: AsideWorld): Promise<string> {
  const { scene, database } = world;
  const disputes: Dispute[] = [];
  for (let count = 0; count < 4; count++) {
    disputes.push(await world.dispute({}, {}, { faults: ['hang_after'] }));
  }
  await world.start('work');
  const boss = new PgBoss({
    connectionString: database.DATABASE_URL,
    schema: 'forestall_jobs',
    migrate: false,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => undefined);
  await boss.start();
  // The job's look at what is due waits for this lock, until its limit of 10 s.
  const lock = new pg.Client({ connectionString: database.DATABASE_URL });
  await lock.connect();
  await lock.query('begin; lock table side_action in access exclusive mode');
  const job = async (id: string): Promise<Record<string, unknown>> =>
    (await database.sql('select * from forestall_jobs.job where id = $1', [id]))[0] ?? {};
  const send = async (expireInSeconds: number): Promise<string> =>
    await until('the queue takes the job', async () => {
      const options = { expireInSeconds, retryLimit: 3, retryDelay: 0 };
      return (await boss.send(QUEUE, null, options)) ?? undefined;
    });
  try {
    const id = await send(1);
    await until('the job has been begun three times', async () => {
      return Number((await job(id))['retry_count']) >= 2;
    });
    for (const dispute of disputes) {
      await scene.refundedOnce(dispute, 150_000);
      equal(await scene.rig.processor.callsFor(dispute.charge.reference), 1, 'one call');
    }
    await lock.query('rollback');
    const next = await send(60);
    await until('the next job is done', async () => (await job(next))['state'] === 'completed');
  } finally {
    await lock.end();
    await boss.stop({ graceful: false, close: true });
  }
  return `a job that waits for a lock expired after a second and was begun three times; ${disputes.length} refunds under way each made and declared once`;
}

const MINUTE_MS = 60_000;
/** Below the silence after which a worker looks first. */
const STEP_MS = 6 * MINUTE_MS;
/** Together more than half of the window, when people are notified. */
const STEPS = 11;
const FIRST_ATTEMPTS = 4;
const WAIT_S_MAX = 300;

/** The step that decides always throws. It is tried ever more rarely, and a person is called in time. */
async function alwaysFails(world: AsideWorld): Promise<string> {
  const { scene } = world;
  const deadline = new Date(Date.now() + scene.rig.aheadMs() + 125 * MINUTE_MS).toISOString();
  const dispute = await world.dispute({ action_required_deadline: deadline });
  const begin = (): Promise<unknown> =>
    world.start('work', { THROW_AT: 'decision.made' }, { node: ['--import', THROWS_AT] });
  const look = async (): Promise<{ attempts: number; waitS: number; error: string }> => {
    const [row] = await world.database.sql(
      `select attempts, last_error, extract(epoch from next_action_at - clock_timestamp())::float8 as wait
         from alert_case where alert_id = $1`,
      [dispute.alertId],
    );
    const { attempts, wait, last_error: error } = row ?? {};
    return { attempts: Number(attempts ?? 0), waitS: Number(wait), error: String(error) };
  };
  const waits: number[] = [];
  const tried = async (count: number): Promise<void> => {
    const seen = await until(`it was tried ${count} times`, async () => {
      const now = await look();
      return now.attempts >= count && now;
    });
    waits.push(seen.waitS);
    match(seen.error, /planted/);
  };
  await begin();
  for (let count = 1; count <= FIRST_ATTEMPTS; count++) await tried(count);
  for (let step = 1; step <= STEPS; step++) {
    await world.pass(STEP_MS);
    await begin();
    await tried(FIRST_ATTEMPTS + step);
  }
  ok(Math.max(...waits) <= WAIT_S_MAX, `it waits ${Math.max(...waits)} s`);
  // By chance up to 2 s after the first failure, up to 5 minutes after the last ones.
  ok((waits[0] ?? 0) <= 2 && Math.max(...waits.slice(-4)) > 10, `the waits grow: ${waits}`);
  const told = await until('a person is called', async () => {
    const messages = await scene.messages(dispute.alertId);
    return messages.length > 0 && messages;
  });
  match(told.join('\n'), /deadline_near: .*is open \(MATCHED\)/);
  await scene.noEffect(dispute);
  // The person who was called decides, although the step still fails.
  const port = scene.rig.portOf(await world.start('console'));
  const decision = { port, method: 'POST', body: { action: 'ACCEPT_DISPUTE' } };
  equal((await ask(scene, `/api/alerts/${dispute.alertId}/decision`, decision)).status, 202);
  await scene.reaches(dispute.alertId, 'DECLARED_ACCEPT');
  return `tried ${waits.length} times, waiting at most ${Math.max(...waits).toFixed(0)} s; a person called before the deadline and decided`;
}

/** A policy in code that throws or answers nonsense: a person, never an answer. Nothing ends one that does not return. */
async function failingPolicy(world: AsideWorld): Promise<string> {
  const { scene } = world;
  const { rig } = scene;
  const failing: Dispute[] = [];
  for (const amount of [1_001, 1_003, 1_004]) {
    failing.push(await world.dispute({}, { amount_in_cents: amount }));
  }
  const sound = await world.dispute();
  const name = `embedder-${digits(6)}`;
  const program = startChild({
    name,
    args: [EMBEDDER],
    env: { ...rig.environment('work'), ...world.env },
    folder: rig.folder,
    logFile: join(rig.folder, `${name}.log`),
  });
  try {
    await program.printed(/worker started/);
    for (const dispute of failing) {
      await scene.heldFor(dispute, 'policy_error');
      await scene.noEffect(dispute);
    }
    await scene.refundedOnce(sound);
    const loud = await world.database.sql(
      `select alert_id from notification where severity = 'error' and alert_id = any($1)`,
      [failing.map(({ alertId }) => alertId)],
    );
    equal(loud.length, failing.length, 'a person is notified of each, loudly');
  } finally {
    deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
  }
  return 'throws, answers an unknown action, answers nothing: each a person’s; the alert beside them refunded';
}

export const HANDLER_CASES: readonly FaultCase[] = [
  { id: 'F40', place: 'suite', run: races },
  { id: 'F41', place: 'shared', run: aside(expiredJobs) },
  { id: 'F43', place: 'shared', run: aside(alwaysFails) },
  { id: 'V16.5.3', place: 'shared', run: aside(failingPolicy) },
];
