/** All SQL of packs that were sent, and of the moments until which they are due. */
import { sql } from 'kysely';
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Pack } from './pack.ts';
import type { RepresentmentRow } from './representment-list.store.ts';
import { CLOSED_STATUSES } from './representment-list.store.ts';
import type { SentPack } from './representment-pack.table.ts';

export function isOpenDispute({
  dispute_status: status,
}: Pick<RepresentmentRow, 'dispute_status'>): boolean {
  return !CLOSED_STATUSES.some((word) => word === status);
}

export async function findRepresentment(
  db: Db,
  organisationId: string,
  id: string,
): Promise<RepresentmentRow | undefined> {
  return await db
    .selectFrom('representment')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** What was sent for these, the newest version first. */
export async function sentPacks(
  db: Db,
  organisationId: string,
  representmentIds: readonly string[],
): Promise<SentPack[]> {
  if (representmentIds.length === 0) return [];
  return await db
    .selectFrom('representment_pack')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('representment_id', 'in', [...representmentIds])
    .orderBy('representment_id')
    .orderBy('version', 'desc')
    .execute();
}

export interface Sending {
  readonly organisationId: string;
  readonly pack: Pack;
  readonly representment: RepresentmentRow;
  readonly through: string | undefined;
  readonly note: string | undefined;
  readonly operator: string;
  readonly now: Date;
}

/** Notes it. Returns the version; undefined: these very words were noted before. */
export async function noteSending(db: Db, sending: Sending): Promise<number | undefined> {
  const { organisationId, pack, representment, operator, now } = sending;
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ version: number }>`
      insert into representment_pack (organisation_id, representment_id, version, reason_code, pack_rule, content_hash,
        cited, missing, due_by, sent_at, sent_by, sent_through, note)
      select ${organisationId}, ${pack.representmentId}, coalesce(max(version), 0) + 1, ${pack.reasonCode ?? ''}, ${pack.ruleName},
        ${pack.contentHash}, ${JSON.stringify(pack.cited)}::jsonb, ${JSON.stringify(pack.missing)}::jsonb,
        ${representment.dispute_due_by}::timestamptz, ${now}::timestamptz, ${operator}, ${sending.through ?? null}, ${sending.note ?? null}
      from representment_pack where organisation_id = ${organisationId} and representment_id = ${pack.representmentId}
      on conflict do nothing returning version`.execute(trx);
    const version = rows[0]?.version;
    if (version === undefined) return undefined;
    await writeAudit(trx, {
      organisationId,
      at: now,
      ...byOperator(operator),
      what: 'sent evidence for a dispute',
      detail: { representment: pack.representmentId, version, hash: pack.contentHash },
    });
    return version;
  });
}

/** A representment for which nothing was sent, and until when something can be. */
export interface DuePack {
  readonly id: string;
  readonly dueBy: Date;
}

/** Open ones without a pack that are due before a moment; those long past are no news. */
export async function duePacks(
  db: Db,
  organisationId: string,
  { after, before }: { readonly after: Date; readonly before: Date },
): Promise<DuePack[]> {
  const { rows } = await sql<DuePack>`
    select r.id, r.dispute_due_by as "dueBy" from representment r
    where r.organisation_id = ${organisationId} and r.dispute_due_by > ${after} and r.dispute_due_by <= ${before}
      and coalesce(r.dispute_status, '') <> all(${[...CLOSED_STATUSES]}::text[])
      and not exists (select from representment_pack p
        where p.organisation_id = r.organisation_id and p.representment_id = r.id)
    order by r.dispute_due_by, r.id limit 500`.execute(db);
  return rows;
}

/** Notes how disputes ended for which something was sent: at the version that was sent last. */
export async function noteOutcomes(trx: Trx, organisationId: string, now: Date): Promise<number> {
  const result = await sql`
    update representment_pack p set outcome = r.dispute_status, outcome_at = ${now}
    from representment r
    where p.organisation_id = ${organisationId} and p.outcome is null
      and r.organisation_id = p.organisation_id and r.id = p.representment_id
      and r.dispute_status = any(${[...CLOSED_STATUSES]}::text[])
      and p.version = (select max(version) from representment_pack l
        where l.organisation_id = p.organisation_id and l.representment_id = p.representment_id)`.execute(
    trx,
  );
  return Number(result.numAffectedRows ?? 0n);
}
