/**
 * Guarantee: with data keys set, raw bodies and orders stand in the database as ciphertext only, and
 * everything that works without keys works with them: from the webhook to the answer, the console, the
 * report, erasure, and the change of keys while everything runs.
 */
import type { AddressInfo } from 'node:net';
import type { Kysely, KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCustomerFacts } from '../../../src/alerts/decide/history-facts.store.ts';
import { rematchWaiting } from '../../../src/alerts/match/waiting.store.ts';
import { readEventDetail } from '../../../src/alerts/receive/event-detail.store.ts';
import { takeWork } from '../../../src/alerts/receive/inbox-work.store.ts';
import { replayEvent } from '../../../src/alerts/receive/replay.ts';
import { reportOn } from '../../../src/alerts/reconcile/make-report.ts';
import { creationsMissing } from '../../../src/alerts/reconcile/slow-checks.store.ts';
import { carryKeys, dataKeysOf } from '../../../src/base/db/carried-keys.ts';
import type { Database } from '../../../src/base/db/database.ts';
import { sourceOfPool } from '../../../src/base/db/source.ts';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import { parseDataKeys } from '../../../src/base/kernel/data-keys.ts';
import { createLog } from '../../../src/base/kernel/log.ts';
import { createKeyAdmission } from '../../../src/base/seal/key-admission.ts';
import {
  insertAttachment,
  readAttachment,
} from '../../../src/capabilities/comments/attachment.store.ts';
import { addDocument } from '../../../src/capabilities/representments/documents/document.store.ts';
import { readFile } from '../../../src/capabilities/representments/documents/read-file.ts';
import { ordersWithin } from '../../../src/orders/foreign-transaction.ts';
import { lintStored } from '../../../src/orders/import/lint.ts';
import { acceptOrders } from '../../../src/orders/intake.ts';
import { readOrder } from '../../../src/orders/order.store.ts';
import { NO_PROGRAMMES } from '../../../src/orders/programme.ts';
import { createConsoleRole } from '../../../src/people/console/console-role.ts';
import { sealLines } from '../../../src/people/doctor/seal-lines.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { INVENTORY, personalColumns } from '../../../src/running/privacy/inventory.ts';
import type { ResealReport } from '../../../src/running/privacy/reseal.ts';
import { reseal } from '../../../src/running/privacy/reseal.ts';
import { signedDelivery } from '../../../src/running/testing/signed-delivery.ts';
import type { Product, Sale } from '../../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import { openAsConsole } from '../../support/console-role.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const K1 = `k1:${Buffer.alloc(32, 'the first key of the test ').toString('base64')}`;
const K2 = `k2:${Buffer.alloc(32, 'a second key, for rotation ').toString('base64')}`;
const ADA = 'ada.lovelace@customers.example';
const ACCOUNT = 'account-of-ada-0001';
const TOKEN = 'console-token-of-the-test';

let world: World;
let site: ReturnType<typeof createConsoleRole>;
let cookie: string;
let organisationId: string;
/** Order references: sealed from the first, and from before there were keys. */
let order: string;
let earlier: string;
let alertId: string;

/** The database as a process with these keys sees it. */
function under(keys: string): Kysely<Database> {
  return world.database.db.withPlugin(pluginOf(keys));
}

function pluginOf(keys: string): KyselyPlugin {
  return carryKeys(parseDataKeys(keys))[0] ?? expect.fail();
}

function ofAda(product: Product): Sale {
  const sale = makeSale({ product }, world.clock.nowMs());
  const named = { customer_email: ADA, order_email: ADA, customer_account_id: ACCOUNT };
  return { ...sale, order: { ...sale.order, ...named } };
}

/** Sells to Ada and has the payment disputed. Returns the order's reference and the alert's id. */
async function disputedSale(product: Product = PRODUCTS.font): Promise<[string, string]> {
  const sale = ofAda(product);
  world.sandbox.createCharge(sale.charge);
  await world.recordOrder(sale.order);
  const alert = world.sandbox.createAlertFor(sale.charge.reference);
  return [String(sale.order['reference_id']), alert.id];
}

async function deliver(event: unknown): Promise<void> {
  const secret = world.sandbox.accounts.webhookSecret;
  const { headers, body } = signedDelivery({ event, secret, clock: world.clock });
  expect((await fetch(world.webhookUrl, { method: 'POST', headers, body })).status).toBe(200);
}

