/**
 * Reads a policy file into plain values, with the place of each.
 *
 * Every scalar stays the text that was written (YAML's "failsafe" schema): `10.40` is not 10.4, and
 * `NO` is not false. Aliases, tags and merge keys are refused: a policy reads from top to bottom.
 */
import type { Document, Node, YAMLMap } from 'yaml';
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { lineWithCard } from '../base/kernel/card-number.ts';
import { KitError } from '../base/kernel/errors.ts';
import type { PositionOf, TextPosition } from '../base/kernel/yaml-positions.ts';
import { positionsOf } from '../base/kernel/yaml-positions.ts';

/** One thing that is wrong with a policy file. */
export interface PolicyProblem extends TextPosition {
  readonly file: string;
  readonly message: string;
}

/** A policy that cannot be used. It lists everything that is wrong with it, from top to bottom. */
export class PolicyError extends KitError {
  readonly code = 'POLICY';
  readonly retryable = false;
  readonly problems: readonly PolicyProblem[];

  /** `setting`: what names the file, where a setting does. */
  constructor(problems: readonly PolicyProblem[], setting?: string) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    const lines = sorted.map(
      ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`,
    );
    super([...lines, ...(setting === undefined ? [] : [`${setting} names this file.`])].join('\n'));
    this.problems = sorted;
  }
}

/** A file that is readable as YAML. */
export interface Source {
  readonly file: string;
  /** Maps, lists and texts, nothing else. */
  readonly data: unknown;
  readonly positionOf: PositionOf;
}

/** Longest policy, in characters: far above any a person could review. */
const POLICY_LENGTH_MAX = 256 * 1024;

/** Deepest nesting: keeps evaluation bounded. */
const POLICY_DEPTH_MAX = 16;

/** Most values: keeps checking bounded, and is above any policy that people could read. */
const POLICY_VALUES_MAX = 50_000;

/** The parser's own findings, in words a merchant understands. */
const YAML_MESSAGES: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation is wrong, or a bracket is not closed. Align it with its neighbours.',
  BLOCK_AS_IMPLICIT_KEY:
    'a second ":" on one line. Put quotes around the text, or begin a new line.',
  MISSING_CHAR: 'a quotation mark or bracket is not closed. Close it.',
  MULTIPLE_DOCS: 'a second document begins here ("---"). Keep one policy per file.',
  TAB_AS_INDENT: 'a tab is used as indentation. Use spaces.',
};

/** Notes what is wrong at an offset of the text. */
type Note = (offset: number, message: string) => void;

/**
 * Reads the text.
 *
 * @throws {PolicyError} when it is not readable as plain YAML
 */
export function readSource(text: string, file: string): Source {
  if (text.length > POLICY_LENGTH_MAX) {
    const message = `the policy is longer than ${POLICY_LENGTH_MAX} characters. Shorten it.`;
    throw new PolicyError([{ file, line: 1, column: 1, message }]);
  }
  refuseCardNumbers({ [file]: text });
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    // The library compares each key with each other: seconds for a file of nothing but keys.
    uniqueKeys: false,
  });
  const problems: PolicyProblem[] = [];
  const note: Note = (offset, message) => {
    const { line, col } = lines.linePos(offset);
    problems.push({ file, line: Math.max(1, line), column: Math.max(1, col), message });
  };
  noteYamlErrors(document, note);
  if (problems.length === 0) makePlain(document, note);
  if (problems.length > 0) throw new PolicyError(problems);
  return { file, data: document.toJS(), positionOf: positionsOf(document, lines) };
}

/** A policy is kept for seven years, with its lists. @throws {PolicyError} naming each text's first line with a card number */
export function refuseCardNumbers(texts: Readonly<Record<string, string>>): void {
  const message =
    'this holds a full card number. Write its first six digits as bin, or its last four as last4.';
  const problems = Object.entries(texts).flatMap(([file, text]): PolicyProblem[] => {
    const line = lineWithCard(text);
    return line === undefined ? [] : [{ file, line, column: 1, message }];
  });
  if (problems.length > 0) throw new PolicyError(problems);
}

function noteYamlErrors(document: Document.Parsed, note: Note): void {
  // One slip often makes the parser stumble again right after it: the first is the one to mend.
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) {
    note(first.pos[0], YAML_MESSAGES[first.code] ?? `this is not YAML: ${first.message}.`);
  }
  for (const warning of document.warnings) {
    if (warning.code === 'TAG_RESOLVE_FAILED') continue;
    note(warning.pos[0], `this is not plain YAML: ${warning.message}.`);
  }
  if (document.contents === null) note(0, 'the policy is empty. Write "rules:" and "otherwise:".');
}

/** Leaves maps, lists and trimmed texts, and notes whatever else there is. */
function makePlain(document: Document.Parsed, note: Note): void {
  let values = 0;
  visit(document, (key, node, ancestors) => {
    if (isPair(node)) node.value ??= document.createNode('');
    if (isMap(node)) noteKeys(node, note);
    if (!isNode(node) || key === 'key') return undefined;
    const at = offsetOf(node);
    if (ancestors.filter(isCollection).length > POLICY_DEPTH_MAX) {
      note(at, `nested deeper than ${POLICY_DEPTH_MAX} levels. Simplify it.`);
      return visit.SKIP;
    }
    values += 1;
    if (values > POLICY_VALUES_MAX) {
      note(at, `more than ${POLICY_VALUES_MAX} values. Put long lists into files of their own.`);
      return visit.BREAK;
    }
    makeNodePlain(node, (message) => note(at, message));
    return undefined;
  });
}

function noteKeys(map: YAMLMap, note: Note): void {
  const before = new Set<string>();
  for (const { key } of map.items) {
    const word = isScalar(key) ? String(key.value) : '';
    if (!isScalar(key)) note(offsetOf(key), 'a key must be a word.');
    else if (before.has(word)) note(offsetOf(key), 'this key is written twice. Keep one of them.');
    before.add(word);
  }
}

function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function makeNodePlain(node: Node, note: (message: string) => void): void {
  if (isAlias(node)) note('aliases ("*…") are not used in policies. Write the value out.');
  else if (node.tag !== undefined) note('tags ("!…") are not used in policies. Remove it.');
  if (isScalar(node)) node.value = String(node.value).trim();
}
