/**
 * Compiles the `when:` of a rule into conditions, and says precisely what is wrong with it.
 */
import { isCurrencyCode } from '../kernel/money.ts';
import type { BrandTokenMap } from '../wire/brand-tokens.ts';
import type { AmountRange, Bound } from './bounds.ts';
import { readBounds, readRange } from './bounds.ts';
import type {
  AmountField,
  DurationField,
  FlagField,
  PolicyField,
  TextField,
  WordField,
} from './fields.ts';
import { acceptedWords, POLICY_FIELDS } from './fields.ts';
import { suggestion } from './nearest-word.ts';
import type { Place, Problems, SourceNode } from './source.ts';
import { knownEntries } from './source.ts';
import { parseDuration } from './units.ts';

export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | FieldCondition;

/** A question about one fact. */
export type FieldCondition =
  | TextCondition
  | { readonly kind: 'word'; readonly field: WordField; readonly words: readonly string[] }
  | {
      readonly kind: 'amount';
      readonly field: AmountField;
      readonly ranges: readonly AmountRange[];
    }
  | { readonly kind: 'duration'; readonly field: DurationField; readonly bounds: readonly Bound[] }
  | { readonly kind: 'flag'; readonly field: FlagField; readonly value: boolean };

export interface TextCondition {
  readonly kind: 'text';
  readonly field: TextField;
  readonly equals: readonly string[];
  readonly startsWith: readonly string[];
}

/** What compiling needs besides the node. */
export interface CompileContext {
  readonly problems: Problems;
  readonly brands: BrandTokenMap;
}

const CONNECTIVES = ['all', 'any', 'not'] as const;
const TEXT_WORDS = ['equals', 'starts_with'] as const;

/** Compiles a mapping of conditions, all of which must hold. */
export function compileConditions(
  node: SourceNode,
  context: CompileContext,
): Condition | undefined {
  const { problems } = context;
  if (node.kind !== 'map') {
    return problems.add(node.at, 'conditions are written as "name: value", one per line.');
  }
  if (node.entries.length === 0) return problems.add(node.at, 'a condition is missing here.');
  const of = node.entries.map(({ key, at, value }) => compileEntry(key, { at, value }, context));
  const compiled = of.filter((condition) => condition !== undefined);
  if (compiled.length < of.length) return undefined;
  const [only] = compiled;
  return compiled.length === 1 && only !== undefined ? only : { kind: 'all', of: compiled };
}

interface Entry {
  readonly at: Place;
  readonly value: SourceNode;
}

function compileEntry(key: string, entry: Entry, context: CompileContext): Condition | undefined {
  if (key === 'not') {
    const of = compileConditions(entry.value, context);
    return of === undefined ? undefined : { kind: 'not', of };
  }
  if (key === 'all' || key === 'any') return compileList(key, entry, context);
  const field = Object.hasOwn(POLICY_FIELDS, key) ? POLICY_FIELDS[key] : undefined;
  if (field === undefined) {
    const words = [...Object.keys(POLICY_FIELDS), ...CONNECTIVES];
    return context.problems.add(entry.at, `unknown condition "${key}". ${suggestion(key, words)}`);
  }
  return compileField({ name: key, field, value: entry.value }, context);
}

function compileList(
  kind: 'all' | 'any',
  entry: Entry,
  context: CompileContext,
): Condition | undefined {
  const { value } = entry;
  if (value.kind !== 'list' || value.items.length === 0) {
    return context.problems.add(
      value.at,
      `"${kind}" takes a list of conditions, each after a "-".`,
    );
  }
  const of = value.items.map((item) => compileConditions(item, context));
  const compiled = of.filter((condition) => condition !== undefined);
  return compiled.length < of.length ? undefined : { kind, of: compiled };
}

/** A field as the rule names it, and what the rule says about it. */
interface Asked<Field> {
  readonly name: string;
  readonly field: Field;
  readonly value: SourceNode;
}

function compileField(asked: Asked<PolicyField>, context: CompileContext): Condition | undefined {
  const { field } = asked;
  switch (field.kind) {
    case 'text':
      return compileText({ ...asked, field }, context);
    case 'word':
      return compileWords({ ...asked, field }, context);
    case 'amount':
      return compileAmount({ ...asked, field }, context);
    case 'duration':
      return compileDuration({ ...asked, field }, context);
    case 'flag':
      return compileFlag({ ...asked, field }, context);
  }
}

