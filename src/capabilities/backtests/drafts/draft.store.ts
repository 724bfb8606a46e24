/** All SQL of policies that are written in the console. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../../base/db/database.ts';
import { inTransaction } from '../../../base/db/transaction.ts';
import { createId } from '../../../base/kernel/ids.ts';
import { notify } from '../../../base/notify/notification.store.ts';
import type { PolicyDraftTable } from './draft.table.ts';

/** A draft as stored. */
export type PolicyDraft = Selectable<PolicyDraftTable>;

/** Drafts that are listed, the newest ones. */
const LISTED_MAX = 20;

/** Unfinished drafts at a time: people work on one or two. */
export const DRAFTS_MAX = 50;

/** Who writes what. */
export interface DraftText {
  readonly organisationId: string;
  readonly operator: string;
  readonly name: string;
  readonly source: string;
  readonly files: Readonly<Record<string, string>>;
  /** Null: the text cannot be used as it is. */
  readonly version: string | null;
  readonly now: Date;
}

/** Begins a draft. Returns its id, or undefined when there are too many. */
export async function insertDraft(
  db: Db,
  { basedOn, ...text }: DraftText & { readonly basedOn: string | null },
): Promise<string | undefined> {
  const { organisationId, operator, name, source, files, version, now } = text;
  const id = createId('pdr');
  return await inTransaction(db, async (trx) => {
    const { numAffectedRows } = await sql`
      insert into policy_draft (organisation_id, id, name, source, files, version, based_on, created_at, changed_at, authors)
      select ${organisationId}, ${id}, ${name}, ${source}, ${JSON.stringify(files)}::jsonb, ${version}, ${basedOn},
        ${now}::timestamptz, ${now}::timestamptz, array[${operator}::text]
      where (select count(*) from policy_draft
        where organisation_id = ${organisationId} and state = 'DRAFT') < ${DRAFTS_MAX}`.execute(
      trx,
    );
    if (numAffectedRows !== 1n) return undefined;
    await noteDraft(trx, { ...text, id }, 'policy draft begun');
    return id;
  });
}

/**
 * Changes a draft, by somebody who thereby becomes one of its authors.
 *
 * @returns false when it is no draft any more, or has been changed since `seenAt`
 */
export async function updateDraft(
  db: Db,
  text: DraftText & { readonly id: string; readonly seenAt: Date; readonly basedOn: string | null },
): Promise<boolean> {
  const { organisationId, id, operator, name, source, files, version, basedOn, seenAt, now } = text;
  return await inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('policy_draft')
      .set({
        name,
        source,
        files: JSON.stringify(files),
        version,
        based_on: basedOn,
        // Two writings within one moment are distinguished.
        changed_at: new Date(Math.max(now.getTime(), seenAt.getTime() + 1)),
        authors: sql`case when ${operator}::text = any (authors) then authors else authors || ${operator}::text end`,
      })
      .where('organisation_id', '=', organisationId)
      .where('id', '=', id)
      .where('state', '=', 'DRAFT')
      .where('changed_at', '=', seenAt)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await noteDraft(trx, { ...text, id }, 'policy draft changed');
    return true;
  });
}

/** Puts a draft away. Returns false when it is none any more. */
export async function discardDraft(
  db: Db,
  draft: Pick<DraftText, 'organisationId' | 'operator' | 'now'> & { readonly id: string },
): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('policy_draft')
      .set({ state: 'DISCARDED', changed_at: draft.now })
      .where('organisation_id', '=', draft.organisationId)
      .where('id', '=', draft.id)
      .where('state', '=', 'DRAFT')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await noteDraft(trx, draft, 'policy draft discarded');
    return true;
  });
}

/** Tells people that a draft waits for somebody who did not write at it. Once for each text. */
export async function askForSecond(
  db: Db,
  draft: Pick<DraftText, 'organisationId' | 'operator' | 'now'> & {
    readonly id: string;
    readonly version: string;
    /** What the message says. */
    readonly text: string;
  },
): Promise<void> {
  const { organisationId, id, version, text, now } = draft;
  await inTransaction(db, async (trx) => {
    const isNews = await notify(trx, {
      organisationId,
      dedupeKey: `policy-draft:${id}:${version}`,
      kind: 'second_person',
      severity: 'warning',
      text,
      at: now,
    });
    if (isNews) await noteDraft(trx, draft, 'policy draft handed to a second person');
  });
}

async function noteDraft(
  trx: Trx,
  draft: Pick<DraftText, 'organisationId' | 'operator' | 'now'> & {
    readonly id: string;
    readonly version?: string | null;
  },
  what: string,
): Promise<void> {
  await writeAudit(trx, {
    organisationId: draft.organisationId,
    at: draft.now,
    subject: 'policy',
    subjectId: draft.id,
    actor: `operator:${draft.operator}`,
    what,
    detail: draft.version === undefined ? {} : { version: draft.version },
  });
}

/** One of them. */
export async function findDraft(
  db: Db,
  organisationId: string,
  id: string,
): Promise<PolicyDraft | undefined> {
  return await db
    .selectFrom('policy_draft')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The same, and it is not changed until the transaction ends. */
export async function lockDraft(
  trx: Trx,
  organisationId: string,
  id: string,
): Promise<PolicyDraft | undefined> {
  return await trx
    .selectFrom('policy_draft')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Notes that it is in force. */
export async function markActive(
  trx: Trx,
  { organisation_id, id }: PolicyDraft,
  by: { readonly operator: string; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable('policy_draft')
    .set({ state: 'ACTIVE', activated_by: by.operator, activated_at: by.now })
    .where('organisation_id', '=', organisation_id)
    .where('id', '=', id)
    .execute();
}

/** What is listed: everything but the texts. */
export type DraftItem = Omit<PolicyDraft, 'source' | 'files'>;

/** Drafts that are not finished, the newest first. */
export async function listDrafts(db: Db, organisationId: string): Promise<readonly DraftItem[]> {
  return await db
    .selectFrom('policy_draft')
    .select(['organisation_id', 'id', 'name', 'version', 'based_on', 'state', 'created_at'])
    .select(['changed_at', 'authors', 'activated_by', 'activated_at'])
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'DRAFT')
    .orderBy('changed_at', 'desc')
    .orderBy('id')
    .limit(LISTED_MAX)
    .execute();
}
