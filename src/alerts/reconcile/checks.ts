/**
 * The table of reconcile's checks over our own rows, and the run that turns answers into findings.
 *
 * Each check is one line: what it is called, how bad it is, what to do, and the question. Findings
 * open with the first sight of a contradiction and close with the first round that misses it.
 */
import type { Db } from '../../base/db/database.ts';
import { closeOthers, noteOpenFindings } from '../../base/findings/finding.store.ts';
import type { CheckQuery } from './checks.store.ts';
import {
  declaredRefundsReversed,
  doubleMoney,
  feedsStopped,
  invalidAfterRefund,
  missedAlerts,
  refundsNotDeclared,
  resolvedElsewhereAfterRefund,
} from './checks.store.ts';
import type { FindingRule } from './record-finding.ts';
import { recordFinding } from './record-finding.ts';
import { lookAtCaseAgain } from './repair.store.ts';
import {
  creationsMissing,
  declaredAmountsDiffer,
  enrolmentsThatNeedAction,
  ordersDiffer,
  outcomesDiffer,
} from './slow-checks.store.ts';

export interface Check extends FindingRule {
  /** `hour`: asked in full rounds only, because it reads more rows. */
  readonly every: 'round' | 'hour';
  readonly query: CheckQuery;
}

export const CHECKS = {
  refund_not_declared: {
    severity: 'error',
    nextStep:
      'The customer has the money back but the service was not told. Open the alert, read why the declaration fails, and resolve it in the dashboard as refunded before the deadline if it cannot be sent.',
    notifies: true,
    every: 'round',
    query: refundsNotDeclared,
    repairs: [lookAtCaseAgain],
  },
  declared_refund_reversed: {
    severity: 'error',
    nextStep:
      'The refund failed at the processor after it was declared. Refund the customer by another way now: a dispute will follow otherwise, and the declaration cannot be taken back.',
    notifies: false,
    every: 'round',
    query: declaredRefundsReversed,
  },
  resolved_elsewhere_after_refund: {
    severity: 'error',
    nextStep:
      'We refunded, yet the alert was resolved as not refunded. Expect a dispute on a refunded payment: answer it with the refund reference.',
    notifies: true,
    every: 'round',
    query: resolvedElsewhereAfterRefund,
  },
  invalid_after_refund: {
    severity: 'warning',
    nextStep:
      'The alert was withdrawn after the refund. The refund stands; claim the alert fee back if the service charged one.',
    notifies: false,
    every: 'round',
    query: invalidAfterRefund,
  },
  double_money: {
    severity: 'error',
    nextStep:
      'The network refunded this charge and we did too. Ask the processor to cancel our refund if it is still pending; otherwise contest the network refund with our reference.',
    notifies: true,
    every: 'round',
    query: doubleMoney,
  },
  missed: {
    severity: 'error',
    nextStep:
      'The deadline passed without a declared answer. Read the timeline for the cause and decide the case by hand; expect a dispute.',
    notifies: false,
    every: 'round',
    query: missedAlerts,
  },
  outcome_differs: {
    severity: 'error',
    nextStep:
      'The service shows another outcome than the one we declared. Compare the alert in the dashboard with the refund at the processor; if the dashboard is wrong, ask the service to correct it.',
    notifies: true,
    every: 'hour',
    query: outcomesDiffer,
  },
  declared_amount_differs: {
    severity: 'error',
    nextStep:
      'The refund declared on this alert does not reach its amount, or is in another currency. Compare both; refund the rest through the alert page or at the processor, or expect a dispute about it.',
    notifies: true,
    every: 'hour',
    query: declaredAmountsDiffer,
  },
  creation_missing: {
    severity: 'warning',
    nextStep:
      'Only an update of this arrived, never its creation, and no list exists to read. Look in the dashboard for others of the same days, and check that the subscription selects the created events.',
    notifies: false,
    every: 'hour',
    query: creationsMissing,
  },
  enrolment_needs_action: {
    severity: 'error',
    nextStep:
      'No alerts come for a descriptor of this enrolment: the network refuses it, or no longer matches it. Read the note on the page Enrolments, and agree with the support of the service on another descriptor.',
    notifies: true,
    every: 'hour',
    query: enrolmentsThatNeedAction,
  },
  feed_stopped: {
    severity: 'error',
    nextStep:
      'The service refused most orders of this integration for one reason, so they are not sent. Read it with "forestall orders status", remove the cause or hand corrected orders in again, then run "forestall orders resume" with the integration.',
    notifies: false,
    every: 'round',
    query: feedsStopped,
  },
  order_differs: {
    severity: 'warning',
    nextStep:
      'The service holds this order with another content that no update can change. Correct your system if ours is wrong; evidence about this order depends on what the service holds.',
    notifies: false,
    every: 'hour',
    query: ordersDiffer,
  },
} as const satisfies Record<string, Check>;

/** Contradictions of one kind that one run looks at. */
const CONTRADICTIONS_MAX = 500;

export interface CheckRun {
  readonly opened: number;
  readonly closed: number;
}

/** What to check, and whether the hourly questions are asked too. */
export interface ChecksRequest {
  readonly organisationId: string;
  readonly now: Date;
  readonly slowOnes?: boolean;
}

export async function runChecks(db: Db, request: ChecksRequest): Promise<CheckRun> {
  let opened = 0;
  let closed = 0;
  for (const [kind, check] of Object.entries<Check>(CHECKS)) {
    if (check.every === 'hour' && request.slowOnes !== true) continue;
    const run = await runCheck(db, { kind, ...check }, request);
    opened += run.opened;
    closed += run.closed;
  }
  return { opened, closed };
}

async function runCheck(
  db: Db,
  check: Check & { readonly kind: string },
  { organisationId, now }: ChecksRequest,
): Promise<CheckRun> {
  const found = await check.query(db, { organisationId, now, limit: CONTRADICTIONS_MAX });
  const { kind, severity, nextStep } = check;
  const about = { organisationId, kind, at: now };
  const open = await noteOpenFindings(db, { ...about, severity, nextStep, found });
  let opened = 0;
  for (const contradiction of found) {
    if (open.has(contradiction.subjectId)) continue;
    if (await recordFinding(db, check, { ...contradiction, organisationId, now })) opened += 1;
  }
  // A full answer may have left some out: those must not look healed.
  if (found.length >= CONTRADICTIONS_MAX) return { opened, closed: 0 };
  const stillThere = found.map(({ subjectId }) => subjectId);
  const closed = await closeOthers(db, about, stillThere);
  return { opened, closed };
}
