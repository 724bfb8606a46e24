/**
 * Guarantee: each way in which a lookup fails is told by its cause, from our own rows alone: six staged in the sandbox,
 * and the controls beside them. What came of it afterwards is told too.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FEED_DELAY_BOUNDS_SECONDS,
  feedDelayText,
  readFeedDelay,
} from '../../../src/capabilities/lookups/feed-delay.ts';
import { countCauses, readCauses } from '../../../src/capabilities/lookups/lookup-cause.store.ts';
import type { Sale } from '../../../src/sandbox/demo-shop.ts';
import { makeSale, PRODUCTS } from '../../../src/sandbox/demo-shop.ts';
import type { World } from '../../support/world.ts';
import { createWorld } from '../../support/world.ts';

const MINUTE_MS = 60_000;
const PRODUCT = PRODUCTS.font;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

function newSale(): Sale {
  const sale = makeSale({ product: PRODUCT }, world.clock.nowMs());
  world.sandbox.createCharge(sale.charge);
  return sale;
}

/** The sandbox's network asks about a sale; the answer comes after a while. */
async function ask(sale: Sale, fields: Record<string, unknown> = {}): Promise<string> {
  const { id } = world.sandbox.createLookup({
    type: 'NETB_ORDER_INSIGHT',
    transaction_arn: sale.charge.acquirer_reference_number,
    transaction_card_bin: sale.charge.card_bin,
    transaction_card_last4: sale.charge.card_last4,
    transaction_amount: sale.charge.amount_in_cents,
    transaction_date: sale.charge.authorised_at,
    ...fields,
  });
  await world.advance(5 * MINUTE_MS);
  return id;
}

async function causeOf(lookupId: string) {
  const { db } = world.database;
  return (await readCauses(db, world.parts.organisationId, [lookupId])).get(lookupId);
}

const staged = new Map<string, string>();

describe('staged causes', () => {
  it('order not sent', async () => {
    const id = await ask(newSale());
    staged.set(id, 'order_not_sent');
    expect(await causeOf(id)).toMatchObject({
      cause: 'order_not_sent',
      detail: 'no payment of ours fits',
    });
  });

  it('sent late, once the order is known', async () => {
    const sale = newSale();
    const id = await ask(sale);
    staged.set(id, 'sent_late');
    await world.advance(20 * MINUTE_MS);
    await world.recordOrder(sale.order);
    await world.drain();
    await world.advance(2 * 60 * MINUTE_MS);
    expect(await causeOf(id)).toMatchObject({
      cause: 'sent_late',
      detail: '25 min after the lookup',
      chargeReference: sale.charge.reference,
    });
  });

  it('refused by the service', async () => {
    const sale = newSale();
    await world.recordOrder({ ...sale.order, integration_id: 'int_of_somebody_else' });
    await world.advance(MINUTE_MS);
    const id = await ask(sale);
    staged.set(id, 'refused');
    expect(await causeOf(id)).toMatchObject({ cause: 'refused', detail: 'INVALID_INTEGRATION' });
  });

  it('a field is missing that this kind of lookup needs', async () => {
    const sale = newSale();
    const { items: _items, ...order } = sale.order;
    await world.recordOrder(order);
    await world.advance(MINUTE_MS);
    const id = await ask(sale, { lookup_status: 'FAILED' });
    staged.set(id, 'field_missing');
    expect(await causeOf(id)).toMatchObject({ cause: 'field_missing', detail: 'items[0].name' });
  });

  it('matched with another payment', async () => {
    const sale = newSale();
    const other = newSale();
    const [transaction] = sale.order.transactions ?? [];
    await world.recordOrder({
      ...sale.order,
      transactions: [{ ...transaction!, acquirer_reference_number: undefined }],
    });
    await world.recordOrder(other.order);
    // Our index learns the reference from the processor; the service has only the other order to choose from.
    await sql`update charge set acquirer_reference_number = ${sale.charge.acquirer_reference_number} where reference = ${sale.charge.reference}`.execute(
      world.database.db,
    );
    await world.advance(MINUTE_MS);
    const id = await ask(sale, {
      transaction_arn: null,
      transaction_auth_code: other.charge.authorisation_code,
      transaction_card_last4: other.charge.card_last4,
    });
    // The network's own reference comes with a later snapshot.
    await sql`update lookup set acquirer_reference_number = ${sale.charge.acquirer_reference_number}, changed_at = changed_at + interval '1 second',
      deflection_status = 'FAILED' where id = ${id}`.execute(world.database.db);
    await world.advance(6 * MINUTE_MS);
    staged.set(id, 'matched_elsewhere');
    expect(await causeOf(id)).toMatchObject({
      cause: 'matched_elsewhere',
      detail: `${other.charge.reference}, and not ${sale.charge.reference}`,
    });
  });

  it('no two earlier payments as evidence', async () => {
    const sale = newSale();
    await world.recordOrder(sale.order);
    await world.advance(MINUTE_MS);
    const id = await ask(sale, { deflection_status: 'FAILED' });
    staged.set(id, 'no_evidence_pair');
    expect(await causeOf(id)).toMatchObject({
      cause: 'no_evidence_pair',
      detail: '0 of 2 earlier payments',
    });
  });

  it('are attributed all of them, and counted', async () => {
    const counts = await countCauses(world.database.db, world.parts.organisationId, new Date(0));
    const byCause = Object.fromEntries(counts.map(({ cause, count }) => [cause, count]));
    expect(staged.size).toBe(6);
    expect(byCause).toEqual(Object.fromEntries([...staged.values()].map((cause) => [cause, 1])));
  });
});

