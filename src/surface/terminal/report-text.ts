/** What commands print of a report of the reconciliation. Pure. */

import type { ReconcileReport, ReportedFinding } from '../../alerts/reconcile/report.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { section } from './section.ts';

/** An open finding that is an error, or a sum that does not come out. */
export function isWrong({ addsUp, findings }: ReconcileReport): boolean {
  return !addsUp || findings.listed.some(({ severity }) => severity === 'error');
}

/** A report, from totals to what a person has to do. */
export function showReport(report: ReconcileReport): string {
  const { period, events, alerts, compared, orders, findings } = report;
  return [
    `From ${period.from} to ${period.to}, made ${report.madeAt}.`,
    '',
    `Events   ${events.received} received = ${events.applied} applied + ${events.quarantined} quarantined + ${events.waiting} waiting`,
    `Alerts   ${alerts.actionable} actionable = ${alerts.resolved} resolved + ${alerts.inReview} in review + ${alerts.underWay} under way + ${alerts.missed} missed (and ${alerts.networkRefunds} refunded by the network)`,
    ...showMoney(report),
    `Compared ${compared.alerts} alerts with the processor, ${compared.unread} could not be read`,
    `Orders   ${orders.created} held by the service, ${orders.differing} with another content`,
    `Findings ${findings.opened} opened, ${findings.closed} closed, ${findings.open} open now`,
    '',
    report.addsUp ? 'The totals add up.' : 'THE TOTALS DO NOT ADD UP:',
    ...report.mismatches.map(({ sentence }) => `  ${sentence}`),
    ...section('Open findings, the worst first:', findings.listed.map(showFinding)),
    ...section('Not known:', report.unknown),
  ].join('\n');
}

function showMoney({ money }: ReconcileReport): string[] {
  if (money.length === 0) return ['Money    nothing was refunded'];
  return money.map((each) => {
    const { currency, refunds } = each;
    const show = (amountMinor: number): string => formatMoney({ amountMinor, currency });
    return `Money    ${show(each.refundedMinor)} refunded (${refunds}) = ${show(each.declaredMinor)} declared + ${show(each.findingsMinor)} in findings + ${show(each.underWayMinor)} under way; the processor shows ${show(each.seenAtProcessorMinor)}`;
  });
}

function showFinding(finding: ReportedFinding): string {
  const { severity, kind, subject, subjectId, ageHours, repair, nextStep } = finding;
  const done = repair === null ? '' : ` ${repair}`;
  return `${severity} ${kind}, ${subject} ${subjectId}, for ${ageHours} h.${done} ${nextStep}`;
}
