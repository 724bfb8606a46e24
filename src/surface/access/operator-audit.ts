/** What is changed about an operator stands in the audit log of the organisation that it is about. */
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Trx } from '../../base/db/database.ts';

/** Who changes what, and when. */
export interface OperatorChange {
  readonly organisationId: string;
  readonly name: string;
  /** Name of the person who does it, as the audit log shows it. */
  readonly by: string;
  readonly now: Date;
}

export async function auditOperator(
  trx: Trx,
  { organisationId, name, by, now }: OperatorChange,
  entry: { readonly what: string; readonly detail?: Record<string, unknown> },
): Promise<void> {
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'operator',
    subjectId: name,
    actor: `operator:${by}`,
    ...entry,
  });
}
