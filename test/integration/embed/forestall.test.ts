/**
 * Guarantee: inside another program, on its own pool and logger, Forestall takes webhooks in through
 * any kind of server, refunds once, answers, and leaves the pool as it found it.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { findLook } from '../../../src/capabilities/estate/estate-look.store.ts';
import type { Forestall, ForestallOptions } from '../../../src/index.ts';
import {
  CAUTIOUS_CAPABILITIES,
  ConfigError,
  createFixedClock,
  createForestall,
  createHttpProcessor,
} from '../../../src/index.ts';
import {
  createFactories,
  PRODUCTS,
  requestOf,
  signedDelivery,
} from '../../../src/running/testing/index.ts';
import { makeSale } from '../../../src/sandbox/demo-shop.ts';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { createServiceClient } from '../../../src/service/client/index.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
import { importInto } from '../../support/estate-file.ts';

const SECRET = 'processor-secret-for-tests';
const clock = createFixedClock('2026-11-20T00:00:00Z');
const lines: { level: string; fields: Readonly<Record<string, unknown>>; message: string }[] = [];
const note = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
  void lines.push({ level, fields, message });
const logger = {
  debug: note('debug'),
  info: note('info'),
  warn: note('warn'),
  error: note('error'),
};

let database: TestDatabase;
let pool: pg.Pool;
let sandbox: Sandbox;
let forestall: Forestall;
let options: ForestallOptions;
const DEMONSTRATION = new URL('../../../templates/policies/demonstration.yaml', import.meta.url)
  .pathname;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 12 });
  sandbox = await createSandbox({ clock, processorSecret: SECRET });
  const { accounts, processorUrl: baseUrl, url } = sandbox;
  const costs = join(mkdtempSync(join(tmpdir(), 'forestall-')), 'costs.yaml');
  writeFileSync(costs, 'alert_fee: { NETA: 31.00, NETB: 31.00 }\n');
  options = {
    database: pool,
    service: { url, apiKey: accounts.organisationKey },
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    webhookSecrets: [accounts.webhookSecret],
    processor: createHttpProcessor({ baseUrl, secret: SECRET, clock }),
    policy: DEMONSTRATION,
    costs,
    logger,
    clock,
  };
  forestall = await createForestall(options);
});
afterAll(async () => {
  await forestall.stop();
  await pool.end();
  await sandbox.close();
  await database.drop();
});

/** As files name a value from outside. */
const variable = (name: string): string => `$\{${name}}`;

async function drain(): Promise<void> {
  for (let rounds = 0; rounds < 50; rounds++) {
    await sandbox.settle();
    if ((await forestall.runOnce()) === 0) return;
  }
}

