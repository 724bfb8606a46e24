/**
 * Guarantee: what npm would publish installs into an empty project, is sound for every importer, and
 * each template added from it type-checks and does its work.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComparedFile } from '../../src/running/kit/add-template.ts';
import { linkFaults } from '../release/checks.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { writeApiExamples } from './support/api-examples.ts';
import { runCommonJs } from './support/commonjs-project.ts';
import { checkFreshProject, FRESH_PROJECTS } from './support/fresh-projects.ts';
import { startNextApp } from './support/next-app.ts';
import type { PackedKit } from './support/packed-kit.ts';
import { packKit } from './support/packed-kit.ts';
import type { Receiver } from './support/receiver.ts';
import { startReceiver } from './support/receiver.ts';
import { checkStrictProject } from './support/strict-project.ts';
import { unnamedTypes } from './support/unnamed-types.ts';
import { makeUpgradedProject } from './support/upgraded-project.ts';

const BESIDE = [
  '@types/node',
  '@adyen/api-library',
  'stripe',
  'fastify',
  'hono',
  '@hono/node-server',
  'vitest',
];

/** Each receiver as its own process; the route handler of Next.js under a plain server. */
const RECEIVERS = [
  ['express', 'forestall/receivers/express.ts'],
  ['fastify', 'forestall/receivers/fastify.ts'],
  ['hono', 'forestall/receivers/hono.ts'],
  ['nextjs', 'next-like.ts'],
] as const;

/** Installing and building a Next.js application takes minutes and 340 MB: not part of every run. */
const WITH_NEXT = process.env['FORESTALL_TEST_NEXT'] === '1';

let kit: PackedKit;
const receivers = new Map<string, Receiver>();
const databases: TestDatabase[] = [];
beforeAll(async () => {
  kit = await packKit(BESIDE);
  await addEveryTemplate();
  await writeFile(join(kit.root, 'use.ts'), USE);
  await writeFile(join(kit.root, 'next-like.ts'), NEXT_LIKE);
  await writeGuideExamples();
  expect(await writeApiExamples(kit)).toBeGreaterThanOrEqual(4);
  await Promise.all(RECEIVERS.map(async ([name, file]) => await start(name, file)));
  // A compilation and more: a busy machine needs minutes.
}, 400_000);
afterAll(async () => {
  await Promise.all([...receivers.values()].map((receiver) => receiver.close()));
  await Promise.all(databases.map((database) => database.drop()));
  await kit?.remove();
});

async function ownDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  return database;
}

async function start(name: string, file: string): Promise<void> {
  const { connectionString } = await ownDatabase();
  receivers.set(name, await startReceiver({ root: kit.root, args: [file], connectionString }));
}

/** The first with the command, the others in one process: starting thirty takes most of a minute. */
async function addEveryTemplate(): Promise<void> {
  const added = await kit.forestall('add', 'receivers/express', '--json');
  expect(added.status, added.output).toBe(0);
  const script = `
    import { carryOut, planAdd } from './node_modules/forestall/dist/running/kit/add-template.js';
    import { readManifest } from './node_modules/forestall/dist/running/kit/template-manifest.js';
    for (const { name } of readManifest()) {
      await carryOut(await planAdd(name, { root: '.', folder: 'forestall' }), { root: '.', overwrite: false });
    }`;
  await writeFile(join(kit.root, 'add-all.mjs'), script);
  expect(await kit.node(['add-all.mjs'])).toEqual({ status: 0, output: '' });
}

