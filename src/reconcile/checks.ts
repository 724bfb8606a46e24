/**
 * The table of reconcile's checks over our own rows, and the run that turns answers into findings.
 *
 * Each check is one line: what it is called, how bad it is, what to do, and the question. Findings
 * open with the first sight of a contradiction and close with the first round that misses it.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { notify } from '../notify/notification.store.ts';
import type { Severity } from '../notify/notification.table.ts';
import type { CheckQuery, Contradiction } from './checks.store.ts';
import {
  declaredRefundsReversed,
  doubleMoney,
  invalidAfterRefund,
  missedAlerts,
  refundsNotDeclared,
  resolvedElsewhereAfterRefund,
} from './checks.store.ts';
import { closeOthers, openFinding } from './finding.store.ts';

/** One check. */
export interface Check {
  readonly severity: Severity;
  readonly nextStep: string;
  /** Whether a new finding is also sent to people. Off where the saga itself has told them. */
  readonly notifies: boolean;
  readonly query: CheckQuery;
}

/** Every check, by the kind of its findings. */
export const CHECKS = {
  refund_not_declared: {
    severity: 'error',
    nextStep:
      'The customer has the money back but the service was not told. Open the alert, read why the declaration fails, and resolve it in the dashboard as refunded before the deadline if it cannot be sent.',
    notifies: true,
    query: refundsNotDeclared,
  },
  declared_refund_reversed: {
    severity: 'error',
    nextStep:
      'The refund failed at the processor after it was declared. Refund the customer by another way now: a dispute will follow otherwise, and the declaration cannot be taken back.',
    notifies: false,
    query: declaredRefundsReversed,
  },
  resolved_elsewhere_after_refund: {
    severity: 'error',
    nextStep:
      'We refunded, yet the alert was resolved as not refunded. Expect a dispute on a refunded payment: answer it with the refund reference.',
    notifies: true,
    query: resolvedElsewhereAfterRefund,
  },
  invalid_after_refund: {
    severity: 'warning',
    nextStep:
      'The alert was withdrawn after the refund. The refund stands; claim the alert fee back if the service charged one.',
    notifies: false,
    query: invalidAfterRefund,
  },
  double_money: {
    severity: 'error',
    nextStep:
      'The network refunded this charge and we did too. Ask the processor to cancel our refund if it is still pending; otherwise contest the network refund with our reference.',
    notifies: true,
    query: doubleMoney,
  },
  missed: {
    severity: 'error',
    nextStep:
      'The deadline passed without a declared answer. Read the timeline for the cause and decide the case by hand; expect a dispute.',
    notifies: false,
    query: missedAlerts,
  },
} as const satisfies Record<string, Check>;

/** Contradictions of one kind that one run looks at. */
const CONTRADICTIONS_MAX = 500;

/** What a run changed. */
export interface CheckRun {
  readonly opened: number;
  readonly closed: number;
}

/** Asks every question once. */
export async function runChecks(
  db: Kysely<Database>,
  scope: { readonly organisationId: string; readonly now: Date },
): Promise<CheckRun> {
  let opened = 0;
  let closed = 0;
  for (const [kind, check] of Object.entries(CHECKS)) {
    const run = await runCheck(db, { kind, ...check }, scope);
    opened += run.opened;
    closed += run.closed;
  }
  return { opened, closed };
}

async function runCheck(
  db: Kysely<Database>,
  check: Check & { readonly kind: string },
  scope: { readonly organisationId: string; readonly now: Date },
): Promise<CheckRun> {
  const { organisationId, now } = scope;
  const found = await check.query(db, { organisationId, now, limit: CONTRADICTIONS_MAX });
  let opened = 0;
  for (const contradiction of found) {
    if (await record(db, check, { ...contradiction, organisationId, now })) opened += 1;
  }
  // A full answer may have left some out: those must not look healed.
  if (found.length >= CONTRADICTIONS_MAX) return { opened, closed: 0 };
  const stillThere = found.map(({ subjectId }) => subjectId);
  const closed = await closeOthers(db, { organisationId, kind: check.kind, at: now }, stillThere);
  return { opened, closed };
}

/** Finding and message in one transaction, so that no crash keeps the one and loses the other. */
async function record(
  db: Kysely<Database>,
  check: Check & { readonly kind: string },
  seen: Contradiction & { readonly organisationId: string; readonly now: Date },
): Promise<boolean> {
  const { organisationId, subject, subjectId, alertId, evidence, now } = seen;
  return await inTransaction(db, async (trx) => {
    const isNew = await openFinding(trx, {
      organisationId,
      kind: check.kind,
      severity: check.severity,
      subject,
      subjectId,
      evidence,
      nextStep: check.nextStep,
      at: now,
    });
    if (isNew && check.notifies) {
      await notify(trx, {
        organisationId,
        dedupeKey: `finding:${check.kind}:${subjectId}:${now.toISOString()}`,
        kind: check.kind,
        severity: check.severity,
        alertId,
        text: `Alert ${alertId}: ${check.nextStep}`,
        at: now,
      });
    }
    return isNew;
  });
}
