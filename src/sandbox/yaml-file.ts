/**
 * Reads seed and scenario files: YAML, of which JSON is a part. A fault is told with the file, the
 * place in it and the next step.
 */
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { ConfigError } from '../base/kernel/errors.ts';
import { readYaml } from '../base/kernel/setting-file.ts';
import type { SeedData } from './seed.ts';
import { seedInput } from './seed.ts';

/** Reads a seed file for `sandbox.seed`. @throws {ConfigError} naming what is wrong, and where */
export function readSeedFile(path: string): Promise<SeedData> {
  return readYamlFile(path, seedInput);
}

/** The seed file that `forestall sandbox init` writes: a commented example of everything. */
export function readSeedExample(): Promise<string> {
  return readFile(new URL('./seed-example.yaml', import.meta.url), 'utf8');
}

/** Reads a file by its schema. @throws {ConfigError} naming what is wrong, and where */
export async function readYamlFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return readYaml(await readText(path), path, schema);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read. Check the path.`, { cause });
  }
}
