/**
 * Guarantee: who has the packed package and its guides, and nothing else, gets there, in four ways: inside an Express 4
 * and an Express 5 program beside its own routes; on a PostgreSQL without a superuser; from Python against the sandbox;
 * with a policy copied from the guide. The fifth way, an adapter, is `adapter-from-guide.long.test.ts`.
 */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { startEmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';
import { freePort } from '../../src/base/db/embedded/free-port.ts';
import { childEnv } from '../support/child-env.ts';
import type { ChildProcess } from '../support/child-process.ts';
import { spawn, spawnSync } from '../support/child-process.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { statementsOf } from '../support/sql-statements.ts';
import type { PackedKit } from './support/packed-kit.ts';
import { packKit } from './support/packed-kit.ts';
import { hears, startReceiver } from './support/receiver.ts';

const REPOSITORY = new URL('../../', import.meta.url).pathname;
const MAIN = 'node_modules/forestall/dist/people/cli/main.js';

let kit: PackedKit;
beforeAll(async () => {
  kit = await packKit(['@types/node']);
}, 400_000);
afterAll(() => kit?.remove());

const installed = (path: string): Promise<string> =>
  readFile(join(kit.root, 'node_modules/forestall', path), 'utf8');

/** Code of a guide, in this language. */
async function blocks(guide: string, language: string): Promise<string[]> {
  const text = await installed(`templates/guides/${guide}`);
  const found = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...found].map(([, code = '']) => code);
}

/** A shop on an Express of its own, with routes that Forestall might take for its own. */
const SHOP = `
import express from 'express';
import { openForestall } from './forestall/receivers/forestall.ts';

const forestall = await openForestall();
if (process.env.MIGRATED !== '1') await forestall.migrate();
await forestall.start();

const app = express();
app.use(forestall.receiver);
app.use('/forestall/orders', forestall.orders.routes);
app.post('/webhooks/stripe', express.raw({ type: () => true }), (request, response) => {
  response.status(202).send('stripe: ' + request.body.length);
});
app.use(express.json());
app.get('/', (request, response) => {
  response.send('shop ' + request.query.q);
});
app.post('/orders', async (request, response) => {
  const [result] = await forestall.orders.accept([request.body]);
  response.status(result?.kind === 'accepted' ? 201 : 422).json(result);
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on', process.env.PORT));
process.once('SIGTERM', () => server.close(() => void forestall.stop()));
`;

const shops = new Map<number, Promise<string>>();

/** A project of its own beside the kit's, with this Express and its types. */
function shopOn(version: 4 | 5): Promise<string> {
  const shop = shops.get(version) ?? makeShop(version);
  shops.set(version, shop);
  return shop;
}

async function makeShop(version: 4 | 5): Promise<string> {
  const project = join(kit.root, `../shop-${version}`);
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, '@types'), { recursive: true });
  for (const name of await readdir(join(kit.root, 'node_modules'))) {
    if (name !== 'express' && name !== '@types') {
      await symlink(join(kit.root, 'node_modules', name), join(modules, name));
    }
  }
  const of = (name: string): string => join(REPOSITORY, 'node_modules', name);
  await symlink(of('@types/node'), join(modules, '@types/node'));
  await symlink(of('@types/pg'), join(modules, '@types/pg'));
  await symlink(of(version === 4 ? 'express-4' : 'express'), join(modules, 'express'));
  const types = version === 4 ? 'types-express-4' : '@types/express';
  await symlink(of(types), join(modules, '@types/express'));
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const added = await kit.node([MAIN, 'add', 'receivers/open'], project);
  expect(added.status, added.output).toBe(0);
  await writeFile(join(project, 'shop.ts'), SHOP);
  const compilerOptions = {
    ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', types: ['node'], strict: true },
    ...{ noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true },
  };
  const config = { compilerOptions, include: ['shop.ts'] };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config));
  return project;
}

