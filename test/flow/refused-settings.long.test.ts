/**
 * Guarantee: a start whose settings lead nowhere ends with status 2 and the setting's name, prints no value
 * of any setting, and leaves an empty database empty.
 */
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { spawn } from '../support/child-process.ts';
import type { Left } from '../support/run-in-turn.ts';
import { runInTurn } from '../support/run-in-turn.ts';

const MAIN = fileURLToPath(new URL('../../src/people/cli/main.ts', import.meta.url));
/** Part of every value that must not be seen. */
const CANARY = 'canary7f3a';
const folder = mkdtempSync(join(tmpdir(), `forestall-${CANARY}-`));
const NAME = `refused_settings_${process.pid}`;

let server: pg.Client;
let databaseUrl: string;

beforeAll(async () => {
  server = new pg.Client({ connectionString: inject('postgresUrl') });
  await server.connect();
  await server.query(`create database ${NAME}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${NAME}`;
  databaseUrl = url.href;
});
afterAll(async () => {
  await server.query(`drop database ${NAME} with (force)`);
  await server.end();
});

function file(name: string, text: string): string {
  const path = join(folder, `${CANARY}-${name}`);
  writeFileSync(path, text);
  return path;
}

const NOWHERE = `/nowhere/${CANARY}`;

function settings(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    PORT: '0',
    FORESTALL_CONSOLE_PORT: '0',
    DATABASE_URL: databaseUrl,
    FORESTALL_SERVICE_URL: 'https://127.0.0.1:9',
    FORESTALL_API_KEY: `key-${CANARY}-0123456789`,
    FORESTALL_WEBHOOK_SECRETS: `whsec_${CANARY}_0123456789`,
    FORESTALL_ORGANISATION_ID: `org_${CANARY}`,
    ...env,
  };
}

/** In a process of its own. */
async function forestall(
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [MAIN, command], {
    cwd: folder,
    env: { ...childEnv(), HOME: folder, ...settings(env) },
  });
  let text = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

async function tables(): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema')`,
  );
  await client.end();
  return rows.map(({ name }) => name);
}

const CASES: readonly [what: string, env: Record<string, string>, says: RegExp][] = [
  [
    'a processor at an address of another kind',
    { FORESTALL_PROCESSOR: `ftp://${CANARY}:${CANARY}@127.0.0.1/x` },
    /FORESTALL_PROCESSOR must be none, sandbox, an http/,
  ],
  [
    'the same in capitals',
    { FORESTALL_PROCESSOR: `HTTPS://${CANARY}.example` },
    /FORESTALL_PROCESSOR must be none, sandbox, an http/,
  ],
  [
    'a processor that is not there',
    { FORESTALL_PROCESSOR: `${NOWHERE}.ts` },
    /FORESTALL_PROCESSOR names cannot be loaded: Cannot find module 'the module'\. Check the path/,
  ],
  [
    'a processor that needs a package that is not there',
    { FORESTALL_PROCESSOR: file('needs.mjs', "import 'not-installed';") },
    /FORESTALL_PROCESSOR names cannot be loaded: Cannot find package 'not-installed'/,
  ],
  [
    'a module that is no processor',
    { FORESTALL_PROCESSOR: file('empty.mjs', 'export const processor = {};') },
    /FORESTALL_PROCESSOR names exports no "processor"/,
  ],
  [
    'a policy that is not there',
    { FORESTALL_POLICY: `${NOWHERE}.yaml` },
    /FORESTALL_POLICY names a file that cannot be read \(ENOENT\)/,
  ],
  [
    'a shadow policy that is not there',
    { FORESTALL_SHADOW_POLICY: `${NOWHERE}.yaml` },
    /FORESTALL_SHADOW_POLICY names a file that cannot be read \(ENOENT\)/,
  ],
  [
    'matching settings that are not there',
    { FORESTALL_MATCHING: NOWHERE },
    /FORESTALL_MATCHING names a file that cannot be read \(ENOENT\)/,
  ],
  [
    'guards that are none',
    { FORESTALL_GUARDS: file('guards.yaml', 'caps: many\n') },
    /FORESTALL_GUARDS is not as expected: caps/,
  ],
  [
    'a certificate that is not there',
    { FORESTALL_TLS_CERT: NOWHERE, FORESTALL_TLS_KEY: NOWHERE },
    /FORESTALL_TLS_CERT names a file that cannot be read \(ENOENT\)/,
  ],
  [
    'a certificate that is none',
    { FORESTALL_TLS_CERT: file('cert', 'no'), FORESTALL_TLS_KEY: file('key', 'no') },
    /FORESTALL_TLS_CERT and FORESTALL_TLS_KEY name no certificate with its key/,
  ],
  [
    'messages in the clear',
    { FORESTALL_NOTIFY_URL: `http://${CANARY}.example/hook` },
    /FORESTALL_NOTIFY_URL must be https/,
  ],
  ['programmes that are none', { FORESTALL_PROGRAMMES: CANARY }, /FORESTALL_PROGRAMMES names what/],
  [
    'a data key that is none',
    { FORESTALL_DATA_KEYS: `${CANARY}:AAAA` },
    /FORESTALL_DATA_KEYS entry 1 is not the base64 of 32 bytes/,
  ],
  [
    'a database address that is none',
    { DATABASE_URL: `postgres://${CANARY}:x@[${CANARY}/x` },
    /DATABASE_URL cannot be understood/,
  ],
];

describe('forestall start', () => {
  let left: readonly Left[];
  beforeAll(async () => {
    const calls = CASES.map(([, env]) => ({ args: ['start'], env: settings(env) }));
    left = await runInTurn(calls, { cwd: folder });
  });

  it.each(CASES.map(([what, , says], place) => [what, says, place] as const))(
    'refuses %s, with status 2',
    (_what, says, place) => {
      const { code, text } = left[place]!;
      expect(text).toMatch(says);
      expect(text).not.toContain(CANARY);
      expect(text).not.toMatch(/ at .*\.(?:ts|js):/);
      expect(code).toBe(2);
    },
  );

  it('refuses a policy that is none, with status 1: its text is wrong, not the setting', async () => {
    const path = file('policy.yaml', 'rules: []\notherwise: REFUNDS\n');
    const { code, text } = await forestall('start', { FORESTALL_POLICY: path });
    expect(text).toContain(`${path}:2:12: unknown outcome "REFUNDS"`);
    expect(text).toMatch(/^FORESTALL_POLICY names this file\.$/m);
    expect(text.replaceAll(path, '')).not.toContain(CANARY);
    expect(code).toBe(1);
  });

  it('and none of them has touched the database', async () => {
    expect(await tables()).toEqual([]);
  });
});

describe('a database that lets nobody in', () => {
  it.each([
    ['is not there', (): string => `postgres://${CANARY}:x@127.0.0.1:9/${CANARY}`, /ECONNREFUSED/],
    [
      'has no such host',
      (): string => `postgres://${CANARY}:x@${CANARY}.invalid/x`,
      /Cause: (?:ENOTFOUND|EAI_AGAIN) \(getaddrinfo\)/,
    ],
    [
      'has no such database',
      (): string => databaseUrl.replace(NAME, CANARY),
      /Cause: database "…" does not exist \(3D000\)/,
    ],
  ])('%s: status 1, and no name of it', async (_what, url, says) => {
    const { code, text } = await forestall('serve', { DATABASE_URL: url() });
    expect(text).toMatch(says);
    expect(text).not.toContain(CANARY);
    expect(code).toBe(1);
  });
});
