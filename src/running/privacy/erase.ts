/**
 * Erases a customer: what names them goes, what the books need stays.
 *
 * Their orders keep references, amounts, dates and states. Everywhere else that the inventory names
 * (raw bodies, snapshots, history, decisions, messages, the audit log) their e-mail addresses, account
 * id and telephone number are replaced. Refunds and answers stand as they were: they hold references
 * and amounts only.
 */
import { customerIdentities } from '../../alerts/guard/customer-identity.ts';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { identifiersOf, redactOrder } from '../../base/seal/redact.ts';
import type { OrderRef, OwnOrder } from './erase.store.ts';
import {
  deleteFiles,
  deleteIdentities,
  findOrdersOf,
  lockOrders,
  replaceOrder,
} from './erase.store.ts';
import { eraseColumns } from './erase-columns.ts';
import { eraseEvidence } from './erase-evidence.ts';
import type { ErasureProgress } from './erase-progress.store.ts';
import { erasureKey, forgetProgress, readProgress } from './erase-progress.store.ts';
import { sealedOrdersOf } from './erase-sealed.ts';
import { personalColumns } from './inventory.ts';

export interface EraseRequest {
  readonly organisationId: string;
  readonly customerEmail: string;
  readonly actor: string;
  readonly now: Date;
  /** Only count. */
  readonly dryRun: boolean;
}

export interface EraseReport {
  readonly orders: number;
  /** Orders left as they are, because they or a part of them has still to be sent. */
  readonly ordersUnderWay: readonly string[];
  /** Rows that named the person, by `table.column`. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Orders locked and rewritten in one transaction. */
const BATCH = 100;

/**
 * Erases, or counts what would be. Safe to repeat; one that was broken off continues where it was.
 *
 * Orders come last: they say what else names the person, and a run that continues has to know it.
 *
 * @throws {ConfigError} when the address is none
 */
export async function eraseCustomer(db: Db, request: EraseRequest): Promise<EraseReport> {
  const { organisationId, customerEmail, dryRun } = request;
  if (!/^[^\s@]+@[^\s@]+$/.test(customerEmail)) {
    throw new ConfigError('That is no e-mail address. Give the one that stands in the orders.');
  }
  const refs = [
    ...(await findOrdersOf(db, organisationId, customerEmail)),
    ...(await sealedOrdersOf(db, organisationId, customerEmail)),
  ];
  const named = await eachBatch(db, refs, async (trx, batch) =>
    (await lockOrders(trx, organisationId, batch)).flatMap(({ body, submitted }) => [
      ...identifiersOf(body),
      ...identifiersOf(submitted),
    ]),
  );
  const identifiers = [...new Set([customerEmail, ...named].map((text) => text.toLowerCase()))];
  const erasure = { ...request, identifiers };
  const key = erasureKey(organisationId, identifiers);
  const progress = await readProgress(db, organisationId, key);
  const rows = await eraseColumns(db, COLUMNS, {
    erasure,
    progress: dryRun ? fresh(key) : progress,
  });
  // Before the orders: afterwards they no longer say which other addresses are theirs.
  const evidence = await eraseEvidence(db, request, identifiers);
  const own = await eachBatch(db, refs, (trx, batch) => eraseOrders(trx, request, batch));
  // What was worked out from an order while it still named them.
  const late = dryRun ? {} : await eraseColumns(db, DERIVED, { erasure, progress: fresh(key) });
  const report = {
    orders: own.filter(({ isUnderWay }) => !isUnderWay).length,
    ordersUnderWay: own
      .filter(({ isUnderWay }) => isUnderWay)
      .map(({ referenceId }) => referenceId),
    rows: added(added(rows, late), evidence),
  };
  if (!dryRun) {
    await forgetProgress(db, organisationId);
    await note(db, request, report);
  }
  return report;
}

/** Orders under way keep what they have to say until they have said it, and not why they wait. */
const COLUMNS = personalColumns().filter(
  ({ table, column }) => table !== 'order_record' || column === 'reason',
);

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
  const own = await lockOrders(trx, organisationId, refs);
  if (dryRun) return own;
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
  report: EraseReport,
): Promise<void> {
  await inTransaction(db, (trx) =>
    writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'system',
      subjectId: 'erasure',
      actor,
      what: 'customer data erased',
      detail: { orders: report.orders, rows: report.rows },
    }),
  );
}
