/**
 * Guarantee: of each of these faults the doctor names the cause and the next step, within ten seconds for the
 * whole report, and says about a well installation that nothing is wrong.
 *
 * Each fault is planted in the world itself: a setting, a server that misbehaves, a right that is taken away.
 * Where PostgreSQL cannot be brought to it here (a full disk), a trigger raises PostgreSQL's own error.
 */
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { pauseMoney } from '../../../src/alerts/guard/pause.store.ts';
import { addDeliveryMinutes } from '../../../src/alerts/receive/delivery-minute.store.ts';
import { setAlarm } from '../../../src/alerts/reconcile/poll-alarm.ts';
import { RECONCILE_FACTS } from '../../../src/alerts/reconcile/reconcile-facts.ts';
import { openDatabase } from '../../../src/base/db/connect.ts';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';
import { sourceOfUrl } from '../../../src/base/db/source.ts';
import { closeServer, listen } from '../../../src/base/http/listen.ts';
import { beat } from '../../../src/base/jobs/heartbeat.store.ts';
import { writeNamedValue } from '../../../src/base/jobs/named-value.store.ts';
import { createFixedClock, systemClock } from '../../../src/base/kernel/clock.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { contextOfOrganisation } from '../../../src/people/cli/doctor-context.ts';
import type { DoctorContext } from '../../../src/people/doctor/context.ts';
import { runDoctor } from '../../../src/people/doctor/doctor.ts';
import { DOCTOR_DATABASE, reachDatabase } from '../../../src/people/doctor/reach-database.ts';
import { readSettings } from '../../../src/running/config.ts';
import { readOrganisations } from '../../../src/running/installation/installation-watcher.ts';
import { servedOrganisation } from '../../../src/running/roles/installation-roles.ts';
import { unknownSettings } from '../../../src/running/unknown-settings.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createHttpProcessor } from '../../../src/service/processor/http-processor.ts';
import type { Ability } from '../../../src/service/wire/abilities.ts';
import {
  createBrandTokens,
  IDENTITY_BRAND_TOKENS,
} from '../../../src/service/wire/brand-tokens.ts';
import type { Processor, ProcessorCapabilities } from '../../../src/service/wire/processor.ts';
import { makeAuthority } from '../../faults/rig/certificate.ts';
import { overTcp, useTestDatabase } from '../../support/database.ts';
import { insertCase } from '../reconcile/rows.ts';

const SECRET = 'processor-secret-for-tests';
const silent = createLog({ level: 'silent' });

const test = useTestDatabase();
let sandbox: Sandbox;
let folder: string;
/** Takes messages, though none is ever sent to it. */
let hook: string;
const receiver = createServer();
/** Taken back after each test, last first. */
const undo: (() => unknown)[] = [];

beforeAll(async () => {
  sandbox = await createSandbox({ processorSecret: SECRET });
  folder = await mkdtemp(join(tmpdir(), 'forestall-doctor-'));
  hook = `http://127.0.0.1:${await listen(receiver, { port: 0, host: '127.0.0.1', setting: 'PORT' })}/1`;
});
afterAll(async () => {
  await closeServer(receiver, 10);
  await sandbox.close();
  await rm(folder, { recursive: true });
});
afterEach(async () => {
  for (const back of undo.splice(0).reverse()) await back();
});

const now = (): Date => new Date();
const scope = (): { organisationId: string; now: Date } => ({
  organisationId: sandbox.accounts.organisationId,
  now: now(),
});

