/**
 * The second half of the build: puts the files that are no TypeScript (scenarios, style sheets,
 * scripts for browsers) into `dist/`, where `tsc` leaves them out. Not part of the package itself.
 */
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const SOURCE = new URL('.', import.meta.url).pathname;
/** The first argument, or `dist/`. */
const TARGET = process.argv[2] ?? new URL('../dist/', import.meta.url).pathname;

/** What `tsc` has dealt with, and what is written for people who read the sources. */
const LEFT_OUT = /\.ts$|^README\.md$|^tsconfig\.json$/;

for (const entry of await readdir(SOURCE, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || LEFT_OUT.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  await cp(path, join(TARGET, path.slice(SOURCE.length)));
}
