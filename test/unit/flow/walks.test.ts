/**
 * Guarantee: the walks in src/README.md pass real files in an order in which one imports the next, folder by folder, and
 * the one of an alert is short; the questions in CONTRIBUTING.md are answered in two steps: a folder that src/README.md names, a file in it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const map = read('src/README.md');

const walks = [
  ...(/## Two walks.*?(?=\n## )/s.exec(map)?.[0] ?? '').matchAll(
    /^\| ((?:`[^`]+\.ts`(?:, | \|))+)/gm,
  ),
].map(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file));
const questions = [
  ...read('CONTRIBUTING.md').matchAll(/^\| (\d+) \| Where .*\? \| (.*) \| (.*) \|$/gm),
];

/** The rows of the first walk: one alert. */
const ALERT = walks.slice(0, 7);

/** The folders of a row in the order in which they are entered. */
const foldersOf = (row: readonly string[]) =>
  row.map((file) => posix.dirname(file)).filter((folder, index, all) => folder !== all[index - 1]);

describe('the walks', () => {
  it('are there', () => {
    expect(walks.length).toBe(10);
    expect([ALERT[0]?.[1], ALERT.at(-1)?.at(-1)]).toEqual([
      'alerts/receive/receiver.ts',
      'alerts/cases/client-alert-service.ts',
    ]);
  });

  it('pass at most 30 files with an alert', () => {
    expect(new Set(ALERT.flat()).size).toBeLessThanOrEqual(30);
  });

  it.each(walks)('from %s, never back to a folder that was left', (_entry, ...files) => {
    const folders = foldersOf(files);
    expect(folders).toEqual([...new Set(folders)]);
  });

  it.each(walks)('from %s, each file imported by one before it', (entry, ...files) => {
    const passed = [entry];
    for (const file of files) {
      const importers = passed.filter((one) => {
        const path = posix.relative(posix.dirname(one), file);
        return read(`src/${one}`).includes(`'${path.startsWith('.') ? path : `./${path}`}'`);
      });
      expect(importers, file).not.toEqual([]);
      passed.push(file);
    }
  });
});

describe('the questions', () => {
  it('are twenty, and twenty', () => {
    expect(questions.map(([, number]) => Number(number))).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
  });

  it.each(questions)('%s', (...[, , folderCell = '', fileCell = '']) => {
    const [folder = ''] = /(?<=^`src\/).*(?=`$)/.exec(folderCell) ?? [];
    // A capability's row of the map is a link.
    expect(
      [`\`${folder}\``, `(${folder})`].some((name) => map.includes(name)),
      folder,
    ).toBe(true);
    const files = [...fileCell.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    expect(files).not.toEqual([]);
    for (const file of files)
      expect(existsSync(new URL(`src/${folder}${file}`, root)), file).toBe(true);
    const readme = `src/${folder}README.md`;
    if (!existsSync(new URL(readme, root))) return;
    for (const file of files) expect(read(readme)).toContain(posix.basename(file));
  });
});