function contextOf(): DoctorContext {
  const { organisationId, integrationId, organisationKey, partnerKey } = sandbox.accounts;
  return {
    settings: {
      mode: 'live',
      policyPath: undefined,
      notify: { url: hook, allowLoopback: true },
      port: 8080,
      tls: undefined,
      processor: { kind: 'http', url: sandbox.processorUrl, secret: SECRET },
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
    processor: processorAt(sandbox.processorUrl),
    clock: systemClock,
    projectRoot: folder,
    unknownSettings: [],
    freeBytes: async () => 50 * 1_024 ** 3,
  };
}

function processorAt(baseUrl: string): DoctorContext['processor'] {
  return { value: createHttpProcessor({ baseUrl, secret: SECRET, clock: systemClock }) };
}

/** A server of its own for one test. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  return `http://127.0.0.1:${await open(server)}`;
}

async function open(server: Server): Promise<number> {
  undo.push(() => closeServer(server, 10));
  return await listen(server, { port: 0, host: '127.0.0.1', setting: 'PORT' });
}

/** Takes connections and never says a word. */
async function silence(): Promise<number> {
  const sockets: { destroy(): void }[] = [];
  const server = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const status =
  (code: number): RequestListener =>
  (_request, response) =>
    response.writeHead(code, { 'content-type': 'text/html' }).end('<html></html>');

function service(changes: Partial<DoctorContext['service']>): Partial<DoctorContext> {
  return { service: { ...contextOf().service, ...changes } };
}

function processor(url: string): Partial<DoctorContext> {
  return { processor: processorAt(url) };
}

/** Merchants with processors of their own: the sandbox's, but for what is said. */
function ofMerchants(
  ...merchants: readonly {
    readonly id: string;
    readonly url?: string;
    readonly says?: Partial<ProcessorCapabilities>;
  }[]
): Partial<DoctorContext> {
  return {
    merchants: merchants.map(({ id, url: baseUrl = sandbox.processorUrl, says }) => {
      const own = createHttpProcessor({ baseUrl, secret: SECRET, clock: systemClock });
      const capabilities: Processor['capabilities'] = async (signal) => {
        const said = await own.capabilities(signal);
        return said === undefined ? undefined : { ...said, ...says };
      };
      return { id, processor: { value: { ...own, capabilities } } };
    }),
  };
}

/** The key of the organisation without an ability. */
function keyWithout(ability: Ability): string {
  const full = [...sandbox.state.keys.values()].find(
    ({ token }) => token === sandbox.accounts.organisationKey,
  );
  if (full === undefined) throw new Error('The sandbox has no key.');
  const token = `key-without-${ability}`;
  const abilities = full.abilities.filter((one) => one !== ability);
  sandbox.state.keys.set(token, { ...full, id: token, token, abilities });
  return token;
}

/** What the doctor's own connection to this address finds. */
async function databaseAt(url: URL): Promise<Partial<DoctorContext>> {
  const database = openDatabase({
    connectionString: url.href,
    log: silent,
    maxConnections: 3,
    ...DOCTOR_DATABASE,
  });
  undo.push(() => database.close());
  return {
    database: await reachDatabase(database),
    databaseUrls: { main: url.href, direct: undefined },
  };
}

function urlWith(change: (url: URL) => void): URL {
  const url = overTcp(test.connectionString);
  change(url);
  return url;
}

/** A user of its own, with this much allowed. */
async function user(...grants: string[]): Promise<URL> {
  const name = `doctor_${randomBytes(4).toString('hex')}`;
  await sql.raw(`create role ${name} login password 'right'`).execute(test.db);
  for (const grant of grants) await sql.raw(`grant ${grant} to ${name}`).execute(test.db);
  undo.push(async () => {
    await sql.raw(`drop owned by ${name}`).execute(test.db);
    await sql.raw(`drop role ${name}`).execute(test.db);
  });
  return urlWith((url) => {
    url.username = name;
    url.password = 'right';
  });
}

async function file(text: string): Promise<string> {
  const path = join(folder, `${randomBytes(4).toString('hex')}.yaml`);
  await writeFile(path, text);
  return path;
}

interface Plant {
  readonly fault: string;
  readonly plant: () => Promise<Partial<DoctorContext>> | Partial<DoctorContext>;
  /** The line that must name it. */
  readonly line: string | RegExp;
  readonly cause: RegExp;
  readonly step: RegExp;
}

function consoleWith(issuer: string): ReturnType<typeof readSettings>['console'] {
  const own = { clientId: 'forestall', clientSecret: 'a-secret-of-the-client' };
  return {
    ...readSettings({}).console,
    oidc: { issuer, ...own, consoleUrl: 'https://console.example' },
  };
}

const withSettings = (changes: Partial<DoctorContext['settings']>): Partial<DoctorContext> => ({
  settings: { ...contextOf().settings, ...changes },
});

const PLANTS: readonly Plant[] = [
  // Settings and this machine
  {
    fault: 'a misspelt setting',
    plant: () => ({ unknownSettings: unknownSettings({ FORESTALL_POLCY: 'policy.yaml' }) }),
    line: 'settings',
    cause: /^FORESTALL_POLCY is set, and nothing reads it$/,
    step: /Was FORESTALL_POLICY meant\?/,
  },
  {
    fault: 'a full disk here',
    plant: () => ({ freeBytes: async () => 50 * 1_024 ** 2 }),
    line: 'disk',
    cause: /^0\.0 GB are free/,
    step: /Make room/,
  },
  // The organisation and its keys
  {
    fault: 'a wrong FORESTALL_ORGANISATION_ID, on an empty organisation',
    plant: () => service({ organisationId: 'org_of_somebody_else' }),
    line: 'organisation',
    cause: /the API key belongs to another organisation/,
    step: /Copy the id that the dashboard shows/,
  },
  {
    fault: 'a wrong FORESTALL_ORGANISATION_ID, where alerts are listed',
    plant: () => {
      sandbox.createAlert({ amount_in_cents: 4_711 });
      return service({
        organisationId: 'org_of_somebody_else',
        apiKey: keyWithout('simulations:alerts'),
      });
    },
    line: 'organisation',
    cause: /the API key belongs to another organisation/,
    step: /take the key of that organisation/,
  },
  {
    fault: 'a database of another organisation',
    plant: async () => {
      await insertCase(test.db, 'netalrt_other', { organisationId: 'org_other' });
      undo.push(() => sql`delete from alert_case`.execute(test.db));
      return {};
    },
    line: 'organisation',
    cause: /holds alerts of another organisation and none of this one/,
    step: /Compare FORESTALL_ORGANISATION_ID and DATABASE_URL/,
  },
  {
    fault: 'a revoked key',
    plant: () => service({ apiKey: 'a-key-nobody-knows' }),
    line: 'API key',
    cause: /refused by the service \(401\)/,
    step: /set FORESTALL_API_KEY/,
  },
  {
    fault: 'a key that may not answer',
    plant: () => service({ apiKey: keyWithout('alerts:write') }),
    line: 'ability alerts:write',
    cause: /missing: answering alerts does not work/,
    step: /Give the key this ability/,
  },
  {
    fault: 'a key that may not send orders',
    plant: () => service({ apiKey: keyWithout('orders:write') }),
    line: 'ability orders:write',
    cause: /missing: sending orders does not work/,
    step: /Give the key this ability/,
  },
  {
    fault: 'a key that may not update orders',
    plant: () => service({ apiKey: keyWithout('orders:update') }),
    line: 'ability orders:update',
    cause: /missing: updating orders, and telling of refunds does not work/,
    step: /Give the key this ability/,
  },
  {
    fault: 'no partner key',
    plant: () => service({ partnerApiKey: undefined }),
    line: 'partner key',
    cause: /none is set/,
    step: /FORESTALL_PARTNER_API_KEY/,
  },
  {
    fault: 'a refused partner key',
    plant: () => service({ partnerApiKey: 'nobody-knows-this-one' }),
    line: 'partner key',
    cause: /refused by the service \(401\)/,
    step: /FORESTALL_PARTNER_API_KEY/,
  },
  {
    fault: 'an integration that does not exist',
    plant: () => service({ integrationId: 'int_nowhere' }),
    line: 'integration',
    cause: /int_nowhere is not among them/,
    step: /correct FORESTALL_INTEGRATION_ID/,
  },
  // The service
  {
    fault: 'a service that refuses connections',
    plant: () => service({ url: 'http://127.0.0.1:9' }),
    line: 'service',
    cause: /no answer \(NETWORK\)/,
    step: /Check the host in FORESTALL_SERVICE_URL, DNS, the firewall/,
  },
  {
    fault: 'a service that never answers',
    plant: async () => service({ url: `http://127.0.0.1:${await silence()}` }),
    line: 'service',
    cause: /no answer \(TIMEOUT\)/,
    step: /It takes longer than 3 s/,
  },
  {
    fault: 'a service that fails',
    plant: async () => service({ url: await serve(status(500)) }),
    line: 'service',
    cause: /no answer \(SERVER_ERROR\)/,
    step: /The service fails itself/,
  },
  {
    fault: 'an address where something else answers',
    plant: async () => service({ url: await serve(status(200)) }),
    line: 'service',
    cause: /no answer \(UNREADABLE\)/,
    step: /compare FORESTALL_SERVICE_URL/,
  },
  {
    fault: 'a clock that is ten minutes late',
    plant: () => ({ clock: { nowMs: () => Date.now() - 600_000 } }),
    line: 'clock, service',
    // The header has whole seconds, and half of an answer's three seconds may be on one way only.
    cause: /the service is (?:59[89]|60[0-2]) s ahead/,
    step: /NTP/,
  },
  // The database
  {
    fault: 'a database that refuses connections',
    plant: async () => {
      const port = String(await freePort());
      return await databaseAt(urlWith((url) => (url.port = port)));
    },
    line: 'database',
    cause: /nothing listens at its address/,
    step: /Start the server, or correct host and port/,
  },
  {
    fault: 'a database behind a firewall',
    plant: async () => {
      const port = String(await silence());
      return await databaseAt(urlWith((url) => (url.port = port)));
    },
    line: 'database',
    cause: /it does not answer/,
    step: /Look for a firewall/,
  },
  {
    fault: 'a host name that is not known',
    plant: () => databaseAt(urlWith((url) => (url.hostname = 'database.invalid'))),
    line: 'database',
    cause: /host name/,
    step: /DNS/,
  },
  {
    fault: 'a database that does not exist',
    plant: () => databaseAt(urlWith((url) => (url.pathname = '/nowhere'))),
    line: 'database',
    cause: /no database of this name/,
    step: /createdb/,
  },
  {
    fault: 'an unmigrated database',
    plant: () => databaseAt(new URL(inject('postgresUrl'))),
    line: 'migrations',
    cause: /0001_spine.* missing/,
    step: /forestall migrate/,
  },
  {
    fault: 'a read-only database',
    plant: () =>
      databaseAt(
        urlWith((url) => url.searchParams.set('options', '-c default_transaction_read_only=on')),
      ),
    line: 'database',
    cause: /it answers and is read-only/,
    step: /Let DATABASE_URL lead to the primary/,
  },
  {
    fault: 'a user without the right to read',
    plant: async () =>
      await databaseAt(await user('usage on schema forestall', 'select on forestall_migration')),
    line: 'database rights',
    cause: /this user may not read activity_day, .* and \d+ more/,
    step: /migrations\/roles\.sql/,
  },
  {
    fault: 'a user without the right to write',
    plant: async () =>
      await databaseAt(
        await user('usage on schema forestall', 'select on all tables in schema forestall'),
      ),
    line: 'database rights',
    cause: /this user may not write/,
    step: /forestall_app/,
  },
  {
    fault: 'a full disk at the database',
    plant: async () => {
      await sql
        .raw(
          `create function disk_full() returns trigger language plpgsql as $$ begin
            raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
          create trigger disk_full before insert on notification execute function disk_full();`,
        )
        .execute(test.db);
      undo.push(() => sql.raw('drop function disk_full cascade').execute(test.db));
      return {};
    },
    line: 'database disk',
    cause: /disk is full/,
    step: /Make room on the database server/,
  },
  {
    fault: 'a direct address that leads nowhere',
    plant: async () => {
      const port = String(await freePort());
      const direct = urlWith((url) => (url.port = port)).href;
      return { databaseUrls: { main: test.connectionString, direct } };
    },
    line: 'direct database',
    cause: /nothing listens at its address: no wake-ups and no migrations/,
    step: /FORESTALL_DATABASE_DIRECT_URL/,
  },
  {
    fault: 'a table that somebody has locked',
    plant: async () => {
      const holder = await test.pool.connect();
      await holder.query('begin; lock table feed_brake in access exclusive mode');
      undo.push(async () => {
        await holder.query('rollback');
        holder.release();
      });
      return await databaseAt(overTcp(test.connectionString));
    },
    line: /(^|, )operation$/,
    cause: /^a lock is held on what is read$/,
    step: /pg_blocking_pids/,
  },
  {
    fault: 'a server without a free connection',
    plant: async () => {
      const url = await user('usage on schema forestall');
      await sql.raw(`alter role ${url.username} connection limit 0`).execute(test.db);
      return await databaseAt(url);
    },
    line: 'database',
    cause: /^it has no connection left$/,
    step: /put a pooler before it/,
  },
  // The processor
  {
    fault: 'a processor that never answers',
    plant: async () => processor(`http://127.0.0.1:${await silence()}`),
    line: 'processor',
    cause: /gives no answer/,
    step: /It takes longer than 3 s/,
  },
  {
    fault: 'a processor that refuses our signature',
    plant: async () => processor(await serve(status(401))),
    line: 'processor',
    cause: /answered 401/,
    step: /compare FORESTALL_PROCESSOR_SECRET/,
  },
  {
    fault: 'a processor that fails',
    plant: async () => processor(await serve(status(500))),
    line: 'processor',
    cause: /answered 500/,
    step: /It fails itself: read its log/,
  },
  {
    fault: 'a processor that is not there',
    plant: () => processor('http://127.0.0.1:9'),
    line: 'processor',
    cause: /gives no answer/,
    step: /Check host, port, DNS/,
  },
  // Merchants with a processor of their own
  {
    fault: 'a processor of a merchant that is not there',
    plant: () => ofMerchants({ id: 'm_1' }, { id: 'm_2', url: 'http://127.0.0.1:9' }),
    line: 'processor of merchant m_2',
    cause: /gives no answer/,
    step: /certificate of the merchant's processor in the installation file/,
  },
  {
    fault: 'a processor of a merchant that refuses our signature',
    plant: async () => ofMerchants({ id: 'm_1', url: await serve(status(401)) }),
    line: 'processor of merchant m_1',
    cause: /answered 401/,
    step: /compare the merchant's processor_secret/,
  },
  {
    fault: 'a processor of a merchant that cannot be loaded',
    plant: () => ({ merchants: [{ id: 'm_1', processor: { problem: 'no module' } }] }),
    line: 'processor of merchant m_1',
    cause: /no module/,
    step: /Correct the merchant's processor/,
  },
  {
    fault: 'a live processor of a merchant for a test organisation',
    plant: () => ofMerchants({ id: 'm_1', says: { mode: 'live' } }),
    line: 'processor of merchant m_1',
    cause: /organisation test, processor live/,
    step: /of the same kind/,
  },
  {
    fault: 'a processor of a merchant that lets a lost answer be',
    plant: () =>
      ofMerchants({ id: 'm_1', says: { canLookupByReference: false, idempotencyTtlHours: 0 } }),
    line: 'processor of merchant m_1',
    cause: /look-up by key no, keys live none/,
    step: /every lost answer waits for a person|without it every lost answer/,
  },
  // Webhooks
  {
    fault: 'no signing secret',
    plant: () => ({ webhookSecrets: [] }),
    line: 'signing secret',
    cause: /none is set/,
    step: /Copy it from the dashboard/,
  },
  {
    fault: 'an endpoint where something else answers',
    plant: async () => ({ webhookUrl: `${await serve(status(200))}/webhooks` }),
    line: 'endpoint',
    cause: /something else answers there \(status 200\)/,
    step: /forestall serve/,
  },
  {
    fault: 'an endpoint that nobody reaches',
    plant: () => ({ webhookUrl: 'http://127.0.0.1:9/webhooks' }),
    line: 'endpoint',
    cause: /not reached/,
    step: /Check DNS, the proxy, the certificate/,
  },
  {
    fault: 'another secret than the service signs with, after one that was right',
    plant: async () => {
      const earlier = new Date(Date.now() - 3_600_000);
      const minuteMs = Math.floor(Date.now() / 60_000) * 60_000;
      const { organisationId } = sandbox.accounts;
      const noted = (verdict: string, ms: number, count: number) => ({
        verdict,
        minuteMs: ms,
        count,
        lastMs: ms,
        examples: [],
      });
      await addDeliveryMinutes(test.db, organisationId, [
        noted('accepted', earlier.getTime(), 1),
        noted('no_match', minuteMs, 3),
      ]);
      undo.push(() => sql`delete from delivery_minute`.execute(test.db));
      return {};
    },
    line: 'signing secret',
    cause:
      /^every webhook since .* is refused, 3 so far: they are signed with another secret, or a stranger sent them$/,
    step: /FORESTALL_WEBHOOK_SECRETS/,
  },
  {
    fault: 'webhooks that no longer come',
    plant: async () => {
      await alarm('webhooks_silent', {});
      return {};
    },
    line: 'receiving',
    cause: /polling finds changes that no webhook brings/,
    step: /enable the endpoint/,
  },
  // Policy and messages
  {
    fault: 'a policy file that is not there',
    plant: () => withSettings({ policyPath: '/nowhere/policy.yaml' }),
    line: 'policy',
    cause: /policy/i,
    step: /forestall policy check/,
  },
  {
    fault: 'a policy file with a mistake',
    plant: async () => withSettings({ policyPath: await file('rules: [{when: nonsense}]') }),
    line: 'policy',
    cause: /./,
    step: /names every problem/,
  },
  {
    fault: 'a channel whose host does not exist',
    plant: () => withSettings({ notify: { url: 'https://hooks.invalid/1' } }),
    line: 'notifications',
    cause: /^Slack: its host name/,
    step: /Check the address in the setting.*forestall notify test/,
  },
  {
    fault: 'a channel on this machine, which the start refuses',
    plant: () => withSettings({ notify: { url: 'https://127.0.0.1' } }),
    line: 'notifications',
    cause: /^FORESTALL_NOTIFY_URL leads to this machine or a private network/,
    step: /nothing starts like this/,
  },
  {
    fault: 'a channel where nobody listens, with another behind it',
    plant: () =>
      withSettings({
        notify: {
          url: 'http://127.0.0.1:9/1',
          webhook: { url: hook, secret: 'a-secret-of-a-receiver' },
          allowLoopback: true,
        },
      }),
    line: 'notifications',
    cause: /^Slack, then webhook; Slack: nothing listens at its address$/,
    step: /notify test/,
  },
  {
    fault: 'a channel that is silent',
    plant: async () =>
      withSettings({
        notify: {
          url: hook.replace(/:\d+/, `:${await silence()}`).replace('http:', 'https:'),
          allowLoopback: true,
        },
      }),
    line: 'notifications',
    cause: /^Slack: it does not answer$/,
    step: /notify test/,
  },
  {
    fault: 'a mail server that is not there',
    plant: () =>
      withSettings({
        notify: {
          email: { url: 'smtp://127.0.0.1:9', from: 'a@shop.example', to: 'b@shop.example' },
        },
      }),
    line: 'notifications',
    cause: /^e-mail: refused \(ESOCKET|^e-mail: refused \(ECONN/,
    step: /notify test/,
  },
  {
    fault: 'an identity provider that does not exist',
    plant: () => withSettings({ console: consoleWith('https://login.invalid') }),
    line: 'identity provider',
    cause: /nobody can sign in by it: its host name/,
    step: /FORESTALL_OIDC_ISSUER/,
  },
  {
    fault: 'an identity provider of another address',
    plant: async () =>
      withSettings({
        console: consoleWith((await serve(status(200))).replace('127.0.0.1', 'localhost')),
      }),
    line: 'identity provider',
    cause: /what answers there is not the provider/,
    step: /FORESTALL_OIDC_ISSUER/,
  },
  {
    fault: 'an endpoint for actions that is not there',
    plant: () =>
      withSettings({
        guard: { ...readSettings({}).guard, actions: { url: 'http://127.0.0.1:9', secret: 's' } },
      }),
    line: 'actions endpoint',
    cause: /nothing listens at its address/,
    step: /FORESTALL_ACTIONS_URL/,
  },
  {
    fault: 'a certificate and a key that do not belong together',
    plant: async () => {
      const [one, other] = [
        makeAuthority('One').issue('localhost'),
        makeAuthority('Two').issue('localhost'),
      ];
      return withSettings({
        tls: { certPath: await file(one.cert), keyPath: await file(other.key) },
      });
    },
    line: 'own certificate',
    cause: /name no certificate with its key/,
    step: /belong together/,
  },
  {
    fault: 'a certificate of our own that has ended',
    plant: async () => {
      const { cert, key } = makeAuthority('One').issue('localhost');
      const endsMs = Date.parse(new X509Certificate(cert).validTo);
      const tls = { certPath: await file(cert), keyPath: await file(key) };
      return { ...withSettings({ tls }), clock: createFixedClock(new Date(endsMs).toISOString()) };
    },
    line: 'own certificate',
    cause: /^it ended at /,
    step: /Renew FORESTALL_TLS_CERT/,
  },
  {
    fault: 'a file of matching with a mistake',
    plant: async () => withSettings({ matchingPath: await file('nonsense: 1') }),
    line: 'settings',
    cause: /FORESTALL_MATCHING/,
    step: /Correct the file/,
  },
  {
    fault: 'a shadow policy that is not there',
    plant: () => withSettings({ shadowPolicyPath: '/nowhere/shadow.yaml' }),
    line: 'settings',
    cause: /FORESTALL_SHADOW_POLICY/,
    step: /Correct the file/,
  },
  {
    fault: 'nobody who would hear',
    plant: () => withSettings({ notify: {} }),
    line: 'notifications',
    cause: /no target/,
    step: /FORESTALL_NOTIFY_URL/,
  },
  // What runs
  {
    fault: 'no worker',
    plant: async () => {
      await sql`delete from worker_heartbeat`.execute(test.db);
      return {};
    },
    line: /^worker, /,
    cause: /no worker is alive/,
    step: /forestall work/,
  },
  {
    fault: 'refunds that somebody stopped',
    plant: async () => {
      await pauseMoney(test.db, { ...scope(), operator: 'ada', reason: '' });
      undo.push(() => sql`delete from money_pause`.execute(test.db));
      return {};
    },
    line: 'refunding',
    cause: /refunds are stopped since .* by ada/,
    step: /forestall resume/,
  },
  {
    fault: 'polling that fails',
    plant: async () => {
      await alarm('poll_failing', { codes: ['SERVER_ERROR'] });
      return {};
    },
    line: 'polling',
    cause: /cannot be read \(SERVER_ERROR\)/,
    step: /FORESTALL_SERVICE_URL/,
  },
];

async function alarm(
  name: Parameters<typeof setAlarm>[1],
  evidence: Record<string, unknown>,
): Promise<void> {
  await setAlarm(test.db, name, { ...scope(), isOn: true, evidence });
  undo.push(() => sql`delete from finding`.execute(test.db));
}

/** A worker and a poll, as in an installation that runs. */
async function run(): Promise<void> {
  const { db } = test;
  await beat(db, { workerId: 'w', role: 'work', ...scope() });
  const name = RECONCILE_FACTS.lastPollAt;
  const { organisationId } = sandbox.accounts;
  await writeNamedValue(db, { organisationId, name, value: now().toISOString(), at: now() });
}

describe('the doctor', () => {
  it('finds nothing wrong where nothing is planted', async () => {
    await run();
    const { lines } = await runDoctor(contextOf());
    expect(lines.filter((line) => line.status === 'failed')).toEqual([]);
    // What it tried to write, it took back.
    expect(await test.db.selectFrom('notification').selectAll().execute()).toEqual([]);
  });

  it('has at least sixty faults to find', () => {
    expect(PLANTS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(PLANTS)('names $fault', async ({ plant, line, cause, step }) => {
    await run();
    const changes = await plant();
    const startedAt = performance.now();
    const { lines } = await runDoctor({ ...contextOf(), ...changes });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    const named = lines.filter(
      (one) =>
        one.status !== 'ok' && (typeof line === 'string' ? one.name === line : line.test(one.name)),
    );
    expect(named, JSON.stringify(lines, null, 1)).toContainEqual(
      expect.objectContaining({
        detail: expect.stringMatching(cause),
        nextStep: expect.stringMatching(step),
      }),
    );
    // What is not well always comes with a step.
    for (const each of lines) expect(each.nextStep === null, each.name).toBe(each.status === 'ok');
  });

  it('says of each merchant’s own processor that it is well', async () => {
    const merchants = ofMerchants({ id: 'm_1' }, { id: 'm_2' });
    const { lines } = await runDoctor({ ...contextOf(), ...merchants }, 'organisation');
    const named = lines.filter(({ name }) => name.startsWith('processor of merchant'));
    expect(named).toMatchObject(
      ['m_1', 'm_2'].map((id) => ({
        name: `processor of merchant ${id}`,
        status: 'ok',
        detail: expect.stringMatching(/answers.*look-up by key yes.*organisation test, processor/),
      })),
    );
  });

  it('is given the processors of the merchants that the installation file lists', async () => {
    const file = join(folder, 'installation.yaml');
    const { organisationId } = sandbox.accounts;
    await writeFile(
      file,
      `version: 1
organisations:
  - id: ${organisationId}
    name: Brand
    api_key: {env: KEY}
    webhook_secrets: [{env: SECRET}]
    service_url: ${sandbox.url}
    merchants:
      - {id: mrch_1, processor: ${sandbox.processorUrl}/, processor_secret: {env: SECRET}}
      - {id: mrch_2, processor: ./gone.ts}
      - {id: mrch_3, policy: ./gone.yaml}
`,
    );
    const env = { KEY: sandbox.accounts.organisationKey, SECRET };
    const [served] = readOrganisations(file, env).map(
      servedOrganisation(sourceOfUrl(test.connectionString)),
    );
    if (served === undefined) throw new Error('The file lists none.');
    const { merchants } = await contextOfOrganisation(served, test, test.connectionString);
    expect(merchants).toMatchObject([
      { id: 'mrch_1', processor: { value: {} } },
      { id: 'mrch_2', processor: { problem: expect.stringContaining('cannot be loaded') } },
    ]);
  });

  it('names a certificate that ends soon', async () => {
    const { cert, key } = makeAuthority('Nobody').issue('localhost');
    const { createServer: createTls } = await import('node:https');
    const server = createTls({ cert, key }, status(405));
    const port = await open(server);
    const { X509Certificate } = await import('node:crypto');
    const endsMs = Date.parse(new X509Certificate(cert).validTo);
    const clock = createFixedClock(new Date(endsMs - 3_600_000).toISOString());
    const webhookUrl = `https://localhost:${port}/webhooks`;
    const { lines } = await runDoctor({ ...contextOf(), webhookUrl, clock });
    expect(lines.find(({ name }) => name === 'TLS certificate')?.nextStep).toBeTruthy();
  });
});

describe('settings that nothing reads', () => {
  it.each([
    ['FORESTALL_POLCY', 'FORESTALL_POLICY'],
    ['FORESTALL_ORGANIZATION_ID', 'FORESTALL_ORGANISATION_ID'],
    ['FORESTALL_WEBHOOK_SECRET', 'FORESTALL_WEBHOOK_SECRETS'],
    ['FORESTALL_API_KEY_FIL', 'FORESTALL_API_KEY_FILE'],
    ['FORESTALL_COLOUR_OF_THE_SKY', undefined],
  ])('%s: %s', (name, near) => {
    expect(unknownSettings({ [name]: 'x' })).toEqual([
      near === undefined ? { name } : { name, near },
    ]);
  });

  it('are not those of others, nor ours', () => {
    expect(
      unknownSettings({ FORESTALL_IMAGE: 'x', FORESTALL_TEST_LOG: 'x', HOME: '/', PATH: '/bin' }),
    ).toEqual([]);
    expect(unknownSettings({ FORESTALL_POLICY: 'x', FORESTALL_POLICY_FILE: 'x' })).toEqual([]);
    // What is misspelt changes nothing, which is why it must be told.
    expect(readSettings({ FORESTALL_POLCY: 'x' }).policyPath).toBeUndefined();
  });
});
