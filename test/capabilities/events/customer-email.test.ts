/**
 * Guarantee: an endpoint that asks for it is told the e-mail address of the customer whom an event is about, and of nobody else;
 * one that does not ask is never told, and no event holds it.
 */
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { readCustomerEmail } from '../../../src/capabilities/events/customer-email.store.ts';
import { eraseCustomer } from '../../../src/running/privacy/erase.ts';
import { useTestDatabase } from '../../support/database.ts';
import type { Receiver } from './delivery-world.ts';
import { openReceiver, openStream } from './delivery-world.ts';

const NOW = '2026-03-01T12:00:00.000Z';
const clock = createFixedClock(NOW);
const test = useTestDatabase();
const receivers: Receiver[] = [];
let organisationId = '';
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function order(
  reference: string,
  email: string,
  { shop = 'int_a', of: owner = organisationId } = {},
): Promise<void> {
  const said = JSON.stringify({ customer_email: email });
  await sql`
    insert into order_record (organisation_id, integration_id, reference_id, type, state, submitted, submitted_hash, body, order_id, accepted_at, changed_at)
    values (${owner}, ${shop}, ${reference}, 'COMPLETE', 'CREATED', ${said}::jsonb, '', ${said}::jsonb, 'ord', now(), now())`.execute(
    test.db,
  );
}

async function charge(reference: string, orderReference: string, shop: string): Promise<void> {
  await sql`insert into charge (organisation_id, reference, order_reference, integration_id, amount_minor, currency, source, known_at)
    values (${organisationId}, ${reference}, ${orderReference}, ${shop}, 100, 'EUR', 'order', now())`.execute(
    test.db,
  );
}

const emailOf = (data: Record<string, unknown>, alertId: string | null = null) =>
  readCustomerEmail(test.db, organisationId, { alert_id: alertId, data });

it('an endpoint that asks is told, one that does not is not', async () => {
  const stream = openStream(test.db, clock);
  ({ organisationId } = stream);
  await order('o-1', 'ada@customers.example');
  const [asks, does] = [await openReceiver(), await openReceiver()];
  receivers.push(asks, does);
  await stream.add(asks.url, { withEmail: true });
  await stream.add(does.url);
  await sql`select note_event(${organisationId}, 'order.refused', ${NOW}, null, 'int_a/o-1', null,
    '{"integration_id":"int_a","order_reference":"o-1","error_code":null}')`.execute(test.db);
  await stream.note();
  await stream
    .deliverer({ emailOf: (event) => readCustomerEmail(test.db, organisationId, event) })
    .runOnce();
  expect(asks.got.map(({ body }) => body.data['customer_email'])).toEqual([
    'ada@customers.example',
  ]);
  expect(does.got).toHaveLength(1);
  expect(does.got.filter(({ raw }) => raw.includes('ada@'))).toEqual([]);
  const { rows } = await sql<{ data: string }>`select data::text as data from event`.execute(
    test.db,
  );
  expect(rows.filter(({ data }) => data.includes('ada@'))).toEqual([]);
});

it('is that of the shop that is meant, and of nobody where none is', async () => {
  ({ organisationId } = openStream(test.db, clock));
  await order('o-2', 'ada@customers.example', { shop: 'int_a' });
  await order('o-2', 'bob@customers.example', { shop: 'int_b' });
  await order('o-3', 'cy@customers.example', { of: 'org_elsewhere' });
  await charge('ch_2', 'o-2', 'int_b');
  expect(await emailOf({ order_reference: 'o-2', integration_id: 'int_a' })).toBe(
    'ada@customers.example',
  );
  expect(await emailOf({ order_reference: 'o-2', charge_reference: 'ch_2' })).toBe(
    'bob@customers.example',
  );
  expect(await emailOf({ charge_reference: 'ch_2' })).toBe('bob@customers.example');
  expect(await emailOf({ order_reference: 'o-2' })).toBe(null);
  expect(await emailOf({ order_reference: 'o-3' })).toBe(null);
  expect(await emailOf({})).toBe(null);
});

it('is nobody’s once the customer is erased', async () => {
  ({ organisationId } = openStream(test.db, clock));
  await order('o-4', 'ada@customers.example');
  expect(await emailOf({ order_reference: 'o-4' })).toBe('ada@customers.example');
  await eraseCustomer(test.db, {
    ...{ organisationId, customerEmail: 'ada@customers.example', actor: 'operator:test' },
    ...{ now: new Date(NOW), dryRun: false },
  });
  expect(await emailOf({ order_reference: 'o-4' })).toBe(null);
});
