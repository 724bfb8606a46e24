/**
 * What one dispute more costs by bringing a line of a monitoring programme nearer. Pure.
 *
 * It is the slope of the forecast: by how much one item more raises the chance that the month ends beyond the line,
 * times what ending there costs. Far from the line the slope is 0; beyond it every further item has its price.
 */
import type { RatioStanding } from '../../alerts/decide/ratio-standing.store.ts';

/** The standing as it is stored. */
export type Standing = Pick<RatioStanding, 'headroom' | 'ahead' | 'counted'>;

/** 9 times of 10 lies within this many standard deviations on either side. */
const NINE_OF_TEN = 1.6449;

/** A chance below this is none: what is left of a far tail is no price. */
const CHANCE_MIN = 1e-4;

/** @param itemMinor what a programme takes for each item of a month that ended beyond its line; undefined: not known */
export function ratioPrice(
  { headroom, ahead, counted }: Standing,
  itemMinor: number,
): number | undefined {
  if (headroom === null) return undefined;
  if (headroom === 0) return itemMinor;
  if (ahead === null || counted === null) return undefined;
  const spread = Math.max(0.5, (ahead.high - ahead.low) / (2 * NINE_OF_TEN));
  const beyond = (items: number): number =>
    1 - normal((headroom - 0.5 - items - ahead.expected) / spread);
  const slope = beyond(1) - beyond(0);
  return slope < CHANCE_MIN ? 0 : slope * itemMinor * (counted + headroom);
}

/** The normal distribution function (Abramowitz and Stegun 26.2.17; error below 7.5e-8). */
export function normal(z: number): number {
  if (z < 0) return 1 - normal(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  const series =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - density * series;
}
