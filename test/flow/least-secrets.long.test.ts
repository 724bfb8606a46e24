/**
 * Guarantee: each role starts with the secrets that it needs and no other, asks for those by name, and commands
 * that ask the service nothing run beside the console.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { spawn } from '../support/child-process.ts';

const MAIN = fileURLToPath(new URL('../../src/people/cli/main.ts', import.meta.url));
const NAME = `least_secrets_${process.pid}`;
/** Ample for a busy machine. */
const PATIENCE_MS = 90_000;
const TOKEN = 'console-token-of-this-test';

let server: pg.Client;
let databaseUrl: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-least-'));
  server = new pg.Client({ connectionString: inject('postgresUrl') });
  await server.connect();
  await server.query(`create database ${NAME}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${NAME}`;
  databaseUrl = url.href;
  const { code, text } = await run(['migrate'], { env: {} });
  expect(text).toContain('Applied');
  expect(code).toBe(0);
});
afterAll(async () => {
  await server.query(`drop database ${NAME} with (force)`);
  await server.end();
  await rm(folder, { recursive: true, force: true });
});

/** Where the service is, and whose organisation: no secret. */
const PLACE = {
  FORESTALL_SERVICE_URL: 'https://127.0.0.1:9',
  FORESTALL_ORGANISATION_ID: 'org_least',
  FORESTALL_MODE: 'shadow',
  PORT: '0',
  FORESTALL_CONSOLE_PORT: '0',
  FORESTALL_METRICS_PORT: '0',
};
const KEY = { FORESTALL_API_KEY: 'key-of-this-test-0123456789' };
const SECRETS = { FORESTALL_WEBHOOK_SECRETS: 'whsec_of_this_test_0123456789' };

interface Wanted {
  readonly env: Readonly<Record<string, string>>;
  /** It is ended, gently, when this has been printed. */
  readonly until?: RegExp;
  readonly meanwhile?: (text: string) => Promise<void>;
}

async function run(
  args: readonly string[],
  { env, until, meanwhile }: Wanted,
): Promise<{ readonly text: string; readonly code: number | null }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...childEnv(), HOME: folder, DATABASE_URL: databaseUrl, ...env },
    timeout: PATIENCE_MS,
  });
  let text = '';
  let work: Promise<void> | undefined;
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
      if (until?.test(text) !== true) return;
      work ??= (meanwhile?.(text) ?? Promise.resolve()).finally(() => child.kill('SIGTERM'));
    });
  }
  const [code] = await once(child, 'close');
  await work;
  return { text, code };
}

describe('a role on its own', () => {
  it.each([
    ['serve', SECRETS, /"msg":"listening"/],
    ['work', KEY, /metrics and health on the private port/],
  ] as const)(
    '%s starts with its secret alone',
    { timeout: PATIENCE_MS },
    async (role, secret, until) => {
      const { text, code } = await run([role], { env: { ...PLACE, ...secret }, until });
      expect(text).toMatch(until);
      expect(code).toBe(0);
    },
  );

  it.each([
    ['serve', KEY, 'FORESTALL_WEBHOOK_SECRETS'],
    ['work', SECRETS, 'FORESTALL_API_KEY'],
    ['start', KEY, 'FORESTALL_WEBHOOK_SECRETS'],
    ['start', SECRETS, 'FORESTALL_API_KEY'],
  ] as const)(
    '%s says by name that its secret is missing',
    { timeout: PATIENCE_MS },
    async (role, other, missing) => {
      const { text, code } = await run([role], { env: { ...PLACE, ...other } });
      expect(text).toContain(`${missing} is missing;`);
      expect(code).toBe(2);
    },
  );

  it('the console needs none of the service’s', {
    timeout: PATIENCE_MS,
  }, async () => {
    let report = '';
    const { text, code } = await run(['console'], {
      env: { ...PLACE, FORESTALL_CONSOLE_TOKEN: TOKEN },
      until: /"msg":"listening"/,
      meanwhile: async (printed) => {
        const port = /"port":(\d+),"msg":"listening"/.exec(printed)?.[1];
        const headers = { authorization: `Bearer ${TOKEN}` };
        const alerts = await fetch(`http://127.0.0.1:${port}/api/alerts`, { headers });
        report = `${alerts.status}`;
      },
    });
    expect(report, text).toBe('200');
    expect(code).toBe(0);
  });

  it.each([['status'], ['operators', 'list'], ['reviews']])(
    'forestall %s %s runs without them',
    { timeout: PATIENCE_MS },
    async (...words) => {
      const { text } = await run(
        words.filter((word) => typeof word === 'string'),
        { env: PLACE },
      );
      expect(text).not.toMatch(/is missing/);
      expect(text).not.toMatch(/^Unexpected/m);
    },
  );
});
