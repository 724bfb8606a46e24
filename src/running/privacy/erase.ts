/**
 * Erases a customer: what names them goes, what the books need stays.
 *
 * Their orders keep references, amounts, dates and states. Everywhere else that the inventory names
 * (raw bodies, snapshots, history, decisions, messages, the audit log) their e-mail addresses, account
 * id and telephone number are replaced. Refunds and answers stay as they were: they hold references
 * and amounts only. A reference that names the customer is replaced in all tables at once (`erase-references.ts`).
 */

import { customerIdentities } from '../../alerts/guard/customer-identity.ts';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Person } from '../../base/seal/person.ts';
import { personOf } from '../../base/seal/person.ts';
import { redactOrder } from '../../base/seal/redact.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import type { OrderRef, OwnOrder } from './erase.store.ts';
import {
  deleteFiles,
  deleteIdentities,
  lockOrders,
  readOwnOrders,
  replaceOrder,
} from './erase.store.ts';
import { eraseColumns } from './erase-columns.ts';
import { eraseEvidence } from './erase-evidence.ts';
import { eraseFiles } from './erase-files.ts';
import { eraseMentions } from './erase-mentions.ts';
import type { ErasureProgress } from './erase-progress.store.ts';
import { erasureKey, forgetProgress, readProgress } from './erase-progress.store.ts';
import type { ErasedReferences } from './erase-references.ts';
import { eraseReferences } from './erase-references.ts';
import { checkRights } from './erase-rights.store.ts';
import type { PersonalColumn } from './inventory.ts';
import { personalColumns } from './inventory.ts';
import type { Left } from './look-everywhere.ts';
import { lookEverywhere } from './look-everywhere.ts';
import type { NamedInSettings } from './look-settings.ts';
import type { SubjectRequest } from './subject.ts';
import { findSubject } from './subject.ts';

export interface EraseRequest extends SubjectRequest {
  readonly actor: string;
  readonly now: Date;
  /** Only count. */
  readonly dryRun: boolean;
  /** Looks in the settings too, which an erasure does not change. */
  readonly inSettings?: (person: Person) => NamedInSettings;
  /** Told now and then how much is done, of how much. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface EraseReport {
  readonly orders: number;
  /** Orders left as they are, because they or a part of them has still to be sent. */
  readonly ordersUnderWay: readonly string[];
  /** Rows that named the person, by `table.column`. */
  readonly rows: Readonly<Record<string, number>>;
  /** References that named the person, of charges, orders and events: replaced everywhere, or still needed. */
  readonly references: ErasedReferences;
  /** Accounts of theirs under which more than five addresses order: their other orders are left as they are. */
  readonly sharedAccounts: number;
  /** What a look at every table found afterwards; in a dry run nothing was looked at. */
  readonly left: Left;
}

/** Orders locked and rewritten in one transaction. */
const BATCH = 100;

/**
 * Erases, or counts what would be. Safe to repeat; one that was broken off continues where it was.
 *
 * Orders come last: they say what else names the person, and a run that continues has to know it.
 *
 * @throws {ConfigError} when the address is none, or the database's role may not; nothing was changed then
 */
export async function eraseCustomer(db: Db, request: EraseRequest): Promise<EraseReport> {
  const { organisationId, dryRun } = request;
  const { refs, identifiers, sure, sharedAccounts } = await findSubject(db, request);
  if (!dryRun) await checkRights(db);
  const person = personOf(identifiers);
  const erasure = { ...request, person };
  const orders = refs.map(({ referenceId }) => referenceId);
  // First: what names them by a word that goes below is not found afterwards.
  const files = await eraseFiles(db, { organisationId, person: sure, orders, dryRun });
  const key = erasureKey(organisationId, identifiers);
  const progress = await readProgress(db, organisationId, key);
  const rows = await eraseColumns(db, COLUMNS, {
    erasure,
    progress: dryRun ? fresh(key) : progress,
  });
  // Before the orders: afterwards they no longer say which other addresses are theirs.
  const evidence = await eraseEvidence(db, request, identifiers);
  const own = await eachBatch(db, refs, (trx, batch) => eraseOrders(trx, request, batch));
  const mentions = await eraseMentions(db, { ...erasure, person: sure }, refs);
  // What was worked out from an order while it still named them.
  const late = dryRun
    ? {}
    : await eraseColumns(db, DERIVED, {
        erasure: { ...erasure, onProgress: undefined },
        progress: fresh(key),
      });
  const references = await eraseReferences(db, { ...erasure, sure }, refs);
  const underWay = own.filter(({ isUnderWay }) => isUnderWay);
  const done = {
    orders: own.length - underWay.length,
    ordersUnderWay: [...underWay.map(({ referenceId }) => referenceId), ...mentions.underWay],
    rows: [late, evidence, mentions.rows, files].reduce(added, rows),
    references,
    sharedAccounts,
  };
  if (dryRun) return { ...done, left: NOTHING_LEFT };
  await forgetProgress(db, organisationId);
  await note(db, request, done);
  return { ...done, left: await lookEverywhere(db, { ...request, person, sure, orders }) };
}