describe('createForestall', () => {
  it('takes a webhook in through Express, refunds once and answers', async () => {
    const app = express();
    app.use(forestall.receiver);
    app.use(express.json());
    const server = app.listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;
    sandbox.pointWebhooksAt(`http://127.0.0.1:${port}/webhooks`);

    const sale = makeSale({ product: PRODUCTS.font }, clock.nowMs());
    sandbox.createCharge(sale.charge);
    expect(await forestall.orders.accept([sale.order])).toMatchObject([{ kind: 'accepted' }]);
    const alert = sandbox.createAlertFor(sale.charge.reference);
    await drain();

    expect(sandbox.moneyOut(sale.charge.reference)).toEqual({ count: 1, sumMinor: 2_900 });
    expect(sandbox.state.alerts.get(alert.id)).toMatchObject({
      status: 'RESOLVED',
      transaction_refund_outcome: 'REFUNDED',
    });
    expect(await forestall.alerts.list({ states: ['DECLARED_REFUND'] })).toMatchObject([
      { alertId: alert.id },
    ]);
    expect((await forestall.alerts.find(alert.id))?.movement?.amountMinor).toBe(2_900);
    expect(
      await forestall.alerts.decide({ alertId: alert.id, action: 'REFUND', operator: 'ada' }),
    ).toEqual({ ok: false, reason: 'closed', message: 'The alert is closed already.' });
    server.closeAllConnections();
    server.close();
  });

  it('leaves the routes of the program alone, whatever they are named', async () => {
    const app = express();
    app.use(forestall.receiver);
    const names = ['/webhooks/stripe', '/processor-events/stripe'];
    app.post(names, express.text({ type: '*/*' }), (request, response) =>
      response.status(202).send(`shop: ${request.body}`),
    );
    app.get(names, (_request, response) => response.send('shop'));
    const server = app.listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    const { port } = server.address() as AddressInfo;
    for (const name of names) {
      const url = `http://127.0.0.1:${port}${name}`;
      const posted = await fetch(url, { method: 'POST', body: '{"id":"evt_1"}' });
      expect([posted.status, await posted.text()]).toEqual([202, 'shop: {"id":"evt_1"}']);
      expect(await (await fetch(url)).text()).toBe('shop');
    }
    // Its own path stays its own.
    const own = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{}' });
    expect(own.status).toBe(401);
    server.closeAllConnections();
    server.close();
  });

  it.each(['commit', 'rollback'])(
    'takes orders in with a transaction of the program: %s',
    async (end) => {
      const { order } = makeSale({ product: PRODUCTS.font }, clock.nowMs());
      const client = await pool.connect();
      await client.query('begin');
      const orders = forestall.orders.within(client);
      expect(await orders.accept([order])).toMatchObject([{ kind: 'accepted' }]);
      await client.query(end);
      client.release();
      const found = await forestall.orders.find(String(order['reference_id']));
      expect(found === undefined).toBe(end === 'rollback');
    },
  );

  it('does not work for a test organisation with a processor that moves real money', async () => {
    const { processor } = options;
    if (processor === undefined) throw new Error('no processor');
    const live = {
      ...processor,
      capabilities: async () => ({ ...CAUTIOUS_CAPABILITIES, mode: 'live' as const }),
    };
    const other = await createForestall({ ...options, processor: live });
    await expect(other.start()).rejects.toThrow(
      'test organisation and FORESTALL_PROCESSOR is a live',
    );
    await expect(other.runOnce()).rejects.toThrow(ConfigError);
    await other.stop();
  });

  it('looks at the estate of a file, with the values that it is given', async () => {
    const { accounts, url } = sandbox;
    const { merchants, enrolments, rulesets } = createServiceClient({
      baseUrl: url,
      partnerApiKey: accounts.partnerKey,
      clock,
    });
    const client = { merchants, enrolments, rulesets };
    const file = await importInto(client, accounts.organisationId);
    await file.edit((text) =>
      text.replace(
        'merchants:\n',
        `merchants:\n  - { key: us, name: "${variable('SHOP')}", type: GENERIC }\n`,
      ),
    );
    const other = await createForestall({
      ...options,
      service: { ...options.service, partnerApiKey: accounts.partnerKey },
      estate: file.path,
      variables: { SHOP: 'Shop of America' },
    });
    await other.runOnce();
    const look = await findLook(database.db, accounts.organisationId);
    expect(look).toMatchObject({ file: file.path, problem: null });
    await other.stop();
    await file.remove();
  });

  it('gives its connections back reading bigint as the program does', async () => {
    const { rows } = await pool.query<{ n: unknown }>('select 9007199254740993::int8 as n');
    expect(rows).toEqual([{ n: '9007199254740993' }]);
    const { rowCount } = await pool.query('select count(*) from alert');
    expect(rowCount).toBe(1);
  });

  it('writes through the program’s logger, without bodies', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every(({ message }) => typeof message === 'string')).toBe(true);
    expect(JSON.stringify(lines)).not.toMatch(/customer\.example|4111/);
  });

  it('stops refunds and lets them go again', async () => {
    expect(await forestall.guards.pause({ operator: 'ada', reason: 'drill' })).toBe(true);
    expect(await forestall.guards.pause({ operator: 'bo', reason: 'again' })).toBe(false);
    expect(await forestall.guards.resume({ operator: 'ada' })).toBe(true);
    expect(await forestall.guards.resume({ operator: 'ada' })).toBe(false);
  });

  it('takes no full card number, whichever part is asked', async () => {
    const operator = '4111-1111-1111-1111';
    const refused = /operator holds a full card number/;
    const { books, guards } = forestall;
    await expect(guards.resume({ operator })).rejects.toThrow(refused);
    await expect(books.compare({ since: new Date(0), operator })).rejects.toThrow(refused);
    await expect(books.eraseCustomer({ customerEmail: 'a@b.example', operator })).rejects.toThrow(
      refused,
    );
  });

  it('does not open with a file of costs that is not there', async () => {
    const opened = createForestall({ ...options, costs: '/nowhere.yaml' });
    await expect(opened).rejects.toThrow('names a file that cannot be read (ENOENT)');
  });

  it('compares the books when it is asked, and counts what it would erase of a customer', async () => {
    const { books } = forestall;
    const since = new Date(clock.nowMs() - 86_400_000);
    const id = await books.compare({ since, operator: 'ada' });
    expect(await books.comparison(id)).toEqual({ kind: 'waiting' });
    await drain();
    // One sale, refunded once: 29.00 USD.
    expect(await books.comparison(id)).toMatchObject({ kind: 'done', report: { addsUp: true } });
    expect(await books.comparison('rcn_none')).toBeUndefined();
    const erased = await books.eraseCustomer({
      customerEmail: 'nobody@customer.example',
      operator: 'ada',
      dryRun: true,
    });
    expect(erased).toEqual({
      orders: 0,
      ordersUnderWay: [],
      references: { replaced: 0, kept: [] },
      rows: {},
      sharedAccounts: 0,
      left: { rows: {}, unread: [], settings: [], unreadFiles: [] },
    });
    await expect(books.eraseCustomer({ customerEmail: 'ada', operator: 'ada' })).rejects.toThrow(
      'That is no e-mail address.',
    );
  });

  it('refuses to be driven by hand once it is started; stopping twice is stopping once', async () => {
    const heard: string[] = [];
    const hear = (_fields: unknown, message: string) => void heard.push(message);
    const listening = { debug: hear, info: hear, warn: hear, error: hear };
    const other = await createForestall({ ...plainOptions(), logger: listening });
    await other.migrate();
    await other.start();
    await expect(other.runOnce()).rejects.toThrow('The worker is started and runs by itself.');
    expect(await other.readiness()).toMatchObject({ ok: true });
    await other.stop();
    await other.stop();
    expect(heard).toContain('worker started');
    expect(heard).not.toContain('job queue error');
  });

  it('says why a policy file cannot be used and closes what it opened', async () => {
    const missing = createForestall({ ...plainOptions(), policy: '/nowhere/policy.yaml' });
    await expect(missing).rejects.toThrow('policy names a file that cannot be read (ENOENT)');
  });

  it('does not start on a database that was not migrated, and says what to call', async () => {
    const early = await createForestall({ ...plainOptions(), schema: 'unmigrated' });
    const says =
      /^The database lacks 0001_spine, .*\. Call migrate\(\) before you start the worker\.$/;
    await expect(early.start()).rejects.toThrow(says);
    await expect(early.runOnce()).rejects.toThrow(says);
    await early.stop();
  });

  it('takes no order that was given without its list, instead of losing it', async () => {
    const one = makeSale({ product: PRODUCTS.font }, clock.nowMs()).order;
    await expect(forestall.orders.accept(one as never)).rejects.toThrow(
      'Pass one order as [order].',
    );
  });
});

