/**
 * Guarantee: what npm would publish installs into an empty project, is sound for every importer, and
 * each template added from it type-checks and does its work.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSale, PRODUCTS } from '../../src/cli/demo/shop.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { watchArrivals } from '../support/arrivals.ts';
import { createTestDatabase } from '../support/database.ts';
import type { PackedKit } from './support/packed-kit.ts';
import { packKit } from './support/packed-kit.ts';

const BESIDE = ['@types/node', 'fastify', 'hono', '@hono/node-server'];

let kit: PackedKit;
beforeAll(async () => {
  kit = await packKit(BESIDE);
  // Two compilations and more: a busy machine needs minutes.
}, 400_000);
afterAll(() => kit?.remove());

describe('the packed kit', () => {
  it('holds every data file, and no source, test or map', () => {
    expect(kit.files).toContain('dist/sandbox/scenarios/refund-in-time.yaml');
    expect(kit.files).toContain('dist/console/assets/console.js');
    expect(kit.files).toContain('templates/manifest.json');
    expect(kit.files.filter((file) => /\.map$|^src\/|^test\/|copy-data/.test(file))).toEqual([]);
    expect(
      kit.files.filter((file) => file.endsWith('.ts') && !/\.d\.ts$|^templates\//.test(file)),
    ).toEqual([]);
  });

  it('is sound for importers of every kind', async () => {
    const pkgDir = join(kit.root, 'node_modules/forestall');
    expect((await publint({ pkgDir, pack: false })).messages).toEqual([]);
    const types = await kit.tool('attw', kit.tarball, '--profile', 'esm-only', '--no-emoji');
    expect(types.output).toContain('"forestall/testing"');
    // ESM only, on purpose: `require` of old Node versions is not looked at.
    expect(types.status, types.output).toBe(0);
  });

  it('runs: its command, its library and each sub-path', async () => {
    const { version } = JSON.parse(
      await readFile(join(kit.root, 'node_modules/forestall/package.json'), 'utf8'),
    );
    expect(await kit.forestall('--version')).toEqual({ status: 0, output: `${version}\n` });
    await writeFile(join(kit.root, 'use.ts'), USE);
    expect(await kit.node(['use.ts'])).toEqual({
      status: 0,
      output: 'function ok 404 129.90 USD\n',
    });
  });
});

/** One name of each sub-path, used. */
const USE = `
import { createForestall, formatMoney } from 'forestall';
import { createServiceClient, isServiceError } from 'forestall/client';
import { createSandbox } from 'forestall/sandbox';
import { createVerifier } from 'forestall/signature';
import { createFactories, createFixedClock, signedDelivery } from 'forestall/testing';

const clock = createFixedClock('2026-11-20T00:00:00Z');
const { alert, event } = createFactories(clock);
const secret = 'whsec_of_a_project_that_is_empty';
const { body, headers } = signedDelivery({ event: event({ type: 'alert.created', object: alert() }), secret, clock });
const verdict = createVerifier({ secrets: [secret], clock }).verify(headers['x-signature'], Buffer.from(body));
const sandbox = await createSandbox({ clock });
const client = createServiceClient({ baseUrl: sandbox.url, apiKey: sandbox.accounts.organisationKey, clock });
const status = await client.alerts.get('netalrt_none').then(() => 200, (error: unknown) => isServiceError(error) ? error.httpStatus : 0);
await sandbox.close();
console.log(typeof createForestall, verdict.ok ? 'ok' : verdict.reason, status, formatMoney({ amountMinor: 12_990, currency: 'USD' }));
`;

describe('the templates, added to an empty project', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    const list = JSON.parse((await kit.forestall('add', '--list', '--json')).output);
    const [first, ...others] = list.map(({ name }: { name: string }) => name);
    expect((await kit.forestall('add', first, '--json')).status).toBe(0);
    // One process for the rest: starting thirty would take most of a minute.
    const script = `
      import { carryOut, planAdd } from './node_modules/forestall/dist/kit/add-template.js';
      for (const name of ${JSON.stringify(others)}) {
        await carryOut(await planAdd(name, { root: '.', folder: 'forestall' }), { root: '.', overwrite: false });
      }`;
    await writeFile(join(kit.root, 'add-all.mjs'), script);
    expect(await kit.node(['add-all.mjs'])).toEqual({ status: 0, output: '' });
  });

  it('type-check, strictly, and so does every example of the guides', async () => {
    await writeGuideExamples();
    const config = {
      compilerOptions: {
        ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', types: ['node'], strict: true },
        ...{ noEmit: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true },
        ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      },
      include: ['forestall', 'guides', 'use.ts'],
    };
    await writeFile(join(kit.root, 'tsconfig.json'), JSON.stringify(config));
    expect(await kit.tool('tsc', '-p', '.')).toEqual({ status: 0, output: '' });
  });

  it('are found again by their marks', async () => {
    const script = `
      import { findTemplateDrift } from './node_modules/forestall/dist/kit/template-drift.js';
      const found = await findTemplateDrift('.');
      console.log(found.length > 40, found.filter(({ edited, upstream }) => edited || upstream !== 'same').length);`;
    await writeFile(join(kit.root, 'drift.mjs'), script);
    expect((await kit.node(['drift.mjs'])).output).toBe('true 0\n');
  });

  it.each(['express', 'fastify', 'hono'])(
    'the %s receiver answers an alert of the sandbox',
    async (name) => {
      expect(await answered(`forestall/receivers/${name}.ts`)).toBe('ACCEPT_DISPUTE 200');
    },
  );

  it('the Next.js route handler answers an alert of the sandbox, with a worker beside it', async () => {
    await writeFile(join(kit.root, 'next-like.ts'), NEXT_LIKE);
    expect(await answered('next-like.ts')).toBe('ACCEPT_DISPUTE 200');
  });

  it('the starter tests pass', async () => {
    const file = (await readdir(join(kit.root, 'forestall/tests'))).find((each) =>
      each.startsWith('forestall'),
    );
    const ran = await kit.node(['--test', `forestall/tests/${file}`]);
    expect(ran.output).toContain('pass 3');
    expect(ran.status).toBe(0);
  });
});

