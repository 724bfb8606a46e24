/** Guarantee: a token that is made at a start is shown to who looks at a terminal, and to no log. */
import { lstat, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../src/base/kernel/log.ts';
import {
  leaveConsoleToken,
  makeConsoleToken,
  tellConsoleToken,
} from '../../../src/people/cli/console-token.ts';

function told(options: { readonly isSet: boolean; readonly isWatched: boolean }): {
  readonly token: string;
  readonly logged: string;
  readonly shown: string;
} {
  const logged: string[] = [];
  const shown: string[] = [];
  const token = makeConsoleToken();
  tellConsoleToken({
    token,
    isSet: options.isSet,
    log: createLog({ level: 'trace', destination: { write: (line) => void logged.push(line) } }),
    terminal: { isWatched: options.isWatched, write: (text) => void shown.push(text) },
  });
  return { token, logged: logged.join(''), shown: shown.join('') };
}

describe('the token of a start with a real service', () => {
  it('is shown on a terminal that a person looks at', () => {
    const { token, logged, shown } = told({ isSet: false, isWatched: true });
    expect(shown).toContain(token);
    expect(logged).toBe('');
  });

  it('is written nowhere without one; the log says what to set', () => {
    const { token, logged, shown } = told({ isSet: false, isWatched: false });
    expect(shown).toBe('');
    expect(logged).not.toContain(token);
    expect(JSON.parse(logged)).toMatchObject({ level: 'warn' });
    expect(logged).toContain('FORESTALL_CONSOLE_TOKEN_FILE');
    expect(logged).toContain('forestall operators add');
  });

  it.each([true, false])('is not spoken of where it is set (watched: %s)', (isWatched) => {
    const { logged, shown } = told({ isSet: true, isWatched });
    expect(logged + shown).toBe('');
  });

  it('is another one each time, of at least 128 bits', () => {
    const tokens = new Set(Array.from({ length: 100 }, makeConsoleToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) expect(Buffer.from(token, 'base64url').length).toBeGreaterThan(15);
  });
});

describe('the token of a demonstration', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forestall-token-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('lies in a file that only its owner reads, and is gone at the end', async () => {
    const file = join(folder, '.forestall', 'console-token');
    const remove = await leaveConsoleToken('made-for-this-test', file);
    expect((await lstat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toBe('made-for-this-test\n');
    await remove();
    await expect(lstat(file)).rejects.toThrow('ENOENT');
  });

  it('does not follow a link, nor keep the rights of a file that is there', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'left alone', { mode: 0o644 });
    const link = join(folder, 'link');
    await symlink(elsewhere, link);
    for (const file of [link, elsewhere]) {
      await leaveConsoleToken('made-for-this-test', file);
      expect((await lstat(file)).isFile()).toBe(true);
      expect((await lstat(file)).mode & 0o777).toBe(0o600);
      if (file === link) expect(await readFile(elsewhere, 'utf8')).toBe('left alone');
    }
  });
});