function plainOptions(): ForestallOptions {
  return {
    database: pool,
    service: { url: sandbox.url, apiKey: sandbox.accounts.organisationKey },
    organisationId: sandbox.accounts.organisationId,
    webhookSecrets: [sandbox.accounts.webhookSecret],
  };
}

describe('the receiver for servers that speak the Fetch API', () => {
  const { event, alert } = createFactories(clock);
  const delivery = (ageSeconds = 0) =>
    signedDelivery({
      event: event({ type: 'alert.created', object: alert() }),
      secret: sandbox.accounts.webhookSecret,
      clock,
      ageSeconds,
    });
  const post = async (request: Request) => {
    const response = await forestall.receive(request);
    return [response.status, await response.json()];
  };

  it('stores an event once, and knows it the second time', async () => {
    const once = delivery();
    expect(await post(requestOf(once))).toEqual([200, { received: true, duplicate: false }]);
    expect(await post(requestOf(once))).toEqual([200, { received: true, duplicate: true }]);
  });

  it.each([[300], [-300]])('accepts a signature %i seconds old', async (ageSeconds) => {
    expect((await post(requestOf(delivery(ageSeconds))))[0]).toBe(200);
  });

  it.each([
    ['too old', () => requestOf(delivery(301)), 401],
    ['from the future', () => requestOf(delivery(-301)), 401],
    ['of another body', () => requestOf({ ...delivery(), body: '{}' }), 401],
    ['without a signature', () => requestOf({ ...delivery(), headers: {} }), 401],
    ['given twice', () => twice(delivery()), 401],
    ['compressed', () => encoded(delivery()), 415],
    ['too large', () => requestOf({ ...delivery(), body: ' '.repeat(256 * 1024 + 1) }), 413],
    ['not posted', () => new Request('http://localhost/webhooks'), 405],
  ])('refuses one %s', async (_what, request, status) => {
    expect((await post(request()))[0]).toBe(status);
  });

  it('does not know a subscription that nobody set up', async () => {
    expect((await forestall.receive(requestOf(delivery()), 'other')).status).toBe(404);
  });

  function twice(signed: ReturnType<typeof delivery>): Request {
    const request = requestOf(signed);
    request.headers.append('x-signature', signed.headers['x-signature'] ?? '');
    return request;
  }

  function encoded(signed: ReturnType<typeof delivery>): Request {
    return requestOf({ ...signed, headers: { ...signed.headers, 'content-encoding': 'gzip' } });
  }
});

describe('the types', () => {
  it('say what must be given, and what comes back', () => {
    type Required = 'database' | 'service' | 'organisationId' | 'webhookSecrets';
    type Needed = {
      [Name in keyof ForestallOptions]-?: object extends Pick<ForestallOptions, Name>
        ? never
        : Name;
    }[keyof ForestallOptions];
    expectTypeOf<Needed>().toEqualTypeOf<Required>();
    expectTypeOf(createForestall).returns.resolves.toEqualTypeOf<Forestall>();
    expectTypeOf<Forestall['receive']>().returns.resolves.toEqualTypeOf<Response>();
    expectTypeOf<
      Awaited<ReturnType<Forestall['orders']['accept']>>[number]['kind']
    >().toEqualTypeOf<'accepted' | 'corrected' | 'unchanged' | 'changed' | 'differs' | 'refused'>();
  });
});
