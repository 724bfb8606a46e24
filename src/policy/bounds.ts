/**
 * Reads bounds of amounts and durations: `{at_least: 10.00 USD, below: 50.00 USD}`.
 */

import type { Parsed } from '../base/kernel/units.ts';
import { parseAmount } from '../base/kernel/units.ts';
import type { Problems, SourceNode } from './source.ts';
import { suggestion } from './suggestion.ts';

/** How a bound compares. */
export const BOUND_WORDS = ['at_least', 'at_most', 'above', 'below', 'equals'] as const;
export type BoundWord = (typeof BOUND_WORDS)[number];

export interface Bound {
  readonly word: BoundWord;
  readonly value: number;
}

/** Bounds that hold together, in one currency. */
export interface AmountRange {
  readonly currency: string;
  readonly bounds: readonly Bound[];
}

/** Reads the bounds of an amount, all in one currency. */
export function readRange(
  field: string,
  node: SourceNode,
  problems: Problems,
): AmountRange | undefined {
  let currency: string | undefined;
  let mixed = false;
  const bounds = readBounds(field, node, {
    problems,
    parse: (text) => {
      const amount = parseAmount(text);
      if (!amount.ok) return amount;
      mixed ||= currency !== undefined && currency !== amount.value.currency;
      currency = amount.value.currency;
      return { ok: true, value: amount.value.amountMinor };
    },
  });
  if (bounds === undefined || currency === undefined) return undefined;
  if (mixed) {
    return problems.add(
      node.at,
      `the bounds of one "${field}" must be in one currency. Use a list for several.`,
    );
  }
  return { currency, bounds };
}

/** Reads the bounds of a condition: at least one, and together not impossible. */
export function readBounds(
  field: string,
  node: SourceNode,
  reading: { readonly problems: Problems; readonly parse: (text: string) => Parsed<number> },
): Bound[] | undefined {
  const { problems, parse } = reading;
  if (node.kind !== 'map' || node.entries.length === 0) {
    return problems.add(node.at, `"${field}" takes bounds: ${BOUND_WORDS.join(', ')}.`);
  }
  const bounds: Bound[] = [];
  for (const { key, at, value } of node.entries) {
    const word = BOUND_WORDS.find((candidate) => candidate === key);
    if (word === undefined) {
      return problems.add(
        at,
        `unknown bound "${key}" of "${field}". ${suggestion(key, BOUND_WORDS)}`,
      );
    }
    const parsed = parse(value.kind === 'text' ? value.text : '');
    if (!parsed.ok) return problems.add(value.at, parsed.message);
    bounds.push({ word, value: parsed.value });
  }
  if (isEmptyRange(bounds))
    return problems.add(node.at, `nothing can be within these bounds of "${field}".`);
  return bounds;
}

const LOW_WORDS: ReadonlySet<BoundWord> = new Set(['at_least', 'above', 'equals']);
const HIGH_WORDS: ReadonlySet<BoundWord> = new Set(['at_most', 'below', 'equals']);

/** Whether no number can satisfy all bounds: a slip that would silence a rule for ever. */
function isEmptyRange(bounds: readonly Bound[]): boolean {
  const lows = bounds.filter(({ word }) => LOW_WORDS.has(word));
  const highs = bounds.filter(({ word }) => HIGH_WORDS.has(word));
  return lows.some((low) =>
    highs.some((high) => {
      const strict = low.word === 'above' || high.word === 'below';
      return low.value > high.value || (strict && low.value === high.value);
    }),
  );
}
