/**
 * When alerts come in far above the usual rate. Pure.
 *
 * An attack, or a broken rule at the service, looks the same from here: refunding all of it at once is
 * the one answer that cannot be taken back.
 */
import type { BreakerSettings } from './guard-settings.ts';

/** What was counted. */
export interface Rate {
  /** Alerts before the present window, over the whole history that counts. */
  readonly earlier: number;
  /** How far back alerts are known, in milliseconds. */
  readonly historyMs: number;
}

/**
 * Alerts in one window above which the breaker opens; null when that cannot be told: too little
 * history, and no absolute limit.
 */
export function breakerThreshold(settings: BreakerSettings, rate: Rate): number | null {
  const { windowMs, usualOverMs, times, atLeast, above } = settings;
  const windows = usualOverMs / windowMs;
  const isKnown = rate.historyMs >= usualOverMs;
  const relative = isKnown ? Math.max(atLeast, Math.ceil((rate.earlier / windows) * times)) : null;
  if (relative === null) return above ?? null;
  return above === undefined ? relative : Math.min(relative, above);
}

/** What becomes of the breaker. */
export type BreakerMove = 'open' | 'close' | 'stay';

/** Opens above the threshold; closes when a whole window has passed and the rate is back. */
export function breakerMove(
  { windowMs }: BreakerSettings,
  state: { readonly openedAt: Date | null; readonly snoozedUntil: Date | null },
  counted: { readonly count: number; readonly threshold: number | null; readonly now: Date },
): BreakerMove {
  const { count, threshold, now } = counted;
  const isFast = threshold !== null && count > threshold;
  if (state.openedAt === null) {
    const isSnoozed = state.snoozedUntil !== null && now < state.snoozedUntil;
    return isFast && !isSnoozed ? 'open' : 'stay';
  }
  return !isFast && now.getTime() >= state.openedAt.getTime() + windowMs ? 'close' : 'stay';
}