describe.each([4, 5] as const)(
  'inside a program on Express %s',
  { timeout: 120_000 },
  (version) => {
    let project: string;
    let database: TestDatabase;
    beforeAll(async () => {
      project = await shopOn(version);
      database = await createTestDatabase({ template: 'template0' });
    }, 60_000);
    afterAll(() => database?.drop());

    it('compiles with the types of that version', async () => {
      const { version: found } = JSON.parse(
        await readFile(join(project, 'node_modules/express/package.json'), 'utf8'),
      );
      expect(found).toMatch(new RegExp(`^${version}\\.`));
      const { version: types } = JSON.parse(
        await readFile(join(project, 'node_modules/@types/express/package.json'), 'utf8'),
      );
      expect(types).toMatch(new RegExp(`^${version}\\.`));
      expect(await kit.compile(project)).toEqual({ status: 0, output: '' });
    });

    it('answers an alert, and leaves the program its routes', async () => {
      const { connectionString } = database;
      const shop = await startReceiver({ root: project, args: ['shop.ts'], connectionString });
      try {
        const { url } = shop;
        const stripe = await fetch(`${url}/webhooks/stripe`, { method: 'POST', body: '{"id":1}' });
        expect([stripe.status, await stripe.text()]).toEqual([202, 'stripe: 8']);
        expect(await (await fetch(`${url}/?q=lamp`)).text()).toBe('shop lamp');
        // Its own paths stay its own: nobody has signed this.
        const own = await fetch(`${url}/webhooks`, { method: 'POST', body: '{}' });
        expect([own.status, await own.json()]).toMatchObject([401, {}]);
        const given = await fetch(`${url}/forestall/orders`, { method: 'POST', body: '{}' });
        expect(given.status).toBe(422);
        expect(await given.text()).toContain('reference_id');
        await shop.answersAlert();
        expect(shop.sandbox.patchLog).toMatchObject([
          { action: 'ACCEPT_DISPUTE', http_status: 200 },
        ]);
      } finally {
        await shop.close();
      }
    });
  },
);

