/**
 * Guarantee: `forestall operators` lets people in and locks them out at once, in the audit log's sight; and
 * a console with a certificate of its own speaks HTTPS only, with a cookie that never travels without.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sourceOfUrl } from '../../../src/base/db/source.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { registerOperators } from '../../../src/people/cli/operators.ts';
import { createConsoleRole } from '../../../src/people/console/console-role.ts';
import { readSettings } from '../../../src/running/config.ts';
import { openParts } from '../../../src/running/roles/parts.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { makeAuthority } from '../../faults/rig/certificate.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { runCommand } from '../../support/run-command.ts';
import { NOW, ORG } from '../reconcile/rows.ts';
import type { TestConsole } from './support.ts';
import { formOf, startConsole, TOKEN } from './support.ts';

const clock = createFixedClock(NOW);
let test: TestDatabase;
let site: TestConsole;

beforeAll(async () => {
  test = await createTestDatabase();
  site = await startConsole(test.db, clock);
});
afterAll(async () => {
  await site.close();
  await test.drop();
});
afterEach(() => {
  process.exitCode = undefined;
});

/** Runs `forestall operators …`: what it printed, to either output, and its exit status. */
async function run(...words: readonly string[]): Promise<{ printed: string; status: number }> {
  const close = async (): Promise<void> => undefined;
  const context = { db: test.db, clock, home: ORG, organisations: [], close };
  const { printed, status } = await runCommand(
    (program) => registerOperators(program, async () => context),
    ['operators', ...words],
  );
  return { printed, status };
}

