/**
 * Guarantee: two organisations in one database that share every reference, every alert id and every event id never meet:
 * not their events, their orders, their money, their cases or their findings. It is shown behind the wall, where each
 * process sees its own organisation only, and by the rows that whoever owns the tables sees.
 */
import type { Server } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../src/base/http/listen.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { NO_PROGRAMMES } from '../../src/orders/programme.ts';
import { createConsoleRole } from '../../src/people/console/console-role.ts';
import { INVENTORY } from '../../src/running/privacy/inventory.ts';
import type { OpenTestWorld } from '../../src/running/testing/test-world.ts';
import { createTestWorld } from '../../src/running/testing/test-world.ts';
import type { Product, Sale } from '../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../src/sandbox/demo-shop.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';

const A = 'org_a0000000000000000000000000';
const B = 'org_b0000000000000000000000000';

let database: TestDatabase;
let a: OpenTestWorld;
let b: OpenTestWorld;
/** The same alert id in both. */
const alerts: Record<string, string> = {};
const charges: Record<string, string> = {};

async function open(address: string, organisationId: string): Promise<OpenTestWorld> {
  return await createTestWorld({
    database: address,
    sandbox: { seed: 7, organisationId },
    log: createLog({ level: process.env['FORESTALL_TEST_LOG'] ?? 'silent' }),
  });
}

/** The same sale for another price: its order, its charge and everything in them have the same names. */
function atPrice(sale: Sale, priceMinor: number): Sale {
  const { amount_in_cents: before } = sale.charge;
  const text = JSON.stringify(sale).replaceAll(`:${before},`, `:${priceMinor},`);
  return JSON.parse(text) as Sale;
}

async function sellIn(world: OpenTestWorld, { charge, order }: Sale): Promise<void> {
  world.sandbox.createCharge(charge);
  await world.recordOrder(order);
}

/** Sold in both, at another price in the second; and alerted in both. */
async function raise(name: string, product: Product, priceInB: number, fields = {}): Promise<void> {
  const sale = makeSale({ product }, a.clock.nowMs());
  const reference = sale.charge.reference;
  await sellIn(a, sale);
  await sellIn(b, atPrice(sale, priceInB));
  const ids = [a, b].map((world) => world.sandbox.createAlertFor(reference, fields).id);
  expect(ids[0]).toBe(ids[1]);
  alerts[name] = ids[0] ?? '';
  charges[name] = reference;
}

beforeAll(async () => {
  database = await createTestDatabase();
  const url = new URL(database.connectionString);
  url.searchParams.set('options', '-c role=forestall_app');
  a = await open(url.href, A);
  b = await open(url.href, B);
  await raise('refunded', PRODUCTS.font, 4_100);
  await raise('accepted', PRODUCTS.bicycle, 91_300);
  // Refunded by the network.
  await raise('rdr', PRODUCTS.font, 5_300, { enrolment_id: a.sandbox.accounts.rdrEnrolmentId });
  // Refunded by support in one of them alone, before the alert is worked on.
  await raise('early', PRODUCTS.course, 9_900);
  b.sandbox.refundInDashboard(charges['early'] ?? '');
  for (const world of [a, b]) await world.drain();
});
afterAll(async () => {
  await a.close();
  await b.close();
  await database.drop();
});

const moneyOut = (world: OpenTestWorld, name: string) =>
  world.sandbox.moneyOut(charges[name] ?? '');
const stateOf = (world: OpenTestWorld, name: string) => world.stateOf(alerts[name] ?? '');

