/**
 * When a case that is still open must be brought to a person's attention. Pure.
 *
 * At 50, 25 and 10 % of the window left, and the first time at least an hour before the deadline; a
 * window too short for that alarms at once.
 */

/** Shares of the window left at which an alarm is raised. */
const SHARES_LEFT: readonly number[] = [0.5, 0.25, 0.1];

/** A person needs at least this long to act, in milliseconds. */
const LEAST_NOTICE_MS = 60 * 60_000;

/** How many alarms a case can have. */
export const ALARM_LEVELS = SHARES_LEFT.length;

/** The window of a case, in milliseconds since 1970. */
export interface AlertWindow {
  readonly openedMs: number;
  readonly deadlineMs: number;
}

/** The moments of the alarms, in order. None lies before the case was opened. */
export function alarmMomentsMs({ openedMs, deadlineMs }: AlertWindow): readonly number[] {
  const windowMs = Math.max(0, deadlineMs - openedMs);
  return SHARES_LEFT.map((share, index) => {
    const moment = deadlineMs - Math.max(windowMs * share, index === 0 ? LEAST_NOTICE_MS : 0);
    return Math.max(openedMs, moment);
  });
}

/** How far the alarms of a case have come. */
export interface AlarmPlan {
  /** Alarms due by now. */
  readonly level: number;
  /** The next one; null after the last. */
  readonly nextMs: number | null;
}

/**
 * How far the alarms have come at `nowMs`.
 *
 * @param raised alarms raised before, plus one when an alarm that was planned for other reasons (no
 *   believable deadline) is due now
 */
export function alarmPlanAt(window: AlertWindow, nowMs: number, raised = 0): AlarmPlan {
  const moments = alarmMomentsMs(window);
  const passed = moments.filter((moment) => moment <= nowMs).length;
  return {
    level: Math.min(ALARM_LEVELS, Math.max(passed, raised)),
    nextMs: moments[passed] ?? null,
  };
}
