/**
 * Ends the approval that is still asked for when the alert gets another answer or is closed: parts of
 * the statement that moves the case (`cases/case.store.ts`), which names it `moved`.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Which case, and when. */
export interface Overtaking {
  readonly organisationId: string;
  readonly alertId: string;
  readonly now: Date;
}

/** The update, to be named `overtaken`. */
export function overtakeApproval({
  organisationId,
  alertId,
  now,
  because,
}: Overtaking & { readonly because: string }): RawBuilder<unknown> {
  return sql`update refund_approval set state = 'OVERTAKEN', settled_at = ${now}, settled_because = ${because}
    where organisation_id = ${organisationId} and alert_id = ${alertId} and state = 'PENDING'
      and exists (select from moved)
    returning charge_reference, amount_minor, currency, settled_because`;
}

/** What the audit log says of it. */
export function linesOfOvertaken({
  organisationId,
  alertId,
  now,
}: Overtaking): RawBuilder<unknown> {
  return sql`select ${organisationId}, ${now}::timestamptz, 'case', ${alertId}, ${alertId}, 'forestall',
    'nobody is asked to agree to the refund any more', null, null, jsonb_build_object('charge', charge_reference,
      'amount_minor', amount_minor, 'currency', currency, 'because', settled_because) from overtaken`;
}
