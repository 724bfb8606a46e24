/**
 * Guarantee: each thing that can be wrong is one line of the doctor's, with the next step; and asking
 * changes nothing at the service, at the processor or in our rows.
 */
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { warnOfLossyDatabase } from '../../../src/base/db/durability.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import { createFixedClock, systemClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import type { StatusLine } from '../../../src/base/kernel/status-line.ts';
import type { DoctorContext } from '../../../src/people/doctor/context.ts';
import { runDoctor } from '../../../src/people/doctor/doctor.ts';
import {
  createProbeSender,
  readOrganisationMode,
  refuseModeClash,
} from '../../../src/running/roles/organisation-mode.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import { createNoProcessor } from '../../../src/service/processor/no-processor.ts';
import type { Ability } from '../../../src/service/wire/abilities.ts';
import {
  createBrandTokens,
  IDENTITY_BRAND_TOKENS,
} from '../../../src/service/wire/brand-tokens.ts';
import { makeAuthority } from '../../faults/rig/certificate.ts';
import { useTestDatabase } from '../../support/database.ts';

const SECRET = 'processor-secret-for-tests';

const test = useTestDatabase();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ processorSecret: SECRET });
});
afterAll(async () => {
  await sandbox.close();
});

function contextOf(changes: Partial<DoctorContext> = {}): DoctorContext {
  const { organisationId, integrationId, organisationKey, partnerKey } = sandbox.accounts;
  const baseUrl = sandbox.processorUrl;
  return {
    settings: {
      mode: 'live',
      policyPath: undefined,
      notify: {},
      port: 8080,
      tls: undefined,
      processor: { kind: 'http', url: baseUrl, secret: SECRET },
      brandTokens: IDENTITY_BRAND_TOKENS,
    },
    isSandbox: true,
    service: {
      url: sandbox.url,
      apiKey: organisationKey,
      partnerApiKey: partnerKey,
      organisationId,
      integrationId,
      brandTokens: createBrandTokens(),
    },
    webhookSecrets: [sandbox.accounts.webhookSecret],
    webhookUrl: undefined,
    database: { value: test.db },
    databaseUrls: { main: test.connectionString, direct: undefined },
    processor: { value: createHttpProcessor({ baseUrl, secret: SECRET, clock: systemClock }) },
    clock: systemClock,
    // A folder without templates.
    projectRoot: new URL('.', import.meta.url).pathname,
    unknownSettings: [],
    freeBytes: async () => 50 * 1_024 ** 3,
    ...changes,
  };
}

async function lines(changes: Partial<DoctorContext> = {}): Promise<Map<string, StatusLine>> {
  const report = await runDoctor(contextOf(changes));
  for (const line of report.lines) {
    // What is not well comes with a step to take.
    expect(line.nextStep === null, line.name).toBe(line.status === 'ok');
  }
  return new Map(report.lines.map((line) => [line.name, line]));
}

/** The key of the organisation without some abilities. */
function keyWithout(...abilities: Ability[]): string {
  const { state } = sandbox;
  const full = [...state.keys.values()].find(
    ({ token }) => token === sandbox.accounts.organisationKey,
  );
  if (full === undefined) throw new Error('The sandbox has no key.');
  const token = `key-without-${abilities.join('-').replaceAll(':', '-')}`;
  const kept = full.abilities.filter((ability) => !abilities.includes(ability));
  state.keys.set(token, { ...full, id: token, token, abilities: kept });
  return token;
}

describe('everything right', () => {
  it('finds every ability, and changes nothing by asking', async () => {
    const rows = await test.db.selectFrom('fact').selectAll().execute();
    const found = await lines();
    const failures = [...found.values()].filter(({ status }) => status === 'failed');
    // No worker runs here.
    expect(failures.map(({ name }) => name)).toEqual([
      'worker, applying, deciding, refunding, declaring, polling, feeding, notifying',
    ]);
    for (const ability of ['alerts:write', 'orders:write', 'orders:update', 'enrolments_v2:read']) {
      expect(found.get(`ability ${ability}`)?.status).toBe('ok');
    }
    expect(found.get('test or live')?.detail).toBe('organisation test, processor test');
    expect(found.get('integration')?.status).toBe('ok');
    const { state } = sandbox;
    expect(state.orders.size).toBe(0);
    expect(state.alerts.size).toBe(0);
    expect(sandbox.patchLog).toEqual([]);
    expect(sandbox.charges()).toEqual([]);
    expect(await test.db.selectFrom('fact').selectAll().execute()).toEqual(rows);
  });
});