const url = (): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}`;

async function page(path: string): Promise<string> {
  const headers = path.startsWith('/api/') ? { authorization: `Bearer ${TOKEN}` } : { cookie };
  return await (await fetch(url() + path, { headers })).text();
}

/** Every value of the columns, as Postgres prints it. */
async function raw(table: string, column: string): Promise<string[]> {
  const value = sql.ref(column);
  const { rows } = await sql<{ value: string }>`
    select case when pg_typeof(${value})::text = 'bytea' then encode(${value}::text::bytea, 'escape') || ${value}::text
      else ${value}::text end as value
    from ${sql.table(table)} where ${value} is not null`.execute(world.database.db);
  return rows.map((row) => row.value);
}

const resealUnder = (keys: string, onProgress?: () => Promise<void>): Promise<ResealReport> =>
  reseal(under(keys), {
    organisationId,
    keys: parseDataKeys(keys),
    ...(onProgress === undefined ? {} : { onProgress }),
  });

/** What is known of a customer, every order counted. */
const factsOf = (db: Kysely<Database>, accountId: string | null, email: string | null) =>
  readCustomerFacts(db, {
    organisationId,
    keys: { accountId, email, orderedAt: null },
    orderReference: 'another',
    alertId: 'another',
    asksBlocked: false,
  });

/** The keeper of a process that starts with these keys. */
async function start(keys: string | undefined): Promise<void> {
  const db = keys === undefined ? world.database.db : under(keys);
  const keeper = createKeyAdmission({ db, organisationId, log: createLog({ level: 'silent' }) });
  await keeper.admit();
  keeper.stop();
}

beforeAll(async () => {
  world = await createWorld({ dataKeys: parseDataKeys(`${K1},${K2}`) });
  organisationId = world.parts.organisationId;
  site = createConsoleRole(world.parts, {
    token: TOKEN,
    programmes: NO_PROGRAMMES,
    counters: undefined,
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', () => done()));
  const signedIn = await fetch(`${url()}/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token: TOKEN }),
  });
  cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  // Before there were keys: the handle of the database carries none.
  const { integrationId } = world.parts.endpoints;
  const before = ofAda(PRODUCTS.lamp);
  earlier = String(before.order['reference_id']);
  const onCharges = rematchWaiting;
  const plain = {
    db: world.database.db,
    clock: world.clock,
    organisationId,
    integrationId,
    onCharges,
  };
  await acceptOrders(plain, [before.order]);
  [order, alertId] = await disputedSale();
  const { id } = world.sandbox.createRepresentment();
  await world.drain();
  await world.advance(5 * 60_000);
  world.sandbox.updateRepresentment(id, { dispute_status: 'WON' });
  // A body that is no event, and a second body under an id that is known, twice.
  await deliver({ id: 'evt_ada', type: 'letter.created', data: { from: ADA } });
  for (const text of ['other', 'other', 'third']) {
    await deliver({ id: 'evt_ada', type: 'letter.created', data: { from: ADA, text } });
  }
  await deliver(`no JSON, but ${ADA}`);
  await world.drain();
  // Beside the alert: a file from before there were keys, and one from after.
  for (const [id, db] of [
    ['att_before', world.database.db],
    ['att_after', world.parts.database.db],
  ] as const) {
    await inTransaction(db, (trx) =>
      insertAttachment(trx, {
        organisation_id: organisationId,
        id,
        alert_id: alertId,
        operator: 'lin',
        file_name: 'letter.txt',
        body: Buffer.from(`A letter of ${ADA}.`),
        at: nowDate(world.clock),
      }),
    );
  }
  // And a version of a document of each.
  for (const [validFrom, db] of [
    ['2026-01-01', world.database.db],
    ['2026-06-01', world.parts.database.db],
  ] as const) {
    await addTerms(db, validFrom);
  }
});

async function addTerms(db: Kysely<Database>, validFrom: string): Promise<void> {
  const now = nowDate(world.clock);
  const text = Buffer.from(`The terms of ${validFrom}.`);
  const reading = await readFile(text, { title: 'Terms', now });
  const words = { element: 'terms', name: 'Terms', language: null, product: null } as const;
  const act = { organisationId, actor: 'operator:lin', now };
  await addDocument(db, act, {
    words: { ...words, orderReference: null, validFrom, validUntil: null },
    file: reading.ok ? reading.file : expect.fail(reading.message),
  });
}

/** The files beside the alert, as a process with these keys reads them. */
const lettersOf = async (db: Kysely<Database>): Promise<(string | undefined)[]> => {
  const ids = ['att_before', 'att_after'];
  const attachments = ids.map((id) => readAttachment(db, { organisationId, alertId, id }));
  return (await Promise.all(attachments)).map((file) => file?.body.toString());
};
afterAll(async () => {
  site.close();
  await world.close();
});

