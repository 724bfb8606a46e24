/** Guarantee: the map in src/README.md says what the worker really registers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StageName, StageWork } from '../../../src/running/flow.ts';
import { FLOW, registerFlow, withStagesOf } from '../../../src/running/flow.ts';
import { CAPABILITY_FOLDERS, withCapabilities } from '../../docs/capability-map.ts';

const root = new URL('../../../', import.meta.url);
const readme = readFileSync(new URL('src/README.md', root), 'utf8');

/** Where each stage lives, below `src/`. */
const FOLDERS: Record<StageName, string> & Record<string, string> = {
  receive: 'alerts/receive',
  apply: 'alerts/apply',
  signals: 'capabilities/signals',
  match: 'alerts/match',
  decide: 'alerts/decide',
  refund: 'alerts/refund',
  declare: 'alerts/declare',
  feed: 'orders',
  reconcile: 'alerts/reconcile',
};

describe('the map', () => {
  it('has the rows of flow.ts, in their order', () => {
    const rows = readme
      .split('\n')
      .filter((line) => /^\| [a-z]+ \|.*\| (no|\*\*yes\*\*) \|$/.test(line));
    expect(rows).toEqual(
      FLOW.map((row) => {
        const durable = row.durable.map((table) => `\`${table}\``).join(', ');
        return `| ${row.stage} | ${row.does} | ${durable} | ${row.movesMoney ? '**yes**' : 'no'} |`;
      }),
    );
  });

  it('names a folder for every stage and a migration for every table', () => {
    const sql = readdirSync(new URL('migrations/', root))
      .map((name) => readFileSync(new URL(`migrations/${name}`, root), 'utf8'))
      .join('\n');
    for (const { stage, durable } of FLOW) {
      expect(existsSync(new URL(`src/${FOLDERS[stage]}/`, root)), stage).toBe(true);
      for (const table of durable)
        expect(sql, table).toMatch(new RegExp(`(create table ${table} \\(|rename to ${table};)`));
    }
  });

  it('lists every folder of a room, or the room with a README of its own', () => {
    const foldersOf = (path: string) =>
      readdirSync(new URL(path, root), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${entry.name}/`);
    for (const room of foldersOf('src/')) {
      const folders = existsSync(new URL(`src/${room}README.md`, root))
        ? [room]
        : foldersOf(`src/${room}`).map((folder) => `${room}${folder}`);
      for (const folder of folders) expect(readme, folder).toContain(`\`${folder}\``);
    }
  });
});

describe('the capabilities of the map', () => {
  it('are those of the lists, with their tables, pages, commands and settings', async () => {
    expect(await withCapabilities(readme)).toBe(readme);
    const rows = /<!-- capabilities -->\n(.*)\n<!-- end -->/s.exec(readme)?.[1]?.split('\n') ?? [];
    expect(rows.length - 2).toBe(CAPABILITY_FOLDERS.length);
    // By hand: one with a table, a page, a command and a setting.
    expect(rows.find((row) => row.includes('`credits/`'))).toMatch(
      /`credit_claim`.*`\/credits`.*`credits invoice`.*`FORESTALL_CREDIT_WINDOWS`/,
    );
  });
});

describe('the READMEs of src', () => {
  const named = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('README.md'))
    .flatMap((name) => {
      const text = readFileSync(new URL(`src/${name}`, root), 'utf8');
      const files = [...text.matchAll(/`([\w/-][\w./-]*\.ts)`/g)].map(([, file = '']) => file);
      return files.filter((file) => !/^x\./.test(file)).map((file) => ({ name, file }));
    });
  const tests = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' });
  const testNames = new Set(tests.map((path) => path.split('/').at(-1)));

  it('name files that exist: of their folder, of src, of the stages, of the tests', () => {
    expect(named.length).toBeGreaterThan(300);
    const lost = named.filter(({ name, file }) => {
      const own = `src/${name.replace('README.md', '')}`;
      const places = [own, 'src/', 'src/alerts/', 'src/running/', ''];
      return !(testNames.has(file) || places.some((at) => existsSync(new URL(at + file, root))));
    });
    expect(lost).toEqual([]);
  });
});

describe('the sources', () => {
  it('import nothing from beyond src, which is all that is published', () => {
    const src = new URL('src/', root);
    const beyond: string[] = [];
    for (const name of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const file = new URL(name, src);
      const text = readFileSync(file, 'utf8');
      for (const [, specifier = ''] of text.matchAll(/\b(?:from|import) ?\(?'(\.[^']+)'/g)) {
        const target = new URL(specifier, file);
        if (!target.href.startsWith(src.href)) beyond.push(`${name}: ${specifier}`);
      }
    }
    expect(beyond).toEqual([]);
  });
});

describe('registerFlow', () => {
  const none: Record<StageName, StageWork> = {
    receive: {},
    apply: {},
    match: {},
    decide: {},
    refund: {},
    declare: {},
    feed: {},
    reconcile: {},
  };

  it('keeps the order of the flow', () => {
    const loop = (name: string) => ({ name, runOnce: async () => 0, idleMs: 1 });
    const work = registerFlow({
      ...none,
      declare: { loops: [loop('b')] },
      apply: { loops: [loop('a')] },
    });
    expect(work.loops.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('has a row and the loops of a capability where it says', () => {
    const stage = { behind: 'apply', does: 'more', durable: ['more_rows'], loops: () => [] };
    const rows = FLOW.filter((row) => row.stage in none);
    const names = (capabilities: Parameters<typeof withStagesOf>[0]) =>
      withStagesOf(capabilities, rows).map((row) => row.stage);
    expect(names([{ name: 'more', stage }, { name: 'none' }]).slice(0, 4)).toEqual([
      'receive',
      'apply',
      'more',
      'match',
    ]);
    expect(() => names([{ name: 'more', stage: { ...stage, behind: 'signing' } }])).toThrow(
      /more stands behind signing, which is no stage/,
    );
    const ofSignals = { name: 'b', runOnce: async () => 0, idleMs: 1 };
    const work = registerFlow({
      ...none,
      match: { loops: [{ ...ofSignals, name: 'c' }] },
      signals: { loops: [ofSignals] },
      apply: { loops: [{ ...ofSignals, name: 'a' }] },
    });
    expect(work.loops.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('refuses two masters for one state', () => {
    const step = async () => undefined;
    expect(() =>
      registerFlow({
        ...none,
        match: { steps: { RECEIVED: step } },
        decide: { steps: { RECEIVED: step } },
      }),
    ).toThrow(/decide claims state RECEIVED/);
  });
});
