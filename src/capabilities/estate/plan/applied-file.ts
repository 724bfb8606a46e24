/**
 * What the last apply left, noted beside the estate file: every object with its content, so that a later
 * look tells, field by field, what was changed elsewhere since.
 *
 * One line for each object. Each step of an apply adds its line, so that a run that was killed leaves no
 * doubt about what was ours; the end of the run writes the note again. Values of variables are hidden.
 */

import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigError, codeOf } from '../../../base/kernel/errors.ts';
import type { Variables } from '../../../base/kernel/yaml-text.ts';
import type { EnrolmentContent } from './content.ts';
import {
  enrolmentContentSchema,
  isSame,
  merchantContentSchema,
  rulesetContentSchema,
  sortDescriptors,
} from './content.ts';
import type { Values } from './hidden-values.ts';
import { fingerprint, hideValues, PLACEHOLDER, showValues } from './hidden-values.ts';
import type { References } from './references.ts';
import type { Step } from './step.ts';

/** An object of the service. References in its content are identifiers of the service. */
const objectSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('merchant'),
    id: z.string(),
    key: z.string().nullable(),
    content: merchantContentSchema.nullable(),
  }),
  z.strictObject({
    kind: z.literal('enrolment'),
    id: z.string(),
    key: z.string().nullable(),
    content: enrolmentContentSchema.nullable(),
  }),
  z.strictObject({
    kind: z.literal('ruleset'),
    id: z.string(),
    key: z.string().nullable(),
    content: rulesetContentSchema.nullable(),
  }),
]);
/** `key`: the file's, where it has one; `content` null: it went. */
export type AppliedObject = z.infer<typeof objectSchema>;

/** What was noted, by the service's id. Objects that went are not in it. */
export type Applied = ReadonlyMap<string, AppliedObject>;

const headSchema = z.strictObject({
  forestall_estate_applied: z.literal(1),
  noted_at: z.string(),
  /** Marks of their values: an object with a variable that changed cannot be compared. */
  variables: z.record(z.string(), z.string()),
});

const KEPT: ReadonlySet<string> = new Set(['kind', 'id', 'key']);

/** Where it is for an estate file. */
export function appliedPath(estatePath: string): string {
  return `${estatePath.replace(/\.ya?ml$/, '')}.applied.jsonl`;
}

/** Reads the note; undefined when there is none. @throws {ConfigError} for a file of another form */
export async function readApplied(
  path: string,
  environment: Variables,
): Promise<Applied | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return parseApplied(text, environment);
  } catch (error) {
    throw new ConfigError(
      `${path} is not what an apply leaves. Restore it, or delete it: then changes made elsewhere are not noticed.`,
      { cause: error },
    );
  }
}

/** Reads a file; undefined when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseApplied(text: string, environment: Variables): Applied {
  const [first = '', ...lines] = text.split('\n');
  const { noted_at: notedAt, variables } = headSchema.parse(parseLine(first));
  const known = new Map(
    Object.entries(variables).flatMap(([name, mark]): [string, string][] => {
      const value = environment[name];
      const isSame = value !== undefined && fingerprint([notedAt, name, value]) === mark;
      return isSame ? [[name, value]] : [];
    }),
  );
  const objects = new Map<string, AppliedObject>();
  for (const line of lines.filter((each) => each !== '')) {
    const raw = parseLine(line);
    if (raw === undefined) continue;
    const shown = showValues(raw, known, KEPT);
    // With a variable that has another value, or none, it cannot be compared.
    if (PLACEHOLDER.test(JSON.stringify(shown))) continue;
    const object = objectSchema.parse(shown);
    if (object.content === null) objects.delete(object.id);
    else objects.set(object.id, object);
  }
  return objects;
}

/** Undefined for a line that a run which was killed did not finish. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Where a note is written, and what must not be in it. */
export interface AppliedNote {
  readonly path: string;
  readonly notedAt: string;
  readonly variables: Values;
}

/** Writes the whole note. A reader sees the old one or the new one. */
export async function writeApplied(
  note: AppliedNote,
  objects: readonly AppliedObject[],
): Promise<void> {
  const { path, notedAt, variables } = note;
  const head: z.infer<typeof headSchema> = {
    forestall_estate_applied: 1,
    noted_at: notedAt,
    variables: Object.fromEntries(
      [...variables].map(([name, value]) => [name, fingerprint([notedAt, name, value])]),
    ),
  };
  const lines = objects.map((object) => lineOf(object, variables));
  await writeFile(`${path}.new`, `${[JSON.stringify(head), ...lines].join('\n')}\n`);
  await rename(`${path}.new`, path);
}

/** Adds one object to a note that exists; without one nothing is compared, so that nothing is added. */
export async function appendApplied(note: AppliedNote, object: AppliedObject): Promise<void> {
  // The line before may be unfinished.
  await appendFile(note.path, `\n${lineOf(object, note.variables)}\n`);
}

function lineOf(object: AppliedObject, variables: Values): string {
  return JSON.stringify(hideValues(object, variables, KEPT));
}

/** Undefined where what was there before is not known. */
export function appliedBy(
  step: Step,
  id: string,
  { references, applied }: { readonly references: References; readonly applied: Applied },
): AppliedObject | undefined {
  const key = step.key === id ? null : step.key;
  const ids = (kind: 'merchant' | 'enrolment', keys: readonly string[]): string[] =>
    keys.map((key) => references.idOf(kind, key)).sort();
  switch (step.kind) {
    case 'create_merchant':
      return { kind: 'merchant', id, key, content: step.content };
    case 'update_merchant':
      return { kind: 'merchant', id, key, content: step.after };
    case 'delete_merchant':
      return { kind: 'merchant', id, key, content: null };
    case 'create_enrolment': {
      const merchants = ids('merchant', step.content.merchants);
      return { kind: 'enrolment', id, key, content: { ...step.content, merchants } };
    }
    case 'append_descriptors': {
      const before = applied.get(id);
      if (before?.kind !== 'enrolment' || before.content === null) return undefined;
      return {
        kind: 'enrolment',
        id,
        key,
        content: withDescriptors(before.content, step.descriptors),
      };
    }
    case 'cancel_enrolment':
      return { kind: 'enrolment', id, key, content: null };
    case 'delete_ruleset':
      return { kind: 'ruleset', id, key, content: null };
    default: {
      const content = step.kind === 'create_ruleset' ? step.content : step.after;
      return {
        kind: 'ruleset',
        id,
        key,
        content: { ...content, enrolments: ids('enrolment', content.enrolments) },
      };
    }
  }
}

function withDescriptors(
  content: EnrolmentContent,
  added: EnrolmentContent['descriptors'],
): EnrolmentContent {
  const fresh = added.filter((one) => !content.descriptors.some((present) => isSame(present, one)));
  return { ...content, descriptors: sortDescriptors([...content.descriptors, ...fresh]) };
}