describe('the packed kit', () => {
  it('holds every data file, and no source, test or map', () => {
    expect(kit.files).toContain('dist/sandbox/scenarios/refund-in-time.yaml');
    expect(kit.files).toContain('dist/surface/assets/console.js');
    expect(kit.files).toContain('templates/manifest.json');
    expect(
      kit.files.filter((file) => /\.map$|copy-data|drop-types|write-commonjs/.test(file)),
    ).toEqual([]);
    // Types only where an entry leads to them.
    expect(kit.files).toContain('dist/running/embed/options.d.ts');
    expect(kit.files).toContain('dist/people/cli/run.js');
    expect(kit.files).not.toContain('dist/people/cli/run.d.ts');
    // Of the sources and the tests only the two texts that the README names.
    const beside = kit.files.filter((file) => /^(?:src|test)\//.test(file));
    expect(beside).toEqual(['src/README.md', 'test/mutation/README.md']);
    expect(
      kit.files.filter((file) => file.endsWith('.ts') && !/\.d\.ts$|^templates\//.test(file)),
    ).toEqual([]);
  });

  it.concurrent('is sound for importers of every kind', async () => {
    const pkgDir = join(kit.root, 'node_modules/forestall');
    expect((await publint({ pkgDir, pack: false })).messages).toEqual([]);
    const types = await kit.tool('attw', kit.tarball, '--profile', 'node16', '--no-emoji');
    expect(types.output).toContain('"forestall/testing"');
    expect(types.status, types.output).toBe(0);
  });

  it('names every type that stands in a public signature', () => {
    const entries = kit.files.filter((file) => file.endsWith('.d.cts'));
    const types = entries.map((file) => file.replace(/\.cts$/, '.ts'));
    expect(types).toContain('dist/index.d.ts');
    expect(unnamedTypes(join(kit.root, 'node_modules/forestall'), types)).toEqual([]);
  });

  it('imports fast: what its main entry needs at once is small', async () => {
    // Time of the processor, which a busy machine stretches less than the clock on the wall.
    const costOf = async (imported: string): Promise<number> => {
      const code = `${imported} const { user, system } = process.cpuUsage(); console.log(user + system);`;
      await writeFile(join(kit.root, 'cost.mjs'), code);
      const runs: string[] = [];
      for (let run = 0; run < 3; run += 1) runs.push((await kit.node(['cost.mjs'])).output);
      return Math.min(...runs.map(Number));
    };
    const empty = await costOf('');
    const entry = await costOf("await import('forestall');");
    // About 6 times an empty program; 8 with the HTTP client, 28 with the console, the database's client and PDFs at once.
    expect(entry / empty).toBeLessThan(12);
    await writeFile(join(kit.root, 'loaded.mjs'), LOADED);
    expect((await kit.node(['loaded.mjs'])).output).toBe('forestall,yaml,zod\n');
  });

  it('holds whatever its README leads to', async () => {
    const text = await readFile(join(kit.root, 'node_modules/forestall/README.md'), 'utf8');
    expect(linkFaults('README.md', text, (path) => kit.files.includes(path))).toEqual([]);
  });

  it.concurrent('is required by a CommonJS project in TypeScript, under node16', async () => {
    expect(await runCommonJs(kit)).toEqual({
      status: 0,
      output: '129.90 USD false true a true function function function\n',
    });
  });

  it.concurrent('is tested against in a vitest project of its own, with skipLibCheck off', async () => {
    const { types, tests } = await checkStrictProject(kit);
    expect(types).toEqual({ status: 0, output: '' });
    expect(tests.status, tests.output).toBe(0);
    expect(tests.output).toMatch(/4 passed/);
  });

  it.concurrent('runs: its command, its library and each sub-path', async () => {
    const { version } = JSON.parse(
      await readFile(join(kit.root, 'node_modules/forestall/package.json'), 'utf8'),
    );
    expect(await kit.forestall('--version')).toEqual({ status: 0, output: `${version}\n` });
    expect(await kit.node(['use.ts'])).toEqual({
      status: 0,
      output: 'true 3 200 true\nfunction ok 404 129.90 USD\n',
    });
  });
});

/** Names the packages that the main entry loads. */
const LOADED = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({ load: (url, context, next) => {
  loaded.add(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
  return next(url, context);
} });
await import('forestall');
console.log([...loaded].filter((name) => name !== undefined).sort().join());
`;

/** Signed over a byte order mark, odd spacing and characters of two to four bytes. */
const ODD_BYTES =
  '\uFEFF{ "id":"evt_odd",\r\n "type" :"alert.created","data":{"object":{"note":"caf\u00e9 \u20ac \u{1F600}","x":1.0}} }\n';

/** One name of each sub-path, used. */
const USE = `
import { createForestall, formatMoney } from 'forestall';
import { createServiceClient, isServiceError } from 'forestall/client';
import { createSandbox, readScenarioFile, readSeedExample, runScenario } from 'forestall/sandbox';
import { writeFile } from 'node:fs/promises';
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
await fetch(sandbox.url + '/sandbox/alerts', { method: 'POST', body: '{}' });
await writeFile('recorded.yaml', sandbox.recording());
const again = await createSandbox({ clock: createFixedClock('2026-11-20T00:00:00Z'), seed: 2 });
const report = await runScenario(again, await readScenarioFile('recorded.yaml'));
const styled = await fetch(again.url + '/sandbox/page/page.css');
console.log(report.ok, report.steps.length, styled.status, (await readSeedExample()).includes('org_acme'));
await again.close();
await sandbox.close();
console.log(typeof createForestall, verdict.ok ? 'ok' : verdict.reason, status, formatMoney({ amountMinor: 12_990, currency: 'USD' }));
`;

describe('the templates, added to an empty project', { timeout: 60_000 }, () => {
  it.concurrent('type-check, strictly, and so does every example of the guides and of the API', async () => {
    const config = {
      compilerOptions: {
        ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', types: ['node'], strict: true },
        ...{ noEmit: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true },
        ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      },
      include: ['forestall', 'guides', 'api', 'use.ts'],
    };
    await writeFile(join(kit.root, 'tsconfig.json'), JSON.stringify(config));
    expect(await kit.compile(kit.root)).toEqual({ status: 0, output: '' });
  });

  it.concurrent.each(Object.keys(FRESH_PROJECTS))(
    'type-check in a fresh project of %s, with the options that it comes with',
    async (name) => {
      expect(await checkFreshProject(kit, name)).toEqual({ status: 0, output: '' });
    },
  );

  it.concurrent('are found again by their marks', async () => {
    const script = `
      import { findTemplateDrift } from './node_modules/forestall/dist/running/kit/template-drift.js';
      const found = await findTemplateDrift('.');
      console.log(found.length > 40, found.filter(({ edited, upstream }) => edited || upstream !== 'same').length);`;
    await writeFile(join(kit.root, 'drift.mjs'), script);
    expect((await kit.node(['drift.mjs'])).output).toBe('true 0\n');
  });

  it.concurrent('are compared with a newer version once that is installed, and stay as they are', async () => {
    const project = await makeUpgradedProject(kit);
    const main = 'node_modules/forestall/dist/people/cli/main.js';
    const shown = await kit.node([main, 'add', '--diff', '--json'], project);
    expect(
      JSON.parse(shown.output).map(({ path, fate, diff }: ComparedFile) => [
        path,
        fate,
        diff.filter((line) => /^[-+]/.test(line)),
      ]),
    ).toEqual([
      ['app/webhooks/route.ts', 'update', ['+// newer']],
      ['forestall/receivers/forestall.ts', 'edited', ['-// mine', '+// newer']],
      ['forestall/receivers/hono.ts', 'gone', []],
    ]);
    await writeFile(join(project, 'upgrade.mjs'), UPGRADE);
    const ran = await kit.node(['upgrade.mjs'], project);
    const { fates, written, lines } = JSON.parse(ran.output);
    // All or nothing: one of them is the merchant's by now, and one was never copied.
    expect(fates).toEqual(['same', 'edited', 'update', 'new']);
    expect(written).toEqual([]);
    expect(lines).toMatchObject([{ name: 'templates', status: 'warning' }]);
    expect(lines[0].detail).toBe(
      'behind this version: app/webhooks/route.ts, forestall/receivers/forestall.ts, forestall/receivers/hono.ts',
    );
    const own = await readFile(join(project, 'forestall/receivers/forestall.ts'), 'utf8');
    expect(own).toMatch(/\/\/ mine\n$/);
  });

  it.concurrent.each(RECEIVERS)(
    'the %s receiver answers an alert of the sandbox, and stops without losing a delivery',
    async (name) => {
      const receiver = receivers.get(name)!;
      // The way of the processor's webhooks is open; without a processor nobody vouches for one.
      const told = await fetch(`${receiver.url}/processor-events/http`, {
        method: 'POST',
        body: '{}',
      });
      expect(told.status).toBe(404);
      // In Express what is not ours goes on to the program's own routes, which have none here.
      const refusal = '{"error":"unknown_subscription"}';
      if (name !== 'express') expect(await told.text()).toBe(refusal);
      await receiver.answersAlert();
      const { status, keptSeconds, ended } = await receiver.stopsUnderWay();
      expect(status).toBe(200);
      // It can end no sooner: Kubernetes gives a process 30 s, a deploy waits for each.
      expect(keptSeconds).toBeLessThanOrEqual(5);
      // It stops by itself: the answer's reply has been dealt with by then.
      expect(await ended).toBe(0);
      expect(receiver.sandbox.patchLog).toMatchObject([
        { action: 'ACCEPT_DISPUTE', http_status: 200 },
      ]);
    },
  );

  it.runIf(WITH_NEXT)(
    'with FORESTALL_TEST_NEXT=1: a real Next.js application does too, on bodies as they were sent',
    { timeout: 600_000 },
    async () => {
      const { connectionString } = await ownDatabase();
      const app = await startNextApp(kit, connectionString);
      try {
        const { url, sandbox } = app.receiver;
        expect(await app.deliver(ODD_BYTES)).toBe(200);
        expect(await app.deliver(ODD_BYTES, { altered: true })).toBe(401);
        expect((await fetch(`${url}/webhooks`)).status).toBe(405);
        await app.receiver.answersAlert();
        const { status } = await app.receiver.stopsUnderWay();
        expect(status).toBe(200);
        expect(sandbox.patchLog).toMatchObject([{ action: 'ACCEPT_DISPUTE', http_status: 200 }]);
      } finally {
        await app.close();
      }
    },
  );

  it.concurrent('the starter tests pass', async () => {
    const file = (await readdir(join(kit.root, 'forestall/tests'))).find((each) =>
      each.startsWith('forestall'),
    );
    const ran = await kit.node(['--test', `forestall/tests/${file}`]);
    expect(ran.output).toContain('pass 3');
    expect(ran.status).toBe(0);
  });
});

/** What `forestall add` and `forestall doctor` do in a project that has moved one file and edited another. */
const UPGRADE = `
import { operationLines } from './node_modules/forestall/dist/people/doctor/operation-lines.js';
import { carryOut, planAdd } from './node_modules/forestall/dist/running/kit/add-template.js';
const plan = await planAdd('receivers/nextjs', { root: '.' });
const written = await carryOut(plan, { root: '.', overwrite: false });
const lines = await operationLines({ projectRoot: '.', rows: { problem: 'not looked at' } });
console.log(JSON.stringify({ fates: plan.files.map(({ fate }) => fate), written, lines }));
`;

/** Each TypeScript block of the guides and the README as a file of its own. */
async function writeGuideExamples(): Promise<void> {
  const guides = join(kit.root, 'node_modules/forestall/templates/guides');
  await mkdir(join(kit.root, 'guides'));
  let examples = 0;
  const pages = (await readdir(guides)).filter((name) => name.endsWith('.md'));
  for (const guide of [...pages, '../../README.md']) {
    const text = await readFile(join(guides, guide), 'utf8');
    for (const [, code = ''] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
      examples += 1;
      // Those that name themselves import one another.
      const [, named] = /^\/\/ ([\w-]+\.ts)\n/.exec(code) ?? [];
      const file = named ?? `${basename(guide)}-${examples}.ts`;
      await writeFile(join(kit.root, 'guides', file), code);
    }
  }
  expect(examples).toBeGreaterThanOrEqual(5);
}

/** What Next.js does with a route handler, and the worker that runs beside it. */
const NEXT_LIKE = `
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openForestall } from './forestall/receivers/forestall.ts';
import { POST as tell } from './forestall/receivers/nextjs/events-route.ts';
import { POST } from './forestall/receivers/nextjs/route.ts';
const worker = await openForestall();
await worker.migrate();
await worker.start();
const port = Number(process.env.PORT);
const app = new Hono();
app.post('/webhooks', (context) => POST(context.req.raw));
app.post('/processor-events/:name', (context) => tell(context.req.raw));
app.post('/orders', async (context) => context.json(await worker.orders.accept([await context.req.json()]), 201));
const server = serve({ fetch: app.fetch, port }, () => console.log('listening on', port));
process.once('SIGTERM', () => server.close(() => void worker.stop().then(() => process.exit(0))));
`;
