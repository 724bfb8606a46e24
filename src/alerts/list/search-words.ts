/** What a search text can mean: a person types an amount or a masked card in many ways. Pure. */
import { minorUnitDigits } from '../../base/kernel/money.ts';

/** Characters of an id, without its prefix, or of a reference, from which on its beginning says enough. */
export const BEGINNING_MIN = 4;

/** Whether a text can be the beginning of a reference. Four digits alone are the last ones of a card. */
export function saysEnough(text: string): boolean {
  return text.length >= BEGINNING_MIN && !/^\d{4}$/.test(text);
}

/** A card as it is printed: the last four digits, and the first six where they are shown. */
export interface CardWords {
  readonly last4: string;
  readonly bin: string | null;
}

const MASKED = /^(?:(\d{4})[ -]?(\d{2})?)?[\s*·•.…xX-]+(\d{4})$/;

/** A masked card number: `···· 4242`, `**** 4242`, `4111 11** **** 4242`. */
export function cardOf(text: string): CardWords | undefined {
  const [, first, second, last4] = MASKED.exec(text) ?? [];
  if (last4 === undefined) return undefined;
  const bin = first !== undefined && second !== undefined ? first + second : null;
  return { last4, bin };
}

export interface AmountWords {
  readonly minor: number;
  /** The currency that was named; else how many digits its minor unit has. */
  readonly currency: string | null;
  readonly digits: number;
}

const SIGNS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' };
const NUMBER = /^(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(\d{1,3}))?$/;
/** Digits of a minor unit, of all currencies there are. */
const ALL_DIGITS = [2, 0, 3];

/**
 * `84`, `84.00`, `$84.00`, `1,234.50 EUR`, `JPY 500`, as each amount that it can mean. Four digits alone are the last
 * ones of a card.
 */
export function amountsOf(text: string): AmountWords[] {
  const sign = SIGNS[text[0] ?? ''];
  const code = /^([A-Z]{3})\b|\b([A-Z]{3})$/i.exec(text);
  const currency = sign ?? (code?.[1] ?? code?.[2])?.toUpperCase() ?? null;
  const bare = text.replace(/^[$€£¥]|^[A-Z]{3}\b|\b[A-Z]{3}$/i, '').trim();
  const [, whole, fraction = ''] = NUMBER.exec(bare) ?? [];
  if (whole === undefined || /^\d{4}$/.test(text)) return [];
  const choices = currency === null ? ALL_DIGITS : [minorUnitDigits(currency)];
  return choices
    .filter((digits) => fraction.length <= digits)
    .map((digits) => {
      const minor = Number(whole.replaceAll(',', '') + fraction.padEnd(digits, '0'));
      return { minor, currency, digits };
    })
    .filter(({ minor }) => Number.isSafeInteger(minor));
}