describe('with data keys', () => {
  it('an alert is refunded and answered, and the service holds the order as it was handed in', async () => {
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
    const sent = world.arrivals.all.filter(({ endpoint }) => endpoint === 'POST /v1/orders');
    expect(sent.filter(({ text }) => text.includes(order) && text.includes(ADA))).toHaveLength(1);
    // The refund was pushed to it afterwards.
    expect((await world.orders.find(order)) as object).toMatchObject({
      customer_email: ADA,
      refunds: [{ amount_in_cents: 2_900 }],
    });
  });

  it('a customer is known by sealed and unsealed orders alike', async () => {
    const { db } = world.parts.database;
    const known = { orders: 2, refunds: 1, alerts: 1 };
    expect(await factsOf(db, ACCOUNT, null)).toMatchObject(known);
    expect(await factsOf(db, null, ADA.toUpperCase())).toMatchObject(known);
    expect(await factsOf(db, 'nobody', 'nobody@customers.example')).toMatchObject({ orders: 0 });
  });

  it('the console shows events and orders, and finds an alert by the customer', async () => {
    expect(await page('/events/evt_ada')).toContain(ADA);
    expect(await page('/events')).toContain('letter.created');
    expect(await page('/orders')).toContain('29.00');
    expect(await page(`/api/orders/${order}`)).toContain(order);
    expect(await page(`/alerts?state=all&q=${encodeURIComponent(ADA)}`)).toContain(alertId);
    const listed = JSON.parse(await page('/api/events?limit=100')) as {
      items: { bytes?: number }[];
    };
    expect(listed.items.length).toBeGreaterThan(4);
    expect((await lintStored(world.parts.database.db, organisationId)).orders).toBe(2);
  });

  it('a quarantined body is kept once, and can be replayed', async () => {
    const db = world.parts.database.db;
    const detail = await readEventDetail(db, organisationId, 'evt_ada');
    const reused = detail?.quarantine.filter(({ reason }) => reason === 'id_reused') ?? [];
    expect(reused.map(({ body }) => JSON.parse(String(body)).data.text)).toEqual([
      'other',
      'third',
    ]);
    const by = { organisationId, by: 'operator:test', at: nowDate(world.clock) };
    expect(await replayEvent(db, { ...by, eventId: 'evt_ada' })).toMatchObject({ ok: true });
    await world.drain();
    const work = await db.selectFrom('inbox_work').selectAll().execute();
    expect(work).toEqual([]);
  });

  it('the report adds up, and no creation is missing', async () => {
    const now = nowDate(world.clock);
    const from = new Date(now.getTime() - 86_400_000);
    const db = world.parts.database.db;
    const report = await reportOn(db, {
      organisationId,
      from,
      to: new Date(now.getTime() + 1_000),
      now,
      name: 'asked',
    });
    expect(report.mismatches).toEqual([]);
    // An unknown type, a body that is no JSON, and two that were set aside beside a known id.
    expect(report.events).toMatchObject({ quarantined: 4, waiting: 0 });
    expect(report.events.applied).toBeGreaterThanOrEqual(4);
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from representment where updated_at > created_at`.execute(db);
    expect(rows[0]?.n).toBe(1);
    expect(await creationsMissing(db, { organisationId, now, limit: 10 })).toEqual([]);
  });
});

describe('other ways to the database', () => {
  it('carry the keys too: a pool of the merchant’s, and a transaction of the merchant’s', async () => {
    const { pool, db } = world.database;
    const keys = parseDataKeys(`${K1},${K2}`);
    const log = createLog({ level: 'silent' });
    expect(dataKeysOf(sourceOfPool(pool, { dataKeys: keys }).open({ log }).db)).toBe(keys);
    const { clock } = world;
    const { integrationId } = world.parts.endpoints;
    const client = await pool.connect();
    try {
      await client.query('begin');
      const context = {
        organisationId,
        integrationId,
        clock,
        dataKeys: keys,
        onCharges: rematchWaiting,
      };
      const { order: own } = ofAda(PRODUCTS.font);
      await ordersWithin(client, context).accept([own]);
      const row = db.selectFrom('order_record').select(['body', 'submitted', 'email_hmac']);
      const stored = await client.query(
        row.where('reference_id', '=', String(own['reference_id'])).compile().sql,
        [own['reference_id']],
      );
      const sealed = expect.stringMatching(/^sealed:k1:/);
      const hash = expect.any(Buffer);
      expect(stored.rows).toEqual([{ body: sealed, submitted: sealed, email_hmac: hash }]);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('start with the rights of the console’s own role', async () => {
    const { db, close } = openAsConsole(world.database.name, organisationId);
    const scope = { organisationId, log: createLog({ level: 'silent' }) };
    const keeper = createKeyAdmission({ db: db.withPlugin(pluginOf(`${K1},${K2}`)), ...scope });
    await keeper.admit();
    keeper.stop();
    await close();
  });
});

describe('rows from before there were keys', () => {
  it('are sealed by the command, which says so', async () => {
    expect(await resealUnder(`${K1},${K2}`)).toEqual({
      keyId: 'k1',
      changed: { order_record: 1, review_attachment: 1 },
      left: {},
      done: [],
      inUse: [],
    });
    const letter = `A letter of ${ADA}.`;
    expect(await lettersOf(world.parts.database.db)).toEqual([letter, letter]);
    const again = await resealUnder(`${K1},${K2}`);
    expect(again.changed).toEqual({});
  });

  it('then every column that the inventory marks is ciphertext, and no other', async () => {
    const marked = Object.entries(INVENTORY).flatMap(([table, entry]) =>
      entry.sealed.map((column) => `${table}.${column}`),
    );
    expect(await sealedColumns()).toEqual(marked.sort());
    expect(marked).toHaveLength(6);
    for (const place of marked) {
      const [table = '', column = ''] = place.split('.');
      const values = await raw(table, column);
      expect(values.length).toBeGreaterThan(1);
      for (const word of [ADA, ACCOUNT, 'letter.created', 'customer_email', alertId]) {
        expect(
          values.filter((value) => value.includes(word)),
          `${word} in ${place}`,
        ).toEqual([]);
      }
    }
  });
});

/** Columns that can name a person, of which every value is sealed; one with some is an error. */
async function sealedColumns(): Promise<string[]> {
  const sealed: string[] = [];
  for (const { table, column, kind } of personalColumns()) {
    const value = sql.ref(column);
    const isSealed =
      kind === 'bytes' ? sql`key_id is not null` : sql`${value}::text like '"sealed:k1:%'`;
    const { rows } = await sql<{ all: number; sealed: number }>`
      select count(*)::int as all, count(*) filter (where ${isSealed})::int as sealed
      from ${sql.table(table)} where ${value} is not null`.execute(world.database.db);
    const [count] = rows;
    if (count === undefined || count.sealed === 0) continue;
    sealed.push(`${table}.${column}${count.sealed === count.all ? '' : ' in part'}`);
  }
  return sealed.sort();
}

describe('another key', () => {
  it('takes over while orders and webhooks come in', async () => {
    const [report, sold] = await Promise.all([
      resealUnder(`${K2},${K1}`),
      Promise.all([1, 2].map(() => disputedSale())),
    ]);
    expect(report.keyId).toBe('k2');
    expect(report.changed['inbox_event']).toBeGreaterThan(4);
    await world.drain();
    for (const [, id] of sold) expect(await world.stateOf(id)).toBe('DECLARED_REFUND');
    // What came meanwhile was sealed under the old key by a process that still runs with it.
    expect((await resealUnder(`${K2},${K1}`)).left).toEqual({});
    const over = await resealUnder(`${K2},${K1}`);
    expect(over).toEqual({ keyId: 'k2', changed: {}, left: {}, done: [], inUse: ['k1'] });
  });

  it('nothing starts without the old one until no row needs it', async () => {
    await expect(start(undefined)).rejects.toThrow(
      'The database holds values sealed under data key k1, which FORESTALL_DATA_KEYS does not name',
    );
    await expect(start(K2)).rejects.toThrow('under data key k1');
    const wrong = K2.replace('k2', 'k1').replace('YSBz', 'YSBt');
    await expect(start(`${K2},${wrong}`)).rejects.toThrow('names another key as k1');
    await start(`${K2},${K1}`);
    const look = (keys: string) =>
      sealLines({
        rows: { value: world.database.db },
        settings: { dataKeys: parseDataKeys(keys) },
        service: { organisationId },
      } as never);
    expect(await look(K2)).toMatchObject([{ status: 'failed', name: 'data keys' }]);
    expect(await look(`${K2},${K1}`)).toMatchObject([
      { status: 'warning', nextStep: 'Run: forestall reseal' },
    ]);
    // The old process has gone: its last word is old.
    world.parts.keyAdmission.stop();
    await sql`update data_key set sealing_at = now() - interval '301 seconds' where key_id = 'k1'`.execute(
      world.database.db,
    );
    // An order that comes while the walk is on its last rows is found by the count after it.
    const late = ofAda(PRODUCTS.course);
    let walks = 0;
    const walked = await resealUnder(`${K2},${K1}`, async () => {
      walks += 1;
      if (walks === 4) await world.recordOrder(late.order);
    });
    expect(walked).toMatchObject({ left: { k1: 1 }, done: [] });
    expect(await resealUnder(`${K2},${K1}`)).toMatchObject({ done: ['k1'], inUse: [] });
    await start(K2);
    await world.drain();
    expect(await factsOf(under(K2), ACCOUNT, null)).toMatchObject({ orders: 5 });
    expect(await factsOf(under(K2), null, ADA)).toMatchObject({ orders: 5 });
    expect(await look(K2)).toMatchObject([{ status: 'ok' }]);
    const found = await readOrder(under(K2), organisationId, { referenceId: earlier });
    expect(found?.body.customer_email).toBe(ADA);
  });

  it('a customer is found and erased under it', async () => {
    const db = under(K2);
    const erase = (dryRun: boolean) =>
      eraseCustomer(db, {
        organisationId,
        customerEmail: ADA.toUpperCase(),
        actor: 'operator:test',
        now: nowDate(world.clock),
        dryRun,
      });
    const expected = { 'inbox_event.body': 2, 'quarantine.body': 2, 'review_attachment.body': 2 };
    expect(await erase(true)).toMatchObject({ orders: 5, ordersUnderWay: [], rows: expected });
    expect(await erase(false)).toMatchObject({ orders: 5, rows: expected });
    expect(await erase(false)).toMatchObject({ orders: 0, rows: {} });
    // A name in a packed file is found by no search: what lay beside the customer's alerts is gone.
    expect(await lettersOf(db)).toEqual([undefined, undefined]);
    const order_ = await readOrder(db, organisationId, { referenceId: order });
    expect(order_?.body).toMatchObject({ customer_email: '[erased]', order_currency: 'USD' });
    expect(order_).toMatchObject({ email_hmac: null, account_hmac: null });
  });
});

describe('a value in the database', () => {
  const change = async (statement: string): Promise<void> => {
    await world.database.pool.query(statement);
  };

  it('moved to another order does not open', async () => {
    const db = under(K2);
    await change(
      `update order_record a set body = b.body from order_record b
       where a.reference_id = '${order}' and b.reference_id = '${earlier}'`,
    );
    await expect(readOrder(db, organisationId, { referenceId: order })).rejects.toThrow(
      'A value of order_record.body does not open under data key k2',
    );
    await change(`update order_record a set body = a.submitted where a.reference_id = '${order}'`);
    await expect(readOrder(db, organisationId, { referenceId: order })).rejects.toThrow(
      'order_record.body does not open',
    );
    await change(`delete from order_record where reference_id = '${order}'`);
  });

  it('with one byte changed does not open', async () => {
    const flip = `update inbox_event set body = set_byte(body, 20, get_byte(body, 20) # 1) where event_id = 'evt_ada'`;
    await change(flip);
    await expect(readEventDetail(under(K2), organisationId, 'evt_ada')).rejects.toThrow(
      'A value of inbox_event.body does not open under data key k2',
    );
    // Met among the work it is set aside, and blocks no other.
    const by = { organisationId, by: 'operator:test', at: nowDate(world.clock) };
    await replayEvent(under(K2), { ...by, eventId: 'evt_ada' });
    const work = await inTransaction(under(K2), (trx) =>
      takeWork(trx, organisationId, { limit: 5 }),
    );
    expect(work).toMatchObject([{ text: null, sealFault: expect.stringContaining('was changed') }]);
    await change(flip);
    expect(await readEventDetail(under(K2), organisationId, 'evt_ada')).toBeDefined();
  });
});

describe('sealing switched off', () => {
  it('opens every row, and then needs no key', async () => {
    const { db } = world.database;
    const report = await resealUnder(`open,${K2}`);
    expect(report).toMatchObject({ keyId: null, left: {}, inUse: ['k2'] });
    await sql`update data_key set sealing_at = now() - interval '1 hour'`.execute(db);
    expect((await resealUnder(`open,${K2}`)).done).toEqual(['k2']);
    await start(undefined);
    const { rows } = await sql<{ n: number }>`
      select (select count(*) from inbox_event where key_id is not null or event_type is not null)
        + (select count(*) from quarantine where key_id is not null)
        + (select count(*) from order_record where email_hmac is not null or account_hmac is not null
            or jsonb_typeof(body) <> 'object' or jsonb_typeof(submitted) <> 'object') as n`.execute(
      db,
    );
    expect(rows[0]?.n).toBe(0);
    const event = await readEventDetail(db, organisationId, 'evt_ada');
    expect(JSON.parse(String(event?.event?.body))).toMatchObject({ data: { from: '[erased]' } });
  });
});