describe('controls', () => {
  it('an answered lookup has no cause; one whose deflection is taken back gets one, and loses it again', async () => {
    const sale = newSale();
    await world.recordOrder(sale.order);
    await world.advance(MINUTE_MS);
    const id = await ask(sale, { deflection_status: 'SUCCEEDED' });
    expect(await causeOf(id)).toBeUndefined();
    world.sandbox.updateLookup(id, { deflection_status: 'FAILED' });
    await world.advance(6 * MINUTE_MS);
    expect(await causeOf(id)).toMatchObject({ cause: 'no_evidence_pair', cost: 'none_yet' });
    world.sandbox.updateLookup(id, { deflection_status: 'SUCCEEDED' });
    await world.advance(6 * MINUTE_MS);
    expect(await causeOf(id)).toBeUndefined();
  });

  it('says what it cannot explain, and what came of it', async () => {
    const sale = newSale();
    await world.recordOrder(sale.order);
    await world.advance(MINUTE_MS);
    const id = await ask(sale, { lookup_status: 'TIMEOUT' });
    expect(await causeOf(id)).toMatchObject({ cause: 'timed_out', cost: 'none_yet' });
    await world.database.db
      .insertInto('representment')
      .values({
        organisation_id: world.parts.organisationId,
        id: 'rep_after',
        acquirer_reference_number: sale.charge.acquirer_reference_number,
        updated_at: new Date(world.clock.nowMs()),
        snapshot: '{}',
        snapshot_hash: Buffer.from([1]),
        source: 'webhook',
        first_seen_at: new Date(world.clock.nowMs()),
        changed_at: new Date(world.clock.nowMs()),
      })
      .execute();
    await world.advance(61 * MINUTE_MS);
    expect(await causeOf(id)).toMatchObject({ cause: 'timed_out', cost: 'disputed' });
  });
});

describe('the feed’s delay', () => {
  it('is counted as orders become known, with the bounds of the database', async () => {
    const { db } = world.database;
    const delay = await readFeedDelay(db, world.parts.organisationId, new Date(0));
    const { rows } = await sql<{ known: number; fast: number }>`
      select count(*) as known, count(*) filter (where settled_at - accepted_at <= interval '60 seconds') as fast
      from order_record where order_id is not null`.execute(db);
    expect(delay.known).toBe(rows[0]?.known);
    expect(delay.within.find(({ seconds }) => seconds === 60)?.orders).toBe(rows[0]?.fast);
    const bounds = await sql<{ bound: string }>`
      select distinct feed_delay_bound(s) as bound from generate_series(0, 100000, 5) as s`.execute(
      db,
    );
    expect(bounds.rows.map(({ bound }) => bound).sort()).toEqual(
      [...FEED_DELAY_BOUNDS_SECONDS.map(String), '+Inf'].sort(),
    );
  });

  it('is told as a service level, rounded down', () => {
    const within = [{ seconds: 60, orders: 9_929 }];
    expect(feedDelayText({ known: 10_000, within, levelPercent: 99.2, waiting: 3 })).toBe(
      'Known to the service within 60 s of being handed in: 99.2 % of 10000 orders. 3 wait to be sent.',
    );
  });
});
