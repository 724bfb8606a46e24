/** F88: a backup of six hours ago is put in place of the database. Look first; nothing is doubled. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaultCase } from '../case.ts';
import { LOOKS_PATH } from '../rig/postgres.ts';
import type { Rig } from '../rig/rig.ts';
import { openRig } from '../rig/rig.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { createScene, digits } from '../rig/scene.ts';
import { send } from '../rig/sign.ts';
import { until } from '../rig/until.ts';

const HOUR_MS = 3_600_000;
const PATCH = 'PATCH /v1/alerts/{alert_id}';

/** Copies a database; nobody may be connected to either. */
async function copy({ postgres }: Rig, from: string, to: string): Promise<void> {
  await postgres.query('postgres', `drop database if exists ${to} with (force)`);
  await postgres.query(
    'postgres',
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
    [from],
  );
  await postgres.query('postgres', `create database ${to} template ${from}`);
  await postgres.query('postgres', `alter database ${to} set search_path = ${LOOKS_PATH}`);
}

async function stopAll(rig: Rig): Promise<void> {
  for (const role of ['work', 'serve', 'console'] as const) {
    await Promise.all(rig.running(role).map((child) => child.end('SIGTERM')));
  }
}

/** A world of its own: what the others know must not be forgotten. */
async function restored(outer: Scene): Promise<string> {
  const folder = join(outer.rig.folder, `restored-${digits(6)}`);
  await mkdir(folder, { recursive: true });
  const rig = await openRig(folder, { postgres: outer.rig.postgres });
  try {
    return await restoreIn(createScene(rig, outer.time));
  } finally {
    await rig.close();
  }
}

async function restoreIn(scene: Scene): Promise<string> {
  const { rig } = scene;
  const backup = `${rig.database}_backup`;
  const make = async (amountMinor = 4_900): Promise<Dispute> => {
    const charge = await scene.charge({ amount_in_cents: amountMinor });
    return { charge, alertId: await scene.alertAbout(charge, { deadline_hours: 60 }) };
  };
  const over = await make();
  await scene.refundedOnce(over);
  const waiting = await make(90_000);
  await scene.reaches(waiting.alertId, 'HUMAN');
  // Known and untouched when the backup is made.
  await Promise.all(rig.running('work').map((child) => child.end('SIGTERM')));
  const [answered, unanswered] = [await make(), await make()];
  await until('both were taken in', async () => {
    const rows = await rig.sql('select 1 from inbox_work');
    return rows.length >= 2;
  });
  await stopAll(rig);
  await copy(rig, rig.database, backup);

  // Six hours in which everything continues: refunds, one of which cannot be declared, and a new alert.
  const clear = await rig.sandbox.fault({
    on: PATCH,
    kind: 'status',
    status: 503,
    times: 100_000,
    contains: unanswered.alertId,
  });
  await Promise.all((['serve', 'work', 'console'] as const).map((role) => rig.start(role)));
  await scene.refundedOnce(answered);
  await until(
    'the other refund has been made',
    async () => (await rig.processor.ours(unanswered.charge.reference)).length === 1,
  );
  await rig.moveTime(6 * HOUR_MS);
  const later = await make();
  await scene.refundedOnce(later, 120_000);

  await stopAll(rig);
  await copy(rig, backup, rig.database);
  await rig.postgres.moveClock(rig.database, rig.aheadMs());
  await clear();
  const calls = (await rig.processor.books()).calls.length;
  await Promise.all((['serve', 'work', 'console'] as const).map((role) => rig.start(role)));
  const worker = rig.running('work').at(-1);
  await worker?.printed(/reconciling first: no refund, no answer/);
  await worker?.printed(/reconciled: refunds and answers continue/, 180_000);
  const told = await scene.messages('reconcile_first');
  match(told.join('\n'), /not the database that was written last/);

  await scene.refundedOnce(unanswered, 120_000);
  await until('what the service shows as answered is closed', async () => {
    const state = (await scene.caseOf(answered.alertId))?.state ?? '';
    return ['DECLARED_REFUND', 'CLOSED_REMOTE'].includes(state);
  });
  await scene.reaches(waiting.alertId, 'HUMAN');
  for (const { charge, alertId } of [over, answered, unanswered, later]) {
    equal((await rig.processor.ours(charge.reference)).length, 1, 'one refund');
    const actions = (await scene.effective(alertId)).map(({ action }) => action);
    deepEqual(actions, ['REFUND'], 'one answer');
  }
  equal((await rig.processor.books()).calls.length, calls, 'no refund call after the restore');
  const after = await make();
  await scene.refundedOnce(after);
  equal((await send({ port: rig.port('serve'), method: 'GET', path: '/readyz' })).status, 200);
  return 'refunds made after the backup were found by look-up; none repeated, each answered once; a new alert is answered as ever';
}

export const RESTORE_CASES: readonly FaultCase[] = [
  { id: 'F88', place: 'replicas', run: restored },
];
