/**
 * Guarantee: no file comes into the package or leaves it without a visible diff. Compiled code and migrations are apart: they
 * are what `src` and `migrations` hold, file by file, which `test/package` packs and runs.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { expectRecorded } from './recorded.ts';

const root = new URL('../../', import.meta.url);

/** What `copy-data-files.ts` puts into `dist` beside compiled code. */
const NOT_COPIED = /\.ts$|^README\.md$|\/README\.md$|tsconfig\.json$/;

function filesBelow(path: string): string[] {
  if (!statSync(new URL(path, root)).isDirectory()) return [path];
  return readdirSync(new URL(`${path}/`, root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.pathname.length));
}

it('the files of the package that are no compiled code are as recorded', async () => {
  const { files } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    files: readonly string[];
  };
  const listed = files.filter((path) => !['dist', 'migrations'].includes(path)).flatMap(filesBelow);
  const data = filesBelow('src')
    .filter((path) => !NOT_COPIED.test(path))
    .map((path) => path.replace(/^src\//, 'dist/'));
  await expectRecorded('packed-files', [...listed, ...data]);
});
