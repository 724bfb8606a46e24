/**
 * References that name a person: a charge that is called by an e-mail address, an order by a name. Another word, made of
 * chance, replaces each in every table at once, so that what belongs together still does.
 *
 * A reference stays while the service or the processor may have to be called with it, or may call with it: while an alert
 * about it is open, money is under way or may still fail, its order has still to be sent, or its event may come again. The
 * rule is `reference_needed` (`migrations/0057_erased_references.sql`), asked under the locks under which money moves.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Person } from '../../base/seal/person.ts';
import { CAPABILITY_TABLES } from '../../capabilities/index.ts';
import type { OrderRef } from './erase.store.ts';
import { lockOrders, replaceOrder } from './erase.store.ts';
import type { ReferenceNeed } from './erase-references.store.ts';
import {
  neededReference,
  ordersCalled,
  ownReferences,
  replaceReferences,
  usedAsReference,
} from './erase-references.store.ts';
import { namedIn, slicesOf } from './look.ts';
import { valuesAt } from './named-rows.store.ts';

/** Columns of references, by table: the same as in the database's function. Those of a list are searched part by part. */
export const REFERENCE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(CAPABILITY_TABLES.map(({ name, references = [] }) => [name, references])),
  alert: ['integration_transaction_id'],
  alert_case: ['charge_reference'],
  audit: ['subject_id'],
  charge: ['order_reference', 'reference', 'subscription_reference'],
  charge_account: ['charge_reference'],
  dispute: ['charge_reference'],
  entity_change: ['event_id'],
  finding: ['subject_id'],
  inbox_event: ['event_id'],
  inbox_id: ['event_id'],
  lookup: ['integration_transaction_id'],
  match: ['charge_reference'],
  match_choice: ['charge_reference'],
  movement: ['charge_reference', 'processor_reference'],
  order_nested_reference: ['alias', 'given', 'order_reference', 'reference'],
  order_record: ['reference_id'],
  quarantine: ['event_id'],
  refund_approval: ['charge_reference', 'reference'],
  representment: ['transaction_reference_id'],
};

export interface KeptReferences {
  readonly why: ReferenceNeed;
  readonly count: number;
  /** When the last of them may go; null: when it ends. */
  readonly until: string | null;
}

export interface ErasedReferences {
  /** References that another word has replaced now; in a dry run those that would be. */
  readonly replaced: number;
  readonly kept: readonly KeptReferences[];
}

export interface ReferenceErasure {
  readonly organisationId: string;
  readonly person: Person;
  /** For references that are not of the person's own orders: see `Subject.sure`. */
  readonly sure: Person;
  readonly now: Date;
  readonly dryRun: boolean;
}

/** References replaced in one transaction: each column is searched once for all of them. */
const BATCH = 50;

/** What begins with it is no reference of anybody's. */
const PREFIX = 'erased-';
const WORD_BYTES = 16;

/** Replaces what may go, or counts. Safe to repeat. */
export async function eraseReferences(
  db: Db,
  erasure: ReferenceErasure,
  own: readonly OrderRef[],
): Promise<ErasedReferences> {
  const named = await namedReferences(db, erasure, own);
  const needs = new Map<ReferenceNeed, { count: number; until: string | null }>();
  const free: string[] = [];
  for (const reference of named) {
    const needed = await neededReference(db, erasure, reference);
    if (needed === undefined) free.push(reference);
    else noteNeed(needs, needed);
  }
  let replaced = erasure.dryRun ? free.length : 0;
  for (let start = 0; !erasure.dryRun && start < free.length; start += BATCH) {
    replaced += await replaceTogether(db, erasure, {
      references: free.slice(start, start + BATCH),
      needs,
    });
  }
  return { replaced, kept: [...needs].map(([why, kept]) => ({ why, ...kept })) };
}

type Needs = Map<ReferenceNeed, { count: number; until: string | null }>;

function noteNeed(
  needs: Needs,
  { why, until }: { readonly why: ReferenceNeed; readonly until: string | null },
): void {
  const known = needs.get(why);
  const isOpen = until === null || known?.until === null;
  const latest = known === undefined || (until ?? '') > (known.until ?? '') ? until : known.until;
  needs.set(why, { count: (known?.count ?? 0) + 1, until: isOpen ? null : latest });
}

/** All of them, or one by one when one has come to be needed meanwhile. Returns how many. */
async function replaceTogether(
  db: Db,
  erasure: ReferenceErasure,
  { references, needs }: { readonly references: readonly string[]; readonly needs: Needs },
): Promise<number> {
  if (await replaceAll(db, erasure, references)) return references.length;
  if (references.length > 1) {
    let replaced = 0;
    for (const reference of references) {
      replaced += await replaceTogether(db, erasure, { references: [reference], needs });
    }
    return replaced;
  }
  for (const reference of references) {
    const needed = await neededReference(db, erasure, reference);
    noteNeed(needs, needed ?? { why: 'money', until: null });
  }
  return 0;
}

/** An order's texts are sealed for the reference that it goes by, so they are written again under the new one. */
async function replaceAll(
  db: Db,
  { organisationId, now }: ReferenceErasure,
  references: readonly string[],
): Promise<boolean> {
  const words = new Map(
    references.map((reference) => [reference, PREFIX + randomBytes(WORD_BYTES).toString('hex')]),
  );
  return await inTransaction(db, async (trx) => {
    const refs = await ordersCalled(trx, organisationId, references);
    const orders = await lockOrders(trx, organisationId, refs);
    if (!(await replaceReferences(trx, { organisationId, words, now }))) return false;
    for (const { isUnderWay: _, ...order } of orders) {
      const referenceId = words.get(order.referenceId) ?? order.referenceId;
      await replaceOrder(trx, organisationId, { ...order, referenceId, erasedAt: now });
    }
    return true;
  });
}

/** Every reference that names the person. */
async function namedReferences(
  db: Db,
  erasure: ReferenceErasure,
  orders: readonly OrderRef[],
): Promise<readonly string[]> {
  const { organisationId, person, sure } = erasure;
  const called = orders.map(({ referenceId }) => referenceId);
  const own = await ownReferences(db, organisationId, called);
  const named = new Set<string>();
  for (const [table, columns] of Object.entries(REFERENCE_COLUMNS)) {
    for (const column of columns) {
      for await (const reference of referencesNaming(db, { table, column }, erasure)) {
        const isTheirs = sure.names(reference) || (own.has(reference) && person.names(reference));
        if (isTheirs && !reference.startsWith(PREFIX)) named.add(reference);
      }
    }
  }
  return [...named];
}

/** The references of values in this column that name the person; of a list all parts. */
async function* referencesNaming(
  db: Db,
  { table, column }: { readonly table: string; readonly column: string },
  { organisationId, person }: ReferenceErasure,
): AsyncGenerator<string> {
  const textColumn = { table, column, kind: 'text' } as const;
  for await (const range of slicesOf(db, table, 0)) {
    for await (const places of namedIn(db, { ...textColumn, ...range, organisationId }, person)) {
      for (const { value } of await valuesAt(db, textColumn, { places, lock: false })) {
        yield* usedAsReference(column, String(value));
      }
    }
  }
}
