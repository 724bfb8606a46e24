/**
 * Refunds that are owed, or may be, without an alert of the service: each is a case of its own, besides the
 * alerts of the same charge. Its row among the alerts is ours, and no one is told how it ends.
 */
import type { RemoteAlert } from './alert-service.ts';

/**
 * Why it is there, in place of an alert's programme. `FRAUD_WARNING`: the processor's early warning.
 * `WITHDRAWAL`: the customer has withdrawn from the contract, and the money is owed by law. `SUPPORT`: the
 * merchant's own people promised it.
 */
export const CLAIM_SOURCES = ['FRAUD_WARNING', 'WITHDRAWAL', 'SUPPORT'] as const;
export type ClaimSource = (typeof CLAIM_SOURCES)[number];

/** Begins like an alert's id, so that whatever takes one takes this too; the service makes none like it. */
export const CLAIM_ID_PREFIX = 'netalrt_claim_';

/** The same for SQL's `like`. */
export const CLAIM_IDS = 'netalrt\\_claim\\_%';

/** Whether the id is that of a claim. */
export function isClaimId(alertId: string): boolean {
  return alertId.startsWith(CLAIM_ID_PREFIX);
}

/** The claim's source; undefined for an alert of the service. */
export function claimSourceOf(enrolmentType: string | null): ClaimSource | undefined {
  return CLAIM_SOURCES.find((source) => source === enrolmentType);
}

/** The row of a case, as far as its end goes. */
interface Dated {
  readonly alert_id: string;
  readonly deadline_at: Date;
}

/** After this nothing is done for the case; null: what is owed stays owed after its day. */
export function endOf({ alert_id, deadline_at }: Dated): Date | null {
  return isClaimId(alert_id) ? null : deadline_at;
}

/** Whether nothing is done for the case any more. */
export function isOver(row: Dated, now: Date): boolean {
  const end = endOf(row);
  return end !== null && end <= now;
}

/** Its deadline as the service states it now, in milliseconds since 1970; else as its case has it. */
export function deadlineMsOf(
  { deadlineAt }: RemoteAlert,
  { deadline_at: known }: { readonly deadline_at: Date },
): number {
  const statedMs = Date.parse(deadlineAt ?? '');
  return Number.isFinite(statedMs) ? statedMs : known.getTime();
}
