/** A YAML text whose values remember where they are written, and the messages about wrong ones. */
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { nearestWord } from './nearest-word.ts';
import type { Path, TextPosition } from './yaml-positions.ts';
import { positionsOf, valueAt } from './yaml-positions.ts';

/** Where something is in a file, lines and columns from 1. */
export interface FilePosition extends TextPosition {
  readonly file: string;
}

/** One thing that is wrong with a file. */
export interface FileProblem extends FilePosition {
  readonly message: string;
}

/** Problems in the order in which they are in the text. */
export function inOrder(problems: readonly FileProblem[]): readonly FileProblem[] {
  return problems.toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column,
  );
}

/** The same as lines, each with its place. */
export function problemLines(problems: readonly FileProblem[]): readonly string[] {
  return inOrder(problems).map(
    ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`,
  );
}

/** Values of `${NAME}` in files. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A text that was parsed. */
export interface YamlText {
  /** With its variables replaced. */
  readonly value: unknown;
  readonly problems: readonly FileProblem[];
  /** Where the value at `path` is; of what is missing, where its parent is. */
  positionOf(path: Path): FilePosition;
  /** Where a key is. */
  positionOfKey(path: Path, key: string): FilePosition;
}

/** Variables that may be named, and those that were. */
export interface VariableUse {
  readonly variables: Variables;
  readonly used: Map<string, string>;
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Parses. Never throws: what is wrong is listed. */
export function parseYamlText(file: string, text: string, use: VariableUse): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  const places = positionsOf(document, lines);
  const positionOf = (path: Path): FilePosition => ({ file, ...places(path) });
  const problems = document.errors.map(
    ({ pos, message }): FileProblem => ({
      ...at(pos[0]),
      message: `this is no YAML: ${message} Correct it.`,
    }),
  );
  const readValue = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') {
      return value.replaceAll(VARIABLE, (written, name: string) => {
        const found = use.variables[name];
        if (found === undefined) {
          problems.push({
            ...positionOf(path),
            message: `the variable ${name} is not set. Set it, or write the value.`,
          });
          return written;
        }
        use.used.set(name, found);
        return found;
      });
    }
    if (Array.isArray(value)) return value.map((item, index) => readValue(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, readValue(inner, [...path, name])]),
    );
  };
  const value = document.errors.length > 0 ? undefined : readValue(document.toJS(), []);
  return {
    value,
    problems,
    positionOf,
    positionOfKey: (path, key) => ({ file, ...places([...path, key], 'key') }),
  };
}

/** What the schema objects to, in words, each at its place. */
export function valueProblems(
  yaml: YamlText,
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
): FileProblem[] {
  return issues.flatMap((issue): FileProblem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        ...yaml.positionOfKey(issue.path, key),
        message: `"${key}" is not known here. ${hint(key, knownKeys(schema, yaml.value, issue.path))}`,
      }));
    }
    if (issue.code === 'invalid_value') {
      const words = issue.values.map(String);
      const written = String(valueAt(yaml.value, issue.path) ?? '');
      return [
        {
          ...yaml.positionOf(issue.path),
          message:
            `${nameOf(issue.path)} must be one of ${words.join(', ')}. ${written === '' ? '' : hint(written, words)}`.trim(),
        },
      ];
    }
    if (issue.code === 'invalid_union' && issue.path.at(-1) === 'type') {
      const written = String(valueAt(yaml.value, issue.path) ?? '');
      const types = typesAt(schema, yaml.value, issue.path.slice(0, -1));
      return [
        {
          ...yaml.positionOf(issue.path),
          message: `type must be ${types.join(' or ')}. ${hint(written, types)}`,
        },
      ];
    }
    return [{ ...yaml.positionOf(issue.path), message: otherProblem(issue, yaml, schema) }];
  });
}

function otherProblem(issue: z.core.$ZodIssue, yaml: YamlText, schema: z.ZodType): string {
  const isEmpty = issue.path.length === 0 && (yaml.value ?? null) === null;
  return isEmpty ? `the file is empty. Begin with ${firstKey(schema)}.` : plainProblem(issue);
}

function plainProblem({ path, message }: z.core.$ZodIssue): string {
  const between = path.length === 0 && /^(?:is|must|has|does) /.test(message) ? ' ' : ': ';
  return `${nameOf(path)}${between}${message}.`;
}

/** What such a file begins with. */
function firstKey(schema: z.ZodType): string {
  const keys = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return keys.includes('version') ? 'version: 1' : `${keys[0] ?? 'a name'}:`;
}

function hint(written: string, words: readonly string[]): string {
  const near = nearestWord(written, words);
  return near === undefined ? `Known: ${words.join(', ')}.` : `Did you mean "${near}"?`;
}

function nameOf(path: Path): string {
  const names = path.filter((part) => typeof part === 'string');
  return names.at(-1)?.toString() ?? 'the file';
}

/** The keys that the object at `path` may have, by the schema. */
function knownKeys(file: z.ZodType, value: unknown, path: Path): readonly string[] {
  const schema = objectIn(schemaAt(file, value, path), valueAt(value, path));
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The types that the object at `path` may have, where there are several kinds of it. */
function typesAt(file: z.ZodType, value: unknown, path: Path): readonly string[] {
  const schema = schemaAt(file, value, path);
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return [];
  return schema.options.flatMap((option): string[] => {
    const type: unknown = option instanceof z.ZodObject ? option.shape['type'] : undefined;
    return type instanceof z.ZodLiteral ? [...type.values].map(String) : [];
  });
}

/** What the schema says of the place `path`. */
function schemaAt(file: z.ZodType, value: unknown, path: Path): unknown {
  let schema: unknown = file;
  for (const [depth, part] of path.entries()) {
    schema = innerSchema(objectIn(schema, valueAt(value, path.slice(0, depth))), part);
  }
  return schema;
}

function innerSchema(schema: unknown, part: PropertyKey): unknown {
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodObject ? Reflect.get(schema.shape, part) : undefined;
}

/** Without what makes it optional; of several kinds the one that `value` names by its type. */
function objectIn(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return objectIn(schema.unwrap(), value);
  }
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  return schema.options.find(
    (option) =>
      option instanceof z.ZodObject && option.pick({ type: true }).strip().safeParse(value).success,
  );
}
