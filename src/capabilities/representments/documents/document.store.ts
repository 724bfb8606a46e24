/** All SQL of the library of documents. Bytes are sealed where this process has a key to seal with. */
import { sql } from 'kysely';
import { writeAudit } from '../../../base/audit/audit.store.ts';
import { dataKeysOf } from '../../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../../base/db/database.ts';
import { lockOrganisation } from '../../../base/db/organisation-lock.store.ts';
import { inTransaction } from '../../../base/db/transaction.ts';
import type { DataKeys } from '../../../base/kernel/data-keys.ts';
import { createId } from '../../../base/kernel/ids.ts';
import type { SealPlace } from '../../../base/seal/seal.ts';
import { openStoredSecret, resealedSecret, sealSecret } from '../../../base/seal/stored-secret.ts';
import type { KeptDocument } from './in-force.ts';
import type { ReadFile } from './read-file.ts';

/** Documents of an organisation: an erasure opens each. */
export const DOCUMENTS_MAX = 500;

export interface Act {
  readonly organisationId: string;
  /** As the audit log names it: `operator:Ines`. */
  readonly actor: string;
  readonly now: Date;
}

/** What a person says of a file. */
export type DocumentWords = Pick<
  KeptDocument,
  'element' | 'name' | 'language' | 'product' | 'orderReference' | 'validFrom' | 'validUntil'
>;

/** A document as people see it. */
export interface ListedDocument extends KeptDocument {
  readonly addedBy: string;
  readonly addedAt: Date;
}

const COLUMNS = sql`id, element, name, language, product, order_reference as "orderReference",
  to_char(valid_from, 'YYYY-MM-DD') as "validFrom", to_char(valid_until, 'YYYY-MM-DD') as "validUntil", type, pages,
  byte_count as "byteCount", sha256, added_by as "addedBy", added_at as "addedAt"`;

function placeOf(organisationId: string, id: string): SealPlace {
  return { organisationId, table: 'evidence_document', column: 'body', row: [id] };
}

export type Adding =
  | { readonly kind: 'added'; readonly id: string; readonly isSealed: boolean }
  /** There is a version that begins on that day. */
  | { readonly kind: 'same_day'; readonly id: string }
  | { readonly kind: 'full' };

/**
 * Adds a document, or a version of one. The version before ends on the day before; one that is added before a later
 * version ends before that.
 */
export async function addDocument(
  db: Db,
  act: Act,
  { words, file }: { readonly words: DocumentWords; readonly file: ReadFile },
): Promise<Adding> {
  const { organisationId, actor, now } = act;
  return await inTransaction(db, async (trx) => {
    // One at a time: versions follow one another.
    await lockOrganisation(trx, organisationId, 'evidence_document');
    const all = await listDocuments(trx, organisationId);
    if (all.length >= DOCUMENTS_MAX) return { kind: 'full' };
    const versions = all.filter((each) => isSameSeries(each, words));
    const same = versions.find(({ validFrom }) => validFrom === words.validFrom);
    if (same !== undefined) return { kind: 'same_day', id: same.id };
    const dayBefore = sql`${words.validFrom}::date - 1`;
    const earlier = versions.filter(({ validFrom }) => validFrom < words.validFrom);
    await sql`
      update evidence_document set valid_until = ${dayBefore}
      where organisation_id = ${organisationId} and id = any(${earlier.map(({ id }) => id)}::text[])
        and coalesce(valid_until >= ${words.validFrom}::date, true)`.execute(trx);
    const later = versions.map(({ validFrom }) => validFrom).filter((on) => on > words.validFrom);
    const [next = null] = later.sort();
    const id = createId('doc');
    const kept = sealSecret(dataKeysOf(trx), placeOf(organisationId, id), file.body);
    await sql`
      insert into evidence_document (organisation_id, id, element, name, language, product, order_reference, valid_from,
        valid_until, type, pages, byte_count, sha256, key_id, body, added_by, added_at)
      values (${organisationId}, ${id}, ${words.element}, ${words.name}, ${words.language}, ${words.product},
        ${words.orderReference}, ${words.validFrom}::date, least(${words.validUntil}::date, ${next}::date - 1), ${file.type},
        ${file.pages}, ${file.body.length}, ${file.sha256}, ${kept.keyId}, ${kept.bytes}, ${actor.replace(/^operator:/, '')},
        ${now})`.execute(trx);
    await note(trx, act, { id, what: 'added a document for disputes', sha256: file.sha256 });
    return { kind: 'added', id, isSealed: kept.keyId !== null };
  });
}

