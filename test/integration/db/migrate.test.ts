/** Guarantee: the migrations build the schema once, and the database itself refuses what must never be stored. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrateToLatest, pendingMigrations } from '../../../src/base/db/migrate.ts';
import { useTestDatabase } from '../../support/database.ts';

const database = useTestDatabase();
describe('migrations', () => {
  it('leave nothing pending and are a no-op when run again, also three at once', async () => {
    expect(await pendingMigrations(database.db)).toEqual([]);
    const runs = await Promise.all([1, 2, 3].map(() => migrateToLatest(database.db)));
    expect(runs).toEqual([[], [], []]);
  });

  it('refuse an open case without a plan (I5)', async () => {
    const insert =
      sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, changed_at)
      values ('org_1', 'netalrt_1', 'RECEIVED', now(), now(), now())`.execute(database.db);
    await expect(insert).rejects.toThrow('open_case_has_a_plan');
  });

  it('refuse a declared refund without a refund (I2)', async () => {
    const insert =
      sql`insert into declaration (organisation_id, alert_id, action, note, state, created_at, changed_at)
      values ('org_1', 'netalrt_1', 'REFUND', '', 'DUE', now(), now())`.execute(database.db);
    await expect(insert).rejects.toThrow('refund_needs_money');
  });

  it('refuse to move a closed case, and to change or remove an audit row (I8)', async () => {
    await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, changed_at)
      values ('org_1', 'netalrt_2', 'DECLARED_REFUND', now(), now(), now())`.execute(database.db);
    await expect(
      sql`update alert_case set state = 'HUMAN', next_action_at = now() where alert_id = 'netalrt_2'`.execute(
        database.db,
      ),
    ).rejects.toThrow('is closed as DECLARED_REFUND');
    await sql`insert into audit (organisation_id, at, subject, subject_id, actor, what)
      values ('org_1', now(), 'case', 'netalrt_2', 'forestall', 'closed')`.execute(database.db);
    await expect(sql`update audit set what = 'x'`.execute(database.db)).rejects.toThrow(
      'append-only',
    );
    await expect(sql`delete from audit`.execute(database.db)).rejects.toThrow('append-only');
  });
});
