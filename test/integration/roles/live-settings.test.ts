/**
 * Guarantee: secrets given as files are exchanged without a restart: each takes effect wherever it is used,
 * none that cannot be used takes the place of one that could, and no value is told.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signDelivery } from '../../../src/alerts/receive/signature.ts';
import { dataKeysOf } from '../../../src/base/db/carried-keys.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createConsoleRole } from '../../../src/people/console/console-role.ts';
import type { FollowOptions, LiveSettings } from '../../../src/running/live-settings.ts';
import { openLiveSettings } from '../../../src/running/live-settings.ts';
import { openProcessor } from '../../../src/running/roles/open-processor.ts';
import type { OrganisationParts } from '../../../src/running/roles/parts.ts';
import { openParts } from '../../../src/running/roles/parts.ts';
import type { ServeRole } from '../../../src/running/roles/serve.ts';
import { createServeRole } from '../../../src/running/roles/serve.ts';
import type { ServiceAccess } from '../../../src/running/roles/service-access.ts';
import { accessToService, databaseAt } from '../../../src/running/roles/service-access.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { Processor } from '../../../src/service/wire/processor.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const PROCESSOR_SECRET = 'processor-secret-as-the-endpoint-has-it';
const WRONG = 'wrong-0123456789-wrong-0123456789';
const [KEY_ONE, KEY_TWO] = [1, 2].map((number) => {
  return `k${number}:${randomBytes(32).toString('base64')}`;
}) as [string, string];

let folder: string;
let test: TestDatabase;
let sandbox: Sandbox;
let live: LiveSettings;
let access: ServiceAccess;
let parts: OrganisationParts;
let processor: Processor;
let serve: ServeRole;
let site: Server;
let webhookUrl: string;
let consoleUrl: string;
let follow: FollowOptions;
const lines: string[] = [];

/** Writes a setting's file. */
async function put(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), `${text}\n`);
}

async function exchange(name: string, text: string): Promise<void> {
  await put(name, text);
  await live.refresh(follow);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-secrets-'));
  test = await createTestDatabase();
  sandbox = await createSandbox({ processorSecret: PROCESSOR_SECRET });
  await put('FORESTALL_API_KEY', WRONG);
  await put('FORESTALL_WEBHOOK_SECRETS', 'whsec_first_0123456789');
  await put('FORESTALL_PROCESSOR_SECRET', `${WRONG}-too`);
  await put('FORESTALL_CONSOLE_TOKEN', 'console-token-number-one');
  await put('FORESTALL_DATA_KEYS', KEY_ONE);
  await put('FORESTALL_LOG_LEVEL', 'info');
  const names = [
    'FORESTALL_API_KEY',
    'FORESTALL_WEBHOOK_SECRETS',
    'FORESTALL_PROCESSOR_SECRET',
    'FORESTALL_CONSOLE_TOKEN',
    'FORESTALL_DATA_KEYS',
    'FORESTALL_LOG_LEVEL',
  ];
  live = openLiveSettings({
    DATABASE_URL: test.connectionString,
    FORESTALL_SERVICE_URL: sandbox.url,
    FORESTALL_ORGANISATION_ID: sandbox.accounts.organisationId,
    FORESTALL_PROCESSOR: sandbox.processorUrl,
    // The suite's own password is not meant here.
    FORESTALL_MODE: 'shadow',
    ...Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, name)])),
  });
  const log = createLog({ destination: { write: (line) => void lines.push(line) } });
  access = accessToService(
    live,
    databaseAt(test.connectionString, live, live.current().organisationId),
  );
  parts = await openParts(access.endpoints, log);
  follow = { log, keyAdmission: parts.keyAdmission };
  processor = await openProcessor(access.processor, systemClock);
  serve = createServeRole(parts, {
    get webhookSecrets(): readonly string[] {
      return access.webhookSecrets;
    },
    tls: undefined,
  });
  const port = await listen(serve.server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  webhookUrl = `http://127.0.0.1:${port}/webhooks`;
  site = createConsoleRole(parts, {
    get token(): string {
      return live.current().consoleToken ?? '';
    },
    programmes: live.current().programmes,
    counters: undefined,
  });
  const consolePort = await listen(site, { port: 0, host: '127.0.0.1', setting: 'PORT' });
  consoleUrl = `http://127.0.0.1:${consolePort}`;
});
afterAll(async () => {
  await closeServer(site, 200);
  await closeServer(serve.server, 200);
  await serve.close();
  await parts.close();
  await sandbox.close();
  await test.drop();
  await rm(folder, { recursive: true, force: true });
});

async function deliver(secret: string): Promise<number> {
  const body = Buffer.from(JSON.stringify({ id: `evt_${randomBytes(6).toString('hex')}` }));
  const signature = signDelivery(secret, body, Math.floor(Date.now() / 1_000));
  const answer = await fetch(webhookUrl, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-signature': signature },
  });
  await answer.text();
  return answer.status;
}

