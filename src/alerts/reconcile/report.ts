/**
 * The report of a period: what came in, what became of it, where the money went, and whether the totals
 * add up. Pure.
 *
 *     events received    = applied + quarantined + still waiting
 *     actionable alerts  = resolved + in review + under way + missed
 *     money refunded     = declared + in findings + under way        (each currency by itself)
 *
 * Each term is counted from rows of its own, so a sum that does not come out is a defect or a loss, and
 * becomes a finding.
 */
import type { Severity } from '../../base/notify/notification.table.ts';

/** Half-open, ISO 8601 UTC. */
export interface ReportPeriod {
  readonly from: string;
  readonly to: string;
}

/** Signed events. */
export interface EventTotals {
  readonly received: number;
  readonly applied: number;
  readonly quarantined: number;
  readonly waiting: number;
}

/** Alerts that ask for an answer: all but the network's own refunds. */
export interface AlertTotals {
  readonly actionable: number;
  readonly resolved: number;
  readonly inReview: number;
  readonly underWay: number;
  readonly missed: number;
  /** The network's own refunds, which are not answered. */
  readonly networkRefunds: number;
}

/** Our refunds that the processor confirmed in the period, in one currency, in minor units. */
export interface MoneyTotals {
  readonly currency: string;
  readonly refunds: number;
  readonly refundedMinor: number;
  readonly declaredMinor: number;
  readonly findingsMinor: number;
  readonly underWayMinor: number;
  /** What the processor showed of them when they were compared. */
  readonly seenAtProcessorMinor: number;
}

export interface ReportedFinding {
  readonly kind: string;
  readonly severity: Severity;
  readonly subject: string;
  readonly subjectId: string;
  readonly openedAt: string;
  readonly ageHours: number;
  readonly repair: string | null;
  readonly nextStep: string;
}

export interface ReportFigures {
  readonly events: EventTotals;
  readonly alerts: AlertTotals;
  readonly money: readonly MoneyTotals[];
  /** Charges of the period's cases that were compared with the processor, and that it did not show. */
  readonly compared: { readonly alerts: number; readonly unread: number };
  readonly orders: { readonly created: number; readonly differing: number };
  readonly findings: {
    readonly opened: number;
    readonly closed: number;
    readonly open: number;
    /** The worst first, at most {@link FINDINGS_LISTED_MAX}. */
    readonly listed: readonly ReportedFinding[];
  };
  /** What cannot be known from here, each as a sentence. */
  readonly unknown: readonly string[];
}

export interface Mismatch {
  readonly total: 'events' | 'alerts' | 'money';
  /** For people, with both sides. */
  readonly sentence: string;
  readonly evidence: Record<string, unknown>;
}

export interface ReconcileReport extends ReportFigures {
  readonly period: ReportPeriod;
  readonly madeAt: string;
  readonly addsUp: boolean;
  readonly mismatches: readonly Mismatch[];
}

/** Findings listed in a report. */
export const FINDINGS_LISTED_MAX = 50;

export function makeReport(
  period: ReportPeriod,
  madeAt: Date,
  figures: ReportFigures,
): ReconcileReport {
  const mismatches = findMismatches(figures);
  return {
    period,
    madeAt: madeAt.toISOString(),
    addsUp: mismatches.length === 0,
    mismatches,
    ...figures,
  };
}

export function findMismatches({ events, alerts, money }: ReportFigures): Mismatch[] {
  return [...eventMismatch(events), ...alertMismatch(alerts), ...money.flatMap(moneyMismatch)];
}

function eventMismatch(events: EventTotals): Mismatch[] {
  const { received, applied, quarantined, waiting } = events;
  if (received === applied + quarantined + waiting) return [];
  const sentence = `${received} events were received, but ${applied} applied, ${quarantined} quarantined and ${waiting} waiting make ${applied + quarantined + waiting}.`;
  return [{ total: 'events', sentence, evidence: { ...events } }];
}

function alertMismatch(alerts: AlertTotals): Mismatch[] {
  const { actionable, resolved, inReview, underWay, missed } = alerts;
  const sum = resolved + inReview + underWay + missed;
  if (actionable === sum) return [];
  const sentence = `${actionable} alerts were actionable, but ${resolved} resolved, ${inReview} in review, ${underWay} under way and ${missed} missed make ${sum}.`;
  return [{ total: 'alerts', sentence, evidence: { ...alerts } }];
}

function moneyMismatch(money: MoneyTotals): Mismatch[] {
  const { currency, refundedMinor, declaredMinor, findingsMinor, underWayMinor } = money;
  const sum = declaredMinor + findingsMinor + underWayMinor;
  if (refundedMinor === sum) return [];
  const sentence = `${refundedMinor} minor units of ${currency} were refunded, but ${declaredMinor} declared, ${findingsMinor} in findings and ${underWayMinor} under way make ${sum}.`;
  return [{ total: 'money', sentence, evidence: { ...money } }];
}
