/**
 * Opens a finding: with a message to people where its rule says so, and with the safe repair where
 * there is one. One transaction, so that a crash cannot store one without the other.
 */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { openFinding, setRepair } from '../../base/findings/finding.store.ts';
import type { NewNotification } from '../../base/notify/notification.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Severity } from '../../base/notify/notification.table.ts';
import type { Contradiction } from './checks.store.ts';
import type { Repair } from './repair.store.ts';

export interface FindingRule {
  readonly severity: Severity;
  /** What a person does about it, as an instruction. */
  readonly nextStep: string;
  /** Whether a new finding is also sent to people. Off where the saga itself, or the feed, has told them. */
  readonly notifies: boolean;
  /** What is safe to do about a new finding. */
  readonly repairs?: readonly Repair[];
}

export type SeenContradiction = Contradiction & {
  readonly organisationId: string;
  readonly now: Date;
};

/** Opens the finding, or notes that it is still there. Returns whether it is new. */
export async function recordFinding(
  db: Db,
  rule: FindingRule & { readonly kind: string },
  contradiction: SeenContradiction,
): Promise<boolean> {
  const { organisationId, subject, subjectId, evidence, now } = contradiction;
  const { kind, severity, nextStep } = rule;
  const key = { organisationId, kind, subject, subjectId };
  return await inTransaction(db, async (trx) => {
    const isNew = await openFinding(trx, { ...key, severity, evidence, nextStep, at: now });
    if (!isNew) return false;
    for (const repair of rule.repairs ?? []) {
      const done = await repair(trx, contradiction);
      if (done !== undefined) await setRepair(trx, key, done);
    }
    if (rule.notifies) await notify(trx, messageAbout(rule, contradiction));
    return true;
  });
}

function messageAbout(
  { kind, severity, nextStep }: FindingRule & { readonly kind: string },
  { organisationId, subject, subjectId, alertId, now }: SeenContradiction,
): NewNotification {
  const about = {
    organisationId,
    dedupeKey: `finding:${kind}:${subjectId}:${now.toISOString()}`,
    kind,
    severity,
    at: now,
  };
  return alertId === null
    ? { ...about, text: `${subject} ${subjectId}: ${nextStep}` }
    : { ...about, alertId, text: `Alert ${alertId}: ${nextStep}` };
}
