/** The ratio cockpit: for a scope, the state of every programme in force, what is ahead, and what was done about it. */
import type { Db } from '../../base/db/database.ts';
import type { Figures, ReadingState } from './assess.ts';
import { assess } from './assess.ts';
import type { SchemeOf } from './card-scheme.ts';
import type { ByPeriod, PeriodFigures, Rates } from './figures.ts';
import { estimated, figuresOf, reportedFigures, sumOf } from './figures.ts';
import type { Forecast, Known } from './forecast.ts';
import { forecastCrossing, forecastMonthEnd, forecastNextMonth } from './forecast.ts';
import type { Inside, JudgedMonth } from './judged-months.ts';
import { insideOf } from './judged-months.ts';
import type { Months } from './months.ts';
import { baseOfDays, dayText, firstDayAfter, historyOf, lastDayOf, monthsUntil } from './months.ts';
import type { OpenEffect } from './open-alerts.ts';
import { effectOfOpen, sortOpen } from './open-alerts.ts';
import type { Pace } from './pace.ts';
import { dayNumber, PACE_DAYS, paceOf } from './pace.ts';
import type { Dating, Line, Programme, Reading } from './programme.ts';
import { familyOf, isInForce, isJudgeable, isJudgedIn } from './programme.ts';
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
  /** The same of the month after this one. */
  readonly nextMonth: ReturnType<typeof forecastNextMonth>;
  readonly nextBase: number | null;
  /** Empty where the programme looks back over days instead of months. */
  readonly forecasts: readonly LineForecast[];
  readonly open: OpenEffect | undefined;
  /** The same month by the other day of its notices, where the file names one and it makes a difference. */
  readonly otherDating: OtherDating | undefined;
  /** Per cent of each month, oldest first; null without a base. */
  readonly history: readonly (number | null)[];
  /** Of the numbers that were reported, by month; null where none was. */
  readonly reportedHistory: readonly (number | null)[];
}

/** A count by the day that the programme's file names besides the one it is judged by. */
export interface OtherDating
  extends Pick<ReadingState, 'count' | 'base' | 'ratioPercent' | 'crossed'> {
  readonly dating: Dating;
}

/** A line as it held, by month. */
export interface HeldLine {
  readonly line: Line;
  /** Of the months shown, oldest first: whether the line's file was in force. */
  readonly held: readonly boolean[];
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
  /** Alarms and the policy go by it; without a region some files are shown only. */
  readonly isJudged: boolean;
  /** Lines of this file, and of the earlier ones of the same programme. */
  readonly heldLines: readonly HeldLine[];
  /** Undefined: in no programme, or its rules name no clean months. */
  readonly inside: Inside | undefined;
}

