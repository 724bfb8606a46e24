/** The sources without one capability: its folder deleted, and its lines in the lists. */
import { posix } from 'node:path';

/** Files that name capabilities in lines that are lists. */
const LISTS = /^src\/(?:capabilities\/[a-z-]+\.ts|index\.ts|people\/console\/menu\.ts)$/;

/** Text by path. */
export type Sources = ReadonlyMap<string, string>;

/** An import or an export of names from a file. */
const STATEMENT = /^(?:import|export)(?: type)? \{([^}]*)\} from '(\.[^']+)';\n/gm;

const escaped = (text: string): string => text.replaceAll(/[$.*+?^{}()|[\]\\/]/g, '\\$&');

/** The list without the capability's lines. */
export function withoutLines(path: string, text: string, name: string): string {
  const names: string[] = [];
  const folder = `src/capabilities/${name}/`;
  let left = text.replaceAll(STATEMENT, (statement, named: string, from: string) => {
    if (!posix.join(posix.dirname(path), from).startsWith(folder)) return statement;
    names.push(...named.split(',').flatMap((each) => each.trim().split(' ').at(-1) || []));
    return '';
  });
  for (const each of names) {
    // A part of an intersection of types, and an entry of an array.
    left = left.replaceAll(new RegExp(`\\s*&\\s*${escaped(each)}\\b`, 'g'), '');
    left = left.replaceAll(
      new RegExp(`(?<=[[\\s,])(?:\\.{3})?${escaped(each)},? ?(?=[\\s\\]])`, 'g'),
      '',
    );
  }
  // An entry that loads the folder, and a page's place in the menu.
  left = left.replaceAll(/^ {2}\{\n(?: {4}.*\n)+? {2}\},\n/gm, (entry) =>
    entry.includes(`import('./${name}/`) ? '' : entry,
  );
  return left;
}

/** Whether the file is the capability's own, a test of it among them. */
function isOf(name: string, path: string): boolean {
  return ['src', 'test'].some((room) => path.startsWith(`${room}/capabilities/${name}/`));
}

/** Every file that is left. */
export function without(sources: Sources, name: string): Map<string, string> {
  const left = [...sources].filter(([path]) => !isOf(name, path));
  return new Map(
    left.map(([path, text]) => [path, LISTS.test(path) ? withoutLines(path, text, name) : text]),
  );
}

/** The files that a file imports. */
function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(/(?:from|import)[\s(]+'(\.[^']+)'/g)].map(([, from = '']) =>
    posix.join(posix.dirname(path), from),
  );
}

/** Whether a file takes what the package publishes of the capability: its own entry, or a door that it has as a function. */
function findPublished(sources: Sources, name: string): (path: string, text: string) => boolean {
  // `property` of a door, in `surface/door.ts`.
  const doors = [...sources].flatMap(([path, text]) =>
    path.startsWith(`src/capabilities/${name}/`)
      ? [...text.matchAll(/^ {2}property: '(\w+)',$/gm)].map(([, property = '']) => property)
      : [],
  );
  return (path, text) =>
    text.includes(`from 'forestall/${name}'`) ||
    (path.startsWith('templates/') && doors.some((door) => text.includes(`.${door}(`)));
}

/** The files that name the capability, themselves or through what they import. */
export function reaching(sources: Sources, name: string): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  const found = new Set<string>();
  const isPublished = findPublished(sources, name);
  for (const [path, text] of sources) {
    if (!path.endsWith('.ts') || LISTS.test(path)) continue;
    const imports = importsOf(path, text);
    for (const to of imports) users.set(to, [...(users.get(to) ?? []), path]);
    if (isPublished(path, text) || imports.some((to) => isOf(name, to))) found.add(path);
  }
  for (const path of found) for (const user of users.get(path) ?? []) found.add(user);
  return found;
}
