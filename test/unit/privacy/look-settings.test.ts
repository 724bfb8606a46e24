/**
 * Guarantee: whoever is named in a file of the settings is told by file and line: in those that the environment names, and
 * in those that such a file names.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { personOf } from '../../../src/base/seal/person.ts';
import { lookInSettings } from '../../../src/running/privacy/look-settings.ts';

const EMAIL = 'ada.lovelace@customers.example';
const person = personOf([EMAIL, 'Ada Lovelace']);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-settings-'));
  await mkdir(join(folder, 'months'));
  const files = {
    'installation.yaml': `# ${EMAIL} asked\norganisations:\n  - path: a\n    policy: policy.yaml\n    endpoints: endpoints.yml\n`,
    'policy.yaml':
      'name: house\nlists: {known: known.txt}\nrules:\n  - name: \'for ada.lovelace%40customers.example\'\n    note: "Ada\n      Lovelace"\n',
    'known.txt': `bob@customers.example\n${EMAIL.toUpperCase()}\n`,
    'endpoints.yml':
      'endpoints:\n  - name: "to \\u0061da.lovelace@customers.example"\n    secrets_file: secret\n',
    'months/2026.yaml': `months: []\n# ${EMAIL}\n`,
    'months/other.txt': 'nobody\n',
    secret: 'whsec_x\n',
    apart: `${EMAIL}\n`,
    'broken.yaml': `a: [\n${EMAIL}\n`,
    'split.yaml': 'a: 1\nnote: Ada\n  Lovelace\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

const look = (env: Record<string, string>, texts: ReadonlyMap<string, string> = new Map()) => {
  const { lines, unread } = lookInSettings(env, texts, person);
  const shown = (file: string): string => file.replace(`${folder}/`, '');
  return {
    lines: lines.map(({ file, line }) => `${shown(file)}:${line}`).sort(),
    unread: unread.map(shown),
  };
};

describe('a person in the settings', () => {
  it('is told by file and line, in each file that leads on from another', () => {
    expect(look({ FORESTALL_INSTALLATION: join(folder, 'installation.yaml') })).toEqual({
      lines: ['endpoints.yml:2', 'installation.yaml:1', 'known.txt:2', 'policy.yaml:4'],
      unread: [],
    });
  });

  it('is told in a folder, in a setting itself, and in a file whose path stands in a file', () => {
    const env = { FORESTALL_MONITORING: join(folder, 'months'), FORESTALL_NOTIFY_EMAIL_TO: EMAIL };
    const texts = new Map([['FORESTALL_GUARDS', join(folder, 'apart')]]);
    expect(look(env, texts).lines).toEqual([
      'FORESTALL_NOTIFY_EMAIL_TO:1',
      'apart:1',
      'months/2026.yaml:2',
    ]);
  });

  it('is told where a name goes over two lines, and in what is no document', () => {
    expect(look({ FORESTALL_POLICY: join(folder, 'split.yaml') }).lines).toEqual(['split.yaml:3']);
    expect(look({ FORESTALL_POLICY: join(folder, 'broken.yaml') }).lines).toEqual([
      'broken.yaml:2',
    ]);
  });

  it('is looked for in no variable of others, and in no path that is none', () => {
    const env = { EMAIL, FORESTALL_POLICY: '\0', FORESTALL_COSTS: 'x'.repeat(5_000) };
    expect(look(env)).toEqual({ lines: [], unread: [] });
  });

  it('may be in a file that is too large, which is said', async () => {
    await writeFile(join(folder, 'large.txt'), Buffer.alloc(9 * 1024 * 1024, 'x'));
    expect(look({ FORESTALL_POLICY: join(folder, 'large.txt') })).toEqual({
      lines: [],
      unread: ['large.txt'],
    });
  });
});
