/**
 * The bars a candidate has to clear, in one place: the tiers, strongest first, and the windows.
 */
import type { BrandTokenMap } from '../wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../wire/brand-tokens.ts';

/**
 * The ways to be sure, strongest first (specification, "Card matching identifiers"):
 * the service's own reference; ARN with last 4 or BIN, because ARNs are recycled; authorisation
 * code with last 4 and date; and the whole card, amount, currency and date.
 */
export const MATCH_TIERS = [
  'transaction_reference',
  'arn',
  'authorisation_code',
  'card_and_amount',
] as const;
export type MatchTier = (typeof MATCH_TIERS)[number];

/** How far apart things may be. Days are calendar days in UTC. */
export interface MatchSettings {
  /** Days between the alert's and the charge's date. @default 2 */
  readonly windowDays: number;
  /** The same, where amount and currency agree exactly. @default 3 */
  readonly exactWindowDays: number;
  /** Beyond this many days it is another payment, whatever else agrees: ARNs come back. @default 30 */
  readonly apartDays: number;
  /** Real scheme names, so that `VISA` of a processor and the neutral token are one brand. */
  readonly brands: BrandTokenMap;
}

/** The published windows: ±2 days, ±3 only with the exact amount. */
export const DEFAULT_MATCH_SETTINGS: MatchSettings = {
  windowDays: 2,
  exactWindowDays: 3,
  apartDays: 30,
  brands: IDENTITY_BRAND_TOKENS,
};

/** Candidates looked at for one alert. More than this many alike is no basis for a choice. */
export const CANDIDATES_MAX = 50;
