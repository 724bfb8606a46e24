/**
 * Claims in the shape one sends to the provider: one line each, with what finds the alert there and the rows
 * that show why. It holds what the provider told us and our own references; nothing of a customer.
 */
import { csvLine } from '../../base/kernel/csv-cell.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { ClaimItem } from './credit-claim.store.ts';
import type { EvidenceRow } from './credit-claim.table.ts';
import { CREDIT_CLASSES } from './credit-claim.table.ts';

type Cell = string | Date | null;

export const CLAIM_COLUMNS: Readonly<Record<string, (claim: ClaimItem) => Cell>> = {
  alert_id: (claim) => claim.alert_id,
  programme: (claim) => claim.network,
  alert_created_at: (claim) => claim.alerted_at,
  reason: (claim) => claim.class,
  reason_words: (claim) => CREDIT_CLASSES[claim.class],
  amount: ({ amount_minor: amountMinor, currency }) => decimal(amountMinor, currency),
  currency: (claim) => claim.currency,
  acquirer_reference_number: (claim) => claim.acquirer_reference_number,
  authorisation_code: (claim) => claim.authorisation_code,
  card_last4: (claim) => claim.card_last4,
  descriptor: (claim) => claim.descriptor,
  evidence: (claim) => claim.evidence.map(evidenceText).join('; '),
  claim_until: (claim) => claim.claim_until,
  state: (claim) => claim.state,
  provider_reference: (claim) => claim.reference,
};

/** The file. Where there are several organisations its first column names the one. */
export function claimsCsv(claims: readonly ClaimItem[], organisation?: string): string {
  const own = organisation === undefined ? [] : [organisation];
  const lines = claims.map((claim) =>
    csvLine([...own, ...Object.values(CLAIM_COLUMNS).map((read) => read(claim))]),
  );
  const head = [...own.map(() => 'organisation'), ...Object.keys(CLAIM_COLUMNS)];
  return csvLine(head) + lines.join('');
}

/** One row of evidence in a line: what it shows, when, how much, and where it is. */
export function evidenceText({ table, id, at, amountMinor, currency, shows }: EvidenceRow): string {
  const sum =
    amountMinor === null || currency === null ? '' : `, ${formatMoney({ amountMinor, currency })}`;
  const moment = at === null ? '' : `, ${new Date(at).toISOString()}`;
  return `${shows}${moment}${sum} (${table} ${id})`;
}

function decimal(amountMinor: number | null, currency: string | null): string | null {
  if (amountMinor === null || currency === null) return null;
  return formatMoney({ amountMinor, currency }).split(' ')[0] ?? null;
}
