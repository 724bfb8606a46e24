/**
 * Amounts as invoices write them: with a sign before or after them, in parentheses, with a currency, with a point or
 * a comma. What can be read in two ways is not read. Pure.
 */
import type { AmountForm } from '../../base/kernel/file-amount.ts';
import { readAmount } from '../../base/kernel/file-amount.ts';
import { minorUnitDigits } from '../../base/kernel/money.ts';

/** A cell taken apart. */
export interface AmountCell {
  /** Figures with their separators. */
  readonly figures: string;
  readonly isNegative: boolean;
  /** The currency that is beside the figures, as it is written there; empty: none. */
  readonly mark: string;
}

/** Takes a cell apart. Undefined: it holds no amount. */
export function takeApart(cell: string): AmountCell | undefined {
  const text = cell
    .normalize('NFKC')
    .replaceAll(/[−–—‐‑]/g, '-')
    .trim();
  const [, open = '', inside = ''] = /^([-+]?\()(.*)\)$/.exec(text) ?? [];
  const body = open === '' ? text : inside;
  // “25,-” is 25; “25.00-” is below zero.
  const whole = body.replace(/[.,]-+$/, '').trim();
  const [figures = '', ...more] = whole.match(/\d(?:[\d.,'’ ]*\d)?/g) ?? [];
  if (figures === '' || more.length > 0) return undefined;
  const around = whole
    .replace(figures, ' ')
    .split(/\s+/)
    .filter((part) => part !== '');
  const marks = around.map((part) => part.replaceAll(/[-+]/g, '')).filter((part) => part !== '');
  const signs = around.join('').replaceAll(/[^-+]/g, '');
  const [side, ...names] = [...marks].sort((a, b) => Number(isSide(b)) - Number(isSide(a)));
  const hasSide = side !== undefined && isSide(side);
  const currency = hasSide ? names : marks;
  if (signs.length > 1 || currency.length > 1) return undefined;
  const isNegative = open !== '' || signs === '-' || (hasSide && side.toUpperCase() === 'CR');
  return { figures, isNegative, mark: currency[0] ?? '' };
}

/** Credit and debit, as ledgers write them behind a sum. */
function isSide(mark: string): boolean {
  return /^(?:CR|DR)$/i.test(mark);
}

/** Whether what is beside the figures is the currency's code or its sign. */
export function isMarkOf(mark: string, currency: string): boolean {
  if (mark === '') return true;
  const plain = (text: string): string => text.toUpperCase().replaceAll('.', '');
  return marksOf(currency).some((each) => plain(each) === plain(mark));
}

const known = new Map<string, readonly string[]>();

function marksOf(currency: string): readonly string[] {
  const before = known.get(currency);
  if (before !== undefined) return before;
  const shown = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
      .formatToParts(0)
      .flatMap(({ type, value }) => (type === 'currency' ? [value] : []))
      .join(''),
  );
  const marks = [currency, ...shown, ...(MORE_MARKS[currency] ?? [])];
  known.set(currency, marks);
  return marks;
}

/** What the platform's tables lack. */
const MORE_MARKS: Readonly<Record<string, readonly string[]>> = {
  USD: ['US$'],
  CHF: ['Fr', 'SFr'],
  JPY: ['円', '￥'],
  CNY: ['元', '￥', 'RMB'],
};

/** What the separators of an amount say about the way in which it is written. */
export type Shape = 'decimal' | 'comma' | 'either' | 'plain';

/** The way in which an amount is written. `either`: one separator with three figures after it, like 1.200. */
export function shapeOf({ figures }: AmountCell): Shape {
  const marks = figures.replaceAll(/[^.,]/g, '');
  if (marks === '') return 'plain';
  const last = marks.at(-1);
  const isOneKind = new Set(marks).size === 1;
  // A separator that is there twice divides thousands, so the other one would divide the fraction.
  if (isOneKind && marks.length > 1) return last === '.' ? 'comma' : 'decimal';
  const own = last === '.' ? 'decimal' : 'comma';
  if (!isOneKind) return own;
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(figures) ? 'either' : own;
}

/** The form that a file uses, told by the amounts that can be read in one way only. Undefined: none can, or they disagree. */
export function formOfFile(shapes: Iterable<Shape>): 'decimal' | 'comma' | undefined {
  const forms = new Set(shapes);
  if (forms.has('decimal') === forms.has('comma')) return undefined;
  return forms.has('comma') ? 'comma' : 'decimal';
}

/** How a file writes amounts. */
export interface AmountHabit {
  /** What a person said of the file. */
  readonly form: AmountForm | undefined;
  /** What its other amounts say, for one that can be read in two ways. */
  readonly others: 'decimal' | 'comma' | undefined;
  /** Its cells are divided by semicolons, as spreadsheets do where fractions follow a comma. */
  readonly isSemicolon: boolean;
}

/**
 * Minor units, below zero for a credit.
 *
 * @returns undefined when it is no amount of the currency; `'ambiguous'` when it can be read in two ways
 */
export function minorOf(
  cell: AmountCell,
  currency: string,
  habit: AmountHabit,
): number | 'ambiguous' | undefined {
  const shape = shapeOf(cell);
  const own = shape === 'plain' ? 'decimal' : shape;
  const chosen =
    habit.form ?? (own === 'either' ? (habit.others ?? usualForm(cell, currency, habit)) : own);
  if (chosen === undefined) return 'ambiguous';
  const isNothing = /^[0.,]+$/.test(cell.figures);
  const minor = isNothing ? 0 : readAmount(cell.figures, currency, chosen);
  if (minor === undefined) return undefined;
  return cell.isNegative && minor !== 0 ? -minor : minor;
}

/** 1,200 dollars and 25.000 dinars, where nothing else is said. */
function usualForm(
  { figures }: AmountCell,
  currency: string,
  { isSemicolon }: AmountHabit,
): 'decimal' | undefined {
  const expected = minorUnitDigits(currency) === 3 ? '.' : ',';
  return !isSemicolon && figures.includes(expected) ? 'decimal' : undefined;
}
