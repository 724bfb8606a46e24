/**
 * Guarantee: a start with a real service writes no token to its output, which is kept as a log, and keeps the
 * ledger where it was put or does not start.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { spawn } from '../support/child-process.ts';

const MAIN = fileURLToPath(new URL('../../src/people/cli/main.ts', import.meta.url));
const NAME = `live_start_${process.pid}`;
/** Ample for a busy machine. */
const PATIENCE_MS = 90_000;
const isRoot = process.getuid?.() === 0;
const hasScript = existsSync('/usr/bin/script');

let server: pg.Client;
let databaseUrl: string;
let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-live-'));
  server = new pg.Client({ connectionString: inject('postgresUrl') });
  await server.connect();
  await server.query(`create database ${NAME}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${NAME}`;
  databaseUrl = url.href;
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await server.query(`drop database ${NAME} with (force)`);
  await server.end();
  await rm(folder, { recursive: true, force: true });
});

/** Nobody answers at the service's address; what is started waits for it. */
const LIVE = {
  PORT: '0',
  FORESTALL_CONSOLE_PORT: '0',
  FORESTALL_SERVICE_URL: 'https://127.0.0.1:9',
  FORESTALL_API_KEY: 'key-of-this-test-0123456789',
  FORESTALL_WEBHOOK_SECRETS: 'whsec_of_this_test_0123456789',
  FORESTALL_ORGANISATION_ID: 'org_livestart',
  FORESTALL_PROCESSOR: 'none',
  FORESTALL_MODE: 'live',
};

interface Wanted {
  readonly env: Readonly<Record<string, string>>;
  /** It is ended when it has printed this; without it, when it ends by itself. */
  readonly until?: RegExp;
  readonly cwd?: string;
}

/** Runs a command and returns what it printed, with its exit status. */
async function run(
  words: readonly string[],
  { env, until, cwd = folder }: Wanted,
): Promise<{ readonly text: string; readonly code: number | null }> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    cwd,
    env: { ...childEnv(), HOME: cwd, ...LIVE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
  });
  children.add(child);
  let text = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (until?.test(text) === true) child.kill('SIGTERM');
    });
  }
  const [code] = await once(child, 'close');
  children.delete(child);
  return { text, code };
}

const forestall = async (command: string, wanted: Wanted): ReturnType<typeof run> =>
  await run([process.execPath, MAIN, command], wanted);

/** The names of fields that could hold a token, of every line. */
function tokenFields(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((line) => Object.keys(JSON.parse(line)))
    .filter((name) => /token/i.test(name));
}

describe('a start with a real service and no terminal', () => {
  it.each(['start', 'console'])(
    '%s writes no token, and says what to set',
    {
      timeout: PATIENCE_MS * 2,
    },
    async (command) => {
      if (command === 'console') {
        expect((await forestall('migrate', { env: { DATABASE_URL: databaseUrl } })).code).toBe(0);
      }
      const env = { DATABASE_URL: databaseUrl };
      const { text } = await forestall(command, { env, until: /No administrator’s token/ });
      expect(text).toMatch(/"msg":"(?:started|listening)"/);
      expect(text).toContain('FORESTALL_CONSOLE_TOKEN_FILE');
      expect(tokenFields(text)).toEqual([]);
      // What is made at a start has 24 characters of this alphabet; so has the name of a migration.
      const words = text.match(/(?<![\w-])[\w-]{24}(?![\w-])/g) ?? [];
      expect(words.filter((word) => !/^\d{4}_[a-z_]+$/.test(word))).toEqual([]);
    },
  );

  it('says nothing of a token that is set, and does not write it', {
    timeout: PATIENCE_MS,
  }, async () => {
    const token = 'a-token-of-this-test-alone';
    const env = { DATABASE_URL: databaseUrl, FORESTALL_CONSOLE_TOKEN: token };
    const { text } = await forestall('start', { env, until: /"msg":"started"/ });
    expect(text).not.toMatch(/No administrator/);
    expect(text).not.toContain(token);
  });

  it.skipIf(!hasScript)(
    'shows it on a terminal, beside the log',
    {
      timeout: PATIENCE_MS,
    },
    async () => {
      const command = `'${process.execPath}' '${MAIN}' start`;
      const { text } = await run(['/usr/bin/script', '-qefc', command, '/dev/null'], {
        env: { DATABASE_URL: databaseUrl },
        until: /Console token until this process ends: [\w-]{24}\r?\n/,
      });
      expect(text).toMatch(/Console token until this process ends: [\w-]{24}/);
      expect(tokenFields(text)).toEqual([]);
    },
  );
});

describe.skipIf(!isRoot)('a start as root in a folder that is closed to others', () => {
  let closed: string;
  let temporary: string;
  beforeAll(async () => {
    closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0o700 });
    temporary = await mkdtemp(join(tmpdir(), 'forestall-live-tmp-'));
    await chmod(temporary, 0o1777);
  });
  afterAll(async () => {
    await rm(temporary, { recursive: true, force: true });
  });

  it('is refused in live mode before anything is made', { timeout: PATIENCE_MS }, async () => {
    const { text, code } = await forestall('start', { env: { TMPDIR: temporary }, cwd: closed });
    expect(code).toBe(2);
    expect(text).toContain("under the system's folder for temporary files");
    expect(text).toContain(join(temporary, 'forestall-data-'));
    expect(text).toContain('DATABASE_URL');
    expect(await readdir(temporary)).toEqual([]);
  });

  it('says in shadow mode where the rows lie', { timeout: PATIENCE_MS }, async () => {
    const { text } = await forestall('start', {
      env: { TMPDIR: temporary, FORESTALL_MODE: 'shadow' },
      cwd: closed,
      until: /"msg":"started"/,
    });
    const line = text.split('\n').find((each) => each.includes('DATABASE_URL is not set'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 'warn',
      folder: expect.stringContaining(join(temporary, 'forestall-data-')),
    });
  });
});
