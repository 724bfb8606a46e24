/**
 * Guarantee: with the least rights that `migrations/roles.sql` gives it, the application does its whole
 * job, and can neither change the schema nor make the ledger forget.
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBoss } from '../../../src/base/jobs/boss.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { OpenTestWorld } from '../../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../../src/running/testing/test-world.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';

const ROLES = new URL('../../../migrations/roles.sql', import.meta.url);
const INSUFFICIENT_PRIVILEGE = '42501';
const log = createLog({ level: 'silent' });

const database = useTestDatabase();
let world: OpenTestWorld;
let app: pg.Client;

beforeAll(async () => {
  const { connectionString, pool } = database;
  const roles = await readFile(ROLES, 'utf8');
  await pool.query(roles);
  // Twice: it is run again after each upgrade.
  await pool.query(roles);
  // Every connection from here on has the application's rights and no others.
  const { pathname } = new URL(connectionString);
  await pool.query(`alter database "${pathname.slice(1)}" set role = 'forestall_app'`);
  world = await createTestWorld({ database: connectionString, log });
  app = new pg.Client({ connectionString });
  await app.connect();
});
afterAll(async () => {
  await app.end();
  await world.close();
});

/** The SQLSTATE with which the application's role is refused, or `allowed`. */
async function refusalOf(statement: string): Promise<string> {
  try {
    await app.query(`begin; ${statement}; rollback`);
    return 'allowed';
  } catch (error) {
    await app.query('rollback');
    return error instanceof pg.DatabaseError ? (error.code ?? 'no code') : String(error);
  }
}

describe('the role of serve and work', () => {
  it('is what the connections have', async () => {
    const { rows } = await app.query('select current_user as name');
    expect(rows).toEqual([{ name: 'forestall_app' }]);
  });

  it('takes an alert from its webhook to its answer', async () => {
    const { charge } = await world.sell(PRODUCTS.font);
    const alert = world.sandbox.createAlertFor(charge.reference);
    await world.drain();
    expect(await world.stateOf(alert.id)).toBe('DECLARED_REFUND');
    expect(world.sandbox.moneyOut(charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    await world.live(3 * 60 * 60_000);
  });

  it('runs the cluster’s jobs on queues that were made when migrating', async () => {
    const ran = Promise.withResolvers<void>();
    const store = { connectionString: database.connectionString, schema: 'forestall_jobs' };
    const minute = async (): Promise<void> => ran.resolve();
    const boss = await startBoss({ store, log, minute });
    await boss.planNight('org_1');
    await app.query(
      `insert into forestall_jobs.job (name, data, policy, expire_seconds, retry_limit) values ('forestall.minute.v1', null, 'exclusive', 60, 0)`,
    );
    await ran.promise;
    await boss.stop();
  });

  it('plans a night for each organisation, which may last for hours, and a sweep each minute', async () => {
    const { rows } = await database.pool.query(
      `select name, key, cron, expire_seconds as seconds
       from forestall_jobs.schedule s join forestall_jobs.queue q using (name) order by name`,
    );
    expect(rows).toEqual([
      { name: 'forestall.minute.v1', key: '', cron: '* * * * *', seconds: 120 },
      {
        name: 'forestall.night.v2',
        key: 'org_1',
        cron: expect.stringMatching(/^[1-5]?[0-9] [1-6] \* \* \*$/),
        seconds: 14_400,
      },
    ]);
  });

  it('makes the inbox’s partitions all the same, through the owner’s function', async () => {
    await app.query(`select ensure_inbox_partition('2031-05-05')`);
    const { rows } = await app.query(`select to_regclass('inbox_event_2031_05_05') as name`);
    expect(rows).toEqual([{ name: 'inbox_event_2031_05_05' }]);
  });

  it.each([
    ['a table of its own', 'create table mine (id int)'],
    ['a column less', 'alter table movement drop column state'],
    ['a trigger off', 'alter table audit disable trigger all'],
    ['no audit', 'delete from audit'],
    ['another audit', `update audit set what = 'nothing'`],
    ['no movements', 'delete from movement'],
    ['no declarations', 'delete from declaration'],
    ['no cases', 'delete from alert_case'],
    ['no events', 'delete from inbox_event'],
    ['no event ids', 'truncate inbox_id'],
    ['another history', `update entity_change set entity = 'lookup'`],
    ['migrations undone', 'delete from forestall_migration'],
  ])('cannot have %s', async (_what, statement) => {
    expect(await refusalOf(statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('deletes what is kept long enough, through the owner’s functions', async () => {
    expect(await refusalOf(`select drop_old_inbox(now() - interval '30 days')`)).toBe('allowed');
    expect(await refusalOf(`select delete_old_inbox_rows(now() - interval '30 days', 1)`)).toBe(
      'allowed',
    );
    expect(await refusalOf(`select delete_old_cases('o', now() - interval '400 days', 1)`)).toBe(
      'allowed',
    );
  });

  it('makes no partitions without end', async () => {
    const RAISED = 'P0001';
    expect(await refusalOf(`select ensure_inbox_partitions(now(), 61)`)).toBe(RAISED);
    expect(await refusalOf(`select ensure_inbox_partitions(now(), -1)`)).toBe(RAISED);
  });

  it('control: what it needs, it may', async () => {
    expect(await refusalOf('delete from inbox_work')).toBe('allowed');
    expect(await refusalOf(`update movement set version = version`)).toBe('allowed');
  });
});

describe('what runs as its owner', () => {
  /** They look at the session of whoever acts: `test/integration/console/people-rows.test.ts`. */
  const OF_PEOPLE = [
    'begin_session',
    'bind_operator_account',
    'change_operator_role',
    'enter_operator',
    'give_right',
    'open_token_link',
    'prove_session',
    'remove_operator',
    'renew_operator_token',
    'take_right',
  ];

  it('may be run by the workers, and neither by the console nor by whoever may connect', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `select p.proname as name from pg_proc p
       where p.pronamespace = 'forestall'::regnamespace and p.prosecdef
         and p.proname <> 'trust_console' and p.proname <> all ($1)
         and (has_function_privilege('forestall_console', p.oid, 'execute')
           or (p.prorettype <> 'trigger'::regtype and not has_function_privilege('forestall_app', p.oid, 'execute'))
           -- Everybody's right has no name.
           or p.proacl is null or exists (select from aclexplode(p.proacl) a where a.grantee = 0))`,
      [OF_PEOPLE],
    );
    expect(rows).toEqual([]);
    const { rows: people } = await database.pool.query<{ name: string; may: boolean }>(
      `select p.proname as name, has_function_privilege('forestall_console', p.oid, 'execute') as may from pg_proc p
       where p.proname = any ($1) and p.prosecdef
         and has_function_privilege('forestall_console', p.oid, 'execute')
         and not exists (select from aclexplode(p.proacl) a where a.grantee = 0) order by 1`,
      [OF_PEOPLE],
    );
    expect(people.map(({ name }) => name)).toEqual(OF_PEOPLE);
    const some = await database.pool.query('select from pg_proc where prosecdef');
    expect(some.rows.length).toBeGreaterThanOrEqual(5);
  });

  it('is out of reach before roles.sql was ever run', async () => {
    const fresh = await createTestDatabase();
    const { rows } = await fresh.pool.query(
      `select proname from pg_proc where pronamespace = 'forestall'::regnamespace and prosecdef
         and (proacl is null or exists (select from aclexplode(proacl) a where a.grantee = 0))`,
    );
    await fresh.drop();
    expect(rows).toEqual([]);
  });
});
