/**
 * The kinds of facts a condition can ask about, and how each reads its value.
 *
 * A reader gives null for what is not known: nothing is guessed, and a condition about it is unknown.
 */

import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type { Money } from '../base/kernel/money.ts';
import type { RateTable } from '../base/kernel/rates.ts';

/** What reading needs besides the facts. */
export interface Reading {
  /** IANA name of the zone in which weekday and hour are told. */
  readonly timeZone: string;
  /** The merchant's own; null: nothing is converted. */
  readonly rates: RateTable | null;
}

interface Field<Kind extends string, Value> {
  readonly kind: Kind;
  /** The word a policy uses. */
  readonly name: string;
  /** How a sentence calls it. */
  readonly label: string;
  /** What it is, for the reference and for editors. */
  readonly about: string;
  readonly read: (facts: DecisionFacts, reading: Reading) => Value | null;
}

/** Text, or several texts of which one must fit; compared without regard to case and repeated spaces. */
export interface TextField extends Field<'text', string | readonly string[]> {
  /**
   * The value is kept as a key that cannot be read back (an e-mail address): only whole values can
   * be compared, and no sentence shows it. Gives the key of a text as a policy writes it.
   */
  readonly keyOf?: (text: string) => string;
}

/** One of a closed set of words. */
export interface WordField extends Field<'word', string> {
  readonly words: readonly string[];
  /** Why it is so, as a sentence adds it; left out where the word says everything. */
  readonly because?: (facts: DecisionFacts) => string | null;
}

/** An amount with its currency. */
export type AmountField = Field<'amount', Money>;

/** A span of time, in milliseconds. */
export type DurationField = Field<'duration', number>;

/** A count or a score. */
export type NumberField = Field<'number', number>;

/** Yes or no. */
export type FlagField = Field<'flag', boolean>;

export type PolicyField =
  | TextField
  | WordField
  | AmountField
  | DurationField
  | NumberField
  | FlagField;

/** Before it has its word; without a label a sentence calls it by that. */
type Unnamed<Each> = Each extends unknown
  ? Omit<Each, 'name' | 'label'> & { readonly label?: string }
  : never;

/** Fields by their word. */
export type FieldTable = Readonly<Record<string, Unnamed<PolicyField>>>;

/** Reads what a condition asks about; nothing where it is not known. */
type Read<Value> = (facts: DecisionFacts, reading: Reading) => Value | null | undefined;

function makerOf<const Kind extends string, Value>(kind: Kind) {
  return (about: string, read: Read<Value>): Unnamed<Field<Kind, Value>> => ({
    kind,
    about,
    read: (facts, reading) => read(facts, reading) ?? null,
  });
}

export const text = makerOf<'text', string | readonly string[]>('text');
export const amount = makerOf<'amount', Money>('amount');
export const duration = makerOf<'duration', number>('duration');
export const number = makerOf<'number', number>('number');
export const flag = makerOf<'flag', boolean>('flag');

export function word(
  about: string,
  words: readonly string[],
  read: Read<string>,
): Unnamed<WordField> {
  return { ...makerOf<'word', string>('word')(about, read), words };
}

/** The field as a sentence calls it, where its word does not do. */
export function called<Each extends Unnamed<PolicyField>>(label: string, field: Each): Each {
  return { ...field, label };
}

/** Milliseconds from one moment to another; null when either is not a moment. */
export function between(
  from: string | null | undefined,
  to: string | null | undefined,
): number | null {
  const spanMs = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isFinite(spanMs) ? spanMs : null;
}

/** An amount of which both parts are known. */
export function moneyOf(
  amountMinor: number | null | undefined,
  currency: string | null | undefined,
): Money | null {
  return amountMinor == null || currency == null ? null : { amountMinor, currency };
}