const NOTHING_LEFT: Left = { rows: {}, unread: [], settings: [], unreadFiles: [] };

/** Only looks, at every table: what is left of the person, as far as they are known by these names and by their orders. */
export async function lookForCustomer(
  db: Db,
  request: Pick<
    EraseRequest,
    'organisationId' | 'customerEmail' | 'also' | 'inSettings' | 'onProgress'
  >,
): Promise<{ readonly person: Person; readonly left: Left }> {
  const { refs, identifiers, sure } = await findSubject(db, request);
  const person = personOf(identifiers);
  const orders = refs.map(({ referenceId }) => referenceId);
  return { person, left: await lookEverywhere(db, { ...request, person, sure, orders }) };
}

/** Orders under way keep what they have to say until they have said it, and not why they wait. */
const COLUMNS = personalColumns().filter(
  (each) =>
    !isOfCapability(each) &&
    (each.table !== 'order_record' || !['submitted', 'body'].includes(each.column)),
);

/** Bytes that a capability erases itself. */
function isOfCapability({ table, kind }: PersonalColumn): boolean {
  const owner = CAPABILITIES.find(({ tables = [] }) => tables.some(({ name }) => name === table));
  return kind === 'bytes' && owner?.erase !== undefined;
}

/** Raw bodies say what the service said, and nothing of ours. */
const DERIVED = COLUMNS.filter(({ kind }) => kind !== 'bytes');

function fresh(key: string): ErasureProgress {
  return { key, done: [], column: '', page: 0, rows: {} };
}

function added(
  rows: Readonly<Record<string, number>>,
  late: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = { ...rows };
  for (const [name, count] of Object.entries(late)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** Orders in batches of their own transactions; what each batch gave, in one list. */
async function eachBatch<Result>(
  db: Db,
  refs: readonly OrderRef[],
  act: (trx: Trx, batch: readonly OrderRef[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < refs.length; start += BATCH) {
    results.push(...(await inTransaction(db, (trx) => act(trx, refs.slice(start, start + BATCH)))));
  }
  return results;
}

async function eraseOrders(
  trx: Trx,
  { organisationId, dryRun, now }: EraseRequest,
  refs: readonly OrderRef[],
): Promise<readonly OwnOrder[]> {
  if (dryRun) return await readOwnOrders(trx, organisationId, refs);
  const own = await lockOrders(trx, organisationId, refs);
  for (const { integrationId, referenceId, body, submitted, isUnderWay } of own) {
    if (isUnderWay) continue;
    await replaceOrder(trx, organisationId, {
      integrationId,
      referenceId,
      body: redactOrder(body),
      submitted: redactOrder(submitted),
      erasedAt: now,
    });
  }
  await deleteIdentities(trx, organisationId, own.flatMap(identitiesOf));
  const done = own.filter(({ isUnderWay }) => !isUnderWay);
  await deleteFiles(
    trx,
    organisationId,
    done.map(({ referenceId }) => referenceId),
  );
  return own;
}

function identitiesOf({ body }: OwnOrder): string[] {
  const text = (field: string): string | null => {
    if (typeof body !== 'object' || body === null) return null;
    const value = Object.entries(body).find(([key]) => key === field)?.[1];
    return typeof value === 'string' ? value : null;
  };
  return customerIdentities({
    customerAccountId: text('customer_account_id'),
    customerEmail: text('customer_email'),
  });
}

async function note(
  db: Db,
  { organisationId, actor, now }: EraseRequest,
  report: Omit<EraseReport, 'left'>,
): Promise<void> {
  await inTransaction(db, (trx) =>
    writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'system',
      subjectId: 'erasure',
      actor,
      what: 'customer data erased',
      detail: {
        orders: report.orders,
        rows: report.rows,
        references: report.references.replaced,
      },
    }),
  );
}
