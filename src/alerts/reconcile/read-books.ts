/** The ledger's side of a comparison: brought up to what the processor shows, and read. */

import type { Installation } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import { movementKey } from '../ledger/movement-key.ts';
import { readingChanges } from '../ledger/reading-changes.ts';
import { openLedger, StaleReadingError } from '../ledger/with-ledger.ts';
import type { AlertBooks } from './alert-books.ts';
import { ledgerToCompare } from './book-check.store.ts';

export interface SeenCharge {
  readonly key: ChargeKey;
  /** Of the ledger, before the processor was asked. */
  readonly version: number;
  readonly charge: ProcessorCharge | undefined;
  readonly ourKeys: readonly string[];
  readonly capabilities: ProcessorCapabilities | undefined;
  readonly at: Date;
}

/**
 * The ledger to compare. Somebody else's money that it does not know is booked first, as a reading: when
 * a case is over, nothing else looks. Money that moved between the two readings is in one of them only.
 */
export async function readBooks(
  { db }: Pick<Installation, 'db'>,
  shown: SeenCharge,
): Promise<Pick<AlertBooks, 'ledger' | 'confirmedAtMs'> & { readonly isOld: boolean }> {
  const { key, version, charge, ourKeys, capabilities } = shown;
  const before = await ledgerToCompare(db, key);
  const books = { ...before, isOld: before.version !== version };
  if (books.isOld || charge === undefined || capabilities === undefined) return books;
  if (readingChanges(before.ledger, charge, ourKeys.at(-1) ?? '').observed.length === 0) {
    return books;
  }
  try {
    await inTransaction(db, (trx) =>
      openLedger(trx, {
        charge: key,
        reading: { charge, version, atMs: shown.at.getTime() },
        capabilities,
        samePart: 'REVIEW',
        alertId: null,
        now: shown.at,
      }),
    );
  } catch (error) {
    if (error instanceof StaleReadingError) return { ...books, isOld: true };
    throw error;
  }
  return { ...(await ledgerToCompare(db, key)), isOld: false };
}

/** Every key that was ever used on the charge, and the next. */
export function keysOf(charge: ChargeKey, nextRound: number): string[] {
  return Array.from({ length: nextRound }, (_, index) => movementKey(charge, index + 1));
}