/** Rows as the owner of the tables sees them, by organisation. */
async function countOf(table: string, condition = 'true'): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ organisation_id: string; count: number }>(
    `select organisation_id, count(*)::int as count from ${table} where ${condition} group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ organisation_id: id, count }) => [id, count]));
}

describe('two organisations that share every name', () => {
  it('control: the processes see their own organisation alone', async () => {
    const { rows } = await sql<{ name: string; organisation: string }>`
      select current_user::text as name, current_setting('forestall.organisation') as organisation`.execute(
      a.parts.database.db,
    );
    expect(rows).toEqual([{ name: 'forestall_app', organisation: A }]);
    const seen = await sql`select distinct organisation_id as id from audit`.execute(
      b.parts.database.db,
    );
    expect(seen.rows).toEqual([{ id: B }]);
  });

  it('refund their own charges, once and with their own amounts', async () => {
    expect([moneyOut(a, 'refunded'), moneyOut(b, 'refunded')]).toEqual([
      { count: 1, sumMinor: 2_900 },
      { count: 1, sumMinor: 4_100 },
    ]);
    expect([moneyOut(a, 'early'), moneyOut(b, 'early')]).toEqual([
      { count: 1, sumMinor: 8_400 },
      { count: 1, sumMinor: 9_900 },
    ]);
    expect([moneyOut(a, 'accepted').count, moneyOut(b, 'accepted').count]).toEqual([0, 0]);
    const { rows } = await database.pool.query(
      `select organisation_id as id, charge_reference as charge, kind, state, amount_minor as minor from movement
       where charge_reference = any($1) order by 1, 5`,
      [[charges['refunded'], charges['early']]],
    );
    const row = (id: string, name: string, kind: string, minor: number) => ({
      id,
      charge: charges[name],
      kind,
      state: 'CONFIRMED',
      minor,
    });
    expect(rows).toEqual([
      row(A, 'refunded', 'refund', 2_900),
      row(A, 'early', 'refund', 8_400),
      row(B, 'refunded', 'refund', 4_100),
      row(B, 'early', 'external', 9_900),
    ]);
  });

  it('answer their own alerts', async () => {
    for (const world of [a, b]) {
      expect(await stateOf(world, 'refunded')).toBe('DECLARED_REFUND');
      expect(await stateOf(world, 'accepted')).toBe('DECLARED_ACCEPT');
      expect(await stateOf(world, 'early')).toBe('DECLARED_REFUND');
      expect(await stateOf(world, 'rdr')).toBe('RECONCILED_RDR');
      const answers = world.sandbox.patchLog.filter(({ http_status: status }) => status === 200);
      expect(answers.map(({ alert_id: id }) => id).sort()).toEqual(
        [alerts['refunded'], alerts['accepted'], alerts['early']].sort(),
      );
    }
  });

  it('are each sent, and each keep, the same events', async () => {
    const shared = await database.pool.query(
      'select event_id from inbox_id group by 1 having count(distinct organisation_id) = 2',
    );
    expect(shared.rowCount).toBeGreaterThanOrEqual(4);
    const stored = await countOf('inbox_event');
    expect(stored).toEqual(await countOf('inbox_id'));
    expect(Object.keys(stored)).toEqual([A, B]);
    expect(await countOf('quarantine')).toEqual({});
  });

  it('send their own orders, with their own amounts', async () => {
    for (const [world, minor, other] of [
      [a, 2_900, 4_100],
      [b, 4_100, 2_900],
    ] as const) {
      const orders = [...world.sandbox.state.orders.values()];
      expect(orders).toHaveLength(4);
      expect(JSON.stringify(orders)).toContain(`"amount_in_cents":${minor}`);
      expect(JSON.stringify(orders)).not.toContain(`"amount_in_cents":${other}`);
    }
    expect(await countOf('order_record', "state = 'CREATED'")).toEqual({ [A]: 4, [B]: 4 });
  });

  it('open no finding about each other, and lie in no other rows', async () => {
    // That the clock of these worlds stands still is found in each.
    expect(await countOf('finding', "kind <> 'clock_skew'")).toEqual({});
    expect(await countOf('alert_case')).toEqual({ [A]: 4, [B]: 4 });
    for (const table of Object.keys(INVENTORY)) {
      if (table === 'payment_evidence') continue;
      expect([A, B], table).toEqual(expect.arrayContaining(Object.keys(await countOf(table))));
    }
  });
});

describe('two consoles on one database', () => {
  const PATHS = { orders: '/api/orders', claims: '/api/refund-claims' };
  const CLAIM = {
    source: 'WITHDRAWAL',
    reference: 'withdrawal-of-both',
    amount_in_cents: 1_000,
    currency: 'USD',
    country: 'DE',
  };
  const sites: Server[] = [];
  const urls: string[] = [];
  const tokens = ['console-token-of-the-first', 'console-token-of-the-second'];

  beforeAll(async () => {
    for (const [place, world] of [a, b].entries()) {
      const token = tokens[place] ?? '';
      const site = createConsoleRole(world.parts, {
        token,
        programmes: NO_PROGRAMMES,
        counters: undefined,
      });
      sites.push(site);
      const port = await listen(site, { port: 0, host: '127.0.0.1', setting: 'PORT' });
      urls.push(`http://127.0.0.1:${port}`);
    }
  });
  afterAll(async () => {
    for (const site of sites) await closeServer(site, 100);
  });

  const post = async (at: number, token: number, path: string, body: object) => {
    const headers = {
      authorization: `Bearer ${tokens[token]}`,
      'content-type': 'application/json',
    };
    const answer = await fetch(`${urls[at]}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return answer.status;
  };

  it('take orders and claims of the same names in, each with its own token and for itself', async () => {
    const sale = makeSale({ product: PRODUCTS.lamp }, a.clock.nowMs());
    const claim = { ...CLAIM, charge_reference: charges['accepted'] };
    const reference = String(sale.order['reference_id']);
    const stored = async () => [
      await countOf('order_record', `reference_id = '${reference}'`),
      await countOf('refund_claim', `reference = '${CLAIM.reference}'`),
    ];
    for (const path of [PATHS.orders, PATHS.claims]) {
      expect(await post(0, 1, path, path === PATHS.orders ? sale.order : claim)).toBe(401);
    }
    expect(await stored()).toEqual([{}, {}]);
    expect(await post(1, 1, PATHS.orders, sale.order)).toBeLessThan(300);
    expect(await post(1, 1, PATHS.claims, claim)).toBe(201);
    expect(await stored()).toEqual([{ [B]: 1 }, { [B]: 1 }]);
    // The same names are news to the other one.
    expect(await post(0, 0, PATHS.orders, sale.order)).toBeLessThan(300);
    expect(await post(0, 0, PATHS.claims, claim)).toBe(201);
    expect(await stored()).toEqual([
      { [A]: 1, [B]: 1 },
      { [A]: 1, [B]: 1 },
    ]);
  });
});
