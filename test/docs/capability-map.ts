/** One row a capability for the map in `src/README.md`, read from the lists of `src/capabilities`. */
import { readdirSync, readFileSync } from 'node:fs';
import { CAPABILITIES } from '../../src/capabilities/index.ts';
import { createPages } from '../../src/people/console/pages.ts';
import type { CapabilityPages } from '../../src/surface/capability.ts';
import type { CapabilityCommand } from '../../src/surface/terminal/command.ts';

const HOME = new URL('../../src/capabilities/', import.meta.url);
export const MAP = new URL('../../src/README.md', import.meta.url);

const PLACE = /^<!-- capabilities -->\n[\s\S]*?^<!-- end -->$/m;

/** What a list takes from a folder: the names, by the file that exports them. */
function takenFrom(list: string, folder: string): [file: string, names: string[]][] {
  const text = readFileSync(new URL(list, HOME), 'utf8');
  const imports = new RegExp(`^import \\{([^}]+)\\} from '\\./(${folder}/[^']+)';$`, 'gm');
  const loads = new RegExp(`import\\('\\./(${folder}/[^']+)'\\)\\)\\.(\\w+)`, 'g');
  return [
    ...[...text.matchAll(imports)].map(([, names = '', file = '']): [string, string[]] => [
      file,
      names.split(',').flatMap((name) => name.trim() || []),
    ]),
    ...[...text.matchAll(loads)].map(([, file = '', name = '']): [string, string[]] => [
      file,
      [name],
    ]),
  ];
}

async function valuesOf(list: string, folder: string): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const [file, names] of takenFrom(list, folder)) {
    const module: Record<string, unknown> = await import(new URL(file, HOME).href);
    values.push(...names.map((name) => module[name]));
  }
  return values;
}

/** The paths that people can go to; what lies below one of them is left out. */
function pathsOf(pages: readonly CapabilityPages[]): string[] {
  const nothing = { options: {}, auth: {} } as never;
  const { stack } = createPages(
    nothing,
    pages.flatMap(({ register }) => register ?? []),
  );
  const paths = stack.flatMap(({ route }) =>
    route?.stack.some(({ method }) => method === 'get') === true ? [String(route.path)] : [],
  );
  return [...new Set(paths)].filter(
    (path) => !paths.some((above) => path.startsWith(`${above}/`) || path.startsWith(`${above}.`)),
  );
}

/** What the README of the folder of capabilities says each is. */
function wordsOf(): ReadonlyMap<string, string> {
  const text = readFileSync(new URL('README.md', HOME), 'utf8');
  const rows = text.matchAll(/^\| \[?`([a-z-]+)\/`(?:\]\([^)]*\))? \| (.*) \|$/gm);
  return new Map([...rows].map(([, name = '', says = '']) => [name, says]));
}

const codes = (names: readonly string[]): string =>
  names.length === 0 ? '—' : names.map((name) => `\`${name}\``).join(', ');

export const CAPABILITY_FOLDERS: readonly string[] = readdirSync(HOME, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();

/** The map with the rows as the lists have them. @throws {Error} when the README of a folder's room does not name it */
export async function withCapabilities(map: string): Promise<string> {
  const words = wordsOf();
  const rows: string[] = [];
  for (const name of CAPABILITY_FOLDERS) {
    const says = words.get(name);
    if (says === undefined) throw new Error(`src/capabilities/README.md has no row of ${name}/.`);
    const tables = CAPABILITIES.find((each) => each.name === name)?.tables ?? [];
    const pages = (await valuesOf('pages.ts', name)) as CapabilityPages[];
    const commands = (await valuesOf('commands.ts', name)).flat() as CapabilityCommand[];
    const settings = (await valuesOf('settings.ts', name)) as {
      variables: readonly { name: string }[];
    }[];
    rows.push(
      `| [\`${name}/\`](capabilities/${name}/) | ${says} | ${codes(tables.map((table) => table.name))} | ${codes(pathsOf(pages))} | ${codes(commands.map(({ path }) => path))} | ${codes(settings.flatMap(({ variables }) => variables.map((each) => each.name)))} |`,
    );
  }
  const table = [
    '| Folder | What it is | Tables | Pages | Commands | Settings |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
  return map.replace(PLACE, () => `<!-- capabilities -->\n${table}\n<!-- end -->`);
}
