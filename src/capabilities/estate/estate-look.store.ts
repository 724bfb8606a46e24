/** All SQL of the last look at an estate. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { RowOf } from '../../base/db/described-table.ts';
import type { estateLook } from './estate-look.table.ts';
import type { EstatePicture } from './estate-picture.ts';

export type EstateLookRow = Selectable<RowOf<typeof estateLook>>;

export interface NewLook {
  readonly organisationId: string;
  readonly file: string;
  readonly digest: string;
  readonly now: Date;
}

/** When a look is due: for the same texts, and for others. */
export interface LookPace {
  readonly sameMs: number;
  readonly otherMs: number;
}

/** Takes the look for this process where one is due. Of several processes one gets it. */
export async function claimLook(
  db: Db,
  { organisationId, file, digest, now }: NewLook,
  pace: LookPace,
): Promise<boolean> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const row = await db
    .insertInto('estate_look')
    .values({ organisation_id: organisationId, file, digest, tried_at: now })
    .onConflict((conflict) =>
      conflict
        .column('organisation_id')
        .doUpdateSet({ file, digest, tried_at: now })
        .where(
          sql<boolean>`estate_look.tried_at <= ${before(pace.sameMs)}
            or (estate_look.digest <> ${digest} and estate_look.tried_at <= ${before(pace.otherMs)})`,
        ),
    )
    .returning('organisation_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps what was seen, or why nothing could be seen: the last picture then stays. */
export async function storeLook(
  db: Db,
  { organisationId, file, digest, now }: NewLook,
  look: { readonly picture: EstatePicture } | { readonly problem: string },
): Promise<void> {
  const result =
    'picture' in look
      ? { looked_at: now, picture: JSON.stringify(look.picture), problem: null }
      : { problem: look.problem };
  const row = { file, digest, tried_at: now, ...result };
  await db
    .insertInto('estate_look')
    .values({ organisation_id: organisationId, ...row })
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(row))
    .execute();
}

export async function findLook(db: Db, organisationId: string): Promise<EstateLookRow | undefined> {
  return await db
    .selectFrom('estate_look')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
}

/** Names of the merchants that the last look saw, by id: of those that its picture shows. */
export async function readMerchantNames(
  db: Db,
  organisationId: string,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select m.id, m.name from estate_look
    cross join lateral jsonb_to_recordset(picture->'merchants') as m (id text, name text)
    where organisation_id = ${organisationId} and m.id is not null and m.name <> ''`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A status that an enrolment had from a moment on. */
export interface StatusMoment {
  readonly enrolmentId: string;
  readonly status: string;
  readonly at: Date;
}

/** The way of enrolments, as webhooks and polls reported it, oldest first. */
export async function listStatusMoments(
  db: Db,
  organisationId: string,
  enrolmentIds: readonly string[],
): Promise<StatusMoment[]> {
  if (enrolmentIds.length === 0) return [];
  const { rows } = await sql<{ entity_id: string; status: string; at: Date }>`
    select entity_id, status, min(changed_at) as at
    from (
      select entity_id, changed_at, after->>'status' as status from entity_change
      where organisation_id = ${organisationId} and entity = 'enrolment' and accepted
        and entity_id = any(${[...enrolmentIds]}::text[])
    ) c
    where status is not null
    group by entity_id, status order by min(changed_at), status`.execute(db);
  return rows.map(({ entity_id: enrolmentId, status, at }) => ({ enrolmentId, status, at }));
}
