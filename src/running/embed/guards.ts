/**
 * What comes before every policy, as the embedding program reaches it: the kill switch, approvals by
 * two people, and how much was sent lately.
 */
import type { ApprovalResult } from '../../alerts/guard/approve.ts';
import { answerApproval } from '../../alerts/guard/approve.ts';
import type { Approval, GuardStatus } from '../../alerts/guard/guard-status.store.ts';
import { readApprovals, readGuardStatus } from '../../alerts/guard/guard-status.store.ts';
import { pauseMoney, resumeMoney } from '../../alerts/guard/pause.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { OrganisationParts } from '../roles/parts.ts';

/** The guards of one organisation. */
export interface ForestallGuards {
  /** Stops all refunds at once. False when they were stopped already; the first reason then stays. */
  pause(by: { readonly operator: string; readonly reason: string }): Promise<boolean>;
  /** Lets refunds go again. False when they were not stopped. */
  resume(by: { readonly operator: string }): Promise<boolean>;
  /** What two people are asked to agree to for an alert now; where nothing is, the last that ended. */
  approvals(alertId: string): Promise<readonly Approval[]>;
  /** One person's word on what needs two: on the approval that they were shown. */
  answerApproval(answer: {
    readonly alertId: string;
    readonly approvalId: number;
    readonly operator: string;
    readonly approve: boolean;
  }): Promise<ApprovalResult>;
  status(): Promise<GuardStatus>;
}

export function createGuards(parts: OrganisationParts): ForestallGuards {
  const { clock, organisationId } = parts;
  const { db } = parts.database;
  return {
    pause: (by) => pauseMoney(db, { ...by, organisationId, now: nowDate(clock) }),
    resume: async (by) =>
      (await resumeMoney(db, { ...by, organisationId, now: nowDate(clock) })).resumed,
    approvals: (alertId) => readApprovals(db, organisationId, alertId),
    answerApproval: (answer) =>
      answerApproval(db, { ...answer, organisationId, now: nowDate(clock) }),
    status: () => readGuardStatus(db, organisationId, nowDate(clock)),
  };
}
