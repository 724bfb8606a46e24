/**
 * Guarantee: what a console with a database user of its own is believed is said by the tables' owner: by `forestall operators
 * trust`, and by `forestall migrate` for the console token that it is told. For the organisation, or for the installation of
 * several; and one that is said does not unsay the other.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { migrate } from '../../../src/people/cli/migrate.ts';
import type { People } from '../../../src/people/cli/open-people.ts';
import { registerOperators } from '../../../src/people/cli/operators.ts';
import { INSTALLATION } from '../../../src/surface/access/right.store.ts';
import { hashSecret } from '../../../src/surface/access/secret.ts';
import { openAsConsole } from '../../support/console-role.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { CommandRun } from '../../support/run-command.ts';
import { runCommand } from '../../support/run-command.ts';
import { NOW, ORG } from '../reconcile/rows.ts';

const TOKEN = 'the-console-token-of-this-test-0123456789';
const test = useTestDatabase();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-trust-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  process.exitCode = undefined;
  await test.pool.query('truncate console_trust');
});

async function trust(words: readonly string[], people: Partial<People> = {}): Promise<CommandRun> {
  const close = async (): Promise<void> => undefined;
  const context = {
    db: test.db,
    clock: createFixedClock(NOW),
    home: ORG,
    organisations: [],
    close,
  };
  return await runCommand(
    (program) => registerOperators(program, async () => ({ ...context, ...people })),
    ['operators', 'trust', ...words],
  );
}

async function trusted(): Promise<unknown> {
  const { rows } = await test.pool.query<{ home: string; hash: Buffer | null; provider: boolean }>(
    'select organisation_id as home, console_token_hash as hash, trusts_provider as provider from console_trust order by home',
  );
  return rows.map(({ home, hash, provider }) => [
    home,
    hash === null ? null : hash.equals(hashSecret(TOKEN)),
    provider,
  ]);
}

it('trust says the console token and the provider, each by itself', async () => {
  vi.stubEnv('FORESTALL_CONSOLE_TOKEN', TOKEN);
  expect(await trust(['--provider', 'yes'])).toMatchObject({
    out: 'So may administrators who sign in at the identity provider.',
    status: 0,
  });
  expect(await trusted()).toEqual([[ORG, null, true]]);
  const { out } = await trust(['--console-token']);
  expect(out).toBe('Whoever signs in with the console token may change rights.');
  expect(out).not.toContain(TOKEN);
  expect(await trusted()).toEqual([[ORG, true, true]]);
  expect((await trust(['--provider', 'no'])).out).toContain('gave their own token');
  expect(await trusted()).toEqual([[ORG, true, false]]);
  await trust(['--console-token', '--provider', 'yes'], { home: INSTALLATION });
  expect(await trusted()).toEqual([
    [INSTALLATION, true, true],
    [ORG, true, false],
  ]);
});

it.each([
  [[], 'Say what is believed'],
  [['--provider', 'maybe'], '--provider is yes or no'],
  [['--console-token'], 'FORESTALL_CONSOLE_TOKEN, or FORESTALL_CONSOLE_TOKEN_FILE, is missing'],
])('trust %j is refused, says why and writes nothing', async (words, why) => {
  vi.stubEnv('FORESTALL_CONSOLE_TOKEN', undefined);
  const run = await trust(words);
  expect([run.status, run.printed]).toEqual([2, expect.stringContaining(why)]);
  expect(await trusted()).toEqual([]);
});

it('trust with the database user of a console is refused with the next step', async () => {
  const taken = openAsConsole(test.name, ORG);
  const run = await trust(['--provider', 'yes'], { db: taken.db });
  await taken.close();
  expect([run.status, run.printed]).toEqual([1, expect.stringContaining('"forestall migrate"')]);
  expect(await trusted()).toEqual([]);
});

function stub(env: Readonly<Record<string, string>>): void {
  vi.stubEnv('DATABASE_URL', test.connectionString);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

it('migrate trusts the console token of the one organisation, and leaves the provider as it was', async () => {
  stub({ FORESTALL_CONSOLE_TOKEN: TOKEN, FORESTALL_ORGANISATION_ID: ORG });
  await migrate({});
  expect(await trusted()).toEqual([[ORG, true, false]]);
  await trust(['--provider', 'yes']);
  vi.stubEnv('FORESTALL_CONSOLE_TOKEN', `${TOKEN}-another`);
  await migrate({});
  expect(await trusted()).toEqual([[ORG, false, true]]);
});

it('migrate without a console token trusts nothing', async () => {
  stub({ FORESTALL_ORGANISATION_ID: ORG });
  await migrate({});
  expect(await trusted()).toEqual([]);
});

it.each([
  [['one'], [['org_one', true, false]]],
  [['one', 'two'], [[INSTALLATION, true, false]]],
])(
  'migrate for an installation of %j trusts it where its people are entered',
  async (names, expected) => {
    const file = join(folder, `${names.length}.yaml`);
    const entries = names.map(
      (name) =>
        `  - {id: org_${name}, name: ${name}, path: ${name}, api_key: {env: KEY_${name}}, webhook_secrets: [{env: SECRET_${name}}]}`,
    );
    const defaults = "defaults: {service_url: 'https://127.0.0.1:9', processor: none}";
    await writeFile(file, ['version: 1', defaults, 'organisations:', ...entries, ''].join('\n'));
    stub({
      FORESTALL_CONSOLE_TOKEN: TOKEN,
      FORESTALL_INSTALLATION: file,
      KEY_one: 'key-of-one-0123456789',
      KEY_two: 'key-of-two-0123456789',
      SECRET_one: 'whsec_of_one_0123456789',
      SECRET_two: 'whsec_of_two_0123456789',
    });
    await migrate({});
    expect(await trusted()).toEqual(expected);
  },
);
