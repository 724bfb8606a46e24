/**
 * What each tier and each weaker sign asks for: one table each, with the words a person reads.
 *
 * A tier names a charge. A weaker sign only puts a charge before a person: whatever it is, no money
 * moves because of it.
 */
import type { Comparison, Fact } from './compare.ts';
import type { MatchSettings, MatchTier, WeakSign } from './match-settings.ts';

interface Rule {
  /** How it reads in a sentence. */
  readonly text: string;
  readonly clears: (found: Comparison, settings: MatchSettings) => boolean;
}

/** Card digits: a wallet's device token has others than the card behind it. */
const CARD_DIGITS: ReadonlySet<Fact> = new Set(['card_last4', 'card_bin']);

export const TIER_RULES: Readonly<Record<MatchTier, Rule>> = {
  transaction_reference: {
    text: "the service's own transaction reference",
    // The service names a transaction by card and amount too, whatever its day: those are not one payment's.
    clears: (found, settings) =>
      found.verdicts.transaction_reference === 'agrees' &&
      (found.daysApart === null || isIdentified(found) || isWithinWindow(found, settings)) &&
      isFree(found),
  },
  operator_choice: {
    text: 'what a person chose for the same payment',
    // The one who chose it had seen that the digits differ.
    clears: (found) => found.choice === 'same_payment' && isFree(found, CARD_DIGITS),
  },
  arn: {
    text: 'the ARN with last 4 digits or BIN',
    clears: (found, settings) =>
      found.verdicts.arn === 'agrees' &&
      found.verdicts.currency !== 'differs' &&
      // Another amount is a partial dispute; then at least the date must be known to fit.
      (found.verdicts.amount !== 'differs' || found.daysApart !== null) &&
      (found.verdicts.card_last4 === 'agrees' || isBackedByBin(found, settings)) &&
      isFree(found),
  },
  authorisation_code: {
    text: 'the authorisation code with last 4 digits and date',
    clears: (found, settings) =>
      found.verdicts.authorisation_code === 'agrees' &&
      found.verdicts.card_last4 === 'agrees' &&
      found.verdicts.currency !== 'differs' &&
      isWithinWindow(found, settings) &&
      isFree(found),
  },
  card_and_amount: {
    text: 'BIN, last 4 digits, brand, amount, currency and date',
    clears: (found, settings) =>
      found.verdicts.card_bin === 'agrees' &&
      found.verdicts.card_last4 === 'agrees' &&
      found.verdicts.card_brand === 'agrees' &&
      hasExactAmount(found) &&
      isWithinWindow(found, settings) &&
      isFree(found),
  },
};

export const WEAK_RULES: Readonly<Record<WeakSign, Rule>> = {
  identifier_alone: {
    text: 'the ARN or the authorisation code agrees, and too little besides',
    clears: (found) => isIdentified(found) && isFree(found),
  },
  card_incomplete: {
    text: 'last 4 digits, amount and date agree, and too little besides',
    clears: (found, settings) =>
      found.verdicts.card_last4 === 'agrees' &&
      hasExactAmount(found) &&
      isWithinWindow(found, settings) &&
      isFree(found),
  },
  partial_amount: {
    text: 'card and date agree, and the amount is a part of the charge',
    clears: (found, settings) =>
      found.verdicts.card_last4 === 'agrees' &&
      found.verdicts.currency === 'agrees' &&
      found.amount === 'part' &&
      isWithinWindow(found, settings) &&
      isFree(found),
  },
  foreign_currency: {
    text: 'card and date agree, and the amount agrees in another currency',
    clears: (found, settings) =>
      found.verdicts.card_last4 === 'agrees' &&
      found.verdicts.currency === 'differs' &&
      found.amount === 'converted' &&
      isWithinWindow(found, settings) &&
      isFree(found),
  },
  wallet_token: {
    text: 'amount and date agree on other card digits, as a wallet or a renewed card has them',
    clears: (found, settings) =>
      (found.verdicts.card_last4 === 'differs' || found.verdicts.card_bin === 'differs') &&
      hasExactAmount(found) &&
      isWithinWindow(found, settings) &&
      ALSO_AGREEING.some((fact) => found.verdicts[fact] === 'agrees') &&
      isFree(found, CARD_DIGITS),
  },
  descriptor: {
    text: 'amount, date and descriptor agree, and the card is not known',
    clears: (found, settings) =>
      found.verdicts.descriptor === 'agrees' &&
      found.verdicts.card_last4 === 'unknown' &&
      hasExactAmount(found) &&
      isWithinWindow(found, settings) &&
      isFree(found),
  },
};

/** One of these must agree where the card digits do not: amount and date alone are anybody's. */
const ALSO_AGREEING: readonly Fact[] = [
  'operator_choice',
  'arn',
  'authorisation_code',
  'card_brand',
  'descriptor',
];

/** How a tier or a sign reads in a sentence. */
export function tierText(name: MatchTier | WeakSign): string {
  return ruleOf(name).text;
}

function ruleOf(name: MatchTier | WeakSign): Rule {
  const rules: Readonly<Record<MatchTier | WeakSign, Rule>> = { ...TIER_RULES, ...WEAK_RULES };
  return rules[name];
}

/** Whether nothing contradicts, `except` these facts: one payment has each of them only once. */
export function isFree({ evidence }: Comparison, except: ReadonlySet<Fact> = NONE): boolean {
  return !evidence.some(({ contradicts, fact }) => contradicts && !except.has(fact));
}

const NONE: ReadonlySet<Fact> = new Set();

/** Amount and currency agree to the minor unit. */
export function hasExactAmount({ verdicts }: Comparison): boolean {
  return verdicts.amount === 'agrees' && verdicts.currency === 'agrees';
}

/**
 * Millions of cards share a BIN, and shops have price points. So without the last 4 digits amount and
 * date must both fit as far as they are known, and one of them must be.
 */
function isBackedByBin(found: Comparison, settings: MatchSettings): boolean {
  if (found.verdicts.card_bin !== 'agrees' || found.verdicts.amount === 'differs') return false;
  return found.daysApart === null ? hasExactAmount(found) : isWithinWindow(found, settings);
}

function isIdentified({ verdicts }: Comparison): boolean {
  return verdicts.arn === 'agrees' || verdicts.authorisation_code === 'agrees';
}

function isWithinWindow(found: Comparison, settings: MatchSettings): boolean {
  const windowDays = hasExactAmount(found) ? settings.exactWindowDays : settings.windowDays;
  return found.daysApart !== null && found.daysApart <= windowDays;
}
