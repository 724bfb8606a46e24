/** Guarantee: the manifest lists every file under `templates/` once, and what each of them imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readManifest, resolveTemplate } from '../../../src/running/kit/template-manifest.ts';

const FOLDER = new URL('../../../templates/', import.meta.url);
const manifest = readManifest();

describe('the manifest', () => {
  it('lists every file, and no other', () => {
    const there = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.split('/templates/')[1] ?? '')
      .map((path) => path.replace(/^\//, '').replaceAll('//', '/'))
      .filter((path) => path !== 'manifest.json' && !path.startsWith('guides/'))
      // A README is read where the package is; nobody has to keep a copy.
      .filter((path) => !path.endsWith('README.md'))
      .sort();
    // The schema of policies comes with each of them.
    const listed = new Set(manifest.flatMap(({ files }) => files));
    expect([...listed].sort()).toEqual(there);
  });

  it.each(manifest.map((template) => [template.name, template] as const))(
    '%s brings every file and package that it imports',
    (name) => {
      const all = resolveTemplate(manifest, name);
      const files = all.flatMap((template) => template.files);
      const packages = new Set(all.flatMap((template) => Object.keys(template.packages)));
      for (const file of files.filter((each) => each.endsWith('.ts'))) {
        const text = readFileSync(new URL(file, FOLDER), 'utf8');
        for (const [, wanted = ''] of text.matchAll(/from '([^']+)'/g)) {
          if (wanted.startsWith('.')) {
            const path = new URL(wanted, new URL(file, 'http://x/')).pathname.slice(1);
            expect(files, `${file} imports ${wanted}`).toContain(path);
          } else if (!wanted.startsWith('node:') && !/^forestall(?:\/|$)/.test(wanted)) {
            expect(packages, `${file} imports ${wanted}`).toContain(wanted);
          }
        }
      }
    },
  );
});
