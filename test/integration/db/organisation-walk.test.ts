/**
 * Guarantee: a statement that forgets the organisation is noticed, whatever its shape; and the functions of the
 * database, which run as the owner and so pass the wall, forget it nowhere.
 */
import { parsePlPgSQLSync } from 'libpg-query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { unnamedTables } from '../../support/organisation-walk.ts';

describe('a statement that names its organisation', () => {
  it.each([
    'select id from alert where organisation_id = $1 and id = $2',
    'select c.* from alert_case c join alert a using (organisation_id) where c.organisation_id = $1',
    'select from alert_case c join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id where c.organisation_id = $1',
    'select o.id, exists (select from alert where organisation_id = o.id) from unnest($1::text[]) o(id)',
    'select from alert where (organisation_id, id) in (select $1, $2)',
    'with due as (select organisation_id, id from movement where organisation_id = $1 for update) update movement m set version = 1 from due where m.organisation_id = due.organisation_id and m.id = due.id',
    'insert into fact (organisation_id, name) values ($1, $2) on conflict (organisation_id, name) do update set name = $2',
    'delete from charge where ctid = any(array(select ctid from charge where organisation_id = $1))',
    'select (select count(*) from cover v where v.organisation_id = m.organisation_id) from movement m where m.organisation_id = $1',
    'select from alert where organisation_id = $1 union all select from lookup where organisation_id = $1',
    'select 1 from forestall_migration',
  ])('%s', (text) => {
    expect(unnamedTables(text)).toEqual([]);
  });
});

describe('a statement that does not', () => {
  it.each([
    ['alert', 'select organisation_id from alert where id = $1'],
    ['alert', 'select from alert where organisation_id <> $1'],
    [
      'alert',
      'select from alert_case c join alert a on a.id = c.alert_id where c.organisation_id = $1',
    ],
    [
      'cover',
      'select (select count(*) from cover v where v.movement_id = m.id) from movement m where m.organisation_id = $1',
    ],
    [
      'movement',
      'with due as (select id from movement where organisation_id = $1) update movement m set version = 1 from due where m.id = due.id',
    ],
    [
      'lookup',
      'select from alert where organisation_id = $1 union all select from lookup where id = $1',
    ],
    ['fact', 'insert into fact (name) values ($1)'],
    [
      'fact',
      'insert into fact (organisation_id, name) values ($1, $2) on conflict (name) do update set name = $2',
    ],
    ['audit', 'delete from audit'],
    ['payment_evidence', 'select from payment_evidence where credential = $1'],
    [
      'inbox_work',
      'with taken as (delete from inbox_work where seq = $1 returning seq) select from taken',
    ],
    [
      'charge',
      'select from charge a join charge b on a.organisation_id = b.organisation_id where a.reference = $1',
    ],
  ])('is noticed for %s: %s', (table, text) => {
    expect(unnamedTables(text)).toEqual([table]);
  });
});

describe('functions of the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('name the organisation, but for the few that are about none', async () => {
    const { rows } = await database.pool.query<Routine>(
      `select p.proname as name, l.lanname as language, p.prosrc as body, pg_get_functiondef(p.oid) as definition
       from pg_proc p join pg_language l on l.oid = p.prolang
       where p.pronamespace = 'forestall'::regnamespace and l.lanname in ('sql', 'plpgsql') order by 1`,
    );
    const unnamed = rows.flatMap((routine) => {
      const tables = statementsOf(routine).flatMap((text) => unnamedTables(text));
      return tables.length === 0 ? [] : [`${routine.name}: ${[...new Set(tables)].join(', ')}`];
    });
    expect(rows.length).toBeGreaterThan(30);
    expect(unnamed).toEqual([
      // Partitions and what lies in them, by its age.
      'old_inbox_partitions: inbox_work',
      // The secret says whose it is; whether the connection works for them is looked at then.
      'open_token_link: console_token_link',
    ]);
  });
});

interface Routine {
  readonly name: string;
  readonly language: string;
  readonly body: string;
  readonly definition: string;
}

function statementsOf({ language, body, definition }: Routine): readonly string[] {
  if (language === 'sql') return [body];
  const found: string[] = [];
  JSON.stringify(parsePlPgSQLSync(definition), (key, value: unknown) => {
    if (key === 'query' && typeof value === 'string') found.push(value);
    return value;
  });
  // An expression is a statement without its first word; an assignment has its target in front.
  return found.map((text) => {
    const expression = text.replace(/^[a-z_.]+ := /, '');
    return /^\s*(select|insert|update|delete|with)\b/i.test(expression)
      ? expression
      : `select ${expression}`;
  });
}
