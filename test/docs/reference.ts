/** Writes the tables of the reference pages and the capabilities of the map again: `npm run reference`. Tests compare them with the code. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { MAP, withCapabilities } from './capability-map.ts';
import type { Table } from './tables.ts';
import { TABLES } from './tables.ts';

export const REFERENCE = new URL('../../templates/guides/reference/', import.meta.url);

const PLACE = /^<!-- table: ([a-z-]+) -->\n[\s\S]*?^<!-- end -->$/gm;

/** A page with its tables as the code has them. @throws {Error} when it names a table that there is not */
export function withTables(page: string): string {
  return page.replaceAll(PLACE, (there, name: string) => {
    const make = TABLES[name];
    if (make === undefined) throw new Error(`There is no table ${name}.`);
    return `<!-- table: ${name} -->\n${rendered(make(), there)}\n<!-- end -->`;
  });
}

/** Tables that a page shows. */
export function tablesIn(page: string): string[] {
  return [...page.matchAll(PLACE)].map(([, name = '']) => name);
}

function rendered({ head, rows, kept }: Table, there: string): string {
  const known = lastCells(there);
  const lines = rows.map((row) =>
    kept === undefined ? row : [...row, known.get(row[0] ?? '') ?? ''],
  );
  const all = kept === undefined ? head : [...head, kept];
  return [all, all.map(() => '---'), ...lines].map(lineOf).join('\n');
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The last cell of each row, by its first. */
function lastCells(text: string): ReadonlyMap<string, string> {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/));
  return new Map(
    rows.map((cells) => [
      cells[0]?.trim() ?? '',
      cells.at(-1)?.trim().replaceAll('\\|', '|') ?? '',
    ]),
  );
}

if (import.meta.main) {
  for (const name of readdirSync(REFERENCE)) {
    const file = new URL(name, REFERENCE);
    const page = readFileSync(file, 'utf8');
    const fresh = withTables(page);
    if (fresh !== page) process.stdout.write(`${name} is written again\n`);
    writeFileSync(file, fresh);
  }
  const map = readFileSync(MAP, 'utf8');
  const fresh = await withCapabilities(map);
  if (fresh !== map) process.stdout.write('src/README.md is written again\n');
  writeFileSync(MAP, fresh);
}