describe('what a 2xx is worth', () => {
  // The server of the tests runs without fsync; `synchronous_commit` is set for the database alone.
  it.each([
    ['off', /synchronous_commit is off for this database: a crash .* lose what was answered 200/],
    ['on', /^fsync is off on the server’s command line: [^;]*; full_page_writes is off [^;]*$/],
  ])('synchronous_commit %s', async (value, detail) => {
    await sql`alter database ${sql.ref(test.name)} set synchronous_commit = ${sql.lit(value)}`.execute(
      test.db,
    );
    const { connectionString } = test;
    const silent = createLog({ level: 'silent' });
    const fresh = openDatabase({ connectionString, log: silent, maxConnections: 1 });
    const said: string[] = [];
    const heard = createLog({ destination: { write: (text) => void said.push(text) } });
    try {
      const line = (await lines({ database: { value: fresh.db } })).get('durability');
      expect(line).toMatchObject({ status: 'warning', detail: expect.stringMatching(detail) });
      await warnOfLossyDatabase(fresh.db, heard);
    } finally {
      await fresh.close();
    }
    const advice = said.filter((text) => text.includes(`ALTER DATABASE ${test.name} SET`));
    expect(advice).toHaveLength(value === 'off' ? 1 : 0);
    expect(said).toHaveLength(value === 'off' ? 3 : 2);
  });
});

describe('keys', () => {
  it.each([
    ['alerts:write', 'failed'],
    ['alerts:read', 'failed'],
    ['orders:write', 'warning'],
    ['orders:update', 'warning'],
    ['lookups:read', 'warning'],
  ] as const)('without %s: %s, and only that one', async (ability, status) => {
    const service = { ...contextOf().service, apiKey: keyWithout(ability) };
    const found = await lines({ service });
    const wrong = [...found.values()].filter(
      (line) => line.name.startsWith('ability ') && line.status !== 'ok',
    );
    expect(wrong.map((line) => [line.name, line.status])).toEqual([[`ability ${ability}`, status]]);
  });

  it('a refused key is one line, and its abilities are not guessed at', async () => {
    const service = { ...contextOf().service, apiKey: 'a-key-nobody-knows' };
    const found = await lines({ service });
    expect(found.get('API key')?.status).toBe('failed');
    expect(found.has('ability alerts:read')).toBe(false);
  });

  it('without a partner key enrolments are not polled', async () => {
    const service = { ...contextOf().service, partnerApiKey: undefined };
    expect((await lines({ service })).get('partner key')?.status).toBe('warning');
  });
});

