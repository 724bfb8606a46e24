/**
 * The bars a candidate has to clear, in one place: the tiers, strongest first, the weaker signs below
 * the bar, and the windows and tolerances.
 */
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../../service/wire/brand-tokens.ts';

/**
 * The ways to be sure, strongest first (specification, "Card matching identifiers"): the service's own
 * reference; the same payment for which a person chose this charge before; ARN with last 4 or BIN,
 * because ARNs are recycled; authorisation code with last 4 and date; and the whole card, amount,
 * currency and date. Only a charge that clears one of these is ever refunded without a person.
 */
export const MATCH_TIERS = [
  'transaction_reference',
  'operator_choice',
  'arn',
  'authorisation_code',
  'card_and_amount',
] as const;
export type MatchTier = (typeof MATCH_TIERS)[number];

/**
 * What makes a charge worth showing to a person although it clears no tier, strongest first: an ARN or
 * code without what must go with it; card, amount and date with a part of the card unknown; a part of
 * the charge's amount; another currency within tolerance; other card digits on an otherwise equal
 * payment, as a wallet's device token or a renewed card has them; amount, date and descriptor alone.
 * None of these is ever refunded without a person.
 */
export const WEAK_SIGNS = [
  'identifier_alone',
  'card_incomplete',
  'partial_amount',
  'foreign_currency',
  'wallet_token',
  'descriptor',
] as const;
export type WeakSign = (typeof WEAK_SIGNS)[number];

/** How far apart things may be. Days are calendar days in UTC. */
export interface MatchSettings {
  /** Days between the alert's and the charge's date. @default 2 */
  readonly windowDays: number;
  /** The same, where amount and currency agree exactly. @default 3 */
  readonly exactWindowDays: number;
  /** Beyond this many days it is another payment, whatever else agrees: ARNs come back. @default 30 */
  readonly apartDays: number;
  /**
   * How many points the best candidate must lie ahead of any other that clears the bar. Twenty: more
   * than an ARN is worth above a code, so two strong keys that name two charges go to a person.
   * @default 20
   */
  readonly marginMin: number;
  /** Tiers that may name a charge without a person; the others become a review. @default all */
  readonly automaticTiers: ReadonlySet<MatchTier>;
  /** How far a converted amount may be off, in percent. @default 2 */
  readonly foreignTolerancePercent: number;
  /**
   * What one unit of a currency (one euro, not one cent) is worth in a currency of the merchant's
   * choice, for example `{USD: 1, EUR: 1.08}`. Without both rates nothing is converted. @default {}
   */
  readonly rates: Readonly<Record<string, number>>;
  /** Real scheme names, so that `VISA` of a processor and the neutral token are one brand. */
  readonly brands: BrandTokenMap;
}

/** The published windows: ±2 days, ±3 only with the exact amount. */
export const DEFAULT_MATCH_SETTINGS: MatchSettings = {
  windowDays: 2,
  exactWindowDays: 3,
  apartDays: 30,
  marginMin: 20,
  automaticTiers: new Set(MATCH_TIERS),
  foreignTolerancePercent: 2,
  rates: {},
  brands: IDENTITY_BRAND_TOKENS,
};

/** Widest window that may be set, in days: beyond a week another payment is as likely. */
export const WINDOW_DAYS_MAX = 7;
