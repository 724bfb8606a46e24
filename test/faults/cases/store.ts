/** F120–F122: what the store must hold through: one second, one long reader, one card number. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { FaultCase } from '../case.ts';
import type { Scene } from '../rig/scene.ts';
import { digits, eventText } from '../rig/scene.ts';
import { until } from '../rig/until.ts';
import { harmless } from './signatures.ts';

/** A delivery waits for no longer than this while partitions are made and dropped. */
const WAIT_MS_MAX = 2_000;

async function applied(scene: Scene, body: string): Promise<void> {
  equal((await scene.post(body)).status, 200);
  const id = String(JSON.parse(body).id);
  await until(`event ${id} is applied`, async () => {
    const rows = await scene.rig.sql('select 1 from inbox_work where event_id = $1', [id]);
    return rows.length === 0;
  });
}

/** Twenty lives of two events within one second; every other one arrives the wrong way round. */
async function oneSecond(scene: Scene): Promise<void> {
  const at = '2026-11-20T11:00:00Z';
  const told = (id: string, type: string, status: string): string => {
    const object = { id, organisation_id: scene.rig.organisationId, dispute_status: status };
    const body = eventText({ ...object, created_at: at, updated_at: at }, { type });
    return JSON.stringify({ ...JSON.parse(body), created_at: at });
  };
  const ids = Array.from({ length: 20 }, () => `rep_${digits(12)}`);
  for (const [index, id] of ids.entries()) {
    const created = told(id, 'representment.created', 'OPEN');
    const updated = told(id, 'representment.updated', 'LOST');
    for (const body of index % 2 === 0 ? [created, updated] : [updated, created]) {
      await applied(scene, body);
    }
  }
  const rows = await scene.rig.sql(
    'select dispute_status, count(*)::int as count from representment where id = any($1) group by 1',
    [ids],
  );
  deepEqual(rows, [{ dispute_status: 'LOST', count: ids.length }]);
}

async function longReader(scene: Scene): Promise<string> {
  // A past far enough that no other case looks at it.
  const past = `now() - interval '60 days'`;
  await scene.rig.sql(`select ensure_inbox_partition(${past})`);
  const reading = scene.rig.sql('select count(*) from inbox_event, (select pg_sleep(5)) as long');
  await until('somebody reads the inbox', async () => {
    const [row] = await scene.rig.sql(
      `select count(*)::int as count from pg_locks where relation = 'inbox_event_rest'::regclass and mode = 'AccessShareLock'`,
    );
    return row?.['count'] !== 0;
  });
  let over = false;
  const upkeep = scene.rig
    .sql(
      `select ensure_inbox_partitions(now() + interval '1 year', 2) as missing, drop_old_inbox(now() - interval '30 days') as dropped`,
    )
    .finally(() => {
      over = true;
    });
  let longestMs = 0;
  do {
    const startedMs = performance.now();
    equal((await scene.post(harmless())).status, 200);
    longestMs = Math.max(longestMs, performance.now() - startedMs);
  } while (!over);
  deepEqual(await upkeep, [{ missing: 3, dropped: 0 }], 'neither made nor dropped, and no fault');
  ok(longestMs < WAIT_MS_MAX, `a delivery waited for ${Math.round(longestMs)} ms`);
  await reading;
  const [after] = await scene.rig.sql(
    `select drop_old_inbox(now() - interval '30 days') as dropped`,
  );
  ok(Number(after?.['dropped']) >= 1, 'dropped once nobody reads it');
  return `a delivery waited for ${Math.round(longestMs)} ms at most`;
}

async function cardInDelivery(scene: Scene): Promise<void> {
  for (const card of ['4111111111111111', '378282246310005']) {
    const charge = await scene.charge({ amount_in_cents: 90_000 });
    const alertId = await scene.alertAbout(charge);
    const object = { ...(await scene.shown(alertId)), note: `card ${card}` };
    const updated = {
      ...object,
      updated_at: new Date(Date.now() + scene.rig.aheadMs()).toISOString(),
    };
    const body = eventText(updated, { type: 'alert.updated' });
    await applied(scene, body);
    const [row] = await scene.rig.sql(
      `select convert_from(e.body, 'UTF8') as body from inbox_id i
       join inbox_event e on e.received_at = i.received_at and e.seq = i.seq where i.event_id = $1`,
      [String(JSON.parse(body).id)],
    );
    const stored = String(row?.['body']);
    ok(stored.includes(alertId), 'the delivery is stored');
    ok(!stored.includes(card), 'without the number');
    ok(
      (await scene.messages(alertId)).some((text) => text.startsWith('card_number')),
      'told',
    );
    const again = await scene.post(body);
    equal(JSON.parse(again.body).duplicate, true, 'the same delivery is known');
  }
}

export const STORE_CASES: readonly FaultCase[] = [
  { id: 'F120', place: 'shared', quick: true, run: oneSecond },
  { id: 'F121', place: 'loud', run: longReader },
  { id: 'F122', place: 'shared', quick: true, run: cardInDelivery },
];
