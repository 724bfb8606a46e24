/**
 * Compiles the question about one fact: which values it accepts, or what is wrong with it.
 */

import { parseDuration, parseNumber } from '../base/kernel/units.ts';
import type { AmountRange, Bound } from './bounds.ts';
import { readBounds, readRange } from './bounds.ts';
import type { CompileContext } from './compile-context.ts';
import type {
  AmountField,
  DurationField,
  FlagField,
  NumberField,
  PolicyField,
  TextField,
  WordField,
} from './field-kinds.ts';
import { acceptedWords } from './fields.ts';
import type { RateTable } from './rates.ts';
import type { Problems, SourceNode } from './source.ts';
import { suggestion } from './suggestion.ts';
import type { TextPart } from './text-conditions.ts';
import { compileTextParts } from './text-conditions.ts';

/** A question about one fact. */
export type FieldCondition =
  | { readonly kind: 'text'; readonly field: TextField; readonly parts: readonly TextPart[] }
  | { readonly kind: 'word'; readonly field: WordField; readonly words: readonly string[] }
  | {
      readonly kind: 'amount';
      readonly field: AmountField;
      readonly ranges: readonly AmountRange[];
      readonly rates: RateTable | null;
    }
  | { readonly kind: 'duration'; readonly field: DurationField; readonly bounds: readonly Bound[] }
  | { readonly kind: 'number'; readonly field: NumberField; readonly bounds: readonly Bound[] }
  | { readonly kind: 'flag'; readonly field: FlagField; readonly value: boolean };

/** A field, and what the rule says about it. */
interface Asked<Field> {
  readonly field: Field;
  readonly value: SourceNode;
}

/** Compiles; undefined, with the problem noted, when it cannot. */
export function compileField(
  { field, value }: Asked<PolicyField>,
  context: CompileContext,
): FieldCondition | undefined {
  switch (field.kind) {
    case 'text': {
      const parts = compileTextParts(field, value, context);
      return parts === undefined ? undefined : { kind: 'text', field, parts };
    }
    case 'word':
      return compileWords({ field, value }, context);
    case 'amount':
      return compileAmount({ field, value }, context);
    case 'duration': {
      const bounds = readBounds(field.name, value, {
        problems: context.problems,
        parse: parseDuration,
      });
      return bounds === undefined ? undefined : { kind: 'duration', field, bounds };
    }
    case 'number': {
      const bounds = readBounds(field.name, value, {
        problems: context.problems,
        parse: parseNumber,
      });
      return bounds === undefined ? undefined : { kind: 'number', field, bounds };
    }
    case 'flag':
      return compileFlag({ field, value }, context);
  }
}

/** The items of a list, or the one value written without one. */
function readItems(
  name: string,
  node: SourceNode,
  problems: Problems,
): readonly SourceNode[] | undefined {
  if (node.kind !== 'list') return [node];
  return node.items.length > 0
    ? node.items
    : problems.add(node.at, `the list of "${name}" is empty.`);
}

function compileWords(
  { field, value }: Asked<WordField>,
  context: CompileContext,
): FieldCondition | undefined {
  const { problems } = context;
  const accepted = acceptedWords(field, context.brands);
  const nodes = readItems(field.name, value, problems);
  if (nodes === undefined) return undefined;
  const words: string[] = [];
  for (const node of nodes) {
    if (node.kind !== 'text') {
      return problems.add(node.at, `"${field.name}" takes a word, or a list of words.`);
    }
    const word = accepted.get(node.text);
    if (word === undefined) {
      const hint = suggestion(node.text, [...accepted.keys()]);
      return problems.add(node.at, `"${node.text}" is no value of "${field.name}". ${hint}`);
    }
    words.push(word);
  }
  return { kind: 'word', field, words };
}

function compileAmount(
  { field, value }: Asked<AmountField>,
  { problems, rates }: CompileContext,
): FieldCondition | undefined {
  const nodes = readItems(field.name, value, problems);
  const ranges = nodes?.map((node) => readRange(field.name, node, problems)) ?? [undefined];
  const complete = ranges.filter((range) => range !== undefined);
  return complete.length < ranges.length
    ? undefined
    : { kind: 'amount', field, ranges: complete, rates };
}

function compileFlag(
  { field, value }: Asked<FlagField>,
  { problems }: CompileContext,
): FieldCondition | undefined {
  const text = value.kind === 'text' ? value.text : '';
  if (text !== 'true' && text !== 'false') {
    return problems.add(value.at, `"${field.name}" is true or false.`);
  }
  return { kind: 'flag', field, value: text === 'true' };
}
