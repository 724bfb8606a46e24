/** The cockpit's texts for people: on the page, in the terminal and in messages. Pure. */
import type { LineForecast, OtherDating, ReadingView, ReportedView } from './cockpit.ts';
import type { Forecast } from './forecast.ts';
import type { Inside } from './judged-months.ts';
import type { OpenEffect } from './open-alerts.ts';
import { SPREAD_DAYS_MIN } from './pace.ts';
import type { Line } from './programme.ts';
import type { Scope } from './scope.ts';
import type { Nearness } from './standing.ts';

// Made once: a page asks them hundreds of times.
const NUMBER = new Intl.NumberFormat('en-GB');
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Per cent with two decimals, or that there is no base. */
export function percentText(percent: number | null): string {
  return percent === null ? 'no base' : `${percent.toFixed(2)} %`;
}

/** What the reported numbers of a month say, by each reading. */
export function reportedText({ month, baseMonth, given, readings }: ReportedView): string {
  const parts = readings.map(({ reading, count, missing, base, ratioPercent, crossed }) => {
    const ratio =
      base === null
        ? `${atLeast(missing)}${numberText(count)} counted, ratio not known: the payments of ${monthWords(baseMonth)} are not reported`
        : `${atLeast(missing)}${numberText(count)} of ${numberText(base)} payments, ${percentText(ratioPercent)}`;
    const without = missing.length === 0 ? '' : ` (not reported: ${missing.join(', ')})`;
    return `${reading.name} ${ratio}${without}${crossed === null ? '' : `, beyond "${crossed.name}"`}`;
  });
  return `By the numbers reported for ${monthWords(month)} (${given.join(', ')}): ${parts.join('; ')}.`;
}

/** Which line the reported numbers of a month cross, by the reading that goes furthest; undefined: none. */
export function reportedBeyond({ month, readings }: ReportedView): string | undefined {
  const depth = ({ crossed, lines }: ReportedView['readings'][number]): number =>
    lines.findIndex(({ line }) => line === crossed);
  const [furthest] = readings.toSorted((a, b) => depth(b) - depth(a));
  return furthest?.crossed == null
    ? undefined
    : `Beyond "${furthest.crossed.name}" by the numbers reported for ${monthWords(month)}.`;
}

function atLeast(missing: readonly string[]): string {
  return missing.length === 0 ? '' : 'at least ';
}

const DATING_WORDS = {
  received: 'the day on which a notice was received',
  reported: 'the day on which its issuer reported it',
} as const;

/** The count by the other day of the notices, where it differs. */
export function otherDatingText({
  dating,
  count,
  base,
  ratioPercent,
  crossed,
}: OtherDating): string {
  const ratio =
    base === null ? '' : ` of ${numberText(base)} payments, ${percentText(ratioPercent)}`;
  const beyond = crossed === null ? '' : `, beyond "${crossed.name}"`;
  return `Counted by ${DATING_WORDS[dating]}: ${numberText(count)}${ratio}${beyond}. The specification leaves open which day the scheme goes by; alarms go by ${DATING_WORDS[dating === 'reported' ? 'received' : 'reported']}.`;
}

/** That one is in a programme, and when one is out of it. */
export function insideText({ line, since, cleanMonths, neededMonths }: Inside): string {
  const months = neededMonths === 1 ? 'month' : 'months';
  return `In the programme since ${monthWords(since)}, last beyond "${line.name}": ${cleanMonths} of ${neededMonths} clean ${months} are over. A month that is not known is none.`;
}

export function lineText({ ratio_percent, count }: Line): string {
  const parts = [
    ...(ratio_percent === undefined ? [] : [`${ratio_percent} %`]),
    ...(count === undefined ? [] : [`${numberText(count)} or more`]),
  ];
  return parts.join(' and ');
}

/** A whole number with separators. */
export function numberText(value: number): string {
  return NUMBER.format(Math.round(value));
}

/** 14 December; with the year when it is another one. */
function dayWords(day: Date, now: Date): string {
  const isOther = day.getUTCFullYear() !== now.getUTCFullYear();
  return (isOther ? DAY_OF_YEAR : DAY).format(day);
}

/** November 2026, of YYYY-MM. */
export function monthWords(month: string): string {
  return MONTH.format(new Date(`${month}-01T00:00:00Z`));
}

export function scopeWords({ kind, id }: Pick<Scope, 'kind' | 'id'>): string {
  return kind === 'organisation' ? 'the organisation' : `${kind} ${id}`;
}

/** What is ahead of a line: of what can be forecast, and what the line needs as well. */
export function forecastText({ line, forecast }: LineForecast, now: Date): string {
  const furtherNeeds = furtherNeedsText(line);
  const sentence = sentenceOf(forecast, {
    goal: goalText(line),
    reach: furtherNeeds === '' ? 'cross' : 'reach',
    now,
  });
  return furtherNeeds === '' ? sentence : `${sentence} The line also needs ${furtherNeeds}.`;
}

/** What a forecast is about: the ratio and the count of a line, which must both be reached. */
function goalText({ ratio_percent, count }: Line): string {
  return [
    ...(ratio_percent === undefined ? [] : [`${ratio_percent} %`]),
    ...(count === undefined ? [] : [`${numberText(count)} items`]),
  ].join(' with at least ');
}

