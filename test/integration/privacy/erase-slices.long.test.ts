/**
 * Guarantee: an erasure reads no table as a whole in one statement, and one that was broken off continues where
 * it was, still knowing by what names the customer goes.
 */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personOf } from '../../../src/base/seal/person.ts';
import type { EraseReport } from '../../../src/running/privacy/erase.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { namedIn } from '../../../src/running/privacy/look.ts';
import type { Slice } from '../../../src/running/privacy/named-rows.store.ts';
import { pagesOfTable, placesOf } from '../../../src/running/privacy/named-rows.store.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

const ORG = 'org_erase';
const ADA = 'ada@customers.example';
const ACCOUNT = 'account-of-ada-0001';
const ROWS = 1_000;

let database: TestDatabase;

/** Deliveries over hundreds of pages; every tenth names the account, and no e-mail address. */
beforeEach(async () => {
  database = await createTestDatabase();
  await sql`
    insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
    select n, now(), ${ORG}, 'evt_' || n, 's', now(),
      convert_to(jsonb_build_object('n', n, 'who', case when n % 10 = 0 then ${ACCOUNT}::text else 'nobody' end,
        'filler', repeat(md5(n::text), 50))::text, 'UTF8')
    from generate_series(1, ${ROWS}) as n`.execute(database.db);
  const order = JSON.stringify({ customer_email: ADA, customer_account_id: ACCOUNT });
  await sql`
    insert into order_record (organisation_id, integration_id, reference_id, type, state, submitted, submitted_hash, body, order_id, accepted_at, changed_at)
    select ${ORG}, 'i', 'order ' || n, 'COMPLETE', 'CREATED', '{}', '',
      case when n = 4500 then ${order}::jsonb else '{"customer_email":"bob@customers.example"}' end, 'o', now(), now()
    from generate_series(1, 5000) as n`.execute(database.db);
});
afterEach(() => database.drop());

async function erase(dryRun = false): Promise<EraseReport> {
  return await eraseCustomer(database.db, {
    organisationId: ORG,
    customerEmail: ADA,
    actor: 'operator:test',
    now: new Date('2026-11-20T12:00:00Z'),
    dryRun,
  });
}

async function naming(text: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from inbox_event where body::text like ${`%${Buffer.from(text).toString('hex')}%`}`.execute(
    database.db,
  );
  return rows[0]?.count ?? -1;
}

async function progress(): Promise<unknown> {
  const row = await database.db
    .selectFrom('fact')
    .select('value')
    .where('name', '=', 'erasure')
    .executeTakeFirst();
  return row?.value;
}

describe('slices', () => {
  it('a column is found whole by its slices, and a slice is what it says', async () => {
    const { db } = database;
    const pages = await pagesOfTable(db, 'inbox_event');
    expect(pages).toBeGreaterThan(200);
    const where = {
      table: 'inbox_event',
      column: 'body',
      kind: 'bytes',
      organisationId: ORG,
    } as const;
    const named = async (slice: Slice): Promise<string[]> => {
      const places: string[] = [];
      for await (const found of namedIn(db, slice, personOf([ACCOUNT]))) {
        places.push(...found.map(({ place }) => place));
      }
      return places;
    };
    const part = { ...where, fromPage: 10, toPage: 20 };
    const found = (await named(part)).map((place) => Number(/\d+/.exec(place)?.[0]));
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((page) => page >= 10 && page < 20)).toBe(true);
    expect((await placesOf(db, part)).length).toBeGreaterThan(found.length);
    expect(await named({ ...where, fromPage: 0, toPage: pages })).toHaveLength(ROWS / 10);
  });

  it('are read by their place, and not by reading the table', async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select from inbox_event where ctid >= '(64,0)'::tid and ctid < '(128,0)'::tid
        and organisation_id = ${ORG} for update`.execute(database.db);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Tid Range Scan');
    expect(plan).not.toContain('Seq Scan');
  });

  it('a dry run counts and notes nothing', async () => {
    const report = await erase(true);
    expect(report).toMatchObject({ orders: 1, rows: { 'inbox_event.body': ROWS / 10 } });
    expect(await naming(ACCOUNT)).toBe(ROWS / 10);
    expect(await progress()).toBeUndefined();
  });
});

describe('an erasure that was broken off', () => {
  const poison = async (): Promise<void> => {
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin if old.event_id = 'evt_800' then raise exception 'broken off'; end if; return new; end $$`.execute(
      database.db,
    );
    await sql`create trigger poison before update on inbox_event for each row execute function refuse()`.execute(
      database.db,
    );
  };
  const heal = () => sql`drop trigger poison on inbox_event`.execute(database.db);

  it('continues where it was, and tells of all of it', async () => {
    await poison();
    await expect(erase()).rejects.toThrow('broken off');
    const left = await naming(ACCOUNT);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(ROWS / 10);
    expect(await progress()).toMatchObject({
      column: 'inbox_event.body',
      rows: { 'inbox_event.body': ROWS / 10 - left },
    });
    // Beyond the first slice, and before the poisoned row.
    const { rows } = await sql<{ page: number; poisoned: number }>`
      select (value->>'page')::int as page,
        (select (ctid::text::point)[0]::int from inbox_event where event_id = 'evt_800') as poisoned
      from fact where name = 'erasure'`.execute(database.db);
    expect(rows[0]?.page).toBeGreaterThan(64);
    expect(rows[0]?.page).toBeLessThanOrEqual(rows[0]?.poisoned ?? 0);
    // Whom it is about does not stand there.
    expect(JSON.stringify(await progress())).not.toMatch(/ada|account/i);
    await heal();
    expect(await erase()).toEqual({
      orders: 1,
      ordersUnderWay: [],
      rows: { 'inbox_event.body': ROWS / 10 },
      references: { replaced: 0, kept: [] },
      sharedAccounts: 0,
      left: { rows: {}, unread: [], settings: [], unreadFiles: [] },
    });
    expect(await naming(ACCOUNT)).toBe(0);
    expect(await progress()).toBeUndefined();
  });

  it('is begun again for another customer', async () => {
    await poison();
    await expect(erase()).rejects.toThrow('broken off');
    await heal();
    const other = await eraseCustomer(database.db, {
      organisationId: ORG,
      customerEmail: 'carol@customers.example',
      actor: 'operator:test',
      now: new Date('2026-11-20T12:00:00Z'),
      dryRun: false,
    });
    expect(other).toMatchObject({ orders: 0, ordersUnderWay: [], rows: {} });
    await erase();
    expect(await naming(ACCOUNT)).toBe(0);
  });
});

it('a name that cannot be taken out is told, and not passed over', async () => {
  await sql`create function keep() returns trigger language plpgsql as $$
    begin new.body := old.body; return new; end $$`.execute(database.db);
  await sql`create trigger kept before update on inbox_event for each row execute function keep()`.execute(
    database.db,
  );
  await expect(erase()).rejects.toThrow('Rows of inbox_event.body still name the customer.');
});