describe('what cannot be reached', () => {
  it('the service', async () => {
    const service = { ...contextOf().service, url: 'http://127.0.0.1:9' };
    const found = await lines({ service });
    expect(found.get('service')).toMatchObject({ status: 'failed' });
    expect(found.get('database')?.status).toBe('ok');
  });

  it('the database', async () => {
    const found = await lines({ database: { problem: 'not reached: refused' } });
    expect(found.get('database')?.status).toBe('failed');
    expect(found.get('service')?.status).toBe('ok');
  });

  it('the processor, or none', async () => {
    const gone = createHttpProcessor({
      baseUrl: 'http://127.0.0.1:9',
      secret: SECRET,
      clock: systemClock,
    });
    const away = await lines({ processor: { value: gone } });
    expect(away.get('processor')?.status).toBe('failed');
    // Not the line of a processor that offers nothing.
    expect(away.get('processor contract')).toMatchObject({
      status: 'failed',
      detail: 'it did not say what it offers',
    });
    const { settings } = contextOf();
    const none = await lines({
      settings: { ...settings, processor: { kind: 'none' } },
      processor: { value: createNoProcessor() },
    });
    expect(none.get('processor')?.status).toBe('warning');
  });

  it.each([
    [405, 'ok'],
    [200, 'failed'],
    [301, 'failed'],
  ])('an endpoint that answers %i: %s', async (httpStatus, status) => {
    const server = createServer((_request, response) => {
      response.writeHead(httpStatus, { location: 'https://elsewhere.example/' }).end();
    });
    const port = await listen(server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
    const webhookUrl = `http://127.0.0.1:${port}/webhooks`;
    expect((await lines({ webhookUrl })).get('endpoint')?.status).toBe(status);
    const live = { webhookUrl, isSandbox: false };
    expect((await lines(live)).get('endpoint')?.detail).toBe('the address is not https');
    await closeServer(server, 100);
  });
});

describe('the certificate of the endpoint', () => {
  const { cert, key } = makeAuthority('Nobody').issue('localhost');
  const endsMs = Date.parse(new X509Certificate(cert).validTo);
  const FORTNIGHT_MS = 14 * 24 * 3_600_000;
  const server = createTlsServer({ cert, key }, (_request, response) => {
    response.writeHead(405).end();
  });
  let webhookUrl: string;

  beforeAll(async () => {
    const port = await listen(server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
    webhookUrl = `https://localhost:${port}/webhooks`;
  });
  afterAll(() => closeServer(server, 100));

  it.each([
    [FORTNIGHT_MS, 'ok'],
    [FORTNIGHT_MS - 1_000, 'warning'],
  ])('%i ms before its end: %s, and nobody vouches for it', async (leftMs, status) => {
    const clock = createFixedClock(new Date(endsMs - leftMs).toISOString());
    const found = await lines({ webhookUrl, clock });
    expect(found.get('TLS certificate')).toMatchObject({
      status,
      detail: `valid until ${new Date(endsMs).toISOString()}`,
    });
    expect(found.get('endpoint')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('not reached: unable to verify the first certificate'),
    });
  });

  it('control: a server without one has none that can be read', async () => {
    const plain = createServer();
    const port = await listen(plain, { port: 0, host: '127.0.0.1', setting: 'PORT' });
    const found = await lines({ webhookUrl: `https://127.0.0.1:${port}/webhooks` });
    expect(found.get('TLS certificate')?.detail).toBe('none that can be read');
    await closeServer(plain, 100);
  });
});

describe('clocks', () => {
  it.each([
    [0, 'ok'],
    [31_000, 'warning'],
    [600_000, 'failed'],
  ])('this machine %i ms behind: %s', async (behindMs, status) => {
    const clock = { nowMs: () => Date.now() - behindMs };
    const found = await lines({ clock });
    expect(found.get('clock, service')?.status).toBe(status);
    expect(found.get('clock, database')?.status).toBe(status);
  });
});

describe('settings', () => {
  it('a policy that cannot be used, and secrets that are none', async () => {
    const { settings } = contextOf();
    const found = await lines({
      settings: { ...settings, policyPath: '/nowhere/policy.yaml' },
      webhookSecrets: ['a-secret-of-another-kind'],
    });
    expect(found.get('policy')?.status).toBe('failed');
    expect(found.get('signing secret')?.status).toBe('warning');
    expect((await lines({ webhookSecrets: [] })).get('signing secret')?.status).toBe('failed');
  });
});

describe('test or live (F86)', () => {
  function liveOrganisation(): { organisationId: string; apiKey: string } {
    sandbox.seed({
      organisations: [{ id: 'org_live', name: 'Live store', mode: 'live' }],
      keys: [{ organisation_id: 'org_live' }],
    });
    const key = [...sandbox.state.keys.values()].find(
      ({ owner_id: owner }) => owner === 'org_live',
    );
    return { organisationId: 'org_live', apiKey: key?.token ?? '' };
  }

  it('a live organisation and a test processor are refused, at the start too', async () => {
    const live = liveOrganisation();
    const context = contextOf();
    const service = { ...context.service, ...live };
    expect((await lines({ service })).get('test or live')).toMatchObject({
      status: 'failed',
      detail: 'organisation live, processor test',
    });
    const sender = createProbeSender(service);
    if (!('value' in context.processor)) throw new Error('no processor');
    const { value } = context.processor;
    await expect(refuseModeClash(sender, live.organisationId, value)).rejects.toThrow(
      'FORESTALL_API_KEY belongs to a live organisation and FORESTALL_PROCESSOR is a test one.',
    );
    const own = createProbeSender(context.service);
    await refuseModeClash(own, context.service.organisationId, value);
  });

  it('what cannot be known keeps nobody from working', async () => {
    const { service } = contextOf();
    const apiKey = keyWithout('simulations:alerts');
    const sender = createProbeSender({ ...service, apiKey });
    expect(await readOrganisationMode(sender, service.organisationId)).toBe('unknown');
    const away = createProbeSender({ ...service, url: 'http://127.0.0.1:9' });
    const live = { capabilities: async () => ({ mode: 'live' as const }) as never };
    await refuseModeClash(away, service.organisationId, live);
    await expect(
      refuseModeClash(createProbeSender(service), service.organisationId, live),
    ).rejects.toThrow('test organisation and FORESTALL_PROCESSOR is a live one');
  });
});
