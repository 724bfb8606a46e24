/**
 * Guarantee: after an erasure the customer's name stands nowhere in the database, the books are as they
 * were, and nobody else has lost anything. The oracle reads every column of every table.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signDelivery } from '../../../src/alerts/receive/signature.ts';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { EraseReport } from '../../../src/running/privacy/erase.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { deleteOld } from '../../../src/running/privacy/retention.store.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const ADA = 'ada.lovelace@customers.example';
const ACCOUNT = 'account-of-ada-0001';
const BESIDE = ['account-of', 'ada-0001'];
const BOB = 'bob@customers.example';

let world: World;
let alertId: string;
let charge: string;

/** Every table, partitions apart, in which a text stands in any column, as Postgres prints it. */
async function tablesNaming(text: string): Promise<string[]> {
  const { db } = world.database;
  const { rows } = await sql<{ name: string }>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('forestall', 'forestall_jobs') and c.relkind in ('r', 'p') and not c.relispartition`.execute(
    db,
  );
  const hits: string[] = [];
  for (const { name } of rows) {
    const row = sql.table(name);
    const found = await sql<{ found: boolean }>`
      select exists (select from ${row} t where t::text ilike ${`%${text}%`}
        or t::text ilike ${`%${Buffer.from(text).toString('hex')}%`}) as found`.execute(db);
    if (found.rows[0]?.found === true) hits.push(name.replace('forestall.', ''));
  }
  return hits.sort();
}

async function sellTo(email: string, account: string): Promise<string> {
  const sale = await world.sell(PRODUCTS.font);
  const { db } = world.database;
  // The shop makes its own customers; this one is ours.
  await sql`
    update order_record set
      body = body || ${JSON.stringify({ customer_email: email, customer_account_id: account })}::jsonb,
      submitted = submitted || ${JSON.stringify({ customer_email: email, customer_account_id: account })}::jsonb
    where body->'transactions'->0->>'reference_id' = ${sale.charge.reference}`.execute(db);
  return sale.charge.reference;
}

async function erase(dryRun: boolean): Promise<EraseReport> {
  return await eraseCustomer(world.database.db, {
    organisationId: world.parts.organisationId,
    customerEmail: 'Ada.Lovelace@Customers.Example',
    actor: 'operator:test',
    now: nowDate(world.clock),
    dryRun,
  });
}

beforeAll(async () => {
  world = await createWorld();
  charge = await sellTo(ADA, ACCOUNT);
  await sellTo(BOB, 'account-of-bob-0001');
  const alert = world.sandbox.createAlertFor(charge);
  alertId = alert.id;
  await world.drain();
  await world.advance(5 * 60_000);
  // Where a name ends up in real life: a signed body we cannot use, notes, messages.
  const body = Buffer.from(
    JSON.stringify({ id: 'evt_ada', type: 'letter.created', data: { from: ADA, "it's": ACCOUNT } }),
  );
  const at = Math.floor(world.clock.nowMs() / 1_000);
  const answer = await fetch(world.webhookUrl, {
    method: 'POST',
    headers: { 'x-signature': signDelivery(world.sandbox.accounts.webhookSecret, body, at) },
    body,
  });
  expect(answer.status).toBe(200);
  await world.drain();
  const { db } = world.database;
  await sql`update alert set note = ${`call ${ADA}`}, snapshot = snapshot || jsonb_build_object('note', ${ADA}::text)`.execute(
    db,
  );
  // Two texts beside one another do not name her together.
  const beside = JSON.stringify({ customer: ACCOUNT, parts: BESIDE });
  await sql`update decision set inputs = inputs || ${beside}::jsonb`.execute(db);
  await db.transaction().execute(async (trx) => {
    await sql`select set_config('forestall.erasing', 'on', true)`.execute(trx);
    await sql`update audit set detail = jsonb_build_object('note', ${ADA}::text) where alert_id = ${alertId}`.execute(
      trx,
    );
  });
  await sql`
    insert into notification (organisation_id, dedupe_key, kind, severity, text, created_at, next_attempt_at)
    values (${world.parts.organisationId}, 'k', 'case_held', 'info', ${`about ${ADA}`}, now(), null)`.execute(
    db,
  );
});
afterAll(() => world.close());

describe('erasing a customer', () => {
  it('counts first, and changes nothing', async () => {
    const before = await tablesNaming(ADA);
    expect(before).toEqual(
      expect.arrayContaining(['alert', 'audit', 'inbox_event', 'notification', 'order_record']),
    );
    const report = await erase(true);
    expect(report.orders).toBe(1);
    expect(report.rows['inbox_event.body']).toBeGreaterThan(0);
    expect(await tablesNaming(ADA)).toEqual(before);
  });

  it('leaves the name nowhere', async () => {
    const report = await erase(false);
    expect(report.ordersUnderWay).toEqual([]);
    expect(await tablesNaming(ADA)).toEqual([]);
    expect(await tablesNaming(ACCOUNT)).toEqual([]);
  });

  it('leaves the books as they were', async () => {
    const refunds = await world.database.db.selectFrom('movement').selectAll().execute();
    expect(refunds).toMatchObject([
      { charge_reference: charge, amount_minor: 2_900, state: 'CONFIRMED' },
    ]);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
    expect(world.sandbox.moneyOut(charge)).toEqual({ count: 1, sumMinor: 2_900 });
  });

  it('leaves everybody else alone', async () => {
    expect(await tablesNaming(BOB)).toEqual(['order_record']);
  });

  it('leaves two texts that would name the customer were they one', async () => {
    const rows = await world.database.db.selectFrom('decision').select('inputs').execute();
    expect(rows.length).toBeGreaterThan(0);
    for (const { inputs } of rows) expect(inputs).toMatchObject({ parts: BESIDE });
  });

  it('for another organisation finds nobody of this one', async () => {
    const before = await tablesNaming(BOB);
    const report = await eraseCustomer(world.database.db, {
      organisationId: 'org_other',
      customerEmail: BOB,
      actor: 'operator:test',
      now: nowDate(world.clock),
      dryRun: false,
    });
    expect(report).toMatchObject({ orders: 0, ordersUnderWay: [], rows: {} });
    expect(await tablesNaming(BOB)).toEqual(before);
  });

  it('is noted without the name, and can be repeated', async () => {
    const again = await erase(false);
    expect(again).toEqual({
      orders: 0,
      ordersUnderWay: [],
      rows: {},
      references: { replaced: 0, kept: [] },
      sharedAccounts: 0,
      left: { rows: {}, unread: [], settings: [], unreadFiles: [] },
    });
    const notes = await world.database.db
      .selectFrom('audit')
      .select(['what', 'actor'])
      .where('organisation_id', '=', world.parts.organisationId)
      .where('subject_id', '=', 'erasure')
      .execute();
    expect(notes).toEqual([
      { what: 'customer data erased', actor: 'operator:test' },
      { what: 'customer data erased', actor: 'operator:test' },
    ]);
  });

  it('does not touch an order that has still to be sent, and says so', async () => {
    const { db } = world.database;
    const sale = await world.sell(PRODUCTS.bicycle);
    await sql`update order_record set body = body || ${JSON.stringify({ customer_email: ADA })}::jsonb
      where body->'transactions'->0->>'reference_id' = ${sale.charge.reference}`.execute(db);
    const report = await erase(false);
    expect(report.ordersUnderWay).toEqual([sale.order['reference_id']]);
    expect(await tablesNaming(ADA)).toEqual(['order_record']);
  });

  it.each(['nobody', '', 'two words@example.com'])('refuses %j as an address', async (address) => {
    const request = { organisationId: 'o', customerEmail: address, actor: 'a', dryRun: true };
    await expect(
      eraseCustomer(world.database.db, { ...request, now: nowDate(world.clock) }),
    ).rejects.toThrow('That is no e-mail address.');
  });
});

describe('the audit log', () => {
  it.each([
    ['another word, without an erasure', 'off', `detail = '{}'`],
    ['another actor, in an erasure', 'on', `actor = 'nobody'`],
    ['another moment, in an erasure', 'on', 'at = now()'],
  ])('takes no %s', async (_what, erasing, change) => {
    await expect(
      world.database.db.transaction().execute(async (trx) => {
        await sql`select set_config('forestall.erasing', ${erasing}, true)`.execute(trx);
        await sql.raw(`update audit set ${change}`).execute(trx);
      }),
    ).rejects.toThrow('audit is append-only');
  });

  it('loses no row in an erasure', async () => {
    await expect(
      world.database.db.transaction().execute(async (trx) => {
        await sql`select set_config('forestall.erasing', 'on', true)`.execute(trx);
        await sql`delete from audit`.execute(trx);
      }),
    ).rejects.toThrow('audit is append-only');
  });
});

describe('what is kept long enough', () => {
  const count = async (table: string): Promise<number> => {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from ${sql.table(table)}`.execute(world.database.db);
    return rows[0]?.n ?? -1;
  };
  /** The database's own clock guards the functions, so the rows are made old instead of the clock new. */
  async function ageClosedCases(days: number): Promise<void> {
    const { db } = world.database;
    await sql`update alert_case set closed_at = now() - make_interval(days => ${days}) where not is_open`.execute(
      db,
    );
    await sql`update entity_change set changed_at = now() - make_interval(days => ${days})`.execute(
      db,
    );
  }
  const run = () => deleteOld(world.database.db, world.parts.organisationId, { now: new Date() });

  it('goes after 13 months, and the books stay', async () => {
    await ageClosedCases(395);
    await run();
    expect(await count('alert_case')).toBe(1);
    const books = [await count('movement'), await count('declaration'), await count('audit')];
    await ageClosedCases(397);
    const report = await run();
    expect(report.rowsDeleted).toBeGreaterThan(0);
    for (const table of ['alert_case', 'alert', 'match', 'decision', 'entity_change']) {
      expect(await count(table), table).toBe(0);
    }
    expect([await count('movement'), await count('declaration'), await count('audit')]).toEqual(
      books,
    );
  });

  it('never goes early, whoever asks', async () => {
    const { db } = world.database;
    await expect(
      sql`select delete_old_cases('o', now() - interval '389 days', 10)`.execute(db),
    ).rejects.toThrow('cases younger than 390 days are not deleted');
    await expect(sql`select drop_old_inbox(now() - interval '6 days')`.execute(db)).rejects.toThrow(
      'events younger than 7 days are not deleted',
    );
  });

  it('drops partitions of raw bodies that are over, unless an event in them was never applied', async () => {
    const { db } = world.database;
    for (const month of ['2020-01', '2020-02']) {
      await sql`select ensure_inbox_partition(${`${month}-10`}::timestamptz)`.execute(db);
    }
    await sql`insert into inbox_work (seq, received_at, organisation_id, event_id)
      values (-1, '2020-02-10', 'o', 'evt_never_applied')`.execute(db);
    expect((await run()).partitionsDropped).toBe(1);
    await sql`delete from inbox_work where seq = -1`.execute(db);
    expect((await run()).partitionsDropped).toBe(1);
  });
});
