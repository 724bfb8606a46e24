/**
 * Erases a person from the evidence index: their payments go, found by the hashes of their addresses, also
 * where the order is no longer kept.
 */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { countPayments, erasePayments } from '../../orders/evidence.store.ts';
import { findEvidenceKey } from '../../orders/evidence-key.store.ts';
import { normaliseEmail } from '../../orders/normalise-element.ts';

/** Erases, or counts. Returns how many rows there were, by table; nothing where there was none. */
export async function eraseEvidence(
  db: Db,
  request: { readonly organisationId: string; readonly dryRun: boolean },
  identifiers: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const key = await findEvidenceKey(db, request.organisationId);
  if (key === undefined) return {};
  const emails = identifiers.map(normaliseEmail).filter((email) => email !== null);
  const rows = request.dryRun
    ? await countPayments(db, key, emails)
    : await inTransaction(db, (trx) => erasePayments(trx, key, emails));
  return rows === 0 ? {} : { payment_evidence: rows };
}
