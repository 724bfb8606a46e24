/**
 * Guarantee: what a merchant could leave out stands in one folder. Outside it is named in lines of the lists only, by value in
 * four files at most; a setting in one place; a table nowhere but in reads that are listed here, each with its reason.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CAPABILITY_TABLES } from '../../../src/capabilities/index.ts';
import { CAPABILITY_VARIABLES } from '../../../src/capabilities/settings.ts';
import { withoutLines } from '../../removal/without.ts';

const root = new URL('../../../', import.meta.url);
const sources = new Map(
  readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [`src/${name}`, readFileSync(new URL(`src/${name}`, root), 'utf8')]),
);
const names = readdirSync(new URL('src/capabilities/', root), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Files outside a folder that match. */
function outside(folder: string, matches: (text: string, path: string) => boolean): string[] {
  return [...sources].flatMap(([path, text]) =>
    !path.startsWith(folder) && matches(text, path) ? [path] : [],
  );
}

/** The statements of a file that name something of a folder. */
function naming(folder: string, text: string, path: string): string[] {
  return [...text.matchAll(/(?:(?:import|export)\b[^;]*? from|import\()\s*'(\.[^']+)'/g)].flatMap(
    ([statement, to = '']) =>
      posix.join(posix.dirname(path), to).startsWith(folder) ? [statement] : [],
  );
}

describe.each(names)('%s', (name) => {
  const folder = `src/capabilities/${name}/`;
  const naming4 = outside(folder, (text, path) => naming(folder, text, path).length > 0);

  it('is named by lists and by what the package publishes, by value in four files at most', () => {
    expect(naming4.length).toBeGreaterThan(0);
    const others = naming4.filter((path) => posix.dirname(path) !== 'src/capabilities');
    expect(others.filter((path) => path !== 'src/index.ts')).toEqual([]);
    const byValue = naming4.filter((path) =>
      naming(folder, sources.get(path) ?? '', path).some(
        (statement) => !/^(?:import|export) type\b/.test(statement),
      ),
    );
    expect(byValue.length).toBeLessThanOrEqual(4);
  });

  it('is named in lines of their own: without them nothing of it is left', () => {
    const left = naming4.filter((path) => {
      const text = sources.get(path) ?? '';
      const words = naming(folder, text, path).flatMap((statement) =>
        (/\{([^}]*)\}/.exec(statement)?.[1] ?? '').split(',').map((word) => word.trim()),
      );
      const rest = withoutLines(path, text, name).replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
      return words.some((word) => word !== '' && new RegExp(`\\b${word}\\b`).test(rest));
    });
    expect(left).toEqual([]);
  });
});

it('spells each setting where it is described, and nowhere outside that folder', () => {
  expect(CAPABILITY_VARIABLES.length).toBeGreaterThan(4);
  const spelled = CAPABILITY_VARIABLES.map(({ name }) => {
    const files = [...sources].flatMap(([path, text]) =>
      text.includes(`'${name}'`) ? [path] : [],
    );
    const folders = new Set(files.map((path) => posix.dirname(path)));
    return [name, folders.size];
  });
  expect(spelled).toEqual(CAPABILITY_VARIABLES.map(({ name }) => [name, 1]));
});

/** SQL that reads the table of another capability, with the reason. */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  // How late the feed was is read from the payments that are counted for ratios.
  roll_up: ['src/capabilities/lookups/feed-delay.ts'],
  roll_up_change: ['src/capabilities/lookups/feed-delay.ts'],
  // What was handed in for a dispute, with what came of it, is an outcome that is counted.
  representment_pack: ['src/capabilities/measured-cost/outcome.store.ts'],
  // No trial draws about a charge whose money is claimed. Disputes that the processor told of are an outcome that is counted.
  refund_claim: ['src/alerts/decide/trial.store.ts'],
  processor_event: ['src/capabilities/measured-cost/outcome.store.ts'],
  // The stream is one of the tables that are exported.
  event: ['src/capabilities/exports/export.store.ts'],
  event_outbox: ['src/capabilities/exports/export.store.ts'],
  event_position: ['src/capabilities/exports/export.store.ts'],
};

it('asks for the rows of a table in its own folder', () => {
  expect(CAPABILITY_TABLES.length).toBeGreaterThan(8);
  const read = CAPABILITY_TABLES.flatMap(({ name }) => {
    const statement = new RegExp(
      `\\b(?:from|join|into|update) ${name}\\b(?! of\\b)|(?:From|Into|Table|Join)\\('${name}\\b`,
    );
    const home = [...sources].find(
      ([path, text]) =>
        path.startsWith('src/capabilities/') &&
        new RegExp(`describeTable\\(\\{\\s*name: '${name}'`).test(text),
    )?.[0];
    const files = outside(`${posix.dirname(home ?? 'nowhere')}/`, (text) =>
      statement.test(text.replaceAll(/^ *(?:\*|\/\/|\/\*\*).*$/gm, '')),
    );
    return files.length === 0 ? [] : [[name, files]];
  });
  expect(Object.fromEntries(read)).toEqual(READ_ELSEWHERE);
});
