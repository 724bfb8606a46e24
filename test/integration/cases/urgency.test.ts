/** Guarantee: whose alert is the most urgent is known however many are due, and is whose alert would be claimed first. */
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { readCaseUrgencies } from '../../../src/alerts/cases/urgency.store.ts';
import type { Db } from '../../../src/base/db/database.ts';
import { useTestDatabase } from '../../support/database.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const HOUR_MS = 3_600_000;
const at = (hours: number): Date => new Date(NOW.getTime() + hours * HOUR_MS);

const database = useTestDatabase();

interface Due {
  readonly deadlineAt: Date;
  readonly nextActionAt?: Date;
  readonly leaseUntil?: Date;
}

/** So many cases of an organisation; of several, each deadline a second behind the one before. */
async function open(organisation: string, due: Due, count = 1): Promise<void> {
  const { deadlineAt, nextActionAt = at(-1), leaseUntil = null } = due;
  await sql`
    insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, lease_until, changed_at)
    select ${organisation}, 'netalrt_' || gen_random_uuid(), 'RECEIVED', ${at(-2)},
      ${deadlineAt}::timestamptz + n * interval '1 second', ${nextActionAt}, ${leaseUntil}::timestamptz, ${at(-2)}
    from generate_series(0, ${count - 1}::int) as n`.execute(database.db);
}

const orderOf = (urgencies: ReadonlyMap<string, number>) =>
  [...urgencies]
    .toSorted(([, one], [, other]) => one - other)
    .map(([organisation]) => organisation);

async function read(organisationIds: readonly string[], db: Db = database.db) {
  return await readCaseUrgencies(db, { organisationIds, now: NOW });
}

/** Rows of cases that the connection has looked at, by index or without, as far as the server keeps count yet. */
async function looksAt(db: Db): Promise<number> {
  const { rows } = await sql<{ looks: number }>`
    select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as looks
    from pg_stat_xact_user_tables where relid = 'alert_case'::regclass`.execute(db);
  return rows[0]?.looks ?? Number.NaN;
}

beforeAll(async () => {
  await open('org_soon', { deadlineAt: at(30) });
  await open('org_soon', { deadlineAt: at(2) });
  await open('org_later', { deadlineAt: at(40) });
  await open('org_later', { deadlineAt: at(5) });
  // What has expired is more urgent than nothing, and less than anything that has time left.
  await open('org_later', { deadlineAt: at(-3) });
  await open('org_expired', { deadlineAt: at(0) });
  await open('org_expired', { deadlineAt: at(-9) });
  await open('org_expired_last', { deadlineAt: at(-1) });
  await open('org_waits', { deadlineAt: at(1), nextActionAt: at(0.5) });
  await open('org_leased', { deadlineAt: at(1), leaseUntil: at(0.1) });
  await open('org_lease_over', { deadlineAt: at(3), leaseUntil: at(0) });
});

it('is that of the earliest deadline with time left, and of what has expired only where nothing else is due', async () => {
  const ids = ['org_expired_last', 'org_expired', 'org_later', 'org_lease_over', 'org_soon'];
  const urgencies = await read([...ids, 'org_waits', 'org_leased', 'org_none']);
  expect(orderOf(urgencies)).toEqual(ids.toReversed());
  expect(urgencies.get('org_soon')).toBe(at(2).getTime());
  expect(urgencies.get('org_later')).toBe(at(5).getTime());
});

it('looks at one of thousands that are due', async () => {
  await open('org_flood', { deadlineAt: at(4) }, 3_000);
  await open('org_flood', { deadlineAt: at(-4) }, 3_000);
  await sql`analyze alert_case`.execute(database.db);
  await database.db.transaction().execute(async (trx) => {
    const before = await looksAt(trx);
    expect((await read(['org_flood'], trx)).get('org_flood')).toBe(at(4).getTime());
    expect((await looksAt(trx)) - before).toBeLessThan(10);
  });
});
