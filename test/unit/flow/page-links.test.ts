/** Guarantee: nothing outside a capability leads to a page of it, but where it is asked first whether there is that page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { CAPABILITY_PAGES } from '../../../src/capabilities/pages.ts';
import { createPages, ORGANISATION_PAGES } from '../../../src/people/console/pages.ts';
import type { CapabilityPages } from '../../../src/surface/capability.ts';
import type { RegisterPage } from '../../../src/surface/web/visit.ts';

const src = fileURLToPath(new URL('../../../src', import.meta.url));

const files = globSync('{people/console,capabilities,surface}/**/*.ts', { cwd: src }).map(
  (file) => ({ file, text: readFileSync(join(src, file), 'utf8') }),
);

function pagesOf(pages: readonly RegisterPage[]): string[] {
  const router = createPages({ options: {}, auth: {} } as never, pages);
  return router.stack.flatMap(({ route }) => (route === undefined ? [] : String(route.path)));
}

/** What of a page's path is written down by whoever leads to it. */
const beginningsOf = (pages: readonly RegisterPage[]): ReadonlySet<string> =>
  new Set(pagesOf(pages).map((page) => page.replace(/\/:.*$/, '')));

/** By the folder of their capability. */
const pagesByFolder = new Map<string, CapabilityPages>();

beforeAll(async () => {
  const list = readFileSync(join(src, 'capabilities/pages.ts'), 'utf8');
  for (const [, name = '', folder = '', file] of list.matchAll(
    /import \{ (\w+) \} from '\.\/([a-z-]+)\/([a-z-]+\.ts)'/g,
  )) {
    const path = join(src, 'capabilities', folder, file ?? '');
    const module = (await import(path)) as Readonly<Record<string, CapabilityPages>>;
    const pages = module[name];
    if (pages !== undefined) pagesByFolder.set(folder, pages);
  }
});

it('holds', () => {
  expect(pagesByFolder.size).toBe(CAPABILITY_PAGES.length);
  const ofCapabilities = CAPABILITY_PAGES.flatMap(({ register }) => register ?? []);
  const consoles = beginningsOf(
    ORGANISATION_PAGES.filter((register) => !ofCapabilities.includes(register)),
  );
  const strays = [...pagesByFolder].flatMap(([folder, { register }]) =>
    [...beginningsOf(register === undefined ? [] : [register])]
      .filter((begin) => !consoles.has(begin))
      .flatMap((begin) => {
        const leads = new RegExp(`["'\`]${begin}(?:["'\`?]|/(?!:))`);
        return files
          .filter(({ file }) => !file.startsWith(`capabilities/${folder}/`))
          .filter(({ file }) => file !== 'people/console/menu.ts')
          .filter(({ text }) => leads.test(text) && !text.includes(`isOffered('${begin}')`))
          .map(({ file }) => `${file} leads to ${begin}`);
      }),
  );
  expect(strays).toEqual([]);
});

it('what is asked about is a page', () => {
  const known = pagesOf(ORGANISATION_PAGES);
  const asked = files.flatMap(({ text }) =>
    [...text.matchAll(/(?:pageLink|isOffered)\(\s*'([^']+)'/g)].map(([, page]) => page ?? ''),
  );
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.filter((page) => !known.includes(page))).toEqual([]);
});
