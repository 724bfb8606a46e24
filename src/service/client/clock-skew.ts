/**
 * How far the service's clock is from ours, by the `Date` header of its answers.
 *
 * Signatures are refused beyond 300 s of difference, so minutes matter and a second does not: the
 * header has whole seconds, and half of the exchange's duration is allowed for.
 */
import type { Clock } from '../../base/kernel/clock.ts';
import type { ResponseInfo } from './options.ts';

/** Half of the header's resolution, in milliseconds: it is cut off, not rounded. */
const HALF_SECOND_MS = 500;

/** Follows the service's clock. */
export interface SkewMeter {
  /** Hand this to the client as its hook. */
  readonly onResponse: (info: ResponseInfo) => void;
  /** The service's clock minus ours, in milliseconds, as its last answer showed; undefined before. */
  skewMs(): number | undefined;
}

/** Creates a meter. */
export function createSkewMeter(clock: Clock): SkewMeter {
  let skewMs: number | undefined;
  return {
    onResponse: ({ serviceDateMs, durationMs }): void => {
      if (serviceDateMs === undefined) return;
      skewMs = serviceDateMs + HALF_SECOND_MS - (clock.nowMs() - durationMs / 2);
    },
    skewMs: () => skewMs,
  };
}
