/**
 * Reads seed and scenario files: YAML, of which JSON is a part. A fault is told with the file, the
 * place in it and the next step.
 */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { z } from 'zod';
import { ConfigError, messageOf } from '../base/kernel/errors.ts';
import type { SeedData } from './seed.ts';
import { seedInput } from './seed.ts';

/** Reads a seed file for `sandbox.seed`. @throws {ConfigError} naming what is wrong, and where */
export function readSeedFile(path: string): Promise<SeedData> {
  return readYaml(path, seedInput);
}

/** The seed file that `forestall sandbox init` writes: a commented example of everything. */
export function readSeedExample(): Promise<string> {
  return readFile(new URL('./seed-example.yaml', import.meta.url), 'utf8');
}

/** Reads a file by its schema. @throws {ConfigError} naming what is wrong, and where */
export async function readYaml<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(parseYaml(path, await readText(path)));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the whole'}: ${issue.message}`,
  );
  throw new ConfigError(`${path} is not as expected: ${faults.join('; ')}. Correct the file.`);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read. Check the path.`, { cause });
  }
}

function parseYaml(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ConfigError(`${path} is no YAML: ${messageOf(cause)} Correct the file.`, { cause });
  }
}