async function cookieOf(token: string): Promise<string> {
  const answer = await site.post('/login', formOf({ token }));
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

describe('forestall operators', () => {
  it('says that there is none yet', async () => {
    const { printed, status } = await run('list');
    expect([printed, status]).toEqual([
      'No operator yet: only the console token lets anybody in.',
      0,
    ]);
  });

  it('adds one with a token that works, is printed once and stored nowhere', async () => {
    const { printed: token, status } = await run(
      'add',
      'Noor',
      '--role',
      'reviewer',
      '--show-token',
    );
    expect([status, token]).toEqual([0, expect.stringMatching(/^[\w-]{43}$/)]);
    const cookie = await cookieOf(token);
    expect((await site.get('/reviews', { cookie })).status).toBe(200);
    expect((await site.get('/operators', { cookie })).status).toBe(403);
    const listed = await run('list');
    expect(listed.printed).toMatch(
      /^Noor +reviewer +token to \d{4}-\d\d-\d\d, used \d{4}-\d\d-\d\d$/,
    );
    const { printed } = await run('list', '--json');
    expect(JSON.parse(printed)).toEqual({
      operators: [
        {
          name: 'Noor',
          role: 'reviewer',
          may: null,
          has_token: true,
          token_ends_at: new Date(Date.parse(NOW) + 365 * 86_400_000).toISOString(),
          token_used_at: new Date(NOW).toISOString(),
          email: null,
          created_at: new Date(NOW).toISOString(),
          created_by: 'cli',
        },
      ],
    });
    expect(listed.printed + printed).not.toContain(token);
  });

  it('changes role and token, and removes: each ends the sessions at once', async () => {
    const { printed: first } = await run('add', 'Kim', '--role', 'viewer', '--show-token');
    const before = await cookieOf(first);
    const changed = await run('role', 'Kim', 'administrator');
    expect(changed).toEqual({
      printed: 'Kim is administrator now; their sessions ended.',
      status: 0,
    });
    expect((await site.get('/', { cookie: before })).status).toBe(303);
    const asAdministrator = await cookieOf(first);
    expect((await site.get('/operators', { cookie: asAdministrator })).status).toBe(200);
    const { printed: second } = await run('token', 'Kim', '--show-token');
    expect((await site.get('/', { cookie: asAdministrator })).status).toBe(303);
    expect(await cookieOf(first)).toBe('');
    const last = await cookieOf(second);
    expect((await run('remove', 'Kim')).printed).toBe('Kim is no operator any more.');
    expect((await site.get('/', { cookie: last })).status).toBe(303);
    expect(await cookieOf(second)).toBe('');
    const audit = await test.db
      .selectFrom('audit')
      .select(['actor', 'what'])
      .where('subject_id', '=', 'Kim')
      .where('actor', '=', 'operator:cli')
      .orderBy('id')
      .execute();
    expect(audit.map(({ what }) => what)).toEqual([
      'operator added',
      'operator role changed',
      'operator token renewed',
      'operator removed',
    ]);
  });

  it.each([
    [
      ['add', 'Lee', '--role', 'king'],
      2,
      'The role must be one of viewer, reviewer, administrator',
    ],
    [['add', 'Lee', '--role', 'viewer', '--no-token'], 2, 'needs --email'],
    [['add', 'noor', '--role', 'viewer'], 1, 'There is an operator of this name already'],
    [['add', 'console', '--role', 'viewer'], 1, 'There is an operator of this name already'],
    [['add', 'api', '--role', 'viewer'], 1, 'There is an operator of this name already'],
    [['add', 'Lee', '--may', 'orders:all'], 2, 'A program may not orders:all'],
    [['add', 'Lee', '--may', 'orders:read', '--role', 'viewer'], 2, 'neither --role'],
    [['add', 'Lee', '--role', 'viewer', '--expires', '2040-01-01'], 2, 'at most 365 days'],
    [['add', 'Lee', '--role', 'viewer', '--expires', 'soon'], 2, 'as YYYY-MM-DD'],
    [['add', ' x', '--role', 'viewer'], 1, 'The name may have up to 60'],
    [['role', 'Nobody', 'viewer'], 1, 'There is no operator of this name'],
    [['token', 'Nobody'], 1, 'There is no operator of this name'],
    [['remove', 'Nobody'], 1, 'There is no operator of this name'],
  ])('%j ends with %i and says why', async (words, status, why) => {
    const found = await run(...words);
    expect(found).toEqual({ printed: expect.stringContaining(why), status });
    expect((await run('list')).printed.split('\n')).toHaveLength(1);
  });

  it('adds one who signs in at the identity provider only', async () => {
    const words = ['add', 'Mo', '--role', 'viewer', '--email', 'mo@example.com', '--no-token'];
    expect((await run(...words)).printed).toBe('Mo may sign in at the identity provider.');
    expect((await run('list')).printed).toMatch(/^Mo +viewer +mo@example\.com$/m);
  });
});

describe('a console with its own certificate', () => {
  it('speaks HTTPS alone, and its cookie never travels without', async () => {
    const authority = makeAuthority('an authority of this test');
    const { cert, key } = authority.issue('localhost');
    const folder = mkdtempSync(join(tmpdir(), 'console-tls-'));
    const [certPath, keyPath] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(certPath, cert);
    writeFileSync(keyPath, key);
    const settings = readSettings({
      FORESTALL_CONSOLE_HOST: '0.0.0.0',
      FORESTALL_CONSOLE_TOKEN: TOKEN,
      FORESTALL_TLS_CERT: certPath,
      FORESTALL_TLS_KEY: keyPath,
    });
    const place = {
      database: sourceOfUrl(test.connectionString),
      organisationId: ORG,
      integrationId: undefined,
      serviceUrl: 'http://127.0.0.1:9',
      apiKey: 'unused',
      partnerApiKey: undefined,
      brandTokens: IDENTITY_BRAND_TOKENS,
    };
    const parts = await openParts(place, createLog({ level: 'silent' }), { clock });
    const server = createConsoleRole(parts, {
      token: TOKEN,
      programmes: { required: [], reported: [] },
      counters: undefined,
      settings: settings.console,
      tls: settings.tls,
    });
    await new Promise<void>((done) => {
      server.listen(0, '127.0.0.1', done);
    });
    const { port } = server.address() as AddressInfo;
    const login = new Promise<string[]>((done, fail) => {
      const { headers, body } = formOf({ token: TOKEN });
      const options = { host: '127.0.0.1', servername: 'localhost', port, path: '/login' };
      request({ ...options, ca: authority.cert, method: 'POST', headers }, (answer) => {
        answer.resume();
        const { 'set-cookie': cookies = [], 'strict-transport-security': strict = '' } =
          answer.headers;
        done([String(answer.statusCode), ...cookies, strict]);
      })
        .on('error', fail)
        .end(body);
    });
    expect(await login).toEqual([
      '303',
      expect.stringMatching(
        /^__Host-forestall_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
      expect.stringContaining('max-age='),
    ]);
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed');
    // Nobody who asks for a certificate they trust is satisfied with this one.
    await expect(fetch(`https://localhost:${port}/healthz`)).rejects.toThrow('fetch failed');
    server.closeAllConnections();
    server.close();
    await parts.close();
    rmSync(folder, { recursive: true });
  });
});
