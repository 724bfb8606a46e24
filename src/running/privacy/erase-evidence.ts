/**
 * Erases a person from the evidence index: their payments go, by the orders that we still hold and by the
 * hash of their address, which also finds payments whose order is no longer kept.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { countPayments, erasePayments } from '../../orders/evidence/evidence.store.ts';
import { findEvidenceKey } from '../../orders/evidence/evidence-key.store.ts';
import { normaliseEmail } from '../../orders/evidence/normalise.ts';

/** Erases, or counts. Returns how many rows there were, by table; nothing where there was none. */
export async function eraseEvidence(
  db: Kysely<Database>,
  request: { readonly organisationId: string; readonly dryRun: boolean },
  of: { readonly identifiers: readonly string[]; readonly references: readonly string[] },
): Promise<Readonly<Record<string, number>>> {
  const key = await findEvidenceKey(db, request.organisationId);
  if (key === undefined) return {};
  const emails = of.identifiers.map(normaliseEmail).filter((email) => email !== null);
  const whose = { emails, references: of.references };
  const rows = request.dryRun
    ? await countPayments(db, key, whose)
    : await inTransaction(db, (trx) => erasePayments(trx, key, whose));
  return rows === 0 ? {} : { payment_evidence: rows };
}
