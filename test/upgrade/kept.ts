/** The files beside these tests: compressed, for nobody reads a dump line by line (`zcat` shows one). */
import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';

/** The text of a file of this folder, by its name without `.gz`. */
export async function readKept(name: string): Promise<string> {
  return gunzipSync(await readFile(new URL(`${name}.gz`, import.meta.url))).toString('utf8');
}

/** Writes the world around a dump. */
export async function writeWorld(path: string, world: unknown): Promise<void> {
  await writeFile(path, gzipSync(JSON.stringify(world), { level: 9 }));
}
