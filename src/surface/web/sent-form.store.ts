/** All SQL of the forms that people sent. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { SentState } from './sent-form.table.ts';

export interface SentForm {
  readonly organisationId: string;
  readonly id: string;
  /** Who sent it: no other person learns the outcome. */
  readonly operator: string;
  readonly now: Date;
}

/**
 * Notes that a form begins, before anything is done. False: it has begun already, was done, or is not to be done any more.
 * One that was refused, or broke off, may be sent again.
 */
export async function beginForm(db: Db, form: SentForm): Promise<boolean> {
  const { organisationId, id, operator, now } = form;
  const { rows } = await sql`
    insert into console_sent as s (organisation_id, id, operator, state, begun_at)
    values (${organisationId}, ${id}, ${operator}, 'BEGUN', ${now})
    on conflict (organisation_id, id) do update set state = 'BEGUN', begun_at = excluded.begun_at, ended_at = null
      where s.state in ('REFUSED', 'FAILED') and s.operator = excluded.operator
    returning 1`.execute(db);
  return rows.length > 0;
}

export async function endForm(db: Db, form: SentForm, state: SentState): Promise<void> {
  await db
    .updateTable('console_sent')
    .set({ state, ended_at: form.now })
    .where('organisation_id', '=', form.organisationId)
    .where('id', '=', form.id)
    .where('state', '=', 'BEGUN')
    .execute();
}

export interface FormState {
  readonly state: SentState;
  /** When it ended; when it began while it has not. */
  readonly at: Date;
}

/** The outcome of a form of this person; undefined: none of that id has come. */
export async function findForm(
  db: Db,
  { organisationId, id, operator }: Omit<SentForm, 'now'>,
): Promise<FormState | undefined> {
  return await db
    .selectFrom('console_sent')
    .select(['state', sql<Date>`coalesce(ended_at, begun_at)`.as('at')])
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .where('operator', '=', operator)
    .executeTakeFirst();
}

/** The same for good: one that has not come is refused when it comes. */
export async function settleForm(db: Db, form: SentForm): Promise<FormState | undefined> {
  const { organisationId, id, operator, now } = form;
  await db
    .insertInto('console_sent')
    .values({
      organisation_id: organisationId,
      id,
      operator,
      state: 'WITHDRAWN',
      begun_at: now,
      ended_at: now,
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'id']).doNothing())
    .execute();
  return await findForm(db, form);
}