describe('on a PostgreSQL without a superuser', { timeout: 180_000 }, () => {
  /** Owner and grants of the shop's tables. */
  const OF_SHOP = `select c.relname::text as name, pg_get_userbyid(c.relowner)::text as owner, c.relacl::text as grants
    from pg_class c where c.relnamespace = 'public'::regnamespace order by 1`;
  let server: EmbeddedPostgres;
  const url = (user: string, database = 'shop'): string => {
    const address = new URL(server.connectionString);
    address.pathname = `/${database}`;
    if (user === '') return address.href;
    address.username = user;
    address.password = 'secret';
    return address.href;
  };
  const asked = async (connectionString: string, text: string): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const result = await client.query(text).finally(() => client.end());
    return result.rows;
  };
  /** Runs a file as psql does. */
  const follow = async (connectionString: string, text: string): Promise<void> => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      for (const statement of statementsOf(text)) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  beforeAll(async () => {
    server = await startEmbeddedPostgres({ temporary: true, volatile: true });
    // As a provider hands a database out: its user may make roles, and is no superuser.
    await asked(url('', 'postgres'), `create role dba login createrole password 'secret'`);
    await asked(url('', 'postgres'), 'create database shop owner dba');
    await asked(
      url('dba'),
      `create role the_shop nologin; create table customer (id int); create table card_token (id int)`,
    );
    await asked(url('dba'), 'grant select on customer to the_shop');
  }, 120_000);
  afterAll(() => server?.stop());

  it('migrates, runs roles.sql and wall.sql as they stand, and works with the least rights', async () => {
    const [{ is_super: isSuper }] = (await asked(
      url('dba'),
      'select rolsuper as is_super from pg_roles where rolname = current_user',
    )) as [{ is_super: boolean }];
    expect(isSuper).toBe(false);
    const before = await asked(url('dba'), OF_SHOP);
    const env = { ...childEnv(), DATABASE_URL: url('dba') };
    const migrated = spawnSync(process.execPath, [MAIN, 'migrate'], {
      ...{ cwd: kit.root, env, encoding: 'utf8' },
    });
    expect(migrated.status, migrated.stdout + migrated.stderr).toBe(0);
    for (const file of ['roles.sql', 'wall.sql']) {
      await follow(url('dba'), await installed(`migrations/${file}`));
    }
    await asked(url('dba'), `create user shop_worker password 'secret' in role forestall_app`);
    await expect(asked(url('shop_worker'), 'select * from card_token')).rejects.toThrow(
      'permission denied',
    );
    await expect(asked(url('shop_worker'), 'delete from forestall.audit')).rejects.toThrow(
      'permission denied',
    );

    const project = await shopOn(5);
    const shop = await startReceiver({
      ...{ root: project, args: ['shop.ts'], env: { MIGRATED: '1' } },
      connectionString: url('shop_worker'),
    });
    try {
      await shop.answersAlert();
      expect(shop.sandbox.patchLog).toMatchObject([{ action: 'ACCEPT_DISPUTE', http_status: 200 }]);
    } finally {
      await shop.close();
    }
    expect(await asked(url('dba'), OF_SHOP)).toEqual(before);
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
const NO_PYTHON = hasPython ? '' : ' (left out: python3 is not installed)';

describe('from Python', { timeout: 120_000 }, () => {
  const children = new Set<ChildProcess>();
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  it.skipIf(!hasPython)(
    `the guide’s program answers the alert that the installed sandbox raises${NO_PYTHON}`,
    async () => {
      const [program = ''] = await blocks('other-languages.md', 'python');
      await writeFile(join(kit.root, 'webhooks.py'), program);
      const [sandboxPort, port] = [await freePort(), await freePort()];
      const webhooks = `http://127.0.0.1:${port}`;
      const args = [MAIN, 'sandbox', '--port', String(sandboxPort), '--webhooks', webhooks];
      const sandbox = spawn(process.execPath, args, { cwd: kit.root, env: childEnv() });
      children.add(sandbox);
      let said = '';
      sandbox.stdout?.on('data', (text: Buffer) => {
        said += text.toString();
      });
      await hears(sandbox, 'FORESTALL_WEBHOOK_SECRETS');
      await expect.poll(() => /FORESTALL_WEBHOOK_SECRETS=\S+\s/.test(said)).toBe(true);
      // What it prints is what the programs read.
      const names = ['FORESTALL_SERVICE_URL', 'FORESTALL_API_KEY', 'FORESTALL_WEBHOOK_SECRETS'];
      const settings = Object.fromEntries(
        names.map((name) => [name, new RegExp(`${name}=(\\S+)`).exec(said)?.[1] ?? '']),
      );
      expect(Object.values(settings)).not.toContain('');
      const env = { ...childEnv(), ...settings, PORT: String(port) };
      children.add(spawn('python3', ['webhooks.py'], { cwd: kit.root, env }));
      const isThere = (): Promise<boolean> =>
        fetch(webhooks, { method: 'POST', body: '{}' }).then(
          ({ status }) => status === 401,
          () => false,
        );
      await expect.poll(isThere, { timeout: 30_000, interval: 200 }).toBe(true);
      const base = settings['FORESTALL_SERVICE_URL'];
      const raised = await fetch(`${base}/sandbox/alerts`, {
        method: 'POST',
        body: '{"amount_in_cents": 12990, "currency_code": "USD"}',
      });
      const { id } = (await raised.json()) as { id: string };
      const read = async (): Promise<unknown> => {
        const headers = { authorization: `Bearer ${settings['FORESTALL_API_KEY']}` };
        return await (await fetch(`${base}/v1/alerts/${id}`, { headers })).json();
      };
      await expect
        .poll(read, { timeout: 30_000, interval: 200 })
        .toMatchObject({ status: 'RESOLVED', note: 'python' });
    },
  );
});

describe('with a policy from the guide', { timeout: 180_000 }, () => {
  it('each of the ten is checked and tried as it stands, and one with a slip is named by path and line', async () => {
    const policies = (await blocks('writing-a-policy.md', 'yaml')).slice(1);
    expect(policies).toHaveLength(10);
    const files = policies.map((_text, place) => `policy-${place + 1}.yaml`);
    await Promise.all(
      policies.map((text, place) => writeFile(join(kit.root, files[place] ?? ''), text)),
    );
    for (const file of files) {
      const tested = await kit.forestall('policy', 'test', file);
      expect(tested.status, tested.output).toBe(0);
    }
    const slip = (policies[0] ?? '').replace(/\n(\s+)then:/, '\n$1than:');
    expect(slip).not.toBe(policies[0]);
    await writeFile(join(kit.root, 'slip.yaml'), slip);
    const refused = await kit.forestall('policy', 'check', 'slip.yaml');
    expect(refused.status).toBe(1);
    expect(refused.output).toMatch(/slip\.yaml:\d+:\d+/);
    expect(refused.output).toContain('than');
  });
});
