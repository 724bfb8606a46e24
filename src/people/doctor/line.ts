/** One line of the doctor's report, and the three ways to make one. */

/** `warning`: it works, and something is missing or may go wrong. */
export type DoctorStatus = 'ok' | 'warning' | 'failed';

/** One line. */
export interface DoctorLine {
  /** Stable, for example `database` or `ability alerts:write`. */
  readonly name: string;
  readonly status: DoctorStatus;
  /** What was found. No secrets, no addresses of people. */
  readonly detail: string;
  /** What to do; null when all is well. */
  readonly nextStep: string | null;
}

/** A line about what is well. */
export function ok(name: string, detail: string): DoctorLine {
  return { name, status: 'ok', detail, nextStep: null };
}

/** A line about what may go wrong. */
export function warning(name: string, detail: string, nextStep: string): DoctorLine {
  return { name, status: 'warning', detail, nextStep };
}

/** A line about what is wrong. */
export function failed(name: string, detail: string, nextStep: string): DoctorLine {
  return { name, status: 'failed', detail, nextStep };
}
