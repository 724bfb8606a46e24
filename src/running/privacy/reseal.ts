/**
 * Seals every row under the key that seals now: after a rotation what is under older keys, after sealing
 * was switched on what came before; or opens everything, before sealing is switched off.
 *
 * In batches of their own transactions, while processes run; a run that was broken off is simply
 * begun again. A key counts as needed until a whole walk has found no row under it and no process has
 * said for a while that it seals with it.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { resealTrialKey } from '../../alerts/decide/trial.store.ts';
import { hashOf } from '../../alerts/receive/delivery.ts';
import {
  openBody,
  placeOfEvent,
  placeOfQuarantined,
  sealBody,
} from '../../alerts/receive/sealed-body.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import { forgetDataKeys, knownDataKeys } from '../../base/seal/data-key.store.ts';
import { placeOfFile } from '../../base/seal/file-place.ts';
import { IN_USE_SECONDS } from '../../base/seal/key-admission.ts';
import type { SealPlace } from '../../base/seal/seal.ts';
import { openJson } from '../../base/seal/seal.ts';
import { noteDataKey } from '../../base/seal/seal-noter.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import { resealEvidenceKey } from '../../orders/evidence-key.store.ts';
import { placeOfOrder, sealOrder } from '../../orders/sealed-order.ts';
import type { BodyRow, OrderPairRow, RowRef } from './sealed-row.store.ts';
import {
  FILE_TABLES,
  lockOrderRows,
  readBodies,
  readPage,
  SEALED_TABLES,
  writeRow,
} from './sealed-row.store.ts';

/** Rows looked at in one statement. */
const PAGE = 1_000;

/** Rows changed in one transaction, so that no process waits long for a lock. */
const BATCH = 100;

export type RowCounts = Readonly<Record<string, number>>;

export interface ResealReport {
  /** The key that everything is under now; null: nothing is sealed any more. */
  readonly keyId: string | null;
  readonly changed: RowCounts;
  /** Rows that are still otherwise, by the key they are under; '' means unsealed. */
  readonly left: Readonly<Record<string, number>>;
  /** Keys that no row needs any more. */
  readonly done: readonly string[];
  /** Keys without a row, with which a process sealed within the last {@link IN_USE_SECONDS} seconds. */
  readonly inUse: readonly string[];
}

export interface ResealRequest {
  readonly organisationId: string;
  /** With every key that rows may be under. Without one to seal with, all is opened. */
  readonly keys: DataKeys;
  /** Called, and waited for, after each page with how many rows of it have been looked at. */
  readonly onProgress?: (rows: number) => Promise<void> | void;
}

/**
 * Seals again. Safe to repeat, and to break off.
 *
 * @throws as `openBytes` for a value that does not open; what was done until then stays
 */
export async function reseal(db: Db, request: ResealRequest): Promise<ResealReport> {
  const changed: Record<string, number> = {};
  await noteDataKey(db, request.organisationId, request.keys);
  await resealEvidenceKey(db, request.organisationId, request.keys);
  await resealTrialKey(db, request.organisationId, request.keys);
  for (const each of CAPABILITIES) await each.reseal?.(db, request.organisationId, request.keys);
  for (const table of SEALED_TABLES) {
    const rows = await resealTable(db, table, request);
    if (rows > 0) changed[table] = rows;
  }
  const left = await countLeft(db, request);
  const keyId = request.keys.sealing?.id ?? null;
  const known = await knownDataKeys(db, request.organisationId);
  const empty = known
    .map((key) => key.keyId)
    .filter((id) => id !== keyId && left[id] === undefined);
  const done = await forgetDataKeys(db, request.organisationId, {
    keyIds: empty,
    quietSeconds: IN_USE_SECONDS,
  });
  return { keyId, changed, left, done, inUse: empty.filter((each) => !done.includes(each)) };
}

async function resealTable(db: Db, table: string, request: ResealRequest): Promise<number> {
  let changed = 0;
  for await (const refs of pagesOf(db, table, request)) {
    const due = refs.filter(({ states }) => states.some((state) => isDue(state, request.keys)));
    for (let start = 0; start < due.length; start += BATCH) {
      const batch = due.slice(start, start + BATCH);
      changed += await inTransaction(db, (trx) => resealBatch(trx, table, { request, batch }));
    }
    await request.onProgress?.(refs.length);
  }
  return changed;
}