/** Each TypeScript block of the guides as a file of its own. */
async function writeGuideExamples(): Promise<void> {
  const guides = join(kit.root, 'node_modules/forestall/templates/guides');
  await mkdir(join(kit.root, 'guides'));
  let examples = 0;
  for (const guide of await readdir(guides)) {
    const text = await readFile(join(guides, guide), 'utf8');
    for (const [, code = ''] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
      examples += 1;
      await writeFile(join(kit.root, `guides/${guide}-${examples}.ts`), code);
    }
  }
  expect(examples).toBeGreaterThanOrEqual(4);
}

/** What Next.js does with a route handler, and the worker that runs beside it. */
const NEXT_LIKE = `
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openForestall } from './forestall/receivers/forestall.ts';
import { POST } from './forestall/receivers/nextjs/route.ts';
const worker = await openForestall();
await worker.migrate();
await worker.start();
const port = Number(process.env.PORT);
const app = new Hono();
app.post('/webhooks', (context) => POST(context.req.raw));
app.post('/orders', async (context) => context.json(await worker.orders.accept([await context.req.json()]), 201));
const server = serve({ fetch: app.fetch, port }, () => console.log('listening on', port));
process.once('SIGTERM', () => server.close(() => void worker.stop().then(() => process.exit(0))));
`;

/** Starts the file against a sandbox, raises an alert, and returns how it was answered. */
async function answered(file: string): Promise<string> {
  const database = await createTestDatabase();
  const sandbox = await createSandbox();
  const { accounts } = sandbox;
  const policy = join(kit.root, 'accept.yaml');
  await mkdir(kit.root, { recursive: true });
  await writeFile(policy, 'name: accept\nrules: []\notherwise: ACCEPT_DISPUTE\n');
  const port = await freePort();
  const child = spawn(process.execPath, [file], {
    cwd: kit.root,
    env: {
      PORT: String(port),
      DATABASE_URL: database.connectionString,
      FORESTALL_SERVICE_URL: sandbox.url,
      FORESTALL_API_KEY: accounts.organisationKey,
      FORESTALL_ORGANISATION_ID: accounts.organisationId,
      FORESTALL_INTEGRATION_ID: accounts.integrationId,
      FORESTALL_WEBHOOK_SECRETS: accounts.webhookSecret,
      FORESTALL_POLICY: policy,
    },
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  try {
    await saysListening(child);
    const arrivals = watchArrivals(sandbox);
    const patched = new Promise<void>((done) =>
      arrivals.onNext('PATCH /v1/alerts/{alert_id}', done),
    );
    sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/webhooks`);
    const sale = makeSale({ product: PRODUCTS.font }, Date.now());
    sandbox.createCharge(sale.charge);
    const handedOver = await fetch(`http://127.0.0.1:${port}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sale.order),
    });
    expect(handedOver.status).toBe(201);
    sandbox.createAlertFor(sale.charge.reference);
    await patched;
  } finally {
    const inFlight = await beginDelivery(port);
    child.kill('SIGTERM');
    await inFlight.finish();
    // It stops by itself: the answer's reply has been dealt with by then.
    expect(await ended).toBe(0);
  }
  const [entry] = sandbox.patchLog;
  await sandbox.close();
  await database.drop();
  return `${entry?.action} ${entry?.http_status}`;
}

/**
 * A delivery that is under way when the process is told to stop, on a connection its client would keep.
 * A server that waits for such a connection to be dropped would not stop within the test's time.
 */
async function beginDelivery(port: number): Promise<{ finish(): Promise<void> }> {
  const agent = new Agent({ keepAlive: true });
  const sent = request({ port, host: '127.0.0.1', path: '/webhooks', method: 'POST', agent });
  const answered = new Promise<void>((done) => {
    sent.once('response', (response) => response.resume().once('end', done));
    sent.once('error', () => done());
  });
  sent.setHeader('content-type', 'application/json');
  await new Promise<void>((done) => sent.write('{', () => done()));
  return {
    async finish(): Promise<void> {
      sent.end('}');
      await answered;
    },
  };
}

async function saysListening(child: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((done, fail) => {
    const hear = (text: Buffer): void => {
      said += text.toString();
      if (said.includes('listening on')) done();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('close', () => fail(new Error(said)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
