/** Guarantee: a template is copied whole or not at all, and nothing of yours is replaced unasked. */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changedLines } from '../../../src/base/kernel/line-diff.ts';
import {
  carryOut,
  compareCopies,
  conflictsOf,
  planAdd,
} from '../../../src/running/kit/add-template.ts';
import { findTemplateDrift } from '../../../src/running/kit/template-drift.ts';
import { readManifest, resolveTemplate } from '../../../src/running/kit/template-manifest.ts';
import { checksumOf, readStamp, withStamp } from '../../../src/running/kit/template-stamp.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'forestall-add-'));
});
afterEach(() => rm(root, { recursive: true }));

const FILE = 'forestall/shared/setting.ts';
const plan = (name = 'shared/setting') => planAdd(name, { root, folder: 'forestall' });
const fates = async () => (await plan()).files.map(({ fate }) => fate);
const carry = async (overwrite = false) => await carryOut(await plan(), { root, overwrite });

describe('adding', () => {
  it('writes a new file with its mark, and finds it unchanged afterwards', async () => {
    expect(await fates()).toEqual(['new']);
    expect((await carry()).map(({ path }) => path)).toEqual([FILE]);
    const text = await readFile(join(root, FILE), 'utf8');
    expect(text).toMatch(
      /\n\/\/ forestall-template shared\/setting\.ts \S+ sha256:[0-9a-f]{16}\n$/,
    );
    expect(await fates()).toEqual(['same']);
    expect(await carry()).toEqual([]);
  });

  it.each([
    ['a file that was never a template', 'const mine = true;\n', 'foreign'],
    [
      'an edited one',
      withStamp('old\n', 'shared/setting.ts', '0.0.1').replace('old', 'mine'),
      'edited',
    ],
    [
      'one with lines after its mark',
      `${withStamp('old\n', 'shared/setting.ts', '0.0.1')}mine\n`,
      'edited',
    ],
  ])('leaves %s alone until it is told otherwise', async (_what, mine, fate) => {
    await mkdir(join(root, 'forestall/shared'), { recursive: true });
    await writeFile(join(root, FILE), mine);
    expect(await fates()).toEqual([fate]);
    expect(await carry()).toEqual([]);
    expect(await readFile(join(root, FILE), 'utf8')).toBe(mine);
    expect(await carry(true)).toHaveLength(1);
    expect(await fates()).toEqual(['same']);
  });

  it('brings an untouched file of an older version up to date', async () => {
    await mkdir(join(root, 'forestall/shared'), { recursive: true });
    await writeFile(join(root, FILE), withStamp('old\n', 'shared/setting.ts', '0.0.1'));
    expect(await fates()).toEqual(['update']);
    expect(await carry()).toHaveLength(1);
    expect(await fates()).toEqual(['same']);
  });

  it('writes nothing at all when one of many files is yours', async () => {
    await mkdir(join(root, 'forestall/shared'), { recursive: true });
    await writeFile(join(root, 'forestall/shared/stripe-amounts.ts'), 'mine');
    const stripe = await plan('processors/stripe');
    expect(conflictsOf(stripe).map(({ path }) => path)).toEqual([
      'forestall/shared/stripe-amounts.ts',
    ]);
    expect(await carryOut(stripe, { root, overwrite: false })).toEqual([]);
    await expect(
      readFile(join(root, 'forestall/processors/stripe/processor.ts')),
    ).rejects.toThrow();
  });

  it('copies what a template needs, before it', () => {
    const names = resolveTemplate(readManifest(), 'receivers/express').map(({ name }) => name);
    expect(names).toEqual(['shared/setting', 'receivers/open', 'receivers/express']);
  });

  it.each([
    ['{ "type": "commonjs" }', true],
    ['{ "type": "module" }', false],
    ['{}', false],
    ['{ "type"', false],
    [undefined, false],
  ])('knows whether Node takes the files for CommonJS: package.json %s', async (text, is) => {
    if (text !== undefined) await writeFile(join(root, 'package.json'), text);
    expect((await plan()).isCommonJs).toBe(is);
  });

  it('says which templates are meant when a name is no template', () => {
    expect(() => resolveTemplate(readManifest(), 'stripe')).toThrow(
      'There is no template "stripe". Did you mean processors/stripe or orders/stripe? See "forestall add --list".',
    );
  });
});

