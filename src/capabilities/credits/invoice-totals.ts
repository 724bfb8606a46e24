/** What an invoice says of itself: each total is compared with the lines that it adds up. Pure. */
import type { Money } from '../../base/kernel/money.ts';
import type { InvoiceFile, OtherLine } from './invoice-file.ts';
import type { OtherKind } from './invoice-words.ts';

/** What a line without an alert is, for people. */
export const OTHER_WORDS: Readonly<Record<OtherKind, string>> = {
  total: 'the total',
  subtotal: 'the subtotal',
  tax: 'tax',
  charge: 'about no alert',
};

/** A total of the invoice that is not the sum of its lines. */
export interface WrongTotal {
  readonly total: OtherLine;
  /** What the lines come to, taxes and fees included. */
  readonly lines: Money;
}

/**
 * Totals that are no sum of lines above them. One that is for the alerts alone, for all without tax, or for all, is right;
 * a subtotal may also be for the lines since the one before it.
 */
export function wrongTotals({ lines, others }: InvoiceFile): WrongTotal[] {
  const currencies = new Set(others.filter(isTotal).map(({ currency }) => currency));
  return [...currencies].flatMap((currency) => {
    const own = <Line extends Money>(list: readonly Line[]): Line[] =>
      list.filter((each) => each.currency === currency);
    return wrongIn(own(lines), own(others));
  });
}

function wrongIn(
  lines: readonly (Money & { readonly line: number })[],
  others: readonly OtherLine[],
): WrongTotal[] {
  const isBefore =
    (end: number, start = 0) =>
    ({ line }: { readonly line: number }): boolean =>
      line > start && line < end;
  let start = 0;
  return others.filter(isTotal).flatMap((total) => {
    const { kind, line, amountMinor, currency } = total;
    const extras = others.filter(isExtraItem);
    const sumsOf = (from: number): number[] => {
      const alerts = sum(lines.filter(isBefore(line, from)));
      const fees = sum(
        extras.filter((each) => each.kind === 'charge').filter(isBefore(line, from)),
      );
      const taxes = sum(extras.filter((each) => each.kind === 'tax').filter(isBefore(line, from)));
      return [alerts + fees + taxes, alerts + fees, alerts];
    };
    // Some invoices begin with their total.
    const all = [
      ...sumsOf(0),
      ...(kind === 'subtotal' ? sumsOf(start) : []),
      ...wholeSums(lines, extras),
    ];
    if (kind === 'subtotal') start = line;
    if (all.includes(amountMinor)) return [];
    return [{ total, lines: { amountMinor: wholeSums(lines, extras)[0] ?? 0, currency } }];
  });
}

function wholeSums(lines: readonly Money[], extras: readonly OtherLine[]): number[] {
  const [alerts, all] = [sum(lines), sum(extras)];
  return [alerts + all, alerts + sum(extras.filter(({ kind }) => kind === 'charge')), alerts];
}

function isTotal({ kind }: OtherLine): boolean {
  return kind === 'total' || kind === 'subtotal';
}

/** Whether the line bills or credits something besides alerts. */
export function isExtraItem(other: OtherLine): boolean {
  return !isTotal(other);
}

/** Whether a person must look at it: a fee or a credit that belongs to no alert. Taxes are expected. */
export function isUnasked({ kind }: OtherLine): boolean {
  return kind === 'charge';
}

function sum(list: readonly Money[]): number {
  return list.reduce((before, { amountMinor }) => before + amountMinor, 0);
}
