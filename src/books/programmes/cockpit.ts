/** The ratio cockpit: for a scope, where every programme in force stands, what is ahead, and what was done about it. */
import type { Db } from '../../base/db/database.ts';
import type { ReadingState } from './assess.ts';
import { assess } from './assess.ts';
import type { SchemeOf } from './card-scheme.ts';
import type { ByPeriod, PeriodFigures, Rates } from './figures.ts';
import { estimated, figuresOf, reportedFigures, sumOf } from './figures.ts';
import type { Forecast, Known } from './forecast.ts';
import { forecastCrossing, forecastMonthEnd } from './forecast.ts';
import type { Months } from './months.ts';
import { baseOfDays, dayText, historyOf, lastDayOf, monthsUntil } from './months.ts';
import type { OpenEffect } from './open-alerts.ts';
import { effectOfOpen, sortOpen } from './open-alerts.ts';
import type { Pace } from './pace.ts';
import { dayNumber, PACE_DAYS, paceOf } from './pace.ts';
import type { Line, Programme, Reading } from './programme.ts';
import { isInForce } from './programme.ts';
import type { Reported } from './reported.store.ts';
import { readReported } from './reported.store.ts';
import type { OpenAlerts, PeriodCount } from './roll-up.store.ts';
import { readCounts, readOpenAlerts } from './roll-up.store.ts';
import type { ReportedMeasure } from './roll-up.table.ts';
import type { Scope } from './scope.ts';

const DAY_MS = 86_400_000;

/** Months that are shown, the current one included. */
const COCKPIT_MONTHS = 13;

export interface CockpitDeps {
  readonly db: Db;
  readonly organisationId: string;
  readonly programmes: readonly Programme[];
  /** Of the acquirer; undefined: files of every region hold. */
  readonly region: string | undefined;
  readonly schemeOf: SchemeOf;
  readonly rates: Rates;
}

export interface LineForecast {
  readonly line: Line;
  readonly forecast: Forecast;
}

export interface ReadingView extends ReadingState {
  readonly pace: Pace | undefined;
  readonly monthEnd: ReturnType<typeof forecastMonthEnd>;
  /** The base that the month is expected to have; null: unknown. */
  readonly expectedBase: number | null;
  /** Empty where the programme looks back over days instead of months. */
  readonly forecasts: readonly LineForecast[];
  readonly open: OpenEffect | undefined;
  /** Per cent of each month, oldest first; null without a base. */
  readonly history: readonly (number | null)[];
  /** Of the numbers that were reported, by month; null where none was. */
  readonly reportedHistory: readonly (number | null)[];
}

/** A month for which something was reported that the programme counts. */
export interface ReportedView {
  /** YYYY-MM. */
  readonly month: string;
  /** Whose payments are the base, YYYY-MM. */
  readonly baseMonth: string;
  readonly given: readonly ReportedMeasure[];
  readonly readings: readonly ReadingState[];
}

export interface ProgrammeView {
  readonly programme: Programme;
  readonly readings: readonly ReadingView[];
  /** Months in which the file was in force, oldest first. */
  readonly reported: readonly ReportedView[];
  /** By month, oldest first. */
  readonly months: readonly PeriodFigures[];
}

export interface Cockpit {
  readonly scope: Scope;
  readonly now: Date;
  /** YYYY-MM, oldest first. */
  readonly months: readonly string[];
  readonly programmes: readonly ProgrammeView[];
  /** Files that no longer hold, where a month of theirs was reported: it is judged by them. */
  readonly past: readonly ProgrammeView[];
  /** Files that hold later, soonest first. */
  readonly coming: readonly Programme[];
  readonly reported: readonly Reported[];
}

export async function readCockpit(deps: CockpitDeps, scope: Scope, now: Date): Promise<Cockpit> {
  const { db, organisationId, programmes, region } = deps;
  const months = monthsUntil(now, COCKPIT_MONTHS);
  const [first] = months;
  const daysFrom = dayText(dayNumber(now) - 90);
  const [byMonth, byDay, reported, open] = await Promise.all([
    readCounts(db, { organisationId, scope, grain: 'month', from: `${first}-01` }),
    readCounts(db, { organisationId, scope, grain: 'day', from: daysFrom }),
    readReported(db, { organisationId, scope: scope.kind, scopeId: scope.id, from: first }),
    readOpenAlerts(db, organisationId, scope),
  ]);
  const periods = (counts: readonly PeriodCount[]): ByPeriod =>
    Map.groupBy(counts, ({ period }) => period);
  const rows = { byMonth: periods(byMonth), byDay: periods(byDay), reported, open };
  const today = dayText(dayNumber(now));
  return {
    scope,
    now,
    months,
    programmes: programmes
      .filter((each) => isInForce(each, today, region))
      .map((each) => viewOf(each, { deps, rows, months, now })),
    past: programmes
      .filter((each) => each.valid_to != null && each.valid_to < today)
      .map((each) => viewOf(each, { deps, rows, months, now }))
      .filter((view) => view.reported.length > 0),
    coming: programmes
      .filter((each) => each.valid_from > today && isInForce(each, each.valid_from, region))
      .sort((a, b) => (a.valid_from < b.valid_from ? -1 : 1)),
    reported,
  };
}

interface Gathered {
  readonly deps: CockpitDeps;
  readonly rows: {
    readonly byMonth: ByPeriod;
    readonly byDay: ByPeriod;
    readonly reported: readonly Reported[];
    readonly open: readonly OpenAlerts[];
  };
  readonly months: Months;
  readonly now: Date;
}

