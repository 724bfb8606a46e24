/**
 * Which identifiers may serve as a key, and in what form they are compared.
 *
 * Alerts arrive with placeholders, spaces and wrong lengths. What is not usable is treated as
 * absent: it never matches anything, and it never speaks against anything.
 */
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { ARN_LENGTH, AUTHORISATION_CODE_LENGTH } from '../../service/wire/limits.ts';

const MS_PER_DAY = 86_400_000;

/** Issuers fill an unknown number with zeros. */
const PLACEHOLDER = /^0+$/;

/** An acquirer reference number: exactly 23 upper-case characters, as they are. */
export function usableArn(value: string | null): string | null {
  if (value === null || value.length !== ARN_LENGTH) return null;
  return /^[0-9A-Z]+$/.test(value) && !PLACEHOLDER.test(value) ? value : null;
}

/**
 * An authorisation code, in upper case. Alerts carry codes of 7 characters too: those can agree
 * with the same 7 characters, and say nothing else.
 */
export function usableCode(value: string | null): string | null {
  const code = value?.trim().toUpperCase() ?? '';
  return /^[0-9A-Z]{6,8}$/.test(code) && !PLACEHOLDER.test(code) ? code : null;
}

/** Whether a code has the length the specification gives it, so that a difference means something. */
export function isFullCode(code: string): boolean {
  return code.length === AUTHORISATION_CODE_LENGTH;
}

/** The last four digits of a card. */
export function usableLast4(value: string | null): string | null {
  return value !== null && /^\d{4}$/.test(value) ? value : null;
}

/** The first six to eight digits of a card. */
export function usableBin(value: string | null): string | null {
  return value !== null && /^\d{6,8}$/.test(value) ? value : null;
}

/** Whether two BINs are of one card: they agree as far as the shorter one goes, six digits at least. */
export function sameBin(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) === other.slice(0, length);
}

/**
 * The scheme's neutral token, from the token itself or from the real name in any spelling. Any other
 * name is returned in upper case, to be compared with its like.
 */
export function usableBrand(value: string | null, brands: BrandTokenMap): string | null {
  const name = brandKey(value ?? '');
  if (name === '') return null;
  for (const token of ['SCHEME_A', 'SCHEME_B'] as const) {
    if (name === brandKey(token) || name === brandKey(brands[token])) return token;
  }
  return name;
}

function brandKey(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** The UTC calendar day, counted from 1970-01-01, or null. A plain date is that day. */
export function utcDay(value: string | null): number | null {
  if (value === null) return null;
  const epochMs = Date.parse(value);
  return Number.isFinite(epochMs) ? Math.floor(epochMs / MS_PER_DAY) : null;
}

/** The moment in milliseconds since 1970, or null. A plain date is its midday. */
export function utcMomentMs(value: string | null): number | null {
  const day = utcDay(value);
  if (value === null || day === null) return null;
  return /^\d{4}-\d{2}-\d{2}$/.test(value) ? (day + 0.5) * MS_PER_DAY : Date.parse(value);
}
