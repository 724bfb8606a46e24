/**
 * YAML, of which JSON is a part, read by a schema. A fault names the file, the place in it and the next
 * step.
 */
import { parse } from 'yaml';
import type { z } from 'zod';
import { ConfigError, messageOf } from './errors.ts';

/** Reads a text; an empty one is an empty object. @throws {ConfigError} naming every place that is wrong */
export function readYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
): z.infer<Schema> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (cause) {
    throw new ConfigError(`${file} is no YAML: ${messageOf(cause)} Correct the file.`, { cause });
  }
  const parsed = schema.safeParse(value ?? {});
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
