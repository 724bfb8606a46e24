/**
 * Guarantee: the imports in src go one way, types included: between rooms, between the stages of an alert
 * and between files. src/README.md draws them as they are.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const names = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' });
const files = names.filter((name) => name.endsWith('.ts'));
const importsOf = new Map(
  files.map((file) => {
    const found = read(`src/${file}`).matchAll(/\b(?:from|import|module)[\s(]+'(\.[^']+)'/g);
    return [file, [...found].map(([, to = '']) => posix.join(posix.dirname(file), to))];
  }),
);
const arrows = [...importsOf].flatMap(([from, all]) => all.map((to) => ({ from, to })));

/** The pictures of the README, the rooms and the stages: each line a name and what it imports. */
const [rooms = [], stages = []] = read('src/README.md')
  .split('```')
  .map((block) => [...block.matchAll(/^([a-z-]+)(?: +→ ([a-z -]+))?$/gm)])
  .filter((lines) => lines.length > 0)
  .map((lines) => lines.map(([, name = '', uses = '']) => [name, uses] as const));

const roomOf = (file: string) => file.split('/').slice(0, -1)[0];
const stageOf = (file: string) => /^alerts\/([^/]+)\//.exec(file)?.[1];
/** What the package publishes: its types name rows of capabilities. */
const PUBLISHED_TYPES = ['index.ts'];
/** Folders that import one another: each would be a package together with those beside it. */
const TIED = ['access', 'view', 'web'].map((folder) => `surface/${folder}`);
const isRows = (file: string) => /\.(store|table)\.ts$/.test(file);

/** The same picture, drawn from imports. What lies on a line below its user is marked. */
function draw(picture: typeof rooms, nameOf: typeof roomOf, counted = arrows) {
  return picture.map(([name], line) => {
    const from = counted.filter((arrow) => nameOf(arrow.from) === name);
    const used = new Set(from.flatMap(({ to }) => nameOf(to) ?? []));
    used.delete(name);
    const above = picture.slice(0, line).flatMap(([other]) => (used.delete(other) ? other : []));
    return [name, [...above, ...[...used].map((other) => `AGAINST ${other}`)].join(' ')];
  });
}

/** Everything that a file imports, and what that imports. @throws on a way back to a file of `path` */
function reach(
  file: string,
  visited = new Set<string>(),
  path: readonly string[] = [],
): Set<string> {
  if (path.includes(file)) throw new Error(`A circle: ${[...path, file].join(' → ')}`);
  if (visited.has(file)) return visited;
  visited.add(file);
  for (const to of importsOf.get(file) ?? []) reach(to, visited, [...path, file]);
  return visited;
}

describe('imports', () => {
  it('go from each room to rooms above it in the picture, and to those it shows', () => {
    const all = new Set(files.flatMap((file) => roomOf(file) ?? []));
    expect(new Set(rooms.map(([name]) => name))).toEqual(all);
    expect(draw(rooms, roomOf)).toEqual(rooms);
  });

  it('go from each stage of an alert to stages above it, and to the rows of any', () => {
    const all = new Set(files.flatMap((file) => stageOf(file) ?? []));
    expect(new Set(stages.map(([name]) => name))).toEqual(all);
    const code = arrows.filter(({ to }) => !isRows(to));
    expect(draw(stages, stageOf, code)).toEqual(stages);
  });

  it('name no capability but from its own folder and from the lists', () => {
    const folderOf = (file: string) => /^capabilities\/([^/]+)\//.exec(file)?.[1];
    expect(files.filter((file) => folderOf(file) !== undefined).length).toBeGreaterThan(20);
    const out = arrows.filter(
      ({ from, to }) =>
        folderOf(to) !== undefined &&
        folderOf(from) !== folderOf(to) &&
        posix.dirname(from) !== 'capabilities' &&
        !PUBLISHED_TYPES.includes(from),
    );
    expect(out).toEqual([]);
  });

  it('tie no two folders of a room to one another, but for those of the list', () => {
    const roomsOf = (file: string) => file.split('/').slice(0, -1);
    const folders = new Map<string, Set<string>>();
    for (const { from, to } of arrows) {
      if (from.startsWith('alerts/') && isRows(to)) continue;
      const [[room, own], [other, theirs]] = [roomsOf(from), roomsOf(to)];
      if (room !== other || own === undefined || theirs === undefined || own === theirs) continue;
      const name = `${room}/${own}`;
      folders.set(name, (folders.get(name) ?? new Set()).add(`${other}/${theirs}`));
    }
    expect(folders.size).toBeGreaterThan(25);
    const reached = (name: string, visited = new Set<string>()): Set<string> => {
      for (const next of folders.get(name) ?? [])
        if (!visited.has(next)) reached(next, visited.add(next));
      return visited;
    };
    const tied = [...folders.keys()].filter((name) => reached(name).has(name));
    expect(tied.toSorted()).toEqual(TIED);
    // What belongs to orders is below its folders, or above them all: none is imported back.
    const back = arrows.filter(
      ({ from, to }) => /^orders\/[^/]+$/.test(from) && /^orders\/[^/]+\//.test(to),
    );
    expect(back).toEqual([]);
  });

  it('lead from no file back to itself', () => {
    const visited = new Set<string>();
    for (const file of files) reach(file, visited);
    expect(visited).toEqual(new Set(files));
  });

  it.each(['base/kernel/', 'service/wire/', 'sandbox/', 'service/client/'])(
    'of %s are the vocabulary and the kernel',
    (own) => {
      const allowed = [own, 'service/wire/', 'base/kernel/'];
      const out = arrows.filter(
        ({ from, to }) => from.startsWith(own) && !allowed.some((folder) => to.startsWith(folder)),
      );
      expect(out).toEqual([]);
    },
  );

  it('lead from nothing that is published to the command line', () => {
    const entry = z.object({ 'forestall-source': z.string() }).or(z.string());
    const { exports } = z
      .object({ exports: z.record(z.string(), entry) })
      .parse(JSON.parse(read('package.json')));
    const entries = Object.values(exports).flatMap((to) =>
      typeof to === 'string' ? [] : to['forestall-source'].replace('./src/', ''),
    );
    expect(entries).toContain('index.ts');
    const published = entries.flatMap((file) => [...reach(file)]);
    expect(published.filter((file) => file.startsWith('people/cli/'))).toEqual([]);
  });
});
