/** F110, F111: PgBouncer between every process and PostgreSQL; a secret exchanged while a process runs. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PoolMode } from '../../support/pgbouncer.ts';
import { HAS_PGBOUNCER, startPgbouncer } from '../../support/pgbouncer.ts';
import type { FaultCase } from '../case.ts';
import type { AsideWorld } from '../rig/aside.ts';
import type { Child } from '../rig/child.ts';
import { forestall } from '../rig/rig.ts';
import type { Dispute, Scene } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { aside } from './odd-alerts.ts';
import { harmless } from './signatures.ts';

const EVENTS = 500;
const DISPUTES = 6;

/** Two receivers and two workers behind one pooler; a third worker listens past it. */
async function behind(
  { scene, dispute, database, start }: AsideWorld,
  mode: PoolMode,
): Promise<void> {
  const { rig } = scene;
  const { DATABASE_URL: direct, name } = database;
  const bouncer = await startPgbouncer({ server: direct, mode });
  const DATABASE_URL = bouncer.urlOf(name);
  try {
    const migrate = forestall(rig.folder, {
      name: `migrate-${mode}`,
      args: ['migrate'],
      env: { ...rig.environment('work'), DATABASE_URL },
    });
    deepEqual(await migrate.ended, { code: 0, signal: null }, migrate.text());
    const serves = [await start('serve', { DATABASE_URL }), await start('serve', { DATABASE_URL })];
    const disputes: Dispute[] = [];
    for (let count = 0; count < DISPUTES; count++) disputes.push(await dispute());
    const workers: Child[] = [
      await start('work', { DATABASE_URL }),
      await start('work', { DATABASE_URL }),
      await start('work', { DATABASE_URL, FORESTALL_DATABASE_DIRECT_URL: direct }),
    ];
    const bodies = Array.from({ length: EVENTS }, () => harmless());
    const twice = [...bodies, ...bodies];
    const statuses = new Set<number>();
    await Promise.all(
      serves.map(async (serve, index) => {
        for (let at = index; at < twice.length; at += serves.length) {
          const answer = await scene.post(twice[at] ?? '', { port: rig.portOf(serve) });
          statuses.add(answer.status);
        }
      }),
    );
    deepEqual([...statuses], [200]);
    const ids = bodies.map((body) => String(JSON.parse(body).id));
    const [row] = await scene.rig.sql(
      `select (select count(*)::int from inbox_id where event_id = any($1)) as known,
        (select count(*)::int from inbox_event where event_id = any($1)) as stored,
        (select count(*)::int from quarantine where event_id = any($1)
          and reason in ('store_failed', 'id_reused')) as refused`,
      [ids],
    );
    deepEqual(row, { known: EVENTS, stored: EVENTS, refused: 0 });
    for (const each of disputes) await scene.refundedOnce(each);
    for (const child of [...serves, ...workers]) {
      deepEqual(await child.end('SIGTERM'), { code: 0, signal: null });
    }
  } finally {
    await bouncer.stop();
  }
}

function pooled(mode: PoolMode): (scene: Scene) => Promise<string | undefined> {
  return aside(async (world) => await behind(world, mode));
}

async function poolers(scene: Scene): Promise<string> {
  if (!HAS_PGBOUNCER) return 'left out: pgbouncer is not installed';
  for (const mode of ['session', 'transaction'] as const) await pooled(mode)(scene);
  return `in each mode ${EVENTS} events, each sent twice, to two receivers, and ${DISPUTES} alerts for three workers`;
}

const OLD = 'whsec_before_5e1f0c7a93b24d68';
const NEW = 'whsec_after_7a93b24d685e1f0c';

/** A file put in its place at once, as secrets are mounted. */
async function put(file: string, text: string): Promise<void> {
  await writeFile(`${file}.next`, text);
  await rename(`${file}.next`, file);
}

async function exchanged(scene: Scene): Promise<string> {
  const { rig } = scene;
  const file = join(rig.folder, 'webhook-secrets-in-a-file');
  await put(file, OLD);
  const { FORESTALL_WEBHOOK_SECRETS: _given, ...env } = rig.environment('serve');
  const serve = forestall(rig.folder, {
    name: 'serve-with-files',
    args: ['serve'],
    env: { ...env, FORESTALL_WEBHOOK_SECRETS_FILE: file },
  });
  const port = Number((await serve.printed(/"port":(\d+).*"msg":"listening"/))[1]);
  const statusOf = async (secret: string): Promise<number> => {
    const body = harmless();
    const headers = { 'x-signature': scene.signature(body, { secret }) };
    return (await scene.post(body, { port, headers })).status;
  };
  const both = async (): Promise<number[]> => [await statusOf(OLD), await statusOf(NEW)];
  deepEqual(await both(), [200, 401]);
  await put(file, `${NEW},${OLD}`);
  serve.signal('SIGHUP');
  await until('the new secret holds after SIGHUP', async () => (await statusOf(NEW)) === 200);
  equal(await statusOf(OLD), 200, 'the old one during the rotation');
  await put(file, 'short');
  await serve.printed(/cannot be used; the old ones stay/);
  deepEqual(await both(), [200, 200], 'a file that cannot be used changes nothing');
  const startedMs = performance.now();
  await put(file, NEW);
  await until('the old secret ends without a signal', async () => (await statusOf(OLD)) === 401);
  const tookMs = performance.now() - startedMs;
  equal(await statusOf(NEW), 200);
  match(serve.text(), /secrets read again/);
  deepEqual(await serve.end('SIGTERM'), { code: 0, signal: null });
  return `without a signal after ${(tookMs / 1000).toFixed(1)} s`;
}

export const POOLER_CASES: readonly FaultCase[] = [
  { id: 'F110', place: 'shared', run: poolers },
  { id: 'F111', place: 'shared', run: exchanged },
];
