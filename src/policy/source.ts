/**
 * Reads a policy file into plain nodes that remember their line and column.
 *
 * Every scalar stays the text that was written (YAML's "failsafe" schema): `10.40` is not 10.4, and
 * `NO` is not false. Aliases, tags and merge keys are refused: a policy reads from top to bottom.
 */
import type { Document, ParsedNode } from 'yaml';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { KitError } from '../base/kernel/errors.ts';
import { suggestion } from './suggestion.ts';

/** Where something stands in the file, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with a policy file. */
export interface PolicyProblem extends Place {
  readonly file: string;
  readonly message: string;
}

/** A policy that cannot be used. It lists everything that is wrong with it. */
export class PolicyError extends KitError {
  readonly code = 'POLICY';
  readonly retryable = false;
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super(
      problems
        .map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`)
        .join('\n'),
    );
    this.problems = problems;
  }
}

/** A node of the file. */
export type SourceNode = TextNode | ListNode | MapNode;

export interface TextNode {
  readonly kind: 'text';
  readonly at: Place;
  readonly text: string;
}

export interface ListNode {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly SourceNode[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly at: Place;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly at: Place;
  readonly value: SourceNode;
}

/** Collects problems, so that all of a file are told at once. */
export class Problems {
  readonly file: string;
  readonly list: PolicyProblem[] = [];

  constructor(file: string) {
    this.file = file;
  }

  /** Notes a problem. Returns undefined, so that a reader can `return problems.add(…)`. */
  add(at: Place, message: string): undefined {
    this.list.push({ file: this.file, line: at.line, column: at.column, message });
  }

  /** @throws {PolicyError} when anything was noted */
  throwIfAny(): void {
    if (this.list.length === 0) return;
    throw new PolicyError([...this.list].sort((a, b) => a.line - b.line || a.column - b.column));
  }
}

/** Longest policy, in characters: far above any a person could review. */
export const POLICY_LENGTH_MAX = 256 * 1024;

/** Deepest nesting: keeps evaluation bounded. */
export const POLICY_DEPTH_MAX = 16;

/** The parser's own findings, in words a merchant understands. */
const YAML_MESSAGES: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed. Align it with its neighbours.',
  BLOCK_AS_IMPLICIT_KEY:
    'a second ":" on one line. Put quotes around the text, or begin a new line.',
  DUPLICATE_KEY: 'this key is written twice. Keep one of them.',
  MISSING_CHAR: 'a quotation mark or bracket is not closed. Close it.',
  MULTIPLE_DOCS: 'a second document begins here ("---"). Keep one policy per file.',
  TAB_AS_INDENT: 'a tab is used as indentation. Use spaces.',
};

/**
 * Reads the text.
 *
 * @throws {PolicyError} when it is not readable as YAML at all
 */
export function readSource(text: string, problems: Problems): SourceNode {
  const top: Place = { line: 1, column: 1 };
  if (text.length > POLICY_LENGTH_MAX) {
    problems.add(top, `the policy is longer than ${POLICY_LENGTH_MAX} characters. Shorten it.`);
    problems.throwIfAny();
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
  });
  const placeOf = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  noteYamlErrors(document, placeOf, problems);
  problems.throwIfAny();
  if (document.contents === null) {
    problems.add(top, 'the policy is empty. Write "rules:" and "otherwise:".');
    problems.throwIfAny();
  }
  const root = toNode(document.contents, { placeOf, problems, depth: 0, fallback: top });
  problems.throwIfAny();
  return root;
}

function noteYamlErrors(
  document: Document.Parsed,
  placeOf: (offset: number) => Place,
  problems: Problems,
): void {
  // One slip often makes the parser stumble again right after it: the first is the one to mend.
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) {
    const message = YAML_MESSAGES[first.code] ?? `this is not YAML: ${first.message}.`;
    problems.add(placeOf(first.pos[0]), message);
  }
  for (const warning of document.warnings) {
    if (warning.code === 'TAG_RESOLVE_FAILED') continue;
    problems.add(placeOf(warning.pos[0]), `this is not plain YAML: ${warning.message}.`);
  }
}

interface Reading {
  readonly placeOf: (offset: number) => Place;
  readonly problems: Problems;
  readonly depth: number;
  /** Where a node without a place of its own is said to be. */
  readonly fallback: Place;
}

function toNode(node: ParsedNode | null, reading: Reading): SourceNode {
  const at = node === null ? reading.fallback : reading.placeOf(node.range[0]);
  if (reading.depth > POLICY_DEPTH_MAX) {
    reading.problems.add(at, `nested deeper than ${POLICY_DEPTH_MAX} levels. Simplify it.`);
    return { kind: 'text', at, text: '' };
  }
  const inner: Reading = { ...reading, depth: reading.depth + 1, fallback: at };
  if (isAlias(node)) {
    reading.problems.add(at, 'aliases ("*…") are not used in policies. Write the value out.');
    return { kind: 'text', at, text: '' };
  }
  if (node?.tag !== undefined) {
    reading.problems.add(at, 'tags ("!…") are not used in policies. Remove it.');
  }
  if (isSeq<ParsedNode>(node)) {
    return { kind: 'list', at, items: node.items.map((item) => toNode(item, inner)) };
  }
  if (isMap<ParsedNode, ParsedNode | null>(node)) {
    return { kind: 'map', at, entries: node.items.map((pair) => toEntry(pair, inner)) };
  }
  return { kind: 'text', at, text: isScalar(node) ? String(node.value).trim() : '' };
}

function toEntry(
  pair: { readonly key: ParsedNode; readonly value: ParsedNode | null },
  reading: Reading,
): MapEntry {
  const at = reading.placeOf(pair.key.range[0]);
  if (!isScalar(pair.key)) reading.problems.add(at, 'a key must be a word.');
  const key = isScalar(pair.key) ? String(pair.key.value) : '';
  return { key, at, value: toNode(pair.value, { ...reading, fallback: at }) };
}

/** What {@link knownEntries} checks against. */
export interface KnownWords<Word extends string> {
  readonly words: readonly Word[];
  readonly problems: Problems;
  /** How a key is called in a message. @default 'key' */
  readonly what?: string;
}

/** The values of a mapping by key; undefined, with every problem noted, when a key is not known. */
export function knownEntries<const Word extends string>(
  node: MapNode,
  known: KnownWords<Word>,
): Partial<Record<Word, SourceNode>> | undefined {
  const { words, problems, what = 'key' } = known;
  const found: Partial<Record<Word, SourceNode>> = {};
  let clean = true;
  for (const { key, at, value } of node.entries) {
    const word = words.find((candidate) => candidate === key);
    if (word === undefined) {
      problems.add(at, `unknown ${what} "${key}". ${suggestion(key, words)}`);
      clean = false;
    } else {
      found[word] = value;
    }
  }
  return clean ? found : undefined;
}
