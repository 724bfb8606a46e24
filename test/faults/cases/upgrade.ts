/** R1, R2: processes replaced one by one, also by another version with a migration in between. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Child } from '../rig/child.ts';
import { forestall } from '../rig/rig.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { send } from '../rig/sign.ts';
import { until } from '../rig/until.ts';
import { harmless } from './signatures.ts';

const TREE = fileURLToPath(new URL('../../..', import.meta.url));
const NEW_MIGRATION = '9999_rig_expands';

/**
 * The next version: this one, and a migration that only adds. What it adds is used from the first moment,
 * so that old processes write rows of which they do not know every column.
 */
const EXPANDS = `
alter table alert_case add column rig_note text not null default 'unread';
alter table inbox_event add column rig_seen_at timestamptz;
create table rig_step (alert_id text not null, state text not null, at timestamptz not null default now());
create function rig_note_step() returns trigger language plpgsql as $$ begin
  insert into rig_step (alert_id, state) values (new.alert_id, new.state);
  return new; end $$;
create trigger rig_note_step after update of state on alert_case
  for each row execute function rig_note_step();
`;

/** Every process of a role is replaced, oldest first, while alerts come in. Returns those alerts. */
export async function replaceAll(scene: Scene): Promise<Dispute[]> {
  const { rig } = scene;
  const disputes: Dispute[] = [];
  for (const role of ['serve', 'work'] as const) {
    for (const child of [...rig.running(role)]) {
      disputes.push(...(await Promise.all([scene.dispute(), scene.dispute()])));
      await rig.start(role);
      deepEqual(await child.end('SIGTERM'), { code: 0, signal: null });
      disputes.push(await scene.dispute());
    }
  }
  return disputes;
}

async function makeNextVersion(folder: string): Promise<string> {
  const tree = join(folder, 'next-version');
  await mkdir(tree);
  for (const part of ['src', 'migrations', 'templates', 'package.json']) {
    await cp(join(TREE, part), join(tree, part), { recursive: true });
  }
  await symlink(join(TREE, 'node_modules'), join(tree, 'node_modules'));
  await writeFile(join(tree, 'migrations', `${NEW_MIGRATION}.sql`), EXPANDS);
  return tree;
}

/** A delivery to each listener, and each one's readiness, past every proxy. */
async function allServe(scene: Scene, serves: readonly Child[]): Promise<void> {
  for (const child of serves) {
    const port = scene.rig.portOf(child);
    equal((await scene.post(harmless(), { port })).status, 200);
    await until(
      `${child.name} says that it is ready`,
      async () => (await send({ port, method: 'GET', path: '/readyz' })).status === 200,
    );
  }
}

/** The new version does not start before its migration; the old ones do not notice it. */
export async function upgrade(scene: Scene): Promise<string> {
  const { rig } = scene;
  const tree = await makeNextVersion(rig.folder);
  const env = rig.environment('work');
  const early = forestall(rig.folder, { name: 'next-early', args: ['work'], env, tree });
  deepEqual(await early.ended, { code: 2, signal: null }, early.text());
  match(early.text(), new RegExp(`lacks ${NEW_MIGRATION}.*forestall migrate`));

  const old = { serve: [...rig.running('serve')], work: [...rig.running('work')] };
  const under = await Promise.all(
    (['reset_after', 'hang_after', 'truncated_after', 'hang_after'] as const).map((fault) =>
      scene.dispute({}, { faults: [fault] }),
    ),
  );
  const migrate = forestall(rig.folder, { name: 'next-migrate', args: ['migrate'], env, tree });
  deepEqual(await migrate.ended, { code: 0, signal: null }, migrate.text());
  match(migrate.text(), new RegExp(`Applied: ${NEW_MIGRATION}`));

  // The old processes alone, on the new schema.
  const between = await Promise.all([scene.dispute(), scene.dispute(), scene.dispute()]);
  for (const dispute of [...under, ...between]) await scene.refundedOnce(dispute, 120_000);
  await allServe(scene, old.serve);
  const restarted = await rig.startAside('work', {});
  deepEqual(await restarted.end('SIGTERM'), { code: 0, signal: null }, 'an old one still starts');

  rig.useTree(tree);
  const during = await replaceAll(scene);
  for (const dispute of during) await scene.refundedOnce(dispute, 120_000);
  await allServe(scene, rig.running('serve'));
  const isGone = [...old.serve, ...old.work].every((child) => !child.isRunning());
  equal(isGone, true, 'no old process is left');
  const all = [...under, ...between, ...during];
  const later = [...between, ...during].map(({ alertId }) => alertId);
  const rows = await rig.sql('select distinct alert_id from rig_step where alert_id = any($1)', [
    later,
  ]);
  equal(rows.length, later.length, 'the new schema saw every step after it');
  return `3 serve and 3 work went on over an added column, table and trigger, then were replaced one by one by the next version; ${all.length} alerts each refunded and declared once`;
}