function compileText(asked: Asked<TextField>, { problems }: CompileContext): Condition | undefined {
  const { name, field, value } = asked;
  const isCurrency = name === 'currency';
  if (value.kind !== 'map') {
    const equals = readTexts(name, value, problems);
    if (equals === undefined || (isCurrency && !areCurrencies(equals, value, problems))) {
      return undefined;
    }
    return { kind: 'text', field, equals, startsWith: [] };
  }
  if (isCurrency) return problems.add(value.at, 'write currencies as USD or [USD, EUR].');
  const entries = knownEntries(value, {
    words: TEXT_WORDS,
    problems,
    what: 'comparison',
  });
  if (entries === undefined) return undefined;
  const equals = readOptionalTexts(name, entries.equals, problems);
  const startsWith = readOptionalTexts(name, entries.starts_with, problems);
  if (equals === undefined || startsWith === undefined) return undefined;
  if (equals.length + startsWith.length === 0) {
    return problems.add(value.at, `"${name}" has nothing to compare with.`);
  }
  return { kind: 'text', field, equals, startsWith };
}

function areCurrencies(codes: readonly string[], node: SourceNode, problems: Problems): boolean {
  const wrong = codes.find((code) => !isCurrencyCode(code));
  if (wrong === undefined) return true;
  problems.add(node.at, `"${wrong}" is not a currency. Write three capital letters, like USD.`);
  return false;
}

function readOptionalTexts(
  name: string,
  node: SourceNode | undefined,
  problems: Problems,
): string[] | undefined {
  return node === undefined ? [] : readTexts(name, node, problems);
}

/** One text, or a list of them; never an empty one, which would match by accident. */
function readTexts(name: string, node: SourceNode, problems: Problems): string[] | undefined {
  const nodes = readItems(name, node, problems);
  if (nodes === undefined) return undefined;
  const texts: string[] = [];
  for (const item of nodes) {
    if (item.kind !== 'text' || item.text === '') {
      return problems.add(item.at, `"${name}" takes a text, or a list of texts.`);
    }
    texts.push(item.text);
  }
  return texts;
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

function compileWords(asked: Asked<WordField>, context: CompileContext): Condition | undefined {
  const { name, field, value } = asked;
  const { problems } = context;
  const accepted = acceptedWords(field, context.brands);
  const nodes = readItems(name, value, problems);
  if (nodes === undefined) return undefined;
  const words: string[] = [];
  for (const node of nodes) {
    if (node.kind !== 'text') {
      return problems.add(node.at, `"${name}" takes a word, or a list of words.`);
    }
    const word = accepted.get(node.text);
    if (word === undefined) {
      const hint = suggestion(node.text, [...accepted.keys()]);
      return problems.add(node.at, `"${node.text}" is no value of "${name}". ${hint}`);
    }
    words.push(word);
  }
  return { kind: 'word', field, words };
}

function compileAmount(
  asked: Asked<AmountField>,
  { problems }: CompileContext,
): Condition | undefined {
  const { name, field, value } = asked;
  const nodes = readItems(name, value, problems);
  const ranges = nodes?.map((node) => readRange(name, node, problems)) ?? [undefined];
  const complete = ranges.filter((range) => range !== undefined);
  return complete.length < ranges.length ? undefined : { kind: 'amount', field, ranges: complete };
}

function compileDuration(
  asked: Asked<DurationField>,
  { problems }: CompileContext,
): Condition | undefined {
  const { name, field, value } = asked;
  const bounds = readBounds(name, value, { problems, parse: parseDuration });
  return bounds === undefined ? undefined : { kind: 'duration', field, bounds };
}

function compileFlag(asked: Asked<FlagField>, { problems }: CompileContext): Condition | undefined {
  const { name, field, value } = asked;
  const text = value.kind === 'text' ? value.text : '';
  if (text !== 'true' && text !== 'false') {
    return problems.add(value.at, `"${name}" is true or false.`);
  }
  return { kind: 'flag', field, value: text === 'true' };
}
