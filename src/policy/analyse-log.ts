/**
 * What the log says of a policy's conditions: one that was never known, and a threshold that no alert came near. Pure;
 * past decisions come in, findings come out.
 */
import { claimSourceOf } from '../alerts/cases/claim.ts';
import { isRecord } from '../base/kernel/is-record.ts';
import { formatMoney, minorUnitDigits } from '../base/kernel/money.ts';
import { convert } from '../base/kernel/rates.ts';
import { formatDuration, formatSpan } from '../base/kernel/units.ts';
import type { Path } from '../base/kernel/yaml-positions.ts';
import { valueAt } from '../base/kernel/yaml-positions.ts';
import { ALERT_FIELDS } from './alert-fields.ts';
import type { Bound } from './bounds.ts';
import { CHARGE_FIELDS } from './charge-fields.ts';
import type { Condition } from './conditions.ts';
import { CUSTOMER_FIELDS } from './customer-fields.ts';
import { evaluate, holds } from './evaluate.ts';
import type { FactView } from './fact-view.ts';
import { viewOf } from './fact-view.ts';
import type { FieldCondition } from './field-conditions.ts';
import type { LoadedPolicy, Rule } from './load.ts';
import { ORDER_FIELDS } from './order-fields.ts';
import type { PastDecision } from './past-decision.ts';
import { readSource } from './source.ts';

export interface LogFinding {
  readonly kind: 'never_known' | 'far_threshold';
  /** Of the condition. */
  readonly line: number;
  readonly rule: string;
  /** What is so, an alert that shows it, and what to do. */
  readonly text: string;
}

/** How far back the log is looked at, in days. */
export const LOG_DAYS = 90;

/** Fewer alerts than this are not reported on. */
export const LOG_ALERTS_MIN = 10;

export interface LogAnalysis {
  add(past: PastDecision): void;
  result(): { readonly alerts: number; readonly findings: readonly LogFinding[] };
}

export function analyseLog(
  policy: Pick<LoadedPolicy, 'rules' | 'timeZone' | 'rates' | 'source'>,
): LogAnalysis {
  const watched = policy.rules.flatMap((rule, index) => watchesOf(policy.source, rule, index));
  let alerts = 0;
  return {
    add(past): void {
      alerts += 1;
      const view = viewOf(past.facts, policy);
      const source = claimSourceOf(past.facts.alert.enrolmentType);
      for (const each of watched) {
        if (source === undefined || each.rule.sources.includes(source)) look(each, past, view);
      }
    },
    result: () => ({
      alerts,
      findings: watched.filter(({ asked }) => asked >= LOG_ALERTS_MIN).flatMap(findingsOf),
    }),
  };
}

/** One condition, and how often it was asked and known. */
interface Watch {
  readonly rule: Rule;
  readonly line: number;
  readonly condition: FieldCondition;
  asked: number;
  known: number;
  /** Its amount was known, in a currency that cannot be compared. */
  otherCurrency: string | undefined;
  /** The last alert of which it was not known. */
  unknown: PastDecision | undefined;
  readonly thresholds: readonly Threshold[];
}

/** One bound, and the values that were compared with it. */
interface Threshold extends Bound {
  /** Of an amount. */
  readonly currency: string | undefined;
  compared: number;
  held: number;
  isNear: boolean;
  nearest: { readonly value: number; readonly alertId: string } | undefined;
}

function watchesOf(text: string, rule: Rule, index: number): Watch[] {
  const source = readSource(text, 'policy');
  const base: Path = ['rules', index, 'when'];
  const paths = leafPaths(valueAt(source.data, base), base);
  return leavesOf(rule.when).map((condition, place) => ({
    rule,
    line: source.positionOf(paths[place] ?? ['rules', index], 'key').line,
    condition,
    ...{ asked: 0, known: 0, otherCurrency: undefined, unknown: undefined },
    thresholds: thresholdsOf(condition),
  }));
}

function leavesOf(condition: Condition): FieldCondition[] {
  switch (condition.kind) {
    case 'not':
      return leavesOf(condition.inner);
    case 'all':
    case 'any':
      return condition.inner.flatMap(leavesOf);
    default:
      return [condition];
  }
}

/** Where each question is, in the order of the text: that of the conditions. */
function leafPaths(written: unknown, path: Path): Path[] {
  if (!isRecord(written)) return [];
  return Object.entries(written).flatMap(([word, value]): Path[] => {
    const inside = [...path, word];
    if (word === 'not') return leafPaths(value, inside);
    if ((word === 'all' || word === 'any') && Array.isArray(value)) {
      return value.flatMap((each, index) => leafPaths(each, [...inside, index]));
    }
    return [inside];
  });
}

function thresholdsOf(condition: FieldCondition): Threshold[] {
  const begun = { compared: 0, held: 0, isNear: false, nearest: undefined };
  if (condition.kind === 'amount') {
    return condition.ranges.flatMap(({ bounds, currency }) =>
      bounds.map((bound) => ({ ...bound, currency, ...begun })),
    );
  }
  if (condition.kind !== 'duration' && condition.kind !== 'number') return [];
  return condition.bounds.map((bound) => ({ ...bound, currency: undefined, ...begun }));
}