function isSameSeries(one: DocumentWords, other: DocumentWords): boolean {
  return (['element', 'name', 'language', 'product', 'orderReference'] as const).every(
    (field) => one[field] === other[field],
  );
}

async function note(
  trx: Trx,
  { organisationId, actor, now }: Act,
  { id, what, sha256 }: { readonly id: string; readonly what: string; readonly sha256?: string },
): Promise<void> {
  const about = { organisationId, at: now, subject: 'system', subjectId: id, actor, what } as const;
  await writeAudit(trx, { ...about, ...(sha256 === undefined ? {} : { detail: { sha256 } }) });
}

/** All of them, versions of one next to each other, the newest first. */
export async function listDocuments(db: Db, organisationId: string): Promise<ListedDocument[]> {
  const { rows } = await sql<ListedDocument>`
    select ${COLUMNS} from evidence_document where organisation_id = ${organisationId}
    order by element, name, language nulls first, product nulls first, order_reference nulls first, valid_from desc, id
    limit ${DOCUMENTS_MAX}`.execute(db);
  return rows;
}

/** Those that are about all orders, or about one of these. */
export async function documentsAbout(
  db: Db,
  organisationId: string,
  orderReferences: readonly string[],
): Promise<KeptDocument[]> {
  const { rows } = await sql<KeptDocument>`
    select ${COLUMNS} from evidence_document
    where organisation_id = ${organisationId} and (order_reference is null or order_reference = any(${[...orderReferences]}::text[]))
    order by element, name, product nulls first, language nulls first, valid_from, id`.execute(db);
  return rows;
}

/** A document with its bytes; undefined: there is none. @throws as `openBytes` where it is sealed */
export async function readDocument(
  db: Db,
  organisationId: string,
  id: string,
): Promise<(ListedDocument & { readonly body: Buffer }) | undefined> {
  const { rows } = await sql<ListedDocument & { bytes: Buffer; keyId: string | null }>`
    select ${COLUMNS}, body as bytes, key_id as "keyId" from evidence_document
    where organisation_id = ${organisationId} and id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { bytes, keyId, ...listed } = row;
  const place = placeOf(organisationId, id);
  return { ...listed, body: openStoredSecret(dataKeysOf(db), place, { bytes, keyId }) };
}

/**
 * Ends a document on its last day, earlier than it would. The day before its first: it was in force on none. Returns
 * whether it was ended: not where there is none that is in force longer.
 */
export async function endDocument(
  db: Db,
  act: Act,
  { id, lastDay }: { readonly id: string; readonly lastDay: string },
): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const result = await sql`
      update evidence_document set valid_until = greatest(${lastDay}::date, valid_from - 1)
      where organisation_id = ${act.organisationId} and id = ${id}
        and coalesce(valid_until > greatest(${lastDay}::date, valid_from - 1), true)`.execute(trx);
    if (result.numAffectedRows === 0n) return false;
    await note(trx, act, { id, what: `ended a document for disputes on ${lastDay}` });
    return true;
  });
}

/** Deletes one, bytes included. Returns whether there was one. */
export async function removeDocument(db: Db, act: Act, id: string): Promise<boolean> {
  return await inTransaction(db, async (trx) => {
    const result = await sql`
      delete from evidence_document where organisation_id = ${act.organisationId} and id = ${id}`.execute(
      trx,
    );
    if (result.numAffectedRows === 0n) return false;
    await note(trx, act, { id, what: 'removed a document for disputes' });
    return true;
  });
}

/** Seals each under the key that seals now, or opens it where none does. */
export async function resealDocuments(
  db: Db,
  organisationId: string,
  keys: DataKeys,
): Promise<void> {
  for (const { id } of await listDocuments(db, organisationId)) {
    await inTransaction(db, async (trx) => {
      const { rows } = await sql<{ bytes: Buffer; keyId: string | null }>`
        select body as bytes, key_id as "keyId" from evidence_document
        where organisation_id = ${organisationId} and id = ${id} for update`.execute(trx);
      const [row] = rows;
      const kept = row && resealedSecret(keys, placeOf(organisationId, id), row);
      if (kept === undefined) return;
      await sql`
        update evidence_document set body = ${kept.bytes}, key_id = ${kept.keyId}
        where organisation_id = ${organisationId} and id = ${id}`.execute(trx);
    });
  }
}

export async function deleteDocuments(
  db: Db,
  organisationId: string,
  ids: readonly string[],
): Promise<void> {
  await sql`
    delete from evidence_document where organisation_id = ${organisationId} and id = any(${[...ids]}::text[])`.execute(
    db,
  );
}
