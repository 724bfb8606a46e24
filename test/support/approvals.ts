/** Answers of people to what two of them must agree to. */
import type { ApprovalResult } from '../../src/alerts/guard/approve.ts';
import { answerApproval } from '../../src/alerts/guard/approve.ts';
import { readApprovals } from '../../src/alerts/guard/guard-status.store.ts';
import type { Db } from '../../src/base/db/database.ts';

/** Who answers about which alert. */
export interface Answer {
  readonly organisationId: string;
  readonly alertId: string;
  readonly operator: string;
  readonly approve?: boolean;
  readonly now: Date;
}

/** The id of what is asked for first, or was last; 0: of nothing. */
export async function approvalShown(
  db: Db,
  { organisationId, alertId }: Pick<Answer, 'organisationId' | 'alertId'>,
): Promise<number> {
  const [first] = await readApprovals(db, organisationId, alertId);
  return first?.id ?? 0;
}

/** Answers what is shown at this moment. */
export async function answerShown(db: Db, answer: Answer): Promise<ApprovalResult> {
  const approvalId = await approvalShown(db, answer);
  return await answerApproval(db, { approve: true, ...answer, approvalId });
}