/** What else a line needs, of which no forecast is made. */
function furtherNeedsText(line: Line): string {
  const needs = [
    ...(line.base_count === undefined ? [] : [`${numberText(line.base_count)} payments`]),
    ...(line.amount_usd === undefined ? [] : [`${numberText(line.amount_usd)} USD`]),
    ...(line.amount_above_usd === undefined
      ? []
      : [`more than ${numberText(line.amount_above_usd)} USD`]),
    ...(line.three_d_secure_below_percent === undefined
      ? []
      : [`less than ${line.three_d_secure_below_percent} % through 3-D Secure`]),
  ];
  return needs.join(', ');
}

interface Said {
  readonly goal: string;
  readonly reach: 'cross' | 'reach';
  readonly now: Date;
}

function sentenceOf(forecast: Forecast, { goal, reach, now }: Said): string {
  switch (forecast.kind) {
    case 'crossed':
      return `The line of ${goal} is ${reach}ed: ${numberText(forecast.counted)} counted, ${numberText(forecast.target)} are enough.`;
    case 'ahead':
      return `At this pace you ${reach} ${goal} on ${dayWords(forecast.on, now)}${spreadText(forecast, now)}.`;
    case 'not_ahead':
      return `At this pace you do not ${reach} ${goal} until ${dayWords(forecast.until, now)}${
        forecast.earliest === null
          ? ''
          : `; chance alone could bring it on ${dayWords(forecast.earliest, now)}`
      }.`;
    case 'unknown':
      return `Not known when ${goal} is ${reach}ed: ${WHY_UNKNOWN[forecast.because]}.`;
  }
}

const WHY_UNKNOWN = {
  no_base: 'no payments are known to divide by',
  too_few_days: `a forecast takes ${SPREAD_DAYS_MIN} whole days`,
  too_few_events: 'too little was counted for a forecast, or it came in few bursts',
} as const;

function spreadText(
  { earliest, latest, on }: Extract<Forecast, { kind: 'ahead' }>,
  now: Date,
): string {
  if (latest !== null && earliest.getTime() === on.getTime() && latest.getTime() === on.getTime())
    return '';
  const from = dayWords(earliest, now);
  return latest === null
    ? ` (9 times of 10 not before ${from}, and perhaps not until then)`
    : ` (9 times of 10 between ${from} and ${dayWords(latest, now)})`;
}

export function arithmeticText(
  { forecast }: LineForecast,
  { pace }: Pick<ReadingView, 'pace'>,
): string | undefined {
  if (forecast.kind !== 'ahead' || pace === undefined) return undefined;
  const { target, base, counted, days } = forecast;
  const percent = 100 * (Math.exp(pace.growth) - 1);
  const growth =
    Math.abs(percent) < 0.05
      ? ''
      : `, ${percent > 0 ? 'rising' : 'falling'} by ${Math.abs(percent).toFixed(1)} % from day to day`;
  const baseText = base === null ? '' : ` of ${numberText(base)} payments of that month’s base`;
  return `${numberText(target)} are enough${baseText}; ${numberText(counted)} are counted in that month so far, so ${numberText(target - counted)} are missing. ${numberText(pace.counted)} came in the last ${pace.days} days; the newer days weigh more, and make ${pace.perDay.toFixed(1)} a day now${growth}, by weekday: the sum is reached after ${numberText(days + 1)} days, today included.`;
}

/** What the open alerts do. */
export function openText(effect: OpenEffect): string {
  const { alerts, nowPercent, ifDisputedPercent, ifRefundedPercent, staying } = effect;
  const which = alerts === 1 ? 'this open alert' : `these ${numberText(alerts)} open alerts`;
  const stays =
    staying === 0
      ? ''
      : ` ${numberText(staying)} of them ${staying === 1 ? 'is' : 'are'} or may be about fraud, whose report counts all the same.`;
  return `Now ${percentText(nowPercent)}. Refunding ${which} leaves ${percentText(ifRefundedPercent)}; without an answer it becomes ${percentText(ifDisputedPercent)}.${stays}`;
}

const CONDITION_NAMES = {
  ratio: 'the ratio',
  count: 'the count',
  base: 'the payments of the base',
  amount: 'the amount in US dollars',
  three_d_secure: 'the share through 3-D Secure',
} as const;

export function alarmText(
  nearness: Nearness,
  { scope, level }: { readonly scope: Scope; readonly level: number },
): string {
  const { programme, line, basis, month, reading, count, target, base, ratioPercent } = nearness;
  const { unknown, isAtLeast, isRegionUnset } = nearness;
  const reached = level === 100 ? 'is crossed' : `is ${level} % used up`;
  const baseText =
    base === null
      ? ''
      : ` of ${numberText(base)} payments${basis === 'estimated' && programme.rolling_days === undefined ? ' expected' : ''}, ${percentText(ratioPercent)}`;
  const from = basis === 'estimated' ? 'by our own count' : 'by the numbers reported';
  const goal = target === null ? '' : ` (${numberText(target)} are enough)`;
  const taken =
    unknown.length === 0
      ? ''
      : ` Not known, and taken for reached: ${unknown.map((what) => CONDITION_NAMES[what]).join(', ')}.`;
  const where = isRegionUnset
    ? ` The line holds in ${programme.regions?.join(', ')}: set FORESTALL_MONITORING_REGION to the region of your acquirer.`
    : '';
  return `${programme.name}, line "${line.name}" (${lineText(line)}) for ${scopeWords(scope)} ${reached} in ${monthWords(month)}, ${from}, reading "${reading}": ${isAtLeast ? 'at least ' : ''}${numberText(count)}${goal}${baseText}.${taken}${where} ${line.next_step} See the page Ratios.`;
}
