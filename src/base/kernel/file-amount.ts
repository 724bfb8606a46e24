/** Amounts as other systems' files write them. */
import { AMOUNT_MINOR_MAX, minorUnitDigits } from './money.ts';

/** A line that could not be read. */
export interface UnreadableLine {
  readonly line: number;
  readonly problem: string;
}

/** Figures by the form in which they are written. Thousands are in groups of three, all divided by the same sign. */
const FORMS = {
  decimal: /^(\d{1,12}|\d{1,3}([, '’])\d{3}(?:\2\d{3}){0,2})(?:\.(\d{1,6}))?$/,
  comma: /^(\d{1,12}|\d{1,3}([. '’])\d{3}(?:\2\d{3}){0,2})(?:,(\d{1,6}))?$/,
  minor: /^(\d{1,12})(?:(\.)(0{1,6}))?$/,
} as const;

/** `decimal`: 129.90; `comma`: 129,90; `minor`: 12990. */
export type AmountForm = keyof typeof FORMS;

export const AMOUNT_FORMS: readonly string[] = Object.keys(FORMS);

/** Minor units without a float; a debit's sign does not count. Undefined when the cell is no amount. */
export function readAmount(cell: string, currency: string, form: AmountForm): number | undefined {
  const text = cell.replace(/^[-+(]/, '').replace(/\)$/, '');
  const parts = FORMS[form].exec(text);
  if (parts === null) return undefined;
  const [, grouped = '', , fraction = ''] = parts;
  const whole = grouped.replaceAll(/\D/g, '');
  const digits = form === 'minor' ? 0 : minorUnitDigits(currency);
  // More decimals than the currency has are fine as long as they are noughts.
  if (/[1-9]/.test(fraction.slice(digits))) return undefined;
  const minor = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  return minor >= 1 && minor <= AMOUNT_MINOR_MAX ? minor : undefined;
}
