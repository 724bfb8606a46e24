/**
 * Reads the merchant's own windows and tolerances of matching (`FORESTALL_MATCHING`). Everything may be
 * left out; what is not known here is refused by name, with its place in the file.
 *
 * @example
 * window_days: 2            # days between alert and charge
 * exact_window_days: 3      # the same, where amount and currency agree exactly
 * apart_days: 30            # beyond this it is another payment, whatever else agrees
 * margin: 20                # points the best candidate must lead by
 * automatic: [transaction_reference, arn, authorisation_code, card_and_amount]
 * foreign_currency:
 *   tolerance_percent: 2
 *   rates: {USD: 1, EUR: 1.08, GBP: 1.27}
 */
import { z } from 'zod';
import { ConfigError } from '../../base/kernel/errors.ts';
import { readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import type { MatchSettings } from './match-settings.ts';
import { DEFAULT_MATCH_SETTINGS, MATCH_TIERS, WINDOW_DAYS_MAX } from './match-settings.ts';

const SETTING = 'FORESTALL_MATCHING';

/** Widest tolerance: beyond it every amount would agree with every other. */
const TOLERANCE_PERCENT_MAX = 20;
/** An ARN may come back within a year; a dispute hardly concerns a payment older than that. */
const APART_DAYS_MAX = 365;
const MARGIN_MAX = 100;

const windowDays = z.int().min(0).max(WINDOW_DAYS_MAX);

/** The file of matching. Its words are in `templates/guides/reference/matching.md`. */
export const matchingFileSchema = z.strictObject({
  window_days: windowDays.optional(),
  exact_window_days: windowDays.optional(),
  apart_days: z.int().min(1).max(APART_DAYS_MAX).optional(),
  margin: z.int().min(0).max(MARGIN_MAX).optional(),
  automatic: z.array(z.enum(MATCH_TIERS)).optional(),
  foreign_currency: z
    .strictObject({
      tolerance_percent: z.number().min(0).max(TOLERANCE_PERCENT_MAX).optional(),
      rates: z.record(z.string().regex(/^[A-Z]{3}$/), z.number().positive()).optional(),
    })
    .optional(),
});

/**
 * The settings of a file's text; without one the defaults.
 *
 * @throws {ConfigError} naming every fault and its place in the file
 */
export function parseMatchSettings(text: string, brands: BrandTokenMap): MatchSettings {
  const defaults = { ...DEFAULT_MATCH_SETTINGS, brands };
  const data = readYaml(text, SETTING, matchingFileSchema);
  const settings: MatchSettings = {
    brands,
    windowDays: data.window_days ?? defaults.windowDays,
    exactWindowDays: data.exact_window_days ?? defaults.exactWindowDays,
    apartDays: data.apart_days ?? defaults.apartDays,
    marginMin: data.margin ?? defaults.marginMin,
    automaticTiers:
      data.automatic === undefined ? defaults.automaticTiers : new Set(data.automatic),
    foreignTolerancePercent:
      data.foreign_currency?.tolerance_percent ?? defaults.foreignTolerancePercent,
    rates: data.foreign_currency?.rates ?? defaults.rates,
  };
  if (settings.exactWindowDays < settings.windowDays) {
    throw new ConfigError(
      `${SETTING} is not as expected: exact_window_days is less than window_days. Raise it to at least the same.`,
    );
  }
  return settings;
}

/**
 * Reads the file, or takes the defaults where none is named.
 *
 * @throws {ConfigError} when it cannot be read or used
 */
export function openMatchSettings(path: string | undefined, brands: BrandTokenMap): MatchSettings {
  if (path === undefined) return { ...DEFAULT_MATCH_SETTINGS, brands };
  return parseMatchSettings(readSettingFile(path, SETTING), brands);
}
