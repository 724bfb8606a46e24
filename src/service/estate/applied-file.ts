/**
 * What the last apply left, beside the estate file: a digest of each object's content by its id, so that
 * a later plan tells what was changed elsewhere since. It holds no content.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';
import { digestOf, merchantOfService, rulesetOfService } from './content.ts';
import type { Matched } from './match-estate.ts';

const appliedSchema = z.strictObject({
  forestall_estate_applied: z.literal(1),
  objects: z.record(z.string(), z.string()),
});

/** Where it stands for an estate file. */
export function appliedPath(estatePath: string): string {
  return `${estatePath.replace(/\.ya?ml$/, '')}.applied.json`;
}

/** Digests by id; empty when nothing was applied yet. @throws {ConfigError} for a file of another form */
export async function readApplied(path: string): Promise<Map<string, string>> {
  try {
    const { objects } = appliedSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return new Map(Object.entries(objects));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Map();
    throw new ConfigError(
      `${path} is not what an apply leaves. Restore it, or delete it: then changes made elsewhere are not noticed.`,
      { cause: error },
    );
  }
}

/** Writes what the service holds of the file's merchants and rulesets now. */
export async function writeApplied(path: string, matched: Matched): Promise<void> {
  const objects = [
    ...matched.merchants.flatMap(({ remote }) =>
      remote === undefined ? [] : [[remote.id, digestOf(merchantOfService(remote))]],
    ),
    ...matched.rulesets.flatMap(({ remote }) =>
      remote === undefined
        ? []
        : [[remote.id, digestOf(rulesetOfService(remote, matched.keyOfEnrolment))]],
    ),
  ];
  const text = { forestall_estate_applied: 1, objects: Object.fromEntries(objects) };
  await writeFile(path, `${JSON.stringify(text, null, 2)}\n`);
}
