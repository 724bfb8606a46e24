/**
 * How many cases end in an event, when many of them have not had their time yet: a discrete hazard by week since the
 * answer, right-censored (Kaplan and Meier). Pure.
 *
 * A case counts in each week of its age: it had the event then, or it did not. A case of ten days says something about
 * its first week and nothing about the others, so it neither passes for "no event" nor is thrown away.
 */

/** One case. */
export interface TimedCase {
  /** Days since the answer, up to now. */
  readonly ageDays: number;
  /** Until when an event is counted, in days since the answer. */
  readonly windowDays: number;
  /** When the event came, in days since the answer; null: it has not. */
  readonly eventDays: number | null;
}

/** What a set of cases comes to. */
export interface Curve {
  readonly cases: number;
  /** Those whose window is over, or whose event came. */
  readonly matured: number;
  /** Those whose window is over, whatever their outcome. */
  readonly elapsed: number;
  /** Events within their window. */
  readonly events: number;
  /** The share that has the event by the end of the weeks that are known. */
  readonly share: number;
  /** As many cases with their whole time say as much about the share. */
  readonly worth: number;
  /** Some week of the window was lived through by too few cases: the share is the least that it can be. */
  readonly isOpen: boolean;
}

const WEEK_DAYS = 7;

/** A week that fewer cases lived through says nothing. */
export const AT_RISK_MIN = 5;

export function curveOf(cases: readonly TimedCase[]): Curve {
  const events = cases.filter(hasEvent).length;
  const elapsed = cases.filter(({ ageDays, windowDays }) => ageDays >= windowDays).length;
  const matured = cases.filter((each) => hasEvent(each) || each.ageDays >= each.windowDays).length;
  const counts = { cases: cases.length, matured, elapsed, events };
  const longest = Math.max(0, ...cases.map(({ windowDays }) => weeksOf(windowDays)));
  let survival = 1;
  let spread = 0;
  for (let week = 0; week < longest; week++) {
    const { atRisk, came, isOver } = weekOf(cases, week);
    if (isOver) break;
    if (atRisk < AT_RISK_MIN)
      return { ...counts, ...worthOf(survival, spread, counts), isOpen: true };
    survival *= 1 - came / atRisk;
    // Half an event more: a week in which none came is not known to have none.
    spread += (came + 0.5) / ((atRisk + 1) * (atRisk - came + 0.5));
  }
  return { ...counts, ...worthOf(survival, spread, counts), isOpen: cases.length === 0 };
}

function hasEvent({ eventDays, windowDays }: TimedCase): boolean {
  return eventDays !== null && eventDays < windowDays;
}

function weeksOf(days: number): number {
  return Math.ceil(days / WEEK_DAYS);
}

interface Week {
  /** Cases that came into the week without an event, and are old enough to have lived through it. */
  readonly atRisk: number;
  readonly came: number;
  /** Every case without an event ended its window before it: nothing more can come. */
  readonly isOver: boolean;
}

/** A case whose window ended before a week no longer counts in it: nothing can come of it. */
function weekOf(cases: readonly TimedCase[], week: number): Week {
  let [atRisk, came, waiting] = [0, 0, 0];
  for (const each of cases) {
    const { ageDays, windowDays, eventDays } = each;
    const happened =
      hasEvent(each) && eventDays !== null ? Math.floor(eventDays / WEEK_DAYS) : null;
    if (happened !== null && happened < week) continue;
    if (windowDays <= week * WEEK_DAYS) {
      // It goes along as one to which nothing happens, or the others' hazard would be counted for it.
      atRisk += 1;
      continue;
    }
    waiting += 1;
    const isThrough = ageDays >= Math.min((week + 1) * WEEK_DAYS, windowDays);
    // An event in a week that is not over counts once it is: those of the same age without one do not count yet either.
    if (!isThrough) continue;
    atRisk += 1;
    if (happened === week) came += 1;
  }
  return { atRisk, came, isOver: waiting === 0 };
}

/** By Greenwood's variance: how many whole cases would be as sure. Never less than those that are over. */
function worthOf(
  survival: number,
  spread: number,
  { cases, elapsed }: Pick<Curve, 'cases' | 'elapsed'>,
): Pick<Curve, 'share' | 'worth'> {
  const share = 1 - survival;
  const whole = spread === 0 || survival === 0 ? 0 : share / (survival * spread);
  return { share, worth: Math.min(cases, Math.max(elapsed, whole)) };
}
