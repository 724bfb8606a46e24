/**
 * Guarantee: every bug that is planted by hand, for the mutation run and for the simulation, still has its
 * place in the code. Those runs are long and rare; a plant whose text is gone would be found by nobody.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PLANTED } from '../../mutation/plants.ts';
import { PLANTS } from '../../simulate/plants.ts';

const root = new URL('../../../', import.meta.url);

const texts = [
  ...PLANTED.map(({ name, file, find }) => ({ name, file, find })),
  ...Object.entries(PLANTS).flatMap(([name, { edits }]) =>
    edits.map(({ file, find }) => ({ name, file, find })),
  ),
];

it('stands exactly once in its file', () => {
  expect(texts.length).toBeGreaterThan(50);
  const lost = texts.filter(({ file, find }) => {
    const path = file.startsWith('migrations/') ? file : `src/${file}`;
    return readFileSync(new URL(path, root), 'utf8').split(find).length !== 2;
  });
  expect(lost).toEqual([]);
});

it('is not in a function that a later migration replaces', () => {
  const migrations = readdirSync(new URL('migrations/', root)).filter((name) =>
    name.endsWith('.sql'),
  );
  const overtaken = texts.filter(({ file, find }) => {
    if (!file.startsWith('migrations/')) return false;
    const before = readFileSync(new URL(file, root), 'utf8').split(find)[0] ?? '';
    // The function around it, if it stands in one.
    const body = before.slice(before.lastIndexOf('$$;') + 1);
    const [, replaced] = /create (?:or replace )?function (\w+)\(/.exec(body) ?? [];
    return migrations.some(
      (name) =>
        replaced !== undefined &&
        `migrations/${name}` > file &&
        readFileSync(new URL(`migrations/${name}`, root), 'utf8').includes(
          `create or replace function ${replaced}(`,
        ),
    );
  });
  expect(overtaken).toEqual([]);
});
