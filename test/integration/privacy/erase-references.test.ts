/**
 * Guarantee: a reference that names a person stays while money, an answer, an order or an event needs it, and the erasure
 * says so; then it goes from every table at once, and what belonged together still does.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nowDate } from '../../../src/base/kernel/clock.ts';
import type { EraseReport } from '../../../src/running/privacy/erase.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { REFERENCE_COLUMNS } from '../../../src/running/privacy/erase-references.ts';
import { PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const DAY_MS = 86_400_000;

let world: World;
let charge: string;
let order: string;
let alertId: string;

/** What the customer goes by is what the charge is called, as where a shop calls charges by e-mail addresses. */
async function erase(dryRun = false): Promise<EraseReport> {
  return await eraseCustomer(world.database.db, {
    organisationId: world.parts.organisationId,
    customerEmail: 'ada@customers.example',
    also: [charge, order],
    actor: 'operator:test',
    now: nowDate(world.clock),
    dryRun,
  });
}

async function tablesNaming(text: string): Promise<string[]> {
  const { db } = world.database;
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'forestall' and c.relkind in ('r', 'p') and not c.relispartition`.execute(db);
  const hits: string[] = [];
  for (const { name } of rows) {
    const found = await sql<{ found: boolean }>`
      select exists (select from ${sql.table(name)} t where t::text like ${`%${text}%`}) as found`.execute(
      db,
    );
    if (found.rows[0]?.found === true) hits.push(name);
  }
  return hits.sort();
}

/** Rows that belong to the charge of the alert, found by what joins them. */
async function joined(): Promise<unknown> {
  const { rows } = await sql`
    select k.alert_id, a.version, m.state, m.amount_minor::text, d.id as dispute, c.amount_minor::text as of,
      o.order_id, (select count(*)::int from order_nested_reference n where n.order_reference = o.reference_id) as nested,
      (select count(*)::int from match h where h.charge_reference = c.reference) as matches
    from alert_case k
    join charge c on c.organisation_id = k.organisation_id and c.reference = k.charge_reference
    join charge_account a on a.organisation_id = c.organisation_id and a.charge_reference = c.reference
    join movement m on m.organisation_id = c.organisation_id and m.charge_reference = c.reference
    join dispute d on d.organisation_id = c.organisation_id and d.charge_reference = c.reference
    join order_record o on o.organisation_id = c.organisation_id and o.reference_id = c.order_reference`.execute(
    world.database.db,
  );
  return rows;
}

beforeAll(async () => {
  world = await createWorld();
  const sale = await world.sell(PRODUCTS.font);
  charge = sale.charge.reference;
  await world.drain();
  const { rows } = await sql<{ order_reference: string }>`
    select order_reference from charge where reference = ${charge}`.execute(world.database.db);
  order = rows[0]?.order_reference ?? '';
  expect(order).not.toBe('');
  alertId = world.sandbox.createAlertFor(charge).id;
});
afterAll(() => world.close());

describe('a reference that names a person', () => {
  it('stays while an alert about it is open, and the erasure says so', async () => {
    world.sandbox.faults.add({ on: 'PATCH /v1/alerts/{alert_id}', kind: 'status', status: 503 });
    await world.drain();
    const before = await joined();
    const { references } = await erase();
    expect(references).toEqual({
      replaced: 0,
      kept: [{ why: 'alert', count: 4, until: null }],
    });
    expect(await joined()).toEqual(before);
    world.sandbox.faults.clear();
    await world.advance(10 * 60_000);
    expect(await world.stateOf(alertId)).toBe('DECLARED_REFUND');
  });

  it('stays for 30 days after a refund, which may still fail', async () => {
    const { references } = await erase();
    const { rows } = await sql<{ moved_at: Date }>`
      select coalesce(confirmed_at, changed_at) as moved_at from movement where charge_reference = ${charge}`.execute(
      world.database.db,
    );
    const until = new Date((rows[0]?.moved_at.getTime() ?? 0) + 30 * DAY_MS).toISOString();
    expect(references).toEqual({ replaced: 0, kept: [{ why: 'money', count: 4, until }] });
    expect(await tablesNaming(charge)).toContain('movement');
  });

  it('then goes from every table, and what belonged together still does', async () => {
    world.clock.advanceMs(31 * DAY_MS);
    const before = await joined();
    expect(before).toHaveLength(1);
    const report = await erase();
    expect(report.references).toEqual({ replaced: 4, kept: [] });
    expect(report.left.rows).toEqual({});
    expect(await tablesNaming(charge)).toEqual([]);
    expect(await tablesNaming(order)).toEqual([]);
    expect(await joined()).toEqual(before);
    expect((await erase()).references).toEqual({ replaced: 0, kept: [] });
  });

  it('is refused to whoever is not the owner’s function, and for words of other kinds', async () => {
    const { db } = world.database;
    const app = (statement: string): Promise<unknown> =>
      db.transaction().execute(async (trx) => {
        await sql`set local role forestall_app`.execute(trx);
        await sql`select set_config('forestall.erasing', 'on', true), set_config('forestall.organisation', ${world.parts.organisationId}, true)`.execute(
          trx,
        );
        await sql.raw(statement).execute(trx);
      });
    const word = `erased-${'0'.repeat(32)}`;
    await expect(app(`update movement set charge_reference = '${word}'`)).rejects.toThrow(
      /cannot go|permission denied/,
    );
    await expect(
      sql`select erase_references(${world.parts.organisationId}, array['a'], array['b'], now())`.execute(
        db,
      ),
    ).rejects.toThrow('a word of its own');
  });

  it('is looked for in each column that the database replaces', async () => {
    const { rows } = await sql<{ source: string }>`
      select prosrc as source from pg_proc where proname = 'erase_references'`.execute(
      world.database.db,
    );
    const source = rows[0]?.source ?? '';
    const replaced = [...source.matchAll(/\('(\w+)', '(\w+)'\)/g)].map(
      ([, table, column]) => `${table}.${column}`,
    );
    const searched = Object.entries(REFERENCE_COLUMNS).flatMap(([table, columns]) =>
      columns.map((column) => `${table}.${column}`),
    );
    expect([...replaced, 'processor_event.charge_references'].sort()).toEqual(searched.sort());
  });

  it('is in every column that is named like one', async () => {
    const { rows } = await sql<{ name: string }>`
      select c.relname || '.' || a.attname as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'forestall'
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition
        and a.attname ~ '(reference|references|reference_id|event_id)$'`.execute(world.database.db);
    const searched = new Set(
      Object.entries(REFERENCE_COLUMNS).flatMap(([table, columns]) =>
        columns.map((column) => `${table}.${column}`),
      ),
    );
    const others = rows.map(({ name }) => name).filter((name) => !searched.has(name));
    expect(others.sort()).toEqual([
      // Replaced whole by other parts of the erasure, or an event that waits to be read and keeps its id.
      'credit_claim.reference',
      'inbox_work.event_id',
      'order_push.reference_id',
      'payment_evidence.reference',
      'refund_claim.reference',
    ]);
  });
});
