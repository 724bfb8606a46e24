/**
 * Guarantee: the simulation knows which tables a statement may have changed, and hears whom our processes wake:
 * otherwise it would start loops too late, and no test would notice.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { expect, it } from 'vitest';
import { notifyAll } from '../../../src/base/db/commit-writes.store.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { topicFor } from '../../../src/base/jobs/wake.store.ts';
import { changedTables, topicsOf } from '../../simulate/statement-traits.ts';

const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

it.each([
  ['select "value" from "fact" where "name" = $1', 1, []],
  ['select * from "alert_case" where "alert_id" = $1 for update', 1, []],
  ['with gate as materialized (select 1) select * from gate', 1, []],
  ['update "fact" set "value" = $1', 0, []],
  ['update "fact" set "value" = $1', 1, ['fact']],
  ['insert into "finding" ("kind") values ($1) on conflict do nothing', 0, []],
  ['insert into fact (a) values ($1) on conflict (a) do update set a = $1', 1, ['fact']],
  ['\n  delete from "cover"', 2, ['cover']],
  ['with due as (select id from movement for update skip locked)\n update movement as m', 0, []],
  [
    'with due as (select id from alert for no key update of alert)\n update movement as m',
    1,
    ['movement'],
  ],
  [
    'with moved as (update "movement" set "state" = $1 returning *), woken as (update alert_case set a = 1) select 1',
    0,
    ['movement', 'alert_case'],
  ],
  [
    'with held as (select 1), moved as materialized ( insert into cover select 1) select 1',
    0,
    ['cover'],
  ],
])('%s, of %i rows, changed some of %j', (text, rows, tables) => {
  expect(changedTables(text, rows)).toEqual(tables);
});

it('hears a wake-up as the product sends it, alone and as a part of another statement', () => {
  const topics = [topicFor('case', 'org_1'), topicFor('movement', 'org_1')];
  for (const statement of [
    sql`select ${notifyAll(topics)}`,
    sql`with moved as (update alert_case set version = ${7}) select ${notifyAll(topics)}`,
  ]) {
    const { sql: text, parameters } = statement.compile(db);
    expect(topicsOf(text, parameters)).toEqual(['case:org_1', 'movement:org_1']);
  }
  expect(topicsOf('select $1::text[]', [['case:org_1']])).toEqual([]);
});
