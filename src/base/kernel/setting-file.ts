/** Files that settings name: what is wrong with one is said by the setting's name, never by its value. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { z } from 'zod';
import { CARD_IN_SETTINGS, lineOfSettingsWithCard } from './card-number.ts';
import { ConfigError, codeOf, messageOf } from './errors.ts';
import { issueWords } from './issue-words.ts';

/** Reads the file. @throws {ConfigError} when it cannot be read */
export function readSettingFile(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(setting, cause);
  }
}

/** The error for a file that could not be read. */
export function unreadable(setting: string, cause: unknown): ConfigError {
  const code = codeOf(cause);
  return new ConfigError(
    `${setting} names a file that cannot be read${code === undefined ? '' : ` (${code})`}. Check the path.`,
    { cause },
  );
}

/** Texts kept by each reader: many organisations name the same files, and those that come with Forestall. */
const KEPT_MAX = 512;

/** The same reader, which reads a text once. What it returns is shared: it may not be changed. */
export function readOnce<Value>(
  read: (text: string, file: string) => Value,
): (text: string, file: string) => Value {
  const kept = new Map<string, Value>();
  return (text, file) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = read(text, file);
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(text, value);
    return value;
  };
}

/** Anyone who reads its value makes values of its own: it stays as it was. */
const parseOnce = readOnce((text): unknown => parse(text));

/** Reads a text; an empty one is an empty object. @throws {ConfigError} naming every place that is wrong */
export function readYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
): z.infer<Schema> {
  const line = lineOfSettingsWithCard(text);
  if (line !== undefined) throw new ConfigError(`${file}:${line}: ${CARD_IN_SETTINGS}`);
  let value: unknown;
  try {
    value = parseOnce(text, file);
  } catch (cause) {
    throw new ConfigError(`${file} is no YAML: ${messageOf(cause)} Correct the file.`, { cause });
  }
  const parsed = schema.safeParse(value ?? {}, { error: issueWords });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap(faultsOf);
  throw new ConfigError(`${file} is not as expected: ${faults.join('; ')}. Correct the file.`);
}

/** A union says only that nothing fitted: what its last form complained about is what helps. */
function faultsOf(issue: z.core.$ZodIssue): string[] {
  const place = issue.path.map(String).join('.') || 'the whole';
  if (issue.code !== 'invalid_union') return [`${place}: ${issue.message}`];
  const [inner] = issue.errors.toSorted((a, b) => rank(b) - rank(a));
  return (inner ?? []).flatMap((each) =>
    faultsOf({ ...each, path: [...issue.path, ...each.path] }),
  );
}

/** A branch that complains about contents understood the form. */
function rank(issues: readonly z.core.$ZodIssue[]): number {
  return issues.some(({ code }) => code === 'invalid_type' || code === 'invalid_value') ? 0 : 1;
}