describe('imports of files of the project', () => {
  const options = (compilerOptions: object) => JSON.stringify({ compilerOptions });
  it.each([
    ['{ "extends": "./base.json" } // as Fastify has it', "'../shared/setting.js'"],
    [options({ module: 'nodenext', strict: true }), "'../shared/setting.js'"],
    [
      options({ module: 'esnext', moduleResolution: 'bundler', noEmit: true }),
      "'../shared/setting'",
    ],
    [options({ module: 'preserve' }), "'../shared/setting'"],
    [
      options({ module: 'nodenext', rewriteRelativeImportExtensions: true }),
      "'../shared/setting.ts'",
    ],
    [options({ module: 'esnext', allowImportingTsExtensions: true }), "'../shared/setting.ts'"],
    ['{ "extends": "./nowhere.json" }', "'../shared/setting.ts'"],
  ])('are written as tsconfig.json wants them, which is no edit: %s', async (tsconfig, written) => {
    await writeFile(join(root, 'base.json'), options({ module: 'NodeNext' }));
    await writeFile(join(root, 'tsconfig.json'), tsconfig);
    const added = await plan('receivers/open');
    await carryOut(added, { root, overwrite: false });
    const text = await readFile(join(root, 'forestall/receivers/forestall.ts'), 'utf8');
    expect(text).toContain(`import { setting } from ${written};`);
    // A package is none of the project's files.
    expect(text).toContain("from 'forestall';");
    // The project changes its mind: what is there stays, and counts as shipped.
    await rm(join(root, 'tsconfig.json'));
    const again = await plan('receivers/open');
    expect(again.files.map(({ fate, diff }) => [fate, diff])).toEqual([
      ['same', []],
      ['same', []],
    ]);
    expect(await findTemplateDrift(root)).toMatchObject([
      { edited: false, upstream: 'same' },
      { edited: false, upstream: 'same' },
    ]);
    await writeFile(
      join(root, 'forestall/receivers/forestall.ts'),
      text.replace('max: 15', 'max: 5'),
    );
    const edited = await plan('receivers/open');
    expect(edited.files.map(({ fate }) => fate)).toEqual(['same', 'edited']);
    expect(edited.files[1]?.diff.filter((line) => /^[-+]/.test(line))).toEqual([
      '-    max: 5,',
      '+    max: 15,',
    ]);
  });
});

describe('drift', () => {
  it('is found wherever a file was moved to', async () => {
    await carry();
    await mkdir(join(root, 'lib'));
    await rename(join(root, FILE), join(root, 'lib/mine.ts'));
    const known = { path: 'lib/mine.ts', file: 'shared/setting.ts' };
    expect(await findTemplateDrift(root)).toMatchObject([
      { ...known, edited: false, upstream: 'same' },
    ]);
    const text = await readFile(join(root, 'lib/mine.ts'), 'utf8');
    await writeFile(join(root, 'lib/mine.ts'), `${text}// more\n`);
    expect(await findTemplateDrift(root)).toMatchObject([
      { ...known, edited: true, upstream: 'same' },
    ]);
  });

  it('tells a newer version and a template that is gone from an edit', async () => {
    await writeFile(join(root, 'old.ts'), withStamp('old\n', 'shared/setting.ts', '0.0.1'));
    await writeFile(join(root, 'gone.py'), withStamp('old\n', 'shared/none.py', '0.0.1'));
    expect(await findTemplateDrift(root)).toEqual([
      {
        path: 'gone.py',
        file: 'shared/none.py',
        version: '0.0.1',
        edited: false,
        upstream: 'gone',
      },
      {
        path: 'old.ts',
        file: 'shared/setting.ts',
        version: '0.0.1',
        edited: false,
        upstream: 'newer',
      },
    ]);
  });

  it('does not look into installed packages', async () => {
    await mkdir(join(root, 'node_modules/forestall'), { recursive: true });
    await writeFile(
      join(root, 'node_modules/forestall/a.ts'),
      withStamp('x\n', 'shared/setting.ts', '1'),
    );
    expect(await findTemplateDrift(root)).toEqual([]);
  });
});

