/**
 * Guarantee: the simulation knows which statements may have changed rows, and hears whom our processes wake:
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
import { notifyAll } from '../../../src/base/db/closing.store.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { topicFor } from '../../../src/base/jobs/wake.store.ts';
import { hasChanged, topicsOf } from '../../simulate/statement-traits.ts';

const db = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

it.each([
  ['select "value" from "fact" where "name" = $1', 1, false],
  ['select * from "alert_case" where "alert_id" = $1 for update', 1, false],
  ['with gate as materialized (select 1) select * from gate', 1, false],
  ['update "fact" set "value" = $1', 0, false],
  ['update "fact" set "value" = $1', 1, true],
  ['insert into "finding" ("kind") values ($1) on conflict do nothing', 0, false],
  ['\n  delete from "cover"', 2, true],
  ['with due as (select id from movement for update skip locked)\n update movement as m', 0, false],
  ['with due as (select id from movement for update skip locked)\n update movement as m', 1, true],
  ['with moved as (update "movement" set "state" = $1 returning *) select 1', 0, true],
  [
    'with held as (select 1), moved as materialized ( insert into cover select 1) select 1',
    0,
    true,
  ],
])('%s, of %i rows, changed some: %s', (text, rows, changed) => {
  expect(hasChanged(text, rows)).toBe(changed);
});

it('hears a wake-up as the product sends it, alone and as a part of another statement', () => {
  const told = [topicFor('case', 'org_1'), topicFor('movement', 'org_1')];
  for (const statement of [
    sql`select ${notifyAll(told)}`,
    sql`with moved as (update alert_case set version = ${7}) select ${notifyAll(told)}`,
  ]) {
    const { sql: text, parameters } = statement.compile(db);
    expect(topicsOf(text, parameters)).toEqual(['case:org_1', 'movement:org_1']);
  }
  expect(topicsOf('select $1::text[]', [['case:org_1']])).toEqual([]);
});
