/** One line about whether something works, and the three ways to make one: for health and for the doctor. */

/** `warning`: it works, and something is missing or may go wrong. `failed`: it does not work. */
export type LineStatus = 'ok' | 'warning' | 'failed';

export interface StatusLine {
  /** Stable, for example `refunding` or `ability alerts:write`. */
  readonly name: string;
  readonly status: LineStatus;
  /** What was found. No secrets, no addresses of people. */
  readonly detail: string;
  /** What to do; null when all is well. */
  readonly nextStep: string | null;
}

/** Lines of one examination, and how many there are of each status. */
export interface StatusReport {
  readonly ok: number;
  readonly warnings: number;
  readonly failed: number;
  readonly lines: readonly StatusLine[];
}

export function ok(name: string, detail: string): StatusLine {
  return { name, status: 'ok', detail, nextStep: null };
}

export function warning(name: string, detail: string, nextStep: string): StatusLine {
  return { name, status: 'warning', detail, nextStep };
}

export function failed(name: string, detail: string, nextStep: string): StatusLine {
  return { name, status: 'failed', detail, nextStep };
}
