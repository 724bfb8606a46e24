/**
 * Conversion by the merchant's own rate table: exact, without a float, and never by a rate that the
 * table does not hold.
 */

import type { Money } from '../base/kernel/money.ts';
import { isCurrencyCode, minorUnitDigits } from '../base/kernel/money.ts';
import type { MapEntry, MapNode, Problems, SourceNode } from './source.ts';

/** Decimals a rate may have. */
const RATE_DIGITS = 10;

/** Most currencies: there are fewer in the world. */
const RATES_MAX = 300;

/** What one whole unit of each currency is worth in the base currency, in 10⁻¹⁰. */
export type RateTable = ReadonlyMap<string, bigint>;

/** An amount in another currency. */
export interface Converted {
  /**
   * For comparing with whole minor units: the amount itself, or, where it lies between two minor
   * units, the lower one and a half. Every comparison then comes out as with the exact amount.
   */
  readonly comparable: number;
  /** Rounded to the nearest minor unit, for a sentence. */
  readonly shown: Money;
}

/** Converts; null when the table lacks one of the currencies. Pure. */
export function convert(money: Money, currency: string, rates: RateTable): Converted | null {
  const [from, to] = [rates.get(money.currency), rates.get(currency)];
  if (from === undefined || to === undefined) return null;
  const above = BigInt(money.amountMinor) * from * 10n ** BigInt(minorUnitDigits(currency));
  const below = to * 10n ** BigInt(minorUnitDigits(money.currency));
  const whole = above / below;
  const comparable = Number(whole) + (above % below === 0n ? 0 : 0.5);
  const amountMinor = Number((2n * above + below) / (2n * below));
  return { comparable, shown: { amountMinor, currency } };
}

const RATE = /^(\d{1,9})(?:\.(\d{1,10}))?$/;

/** Reads `{base: USD, EUR: 1.08}`: one EUR is worth 1.08 USD. */
export function readRates(node: SourceNode, problems: Problems): RateTable | undefined {
  if (node.kind !== 'map') {
    return problems.add(node.at, 'rates are a file, or "base: USD" and lines like EUR: 1.08.');
  }
  const base = node.entries.find(({ key }) => key === 'base')?.value;
  if (base === undefined) {
    return problems.add(node.at, '"base" is missing: the currency that all rates are given in.');
  }
  if (base.kind !== 'text' || !isCurrencyCode(base.text)) {
    return problems.add(base.at, '"base" is a currency. Write three capital letters, like USD.');
  }
  if (node.entries.length > RATES_MAX) {
    return problems.add(node.at, `${node.entries.length} rates; at most ${RATES_MAX} are allowed.`);
  }
  return readLines(node, base.text, problems);
}

function readLines(node: MapNode, base: string, problems: Problems): RateTable | undefined {
  const table = new Map([[base, 10n ** BigInt(RATE_DIGITS)]]);
  let clean = true;
  for (const line of node.entries) {
    if (line.key === 'base') continue;
    const rate = readRate(line, base, problems);
    if (rate === undefined) clean = false;
    else table.set(line.key, rate);
  }
  return clean ? table : undefined;
}

function readRate(
  { key, at, value }: MapEntry,
  base: string,
  problems: Problems,
): bigint | undefined {
  if (!isCurrencyCode(key)) {
    return problems.add(at, `"${key}" is not a currency. Write three capital letters, like USD.`);
  }
  if (key === base) return problems.add(at, `"${key}" is the base: its rate is 1. Remove it.`);
  const [, whole, fraction = ''] = RATE.exec(value.kind === 'text' ? value.text : '') ?? [];
  const rate = BigInt(`${whole ?? '0'}${fraction.padEnd(RATE_DIGITS, '0')}`);
  return rate === 0n
    ? problems.add(value.at, `the rate of ${key} is a number above 0, like 1.08.`)
    : rate;
}