async function visit(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${consoleUrl}/api/alerts`, { headers });
  await answer.text();
  return answer.status;
}

describe('secrets in files, exchanged while the process runs', () => {
  it('the API key, at the next call', async () => {
    const ask = (): Promise<unknown> => parts.client.alerts.get('netalrt_0123456789');
    await expect(ask()).rejects.toMatchObject({ httpStatus: 401 });
    await exchange('FORESTALL_API_KEY', sandbox.accounts.organisationKey);
    await expect(ask()).rejects.toMatchObject({ httpStatus: 404 });
  });

  it('the webhook secrets, at the next delivery; the old one until it is taken out', async () => {
    const [first, second] = ['whsec_first_0123456789', 'whsec_second_0123456789'];
    expect([await deliver(first), await deliver(second)]).toEqual([200, 401]);
    await exchange('FORESTALL_WEBHOOK_SECRETS', `${second},${first}`);
    expect([await deliver(first), await deliver(second)]).toEqual([200, 200]);
    await exchange('FORESTALL_WEBHOOK_SECRETS', second);
    expect([await deliver(first), await deliver(second)]).toEqual([401, 200]);
  });

  it('the processor’s secret, at the next call', async () => {
    expect((await processor.readCharge('ch_unknown')).kind).toBe('unavailable');
    await exchange('FORESTALL_PROCESSOR_SECRET', PROCESSOR_SECRET);
    expect((await processor.readCharge('ch_unknown')).kind).toBe('absent');
  });

  it('the console token, at the next request', async () => {
    expect(await visit('console-token-number-one')).toBe(200);
    await exchange('FORESTALL_CONSOLE_TOKEN', 'console-token-number-two');
    expect(await visit('console-token-number-one')).toBe(401);
    expect(await visit('console-token-number-two')).toBe(200);
  });

  it('data keys: noted before anything is sealed, and never without one that rows need', async () => {
    const { db } = parts.database;
    const noted = async (): Promise<unknown> =>
      (await sql<{ key_id: string }>`select key_id from data_key order by key_id`.execute(db)).rows;
    expect(dataKeysOf(db)?.sealing?.id).toBe('k1');
    await exchange('FORESTALL_DATA_KEYS', `${KEY_TWO},${KEY_ONE}`);
    expect(dataKeysOf(db)?.sealing?.id).toBe('k2');
    expect(await noted()).toEqual([{ key_id: 'k1' }, { key_id: 'k2' }]);
    expect(await deliver('whsec_second_0123456789')).toBe(200);
    const { rows } = await sql`select key_id from inbox_event order by seq desc limit 1`.execute(
      db,
    );
    expect(rows).toEqual([{ key_id: 'k2' }]);

    await exchange('FORESTALL_DATA_KEYS', KEY_TWO);
    expect([...(dataKeysOf(db)?.byId.keys() ?? [])]).toEqual(['k2', 'k1']);
    expect(lines.at(-1)).toContain('sealed under data key k1');
    await exchange('FORESTALL_DATA_KEYS', `${KEY_TWO},${KEY_ONE}`);
  });

  it('one that cannot be used changes nothing, is told of once by name, and is tried when mended', async () => {
    const before = lines.length;
    await exchange('FORESTALL_CONSOLE_TOKEN', 'short');
    await live.refresh(follow);
    expect(await visit('console-token-number-two')).toBe(200);
    const told = lines.slice(before);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('FORESTALL_CONSOLE_TOKEN');
    await rm(join(folder, 'FORESTALL_CONSOLE_TOKEN'));
    await live.refresh(follow);
    expect(await visit('console-token-number-two')).toBe(200);
    await exchange('FORESTALL_CONSOLE_TOKEN', 'console-token-number-three');
    expect(await visit('console-token-number-three')).toBe(200);
  });

  it('a database that is away puts data keys off, and the next look tries again', async () => {
    const third = `k3:${randomBytes(32).toString('base64')}`;
    await put('FORESTALL_DATA_KEYS', `${third},${KEY_TWO},${KEY_ONE}`);
    const away = { admitNext: () => Promise.reject(new Error('away')) };
    await live.refresh({ ...follow, keyAdmission: away });
    expect(dataKeysOf(parts.database.db)?.sealing?.id).toBe('k2');
    await live.refresh(follow);
    expect(dataKeysOf(parts.database.db)?.sealing?.id).toBe('k3');
  });

  it('other settings wait for the next start, and are named', async () => {
    await exchange('FORESTALL_LOG_LEVEL', 'debug');
    expect(live.current().logLevel).toBe('info');
    expect(lines.at(-1)).toMatch(/next start/);
    expect(lines.at(-1)).toContain('FORESTALL_LOG_LEVEL');
  });

  it('are found by looking, and at once on SIGHUP', async () => {
    const taken = async (token: string): Promise<void> => {
      while (live.current().consoleToken !== token) await new Promise((done) => setImmediate(done));
    };
    await put('FORESTALL_CONSOLE_TOKEN', 'console-token-number-four');
    const looking = live.follow({ ...follow, lookEveryMs: 20 });
    await taken('console-token-number-four');
    looking();
    const listening = live.follow({ ...follow, lookEveryMs: 3_600_000 });
    await put('FORESTALL_CONSOLE_TOKEN', 'console-token-number-five');
    process.emit('SIGHUP', 'SIGHUP');
    await taken('console-token-number-five');
    listening();
    expect(process.listenerCount('SIGHUP')).toBe(0);
  });

  it('no value stands in the log', () => {
    const text = lines.join('\n');
    for (const secret of [WRONG, 'whsec_', 'console-token', PROCESSOR_SECRET, KEY_ONE, KEY_TWO]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('secrets read again');
  });
});
