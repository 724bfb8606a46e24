/**
 * Guarantee: a new store, or a new caller, cannot pass the wall between organisations unseen. Stores take the handle of
 * whoever asks, and open none; and who acts for all organisations at once is listed here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FOR_ALL_ORGANISATIONS } from '../../../src/base/db/for-organisation.ts';
import { INVENTORY } from '../../../src/running/privacy/inventory.ts';

const SRC = new URL('../../../src/', import.meta.url);

const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(new URL(file, SRC), 'utf8') }));
const stores = sources.filter(({ file }) => file.endsWith('.store.ts'));

const filesWith = (pattern: RegExp): string[] =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .sort();

it('who acts for all organisations is known, and why', () => {
  expect(filesWith(/\bforAllOrganisations\(/)).toEqual([
    'base/db/for-organisation.ts',
    'people/cli/open-people.ts',
    'people/console/installation/installation-role.ts',
    'running/roles/parts.ts',
    'running/roles/serve-installation.ts',
    'running/roles/workers.ts',
  ]);
  // For a part of a transaction.
  expect(filesWith(/\b(?:among|see)Organisations\(/)).toEqual([
    'alerts/guard/entrusted.store.ts',
    'alerts/guard/layer-counts.store.ts',
    'alerts/guard/pause-all.ts',
    'alerts/guard/shared-account.store.ts',
    'base/db/for-organisation.ts',
    'running/privacy/look.ts',
    'surface/access/operator.store.ts',
    'surface/access/token-ends.ts',
  ]);
  const used = sources.flatMap(({ file, text }) =>
    file === 'base/db/for-organisation.ts'
      ? []
      : Object.keys(FOR_ALL_ORGANISATIONS).filter((reason) => text.includes(`'${reason}'`)),
  );
  expect(new Set(used)).toEqual(new Set(Object.keys(FOR_ALL_ORGANISATIONS)));
});

it('no store opens a connection, or says for whom one acts', () => {
  const opening =
    /\bnew pg\.|\bopenDatabase\(|\bforOrganisation\(|\bforAllOrganisations\(|set_config\('forestall\.organisation/;
  expect(stores.length).toBeGreaterThan(100);
  expect(stores.filter(({ text }) => opening.test(text)).map(({ file }) => file)).toEqual([]);
});

it('tables that stores name are behind the wall', () => {
  // As Kysely names them, and as SQL does; what `with` names is no table.
  const naming =
    /(?:selectFrom|insertInto|updateTable|deleteFrom|[a-z]*Join|replaceInto)\(\s*'([a-z_]+)|\b(?:insert into|update|delete from|join) ([a-z_]+)\b/g;
  const tables = new Set(Object.keys(INVENTORY));
  const strange = stores.flatMap(({ file, text }) =>
    [...text.matchAll(naming)]
      .map(([, kysely, sql]) => kysely ?? sql ?? '')
      .filter((name) => !tables.has(name) && new RegExp(`create table ${name} `).test(MIGRATIONS))
      .map((name) => `${file}: ${name}`),
  );
  expect(strange).toEqual([]);
});

const MIGRATIONS = readdirSync(new URL('../migrations/', SRC))
  .map((name) => readFileSync(new URL(`../migrations/${name}`, SRC), 'utf8'))
  .join('\n');