export interface Cockpit {
  readonly scope: Scope;
  readonly now: Date;
  /** Of the acquirer; undefined: not set. */
  readonly region: string | undefined;
  /** YYYY-MM, oldest first. */
  readonly months: readonly string[];
  readonly programmes: readonly ProgrammeView[];
  /** Files that no longer hold, where a month of theirs was reported: it is judged by them. */
  readonly past: readonly ProgrammeView[];
  /** Files that hold later, soonest first. */
  readonly coming: readonly Programme[];
  /** Files in force that cannot be judged: of acquirers, and those whose numbers are in no source. */
  readonly others: readonly Programme[];
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
  const gathered = { deps, rows, months, now };
  const inForce = programmes.filter((each) => isInForce(each, today, region));
  return {
    scope,
    now,
    region,
    months,
    programmes: inForce.filter(isJudgeable).map((each) => viewOf(each, gathered)),
    others: inForce.filter((each) => !isJudgeable(each)),
    past: programmes
      .filter((each) => each.valid_to != null && each.valid_to < today && isJudgeable(each))
      .map((each) => viewOf(each, gathered))
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
  const { rows, months, now, deps } = gathered;
  const counting = { scheme: programme.scheme, schemeOf: deps.schemeOf, rates: deps.rates };
  const byMonth = months.map((month) => figuresOf(`${month}-01`, rows.byMonth, counting));
  const today = dayNumber(now);
  const leftOfToday = 1 - (now.getTime() / DAY_MS - today);
  const days = Array.from({ length: 91 }, (_, index) =>
    figuresOf(dayText(today - 90 + index), rows.byDay, counting),
  );
  const open = sortOpen(rows.open, counting);
  const base = programme.base === 'same' ? 0 : 1;
  const [dating = 'received', otherDating] = programme.dated_by ?? [];
  const at = (index: number, by: Dating = dating): Figures => {
    const month = byMonth[index];
    const baseMonth = byMonth[index - base];
    const empty = figuresOf('', new Map(), counting);
    return estimated(month ?? empty, baseMonth ?? empty, by);
  };
  const figures =
    programme.rolling_days === undefined
      ? at(months.length - 1)
      : sumOf(days.slice(-programme.rolling_days));
  const paymentDays = days.map(({ payments }) => payments);
  const paymentPace = paceOf(wholeDays(paymentDays.slice(0, -1), days.slice(0, -1)), today);
  const baseOf = baseOfDays(programme.base, { byMonth, pace: paymentPace, today });
  const isRolling = programme.rolling_days !== undefined;
  const others =
    otherDating === undefined || isRolling
      ? []
      : assess(programme, at(months.length - 1, otherDating));
  const readings = assess(programme, figures).map((state, place): ReadingView => {
    const known = knownOf(state.reading, { days, byMonth, today, leftOfToday, baseOf });
    const other = others[place];
    return {
      ...state,
      pace: known.pace,
      monthEnd: isRolling ? undefined : forecastMonthEnd(known),
      expectedBase: baseOf(today),
      nextMonth: isRolling ? undefined : forecastNextMonth(known),
      nextBase: baseOf(firstDayAfter(today)),
      forecasts: isRolling
        ? []
        : programme.lines.map((line) => ({ line, forecast: forecastCrossing(line, known) })),
      open: effectOfOpen(state.reading, figures, open),
      otherDating:
        other === undefined || otherDating === undefined || other.count === state.count
          ? undefined
          : { ...other, dating: otherDating },
      history: months.map((_, index) =>
        historyOf(state.reading, index < base ? undefined : at(index)),
      ),
      reportedHistory: months.map((month, index) => {
        const fromAcquirer = reportedAt(programme, { month, index, gathered });
        return fromAcquirer === undefined ? null : historyOf(state.reading, fromAcquirer.figures);
      }),
    };
  });
  const reported = reportedMonths(programme, gathered);
  return {
    programme,
    readings,
    reported,
    months: byMonth,
    isJudged: isJudgedIn(programme, deps.region),
    heldLines: heldLines(programme, gathered),
    inside: isRolling ? undefined : insideOf(judgedMonths(programme, { gathered, reported, at })),
  };
}

/** Files of the same programme that hold, or held, where this one does. */
function ownFamily(programme: Programme, { deps }: Gathered): readonly Programme[] {
  const isNear = ({ regions }: Programme): boolean =>
    regions === undefined ||
    programme.regions === undefined ||
    regions.some((region) => programme.regions?.includes(region));
  return deps.programmes.filter(
    (each) => familyOf(each) === familyOf(programme) && isJudgeable(each) && isNear(each),
  );
}

function heldLines(programme: Programme, gathered: Gathered): HeldLine[] {
  return ownFamily(programme, gathered).flatMap((each) => {
    const held = gathered.months.map((month) =>
      isInForce(each, lastDayOf(month), gathered.deps.region),
    );
    return held.includes(true) ? each.lines.map((line) => ({ line, held })) : [];
  });
}

/** Every month by the file that was in force in it: by what was reported, and where nothing was, by our own count. */
function judgedMonths(
  programme: Programme,
  sources: {
    readonly gathered: Gathered;
    readonly reported: readonly ReportedView[];
    readonly at: (index: number) => Figures;
  },
): JudgedMonth[] {
  const { gathered, reported, at } = sources;
  const { months, deps } = gathered;
  const family = ownFamily(programme, gathered);
  const reportedByMonth = new Map(
    family
      .flatMap((each) => (each === programme ? reported : reportedMonths(each, gathered)))
      .map((view) => [view.month, view]),
  );
  return months.flatMap((month, index): JudgedMonth[] => {
    const inForce = family.filter((each) => isInForce(each, lastDayOf(month), deps.region));
    const own = inForce.find((each) => each === programme) ?? inForce[0];
    if (own === undefined) return [];
    const view = reportedByMonth.get(month);
    return [
      {
        month,
        programme: own,
        basis: view === undefined ? 'estimated' : 'reported',
        readings: view?.readings ?? assess(own, at(index)),
        isRunning: index === months.length - 1,
      },
    ];
  });
}

function knownOf(
  reading: Reading,
  sources: {
    readonly days: readonly PeriodFigures[];
    readonly byMonth: readonly PeriodFigures[];
    readonly today: number;
    readonly leftOfToday: number;
    readonly baseOf: (day: number) => number | null;
  },
): Known {
  const { days, byMonth, today, leftOfToday, baseOf } = sources;
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

function reportedAt(
  programme: Programme,
  place: { readonly month: string; readonly index: number; readonly gathered: Gathered },
): (ReturnType<typeof reportedFigures> & { readonly baseMonth: string }) | undefined {
  const { month, index, gathered } = place;
  if (programme.scheme === 'ANY' || programme.rolling_days !== undefined) return undefined;
  const baseMonth = gathered.months[index - (programme.base === 'same' ? 0 : 1)];
  if (baseMonth === undefined) return undefined;
  const { scheme } = programme;
  return {
    ...reportedFigures(gathered.rows.reported, { month, baseMonth, scheme }),
    baseMonth,
  };
}

/**
 * Each month is judged by the file that was in force in it: on its last day, since schemes change with a month. A reading of
 * which nothing was reported is left out, and a month without any: its payments alone are the base of another one.
 */
function reportedMonths(programme: Programme, gathered: Gathered): ReportedView[] {
  return gathered.months.flatMap((month, index) => {
    if (!isInForce(programme, lastDayOf(month), gathered.deps.region)) return [];
    const fromAcquirer = reportedAt(programme, { month, index, gathered });
    if (fromAcquirer === undefined) return [];
    const { baseMonth, given, figures } = fromAcquirer;
    const readings = assess(programme, figures).filter(
      ({ reading, missing }) => missing.length < reading.counts.length,
    );
    return readings.length === 0 ? [] : [{ month, baseMonth, given, readings }];
  });
}
