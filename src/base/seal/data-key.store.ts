/** All SQL of `data_key`: under which keys rows may be sealed, and which process seals with which. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';

/** A key that rows may be sealed under. */
export interface KnownDataKey {
  readonly keyId: string;
  /** A known text, sealed under the key. */
  readonly checkValue: Buffer;
  /** When a process last said that it seals with it. */
  readonly sealingAt: Date;
}

/** Whether the schema can tell of data keys: false before migration 0010. */
export async function knowsDataKeys(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('data_key') is not null as found`.execute(db);
  return rows[0]?.found === true;
}

/** The keys that rows of the organisation may need. */
export async function knownDataKeys(db: Db, organisationId: string): Promise<KnownDataKey[]> {
  return await db
    .selectFrom('data_key')
    .select(['key_id as keyId', 'check_value as checkValue', 'sealing_at as sealingAt'])
    .where('organisation_id', '=', organisationId)
    .orderBy('key_id')
    .execute();
}

/** A key that a process seals with, for an organisation. */
export interface SealingKey {
  readonly organisationId: string;
  readonly keyId: string;
  /** See {@link KnownDataKey}. */
  readonly checkValue: Buffer;
}

/** Notes that this process seals with these keys from now on: one statement, however many organisations there are. */
export async function noteSealing(db: Db, keys: readonly SealingKey[]): Promise<void> {
  const organisations = keys.map(({ organisationId }) => organisationId);
  const ids = keys.map(({ keyId }) => keyId);
  const checkValues = keys.map(({ checkValue }) => checkValue);
  // In one order: two processes note at one moment, and neither waits for the other in a circle.
  await sql`
    insert into data_key (organisation_id, key_id, check_value, first_used_at, sealing_at)
    select sealing.organisation_id, sealing.key_id, sealing.check_value, now(), now()
    from unnest(${organisations}::text[], ${ids}::text[], ${checkValues}::bytea[])
      as sealing (organisation_id, key_id, check_value)
    order by sealing.organisation_id, sealing.key_id
    on conflict (organisation_id, key_id) do update set sealing_at = now()`.execute(db);
}

/** Forgets keys that no row needs, unless a process has said meanwhile that it seals with one. */
export async function forgetDataKeys(
  db: Db,
  organisationId: string,
  forget: { readonly keyIds: readonly string[]; readonly quietSeconds: number },
): Promise<string[]> {
  if (forget.keyIds.length === 0) return [];
  const rows = await db
    .deleteFrom('data_key')
    .where('organisation_id', '=', organisationId)
    .where('key_id', 'in', forget.keyIds)
    .where('sealing_at', '<=', sql<Date>`now() - make_interval(secs => ${forget.quietSeconds})`)
    .returning('key_id')
    .execute();
  return rows.map((row) => row.key_id);
}