/** All rows of a table, a page at a time. */
export async function* pagesOf(
  db: Db,
  table: string,
  { organisationId }: { readonly organisationId: string },
): AsyncGenerator<readonly RowRef[]> {
  let after: readonly string[] | undefined;
  do {
    const page = await readPage(db, table, { organisationId, after, limit: PAGE });
    yield page.refs;
    after = page.next;
  } while (after !== undefined);
}

function isDue(state: string | null, { sealing }: DataKeys): boolean {
  return state !== null && state !== (sealing?.id ?? '');
}

async function countLeft(db: Db, request: ResealRequest): Promise<Record<string, number>> {
  const left: Record<string, number> = {};
  for (const table of SEALED_TABLES) {
    for await (const refs of pagesOf(db, table, request)) {
      for (const { states } of refs) {
        const others = new Set(states.filter((state) => isDue(state, request.keys)));
        for (const state of others) left[state ?? ''] = (left[state ?? ''] ?? 0) + 1;
      }
    }
  }
  return left;
}

async function resealBatch(
  trx: Trx,
  table: string,
  { request, batch }: { request: ResealRequest; batch: readonly RowRef[] },
): Promise<number> {
  if (table === 'order_record') {
    const rows = await lockOrderRows(trx, batch);
    for (const row of rows) await writeRow(trx, { ...row, table }, orderColumns(row, request));
    return rows.length;
  }
  const rows = await readBodies(trx, table, { refs: batch, lock: true });
  for (const row of rows) {
    const plain = openBodyRow(table, row, request);
    await writeRow(trx, { ...row, table }, bodyColumns({ table, row, plain }, request));
  }
  return rows.length;
}

function placeOfBody(table: string, name: string, organisationId: string): SealPlace {
  if (FILE_TABLES.includes(table)) return placeOfFile(table, { organisationId, id: name });
  return table === 'inbox_event'
    ? placeOfEvent(organisationId, name)
    : placeOfQuarantined(organisationId, Number(name));
}

/** The body of a row as it came. */
export function openBodyRow(
  table: string,
  row: BodyRow,
  { organisationId, keys }: Pick<ResealRequest, 'organisationId' | 'keys'>,
): Buffer {
  return openBody(keys, placeOfBody(table, row.name, organisationId), row);
}

/** The columns of a row with this body, as assignments. */
export function bodyColumns(
  { table, row, plain }: { table: string; row: BodyRow; plain: Buffer },
  { organisationId, keys }: Pick<ResealRequest, 'organisationId' | 'keys'>,
): RawBuilder<unknown>[] {
  const sealed = sealBody(keys, placeOfBody(table, row.name, organisationId), plain);
  const body = [sql`body = ${sealed.body}`, sql`key_id = ${sealed.keyId}`];
  if (FILE_TABLES.includes(table)) return body;
  if (table === 'quarantine') {
    return [...body, sql`body_hash = coalesce(body_hash, ${hashOf(plain)}::bytea)`];
  }
  const { type = null, objectId = null } = sealed.subject ?? {};
  return [...body, sql`event_type = ${type}`, sql`object_id = ${objectId}`];
}

function orderColumns(
  row: OrderPairRow,
  { organisationId, keys }: ResealRequest,
): RawBuilder<unknown>[] {
  const order = {
    organisationId,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
  };
  const plain = {
    submitted: JSON.stringify(openJson(keys, placeOfOrder(order, 'submitted'), row.submitted)),
    body: JSON.stringify(openJson(keys, placeOfOrder(order, 'body'), row.body)),
  };
  const written = { ...plain, ...sealOrder(keys, order, plain) };
  return [
    sql`submitted = ${written.submitted}::jsonb`,
    sql`body = ${written.body}::jsonb`,
    sql`email_hmac = ${written.email_hmac ?? null}`,
    sql`account_hmac = ${written.account_hmac ?? null}`,
  ];
}