describe('a file that was moved', () => {
  const old = withStamp('old\n', 'shared/setting.ts', '0.0.1');
  const planned = async (folder?: string) => {
    const target = folder === undefined ? { root } : { root, folder };
    const { files } = await planAdd('shared/setting', target);
    return files.map(({ path, fate }) => `${fate} ${path}`);
  };

  it('is updated where it is, unless a folder is named or it was copied twice', async () => {
    expect(await planned()).toEqual([`new ${FILE}`]);
    await mkdir(join(root, 'lib'));
    await writeFile(join(root, 'lib/moved.ts'), old);
    expect(await planned()).toEqual(['update lib/moved.ts']);
    expect(await planned('other')).toEqual(['new other/shared/setting.ts']);
    await writeFile(join(root, 'lib/again.ts'), old);
    expect(await planned()).toEqual([`new ${FILE}`]);
  });

  it('is left alone when it was edited on the way', async () => {
    await writeFile(join(root, 'moved.ts'), old.replace('old', 'mine'));
    const edited = await planAdd('shared/setting', { root });
    expect(await carryOut(edited, { root, overwrite: false })).toEqual([]);
    expect(await readFile(join(root, 'moved.ts'), 'utf8')).toContain('mine');
    expect(await planned()).toEqual(['edited moved.ts']);
  });
});

it('everything that is behind is compared at once, and nothing is changed', async () => {
  await carry();
  await writeFile(join(root, 'gone.py'), withStamp('old\n', 'shared/none.py', '0.0.1'));
  await writeFile(join(root, 'json.ts'), withStamp('old\n', 'shared/setting.ts', '0.0.1'));
  const mine = withStamp('old\n', 'shared/stripe-amounts.ts', '0.0.1').replace('old', 'mine');
  await writeFile(join(root, 'amounts.ts'), mine);
  const compared = await compareCopies(root);
  expect(compared.map(({ path, fate, diff }) => [path, fate, diff[0]])).toEqual([
    ['amounts.ts', 'edited', '-mine'],
    ['gone.py', 'gone', undefined],
    ['json.ts', 'update', '-old'],
  ]);
  expect(await readFile(join(root, 'amounts.ts'), 'utf8')).toBe(mine);
});

describe('the mark', () => {
  it.each(['a/b.ts', 'a/b.py', 'a/b.php', 'a/b.yaml', 'a/b.md', 'a/Caddyfile', 'a/b.service'])(
    'of %s is read back, and the text without it is as it was',
    (file) => {
      const text = 'one\ntwo\n';
      expect(readStamp(withStamp(text, file, '1.2.3'))).toEqual({
        stamp: { file, version: '1.2.3', checksum: checksumOf(text, file) },
        text,
      });
    },
  );

  it('of a JSON file leaves it JSON', () => {
    const text = '{\n  "a": 1\n}\n';
    const marked = withStamp(text, 'a/b.json', '1.2.3');
    expect(JSON.parse(marked)).toMatchObject({ a: 1 });
    expect(readStamp(marked)).toMatchObject({ stamp: { file: 'a/b.json' }, text });
  });

  it('is none where a line only speaks of it', () => {
    expect(
      readStamp('see forestall-template a/b 1 sha256:0123456789abcdef here\n'),
    ).toBeUndefined();
  });

  it('does not depend on the line ends of the platform', () => {
    expect(checksumOf('a\r\nb\r\n', 'a/b.md')).toBe(checksumOf('a\nb\n', 'a/b.md'));
  });
});

describe('a difference', () => {
  it('shows what changed with three lines around it', () => {
    const before = 'a\nb\nc\nd\ne\nf\n';
    expect(changedLines(before, before)).toEqual([]);
    expect(changedLines(before, 'a\nb\nc\nd\nX\nf\n')).toEqual([
      '…',
      ' b',
      ' c',
      ' d',
      '-e',
      '+X',
      ' f',
    ]);
  });
});
