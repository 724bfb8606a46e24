/**
 * Erases a customer: what names them goes, what the books need stays.
 *
 * Their orders keep references, amounts, dates and states. Everywhere else that the inventory names
 * (raw bodies, snapshots, history, decisions, messages, the audit log) their e-mail addresses, account
 * id and telephone number are replaced. Refunds and answers stand as they were: they hold references
 * and amounts only.
 */
import type { Kysely } from 'kysely';
import { writeAudit } from '../audit/audit.store.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { customerIdentities } from '../guard/customer-identity.ts';
import { ConfigError, InvariantError } from '../kernel/errors.ts';
import type { OwnOrder } from './erase.store.ts';
import {
  admitErasure,
  countNamed,
  deleteIdentities,
  findNamed,
  lockOrdersOf,
  replaceOrder,
  replaceValue,
} from './erase.store.ts';
import { eraseSealedBodies, sealedOrdersOf } from './erase-sealed.ts';
import type { PersonalColumn } from './inventory.ts';
import { personalColumns } from './inventory.ts';
import type { ColumnKind } from './inventory-entry.ts';
import { identifiersOf, redactBytes, redactJson, redactOrder, redactText } from './redact.ts';

/** Whose data, and on whose word. */
export interface EraseRequest {
  readonly organisationId: string;
  readonly customerEmail: string;
  readonly actor: string;
  readonly now: Date;
  /** Only count. */
  readonly dryRun: boolean;
}

/** What was found, and erased unless it was a dry run. */
export interface EraseReport {
  readonly orders: number;
  /** Orders left as they are, because they or a part of them has still to be sent. */
  readonly ordersUnderWay: readonly string[];
  /** Rows that named the person, by `table.column`. */
  readonly rows: Readonly<Record<string, number>>;
}

/** Rows changed in one transaction. */
const BATCH = 200;

/**
 * Erases, or counts what would be. Safe to repeat.
 *
 * @throws {ConfigError} when the address is none
 */
export async function eraseCustomer(
  db: Kysely<Database>,
  request: EraseRequest,
): Promise<EraseReport> {
  if (!/^[^\s@]+@[^\s@]+$/.test(request.customerEmail)) {
    throw new ConfigError('That is no e-mail address. Give the one that stands in the orders.');
  }
  const { orders, underWay, identifiers } = await eraseOrders(db, request);
  const rows: Record<string, number> = {};
  for (const column of personalColumns()) {
    const count = await eraseColumn(db, { ...column, ...request }, identifiers);
    if (count > 0) rows[`${column.table}.${column.column}`] = count;
  }
  const report = { orders, ordersUnderWay: underWay, rows };
  if (!request.dryRun) await note(db, request, report);
  return report;
}

interface ErasedOrders {
  readonly orders: number;
  readonly underWay: readonly string[];
  readonly identifiers: readonly string[];
}

async function eraseOrders(db: Kysely<Database>, request: EraseRequest): Promise<ErasedOrders> {
  const { organisationId, customerEmail } = request;
  const beside = await sealedOrdersOf(db, organisationId, customerEmail);
  return await inTransaction(db, async (trx) => {
    const own = await lockOrdersOf(trx, organisationId, { email: customerEmail, beside });
    const settled = own.filter(({ isUnderWay }) => !isUnderWay);
    if (!request.dryRun) {
      for (const { integrationId, referenceId, body, submitted } of settled) {
        await replaceOrder(trx, organisationId, {
          integrationId,
          referenceId,
          body: redactOrder(body),
          submitted: redactOrder(submitted),
          erasedAt: request.now,
        });
      }
      await deleteIdentities(trx, organisationId, own.flatMap(identitiesOf));
    }
    const named = own.flatMap(({ body, submitted }) => [
      ...identifiersOf(body),
      ...identifiersOf(submitted),
    ]);
    return {
      orders: settled.length,
      underWay: own.filter(({ isUnderWay }) => isUnderWay).map(({ referenceId }) => referenceId),
      identifiers: [...new Set([customerEmail, ...named].map((text) => text.toLowerCase()))],
    };
  });
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

type ColumnScope = PersonalColumn & Pick<EraseRequest, 'organisationId' | 'dryRun'>;

async function eraseColumn(
  db: Kysely<Database>,
  scope: ColumnScope,
  identifiers: readonly string[],
): Promise<number> {
  // Orders under way keep what they have to say until they have said it, and not why they wait.
  if (scope.table === 'order_record' && scope.column !== 'reason') return 0;
  const sealed = await eraseSealed(db, scope, identifiers);
  if (scope.dryRun) return sealed + (await countNamed(db, scope, identifiers));
  let erased = sealed;
  for (;;) {
    const found = await inTransaction(db, async (trx) => {
      await admitErasure(trx);
      const rows = await findNamed(trx, { ...scope, limit: BATCH }, identifiers);
      for (const row of rows) {
        await replaceValue(
          trx,
          { ...scope, ...row },
          REDACTORS[scope.kind](row.value, identifiers),
        );
      }
      return rows.length;
    });
    erased += found;
    if (found < BATCH) break;
  }
  const left =
    (await countNamed(db, scope, identifiers)) +
    (await eraseSealed(db, { ...scope, dryRun: true }, identifiers));
  if (left > 0) {
    throw new InvariantError(
      `${left} rows of ${scope.table}.${scope.column} still name the customer. Run it again; if it stays so, report it.`,
    );
  }
  return erased;
}

/** The same for values that are sealed. */
async function eraseSealed(
  db: Kysely<Database>,
  { table, column, organisationId, dryRun }: ColumnScope,
  identifiers: readonly string[],
): Promise<number> {
  if (column !== 'body' || (table !== 'inbox_event' && table !== 'quarantine')) return 0;
  return await eraseSealedBodies(db, { organisationId, table, identifiers, dryRun });
}

const REDACTORS: Readonly<
  Record<ColumnKind, (value: unknown, identifiers: readonly string[]) => string | Buffer>
> = {
  text: (value, identifiers) => redactText(String(value), identifiers),
  json: (value, identifiers) => JSON.stringify(redactJson(value, identifiers)),
  bytes: (value, identifiers) =>
    redactBytes(Buffer.isBuffer(value) ? value : Buffer.from(String(value)), identifiers),
};

async function note(
  db: Kysely<Database>,
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