function look(watch: Watch, past: PastDecision, view: FactView): void {
  const { condition } = watch;
  watch.asked += 1;
  const { truth } = evaluate(condition, view);
  if (truth === 'unknown') {
    watch.unknown = past;
    if (condition.kind === 'amount') {
      watch.otherCurrency = view.amount(condition.field)?.currency ?? watch.otherCurrency;
    }
    return;
  }
  watch.known += 1;
  for (const threshold of watch.thresholds) {
    const value = valueFor(condition, threshold, view);
    if (value !== null) compare(threshold, value, { condition, alertId: past.alertId });
  }
}

/** The fact in the unit of the bound; null: it cannot be compared. */
function valueFor(
  condition: FieldCondition,
  { currency }: Threshold,
  view: FactView,
): number | null {
  if (condition.kind === 'duration' || condition.kind === 'number') {
    return view.span(condition.field);
  }
  if (condition.kind !== 'amount' || currency === undefined) return null;
  const money = view.amount(condition.field);
  if (money === null || money.currency === currency) return money?.amountMinor ?? null;
  const isNamed = condition.ranges.some((range) => range.currency === money.currency);
  if (isNamed || condition.rates === null) return null;
  return convert(money, currency, condition.rates)?.comparable ?? null;
}

function compare(
  threshold: Threshold,
  value: number,
  { condition, alertId }: { readonly condition: FieldCondition; readonly alertId: string },
): void {
  const { value: bound, nearest } = threshold;
  threshold.compared += 1;
  if (holds(threshold, value)) threshold.held += 1;
  const distance = Math.abs(value - bound);
  const isFactor = bound > 0 && value >= bound / 2 && value <= bound * 2;
  if (isFactor || distance <= stepOf(condition, threshold)) threshold.isNear = true;
  if (nearest === undefined || distance < Math.abs(nearest.value - bound)) {
    threshold.nearest = { value, alertId };
  }
}

/** What is near whatever the factor: one more or less of a count, an hour, a whole unit of money. */
function stepOf({ kind }: FieldCondition, { currency }: Threshold): number {
  if (kind === 'duration') return 3_600_000;
  return currency === undefined ? 1 : 10 ** minorUnitDigits(currency);
}

function findingsOf(watch: Watch): LogFinding[] {
  const at = { line: watch.line, rule: watch.rule.name };
  if (watch.known === 0) return [{ kind: 'never_known', ...at, text: neverKnown(watch) }];
  return watch.thresholds
    .filter(({ compared, isNear }) => compared >= LOG_ALERTS_MIN && !isNear)
    .map((threshold) => ({ kind: 'far_threshold', ...at, text: farFrom(watch, threshold) }));
}

function neverKnown({ rule, condition, asked, unknown, otherCurrency }: Watch): string {
  const { name } = condition.field;
  const example =
    unknown === undefined
      ? ''
      : ` For example ${unknown.alertId}, decided ${unknown.decidedAt.slice(0, 10)}.`;
  if (otherCurrency !== undefined) {
    return `"${name}" of rule "${rule.name}" could be compared for none of ${asked} alerts of the last ${LOG_DAYS} days: they were in another currency, like ${otherCurrency}.${example} Add bounds in it, or "rates".`;
  }
  return `"${name}" of rule "${rule.name}" was known for none of ${asked} alerts of the last ${LOG_DAYS} days, so it never held.${example} ${stepFor(name)}`;
}

/** Who could make it known. */
function stepFor(name: string): string {
  const or = 'or take the condition out.';
  if (name in ORDER_FIELDS || name in CUSTOMER_FIELDS) return `Send orders that tell it, ${or}`;
  if (name in CHARGE_FIELDS) return `Let the processor tell it, ${or}`;
  if (name in ALERT_FIELDS) return `The networks do not send it to you: ${or.slice(3)}`;
  return `See "forestall policy words" for where it comes from, ${or}`;
}

function farFrom({ rule, condition }: Watch, threshold: Threshold): string {
  const { word, value: bound, currency, compared, held, nearest } = threshold;
  const shown = (value: number, isBound: boolean): string => {
    if (currency !== undefined) return formatMoney({ amountMinor: Math.round(value), currency });
    if (condition.kind !== 'duration') return String(value);
    return isBound ? formatDuration(value) : formatSpan(value);
  };
  const example =
    nearest === undefined
      ? ''
      : `, the nearest ${shown(nearest.value, false)} of ${nearest.alertId}`;
  return `no alert of the last ${LOG_DAYS} days came near "${condition.field.name}: ${word} ${shown(bound, true)}" of rule "${rule.name}": ${compared} were compared${example}. It held for ${heldFor(held, compared)}. Set it where your alerts are, or take it out.`;
}

function heldFor(held: number, compared: number): string {
  if (held === 0) return 'none of them';
  return held === compared ? 'all of them' : `${held} of them`;
}
