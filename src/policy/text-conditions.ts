/**
 * Compiles what a rule says about a text: whole values, beginnings, ends, parts, and named lists.
 */
import { isCurrencyCode } from '../base/kernel/money.ts';
import type { CompileContext } from './compile-context.ts';
import type { TextField } from './field-kinds.ts';
import type { MapNode, Problems, SourceNode } from './source.ts';
import { knownEntries } from './source.ts';
import { suggestion } from './suggestion.ts';

/** How a text can be compared. */
export const TEXT_WORDS = ['equals', 'starts_with', 'ends_with', 'contains', 'in_list'] as const;
type TextWord = (typeof TEXT_WORDS)[number];
/** What is kept as a key can be compared as a whole only. */
export const KEY_WORDS = ['equals', 'in_list'] as const;

/** One way in which a text fits. */
export interface TextPart {
  /** As a sentence says it. */
  readonly said: string;
  /** What it is compared by: {@link textKey} of the value, or the field's own key. */
  readonly fits: (key: string) => boolean;
}

/** A text as it is compared: without regard to case and repeated spaces. */
export function textKey(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toUpperCase();
}

/** Compiles `TEXT`, `[TEXT, …]` or `{starts_with: …, in_list: …}`; any part that fits is enough. */
export function compileTextParts(
  field: TextField,
  value: SourceNode,
  context: CompileContext,
): readonly TextPart[] | undefined {
  const { problems } = context;
  const { name } = field;
  const isCurrency = name === 'currency';
  if (value.kind === 'map') {
    return isCurrency
      ? problems.add(value.at, 'write currencies as USD or [USD, EUR].')
      : compileComparisons(field, value, context);
  }
  const equals = readTexts(name, value, problems);
  if (equals === undefined || (isCurrency && !areCurrencies(equals, value, problems))) {
    return undefined;
  }
  return equals.map((text) => partOf('equals', text, field));
}

function compileComparisons(
  field: TextField,
  value: MapNode,
  context: CompileContext,
): readonly TextPart[] | undefined {
  const { problems } = context;
  const words = field.keyOf === undefined ? TEXT_WORDS : KEY_WORDS;
  const entries = knownEntries<TextWord>(value, { words, problems, what: 'comparison' });
  if (entries === undefined) return undefined;
  const parts = TEXT_WORDS.flatMap((word): readonly (TextPart | undefined)[] => {
    const node = entries[word];
    return node === undefined ? [] : partsOf(word, { field, node }, context);
  });
  const whole = parts.filter((part) => part !== undefined);
  if (whole.length < parts.length) return undefined;
  return whole.length > 0
    ? whole
    : problems.add(value.at, `"${field.name}" has nothing to compare with.`);
}

/** The parts of one comparison; undefined among them where one cannot be read. */
function partsOf(
  word: TextWord,
  about: { readonly field: TextField; readonly node: SourceNode },
  context: CompileContext,
): readonly (TextPart | undefined)[] {
  const { field, node } = about;
  const texts = readTexts(field.name, node, context.problems) ?? [];
  if (texts.length === 0) return [undefined];
  return texts.map((text) =>
    word === 'in_list' ? listPart(text, about, context) : partOf(word, text, field),
  );
}

function partOf(word: Exclude<TextWord, 'in_list'>, text: string, field: TextField): TextPart {
  const key = keyIn(field, text);
  switch (word) {
    case 'equals':
      return {
        said: field.keyOf === undefined ? text : 'the one the policy names',
        fits: (value) => value === key,
      };
    case 'starts_with':
      return { said: `${text}…`, fits: (value) => value.startsWith(key) };
    case 'ends_with':
      return { said: `…${text}`, fits: (value) => value.endsWith(key) };
    case 'contains':
      return { said: `…${text}…`, fits: (value) => value.includes(key) };
  }
}

function listPart(
  name: string,
  about: { readonly field: TextField; readonly node: SourceNode },
  { problems, lists }: CompileContext,
): TextPart | undefined {
  const { field, node } = about;
  const list = lists.get(name);
  if (list === undefined) {
    const known = [...lists.keys()];
    const hint = known.length === 0 ? 'Name it under "lists".' : suggestion(name, known);
    return problems.add(node.at, `unknown list "${name}". ${hint}`);
  }
  const keys = new Set(list.texts.map((text) => keyIn(field, text)));
  return { said: `on the list "${name}"`, fits: (value) => keys.has(value) };
}

function keyIn(field: TextField, text: string): string {
  return field.keyOf === undefined ? textKey(text) : field.keyOf(text);
}

function areCurrencies(codes: readonly string[], node: SourceNode, problems: Problems): boolean {
  const wrong = codes.find((code) => !isCurrencyCode(code));
  if (wrong === undefined) return true;
  problems.add(node.at, `"${wrong}" is not a currency. Write three capital letters, like USD.`);
  return false;
}

/** One text, or a list of them; never an empty one, which would match by accident. */
function readTexts(name: string, node: SourceNode, problems: Problems): string[] | undefined {
  if (node.kind === 'list' && node.items.length === 0) {
    return problems.add(node.at, `the list of "${name}" is empty.`);
  }
  const texts: string[] = [];
  for (const item of node.kind === 'list' ? node.items : [node]) {
    if (item.kind !== 'text' || item.text === '') {
      return problems.add(item.at, `"${name}" takes a text, or a list of texts.`);
    }
    texts.push(item.text);
  }
  return texts;
}