function viewOf(programme: Programme, gathered: Gathered): ProgrammeView {
  const { deps, rows, months, now } = gathered;
  const of = { scheme: programme.scheme, schemeOf: deps.schemeOf, rates: deps.rates };
  const byMonth = months.map((month) => figuresOf(`${month}-01`, rows.byMonth, of));
  const today = dayNumber(now);
  const leftOfToday = 1 - (now.getTime() / DAY_MS - today);
  const days = Array.from({ length: 91 }, (_, index) =>
    figuresOf(dayText(today - 90 + index), rows.byDay, of),
  );
  const open = sortOpen(rows.open, of);
  const base = programme.base === 'same' ? 0 : 1;
  const at = (index: number): ReturnType<typeof estimated> => {
    const month = byMonth[index];
    const baseMonth = byMonth[index - base];
    const empty = figuresOf('', new Map(), of);
    return estimated(month ?? empty, baseMonth ?? empty);
  };
  const figures =
    programme.rolling_days === undefined
      ? at(months.length - 1)
      : sumOf(days.slice(-programme.rolling_days));
  const paymentDays = days.map(({ payments }) => payments);
  const paymentPace = paceOf(wholeDays(paymentDays.slice(0, -1), days.slice(0, -1)), today);
  const baseOf = baseOfDays(programme.base, { byMonth, pace: paymentPace, today });
  const readings = assess(programme, figures).map((state): ReadingView => {
    const known = knownOf(state.reading, { days, byMonth, today, leftOfToday, baseOf });
    const isRolling = programme.rolling_days !== undefined;
    return {
      ...state,
      pace: known.pace,
      monthEnd: isRolling ? undefined : forecastMonthEnd(known),
      expectedBase: baseOf(today),
      forecasts: isRolling
        ? []
        : programme.lines.map((line) => ({ line, forecast: forecastCrossing(line, known) })),
      open: effectOfOpen(state.reading, figures, open),
      history: months.map((_, index) =>
        historyOf(state.reading, index < base ? undefined : at(index)),
      ),
      reportedHistory: months.map((month, index) => {
        const told = toldOf(programme, { month, index, gathered, ours: at(index) });
        return told === undefined ? null : historyOf(state.reading, told.figures);
      }),
    };
  });
  return {
    programme,
    readings,
    reported: reportedMonths(programme, { gathered, at }),
    months: byMonth,
  };
}

function knownOf(
  reading: Reading,
  of: {
    readonly days: readonly PeriodFigures[];
    readonly byMonth: readonly PeriodFigures[];
    readonly today: number;
    readonly leftOfToday: number;
    readonly baseOf: (day: number) => number | null;
  },
): Known {
  const { days, byMonth, today, leftOfToday, baseOf } = of;
  const counts = days.map((each) =>
    reading.counts.reduce((sum, name) => sum + each.counts[name], 0),
  );
  const month = byMonth.at(-1);
  const inMonth =
    month === undefined ? 0 : reading.counts.reduce((sum, name) => sum + month.counts[name], 0);
  const countedToday = counts.at(-1) ?? 0;
  const whole = wholeDays(counts.slice(0, -1), days.slice(0, -1));
  return {
    today,
    counted: inMonth - countedToday,
    countedToday,
    leftOfToday,
    pace: paceOf(whole, today),
    baseOf,
  };
}

/** The last days, from the first on of which anything is known: days before Forestall ran are no days without notices. */
function wholeDays(counts: readonly number[], days: readonly PeriodFigures[]): readonly number[] {
  const first = days.findIndex(({ payments }, index) => payments > 0 || (counts[index] ?? 0) > 0);
  return first === -1 ? [] : counts.slice(Math.max(first, counts.length - PACE_DAYS));
}

function toldOf(
  programme: Programme,
  {
    month,
    index,
    gathered,
    ours,
  }: {
    readonly month: string;
    readonly index: number;
    readonly gathered: Gathered;
    readonly ours: ReturnType<typeof estimated>;
  },
): (NonNullable<ReturnType<typeof reportedFigures>> & { readonly baseMonth: string }) | undefined {
  if (programme.scheme === 'ANY' || programme.rolling_days !== undefined) return undefined;
  const baseMonth = gathered.months[index - (programme.base === 'same' ? 0 : 1)];
  if (baseMonth === undefined) return undefined;
  const told = reportedFigures(ours, gathered.rows.reported, {
    month,
    baseMonth,
    scheme: programme.scheme,
    counted: new Set(programme.readings.flatMap(({ counts }) => counts)),
  });
  return told === undefined ? undefined : { ...told, baseMonth };
}

/** Each month is judged by the file that was in force in it: on its last day, since schemes change with a month. */
function reportedMonths(
  programme: Programme,
  of: { readonly gathered: Gathered; readonly at: (index: number) => ReturnType<typeof estimated> },
): ReportedView[] {
  const { gathered, at } = of;
  return gathered.months.flatMap((month, index) => {
    if (!isInForce(programme, lastDayOf(month), gathered.deps.region)) return [];
    const told = toldOf(programme, { month, index, gathered, ours: at(index) });
    if (told === undefined) return [];
    const { baseMonth, given, figures } = told;
    return [{ month, baseMonth, given, readings: assess(programme, figures) }];
  });
}
