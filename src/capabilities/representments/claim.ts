/**
 * A claim to the bank: what is said, and beside it what must hold in the rows for it to be true. Pure.
 *
 * A sentence exists only with the rows that show it (its type has at least one), so an element is held exactly
 * when it has sentences.
 */
import { toInstant, utcWords } from '../../base/kernel/instant.ts';
import { ERASED } from '../../base/seal/redact.ts';

/** A row that shows a sentence: its table, and its id there. */
export interface RowRef {
  readonly table:
    | 'representment'
    | 'charge'
    | 'charge_account'
    | 'order_record'
    | 'movement'
    | 'evidence_document';
  readonly id: string;
}

export type Cites = readonly [RowRef, ...RowRef[]];

/** A sentence with the rows that show it. */
export interface Sentence {
  readonly text: string;
  readonly cites: Cites;
}

/** One claim about something, like a payment or a delivery. */
export interface Claim<Subject> {
  /** Whether the rows make it true. What they leave open, or contradict, is not said. */
  readonly holds: (subject: Subject) => boolean;
  readonly says: (subject: Subject) => string;
}

/** The claims that hold. */
export function tell<Subject>(
  claims: readonly Claim<Subject>[],
  subject: Subject,
  cites: Cites,
): Sentence[] {
  return claims
    .filter(({ holds }) => holds(subject))
    .map(({ says }) => ({ text: says(subject), cites }));
}

/** The text; null where there is none, or where it was erased. */
export function known(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== ERASED ? value : null;
}

/** A moment to the minute, a day as it is, and any other text as it is. */
export function momentWords(text: string): string {
  const instant = toInstant(text);
  if (instant === null || text.length <= 'YYYY-MM-DD'.length) return text;
  return utcWords(new Date(`${instant.slice(0, 19)}Z`));
}

/** A moment of the index. It keeps a plain day as its first moment, so that moment is told as the day alone. */
export function indexedWords(iso: string): string {
  return /T00:00:00(?:\.0+)?Z$/.test(iso) ? iso.slice(0, 10) : utcWords(new Date(iso));
}

/** Whether it is a day or a moment that has come. */
export function hasCome(text: string, now: Date): boolean {
  const instant = toInstant(text);
  return instant !== null && Date.parse(`${instant.slice(0, 19)}Z`) <= now.getTime();
}
