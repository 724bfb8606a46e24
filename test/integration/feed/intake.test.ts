/** Guarantee: an order is stored once, whole and unique in its references, or refused with the reason. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findOrder } from '../../../src/orders/find-order.ts';
import { acceptOrders } from '../../../src/orders/intake.ts';
import { acceptChange } from '../../../src/orders/order-changes.ts';
import { parseProgrammes } from '../../../src/orders/programme.ts';
import type { IntakeWorld } from './support.ts';
import { createIntakeWorld, INTEGRATION, makeOrder, ORGANISATION } from './support.ts';

let world: IntakeWorld;
beforeEach(async () => {
  world = await createIntakeWorld(
    parseProgrammes(['compelling-evidence', 'merchant-information?']),
  );
});
afterEach(() => world.database.drop());

function rows() {
  return world.database.db.selectFrom('order_record').selectAll().orderBy('seq').execute();
}

function notifications(kind: string) {
  return world.database.db
    .selectFrom('notification')
    .selectAll()
    .where('kind', '=', kind)
    .execute();
}

describe('the same reference again', () => {
  it('with the same content changes nothing, whatever the order of keys, nulls and spelling of absence', async () => {
    const order = makeOrder('A-1');
    await world.accept(order);
    const [before] = await rows();
    world.clock.advanceMs(60_000);
    const shuffled = Object.fromEntries(Object.entries(order).reverse());
    const [result] = await world.accept({ ...shuffled, device_fingerprint: null });
    expect(result).toMatchObject({ kind: 'unchanged', state: 'WAITING' });
    expect(await rows()).toEqual([before]);
  });

  it('with another content is an error that names the difference', async () => {
    await world.accept(makeOrder('A-1'));
    const [before] = await rows();
    const [result] = await world.accept(
      makeOrder('A-1', {
        order_number: 'B',
        items: [{ reference_id: 'LAMP', sku: 'LAMP', name: 'Desk' }],
      }),
    );
    expect(result).toMatchObject({ kind: 'differs', fields: ['items[LAMP].name', 'order_number'] });
    expect(await rows()).toEqual([before]);
  });

  it('after the service has it becomes a change, as far as the service can change', async () => {
    const { db } = world.database;
    await world.accept(makeOrder('A-1'));
    await db.updateTable('order_record').set({ state: 'CREATED', order_id: 'ord_1' }).execute();
    const refund = {
      reference_id: 'R-1',
      amount_in_cents: 500,
      currency: 'JPY',
      status: 'SETTLED',
    };
    const again = makeOrder('A-1', { refunds: [refund] });
    expect(await world.accept(again)).toMatchObject([{ kind: 'changed', parts: ['refunds/R-1'] }]);
    const marks = await db.selectFrom('order_push').select('part').execute();
    expect(marks).toEqual([{ part: 'refunds/R-1' }]);
    const [row] = await rows();
    expect(row?.body.refunds).toMatchObject([refund]);
    // Handed over once more, nothing is new.
    expect(await world.accept(again)).toMatchObject([{ kind: 'unchanged' }]);

    // What cannot change is named, and what can is not lost for it.
    const both = makeOrder('A-1', {
      order_number: 'B',
      refunds: [refund, { ...refund, reference_id: 'R-2', amount_in_cents: 300 }],
    });
    expect(await world.accept(both)).toMatchObject([
      { kind: 'differs', fields: ['order_number'], parts: ['refunds/R-2'] },
    ]);
    expect(
      await world.accept(makeOrder('A-1', { refunds: [{ ...refund, amount_in_cents: 900 }] })),
    ).toMatchObject([{ kind: 'differs', fields: ['refunds[0].amount_in_cents'] }]);
  });

  it('with other payments is another order, and changes nothing', async () => {
    const { db } = world.database;
    await world.accept(makeOrder('A-1'));
    await db.updateTable('order_record').set({ state: 'CREATED', order_id: 'ord_1' }).execute();
    const [before] = await rows();
    const other = makeOrder('A-2', { reference_id: 'A-1', order_status: 'CLOSED_COMPLETE' });
    expect(await world.accept(other)).toMatchObject([{ kind: 'differs', parts: [] }]);
    expect(await rows()).toEqual([before]);
    expect(await db.selectFrom('order_push').select('part').execute()).toEqual([]);
  });

  it('within one request is distinguished as well', async () => {
    const results = await world.accept(
      makeOrder('A-1'),
      makeOrder('A-1'),
      makeOrder('A-1', { order_number: 'B' }),
    );
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'unchanged', 'differs']);
  });

  it('from eight requests at once is stored once', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, () => world.accept(makeOrder('A-1'), makeOrder('A-2'))),
    );
    const kinds = results
      .flat()
      .map(({ kind }) => kind)
      .sort();
    expect(kinds).toEqual([...Array(2).fill('accepted'), ...Array(14).fill('unchanged')]);
    expect(await rows()).toHaveLength(2);
  });
});

describe('refusals', () => {
  it.each([
    [{ order_total_amount_in_cents: 12.5 }, 'order_total_amount_in_cents'],
    [{ order_total_amount_in_cents: '5000' }, 'order_total_amount_in_cents'],
    [{ order_currency: 'usd' }, 'order_currency'],
    [{ order_datetime: '20.11.2026' }, 'order_datetime'],
    [{ order_status: 'DONE' }, 'order_status'],
    [{ organisation_id: 'org_other' }, 'organisation_id'],
    [{ order_number: null }, 'order_number'],
    [{ order_number: 'a\u0000b' }, 'order_number'],
    [{ order_number: '\ud800' }, 'order_number'],
    [{ type: 'PARTIAL', device_id: undefined }, 'device_ip_address'],
    [{ deliveries: [{ reference_id: 'd', type: 'PIGEON' }] }, 'deliveries[0].type'],
    [
      {
        deliveries: [
          { reference_id: 'd', type: 'PHYSICAL' },
          { reference_id: 'd', type: 'PHYSICAL' },
        ],
      },
      'deliveries[1].reference_id',
    ],
  ])('%j', async (fields, field) => {
    const [result] = await world.accept(makeOrder('A-1', fields));
    expect(result).toMatchObject({ kind: 'refused', problems: [{ field }] });
    expect(await rows()).toEqual([]);
  });

  it.each([['text'], [null], [[]], [17]])('%j is no order', async (input) => {
    const [result] = await world.accept(input);
    expect(result).toMatchObject({ kind: 'refused' });
  });

  it('does not take the neighbours along', async () => {
    const results = await world.accept(makeOrder('A-1'), { bad: true }, makeOrder('A-2'));
    expect(results.map(({ kind }) => kind)).toEqual(['accepted', 'refused', 'accepted']);
  });
});

describe('card numbers', () => {
  it.each([
    ['order_proof_of_consent', { text: 'paid by 4111 1111 1111 1111' }],
    ['order_communications', [{ '4111 1111 1111 1111': true }]],
    ['device_id', '378282246310005'],
    ['some_new_field', 5555555555554444],
  ])('in %s are refused and raise an alarm', async (field, value) => {
    const [result] = await world.accept(makeOrder('A-1', { [field]: value }));
    expect(result).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(result)).not.toMatch(/1111 1111|378282246310005|5555555555554444/);
    expect(await rows()).toEqual([]);
    expect(await notifications('card_number_refused')).toHaveLength(1);
  });

  it('in a reference are masked in the answer', async () => {
    const [result] = await world.accept(makeOrder('4111111111111111'));
    expect(result).toMatchObject({ kind: 'refused', referenceId: '411111******1111' });
  });

  it('in a change are refused and raise an alarm', async () => {
    await world.accept(makeOrder('A-1'));
    const result = await acceptChange(world.context, {
      referenceId: 'A-1',
      change: { order_communications: ['card 4111111111111111'] },
    });
    expect(result).toMatchObject({ kind: 'refused' });
    expect(await notifications('card_number_refused')).toHaveLength(1);
  });

  it('are not seen in an ARN', async () => {
    const transaction = {
      reference_id: 'ch',
      amount_in_cents: 1,
      currency: 'USD',
      acquirer_reference_number: '41111111111111111111111',
    };
    const [result] = await world.accept(makeOrder('A-1', { transactions: [transaction] }));
    expect(result).toMatchObject({ kind: 'accepted' });
  });
});

describe('pre-flight', () => {
  const { device_id: _device, ...unready } = makeOrder('A-1');

  it('holds an order that lacks a field of a named programme, and says which', async () => {
    const [result] = await world.accept(unready);
    expect(result).toMatchObject({
      kind: 'accepted',
      state: 'HELD',
      reason:
        'not ready for compelling-evidence: device_ip_address|device_id|device_fingerprint missing',
    });
    expect(await notifications('order_held')).toHaveLength(1);
  });

  it('takes it corrected', async () => {
    await world.accept(unready);
    const [result] = await world.accept({ ...unready, device_id: 'd' });
    expect(result).toMatchObject({ kind: 'corrected', state: 'WAITING' });
    const [row] = await rows();
    expect(row).toMatchObject({ state: 'WAITING', version: 2, body: { device_id: 'd' } });
  });

  it.each([
    ['nor anything to match it by', undefined, null],
    ['but for one that the processor has shown', 'ch-A-1', 'A-1'],
  ])('leaves no charge behind that it names no longer, %s', async (_what, shown, order) => {
    await world.accept(unready);
    if (shown !== undefined) {
      await sql`insert into charge_account (organisation_id, charge_reference)
        values (${ORGANISATION}, ${shown})`.execute(world.database.db);
    }
    const [payment] = makeOrder('A-1').transactions ?? [];
    const transactions = [{ ...payment, reference_id: 'ch-right' }];
    await world.accept({ ...unready, device_id: 'd', transactions });
    const charges = await world.database.db
      .selectFrom('charge')
      .select(['reference', 'order_reference', 'card_last4'])
      .orderBy('reference')
      .execute();
    expect(charges).toEqual([
      { reference: 'ch-A-1', order_reference: order, card_last4: order && '4242' },
      { reference: 'ch-right', order_reference: 'A-1', card_last4: '4242' },
    ]);
  });

  it('sends anyway what lacks a field of a programme that is reported only', async () => {
    const [result] = await world.accept(makeOrder('A-1'));
    expect(result).toMatchObject({ state: 'WAITING' });
    const [row] = await rows();
    expect(row?.ready).not.toContain('merchant-information');
  });
});

describe('nested references', () => {
  it('of a product used by many orders, at once, never collide', async () => {
    const orders = Array.from({ length: 40 }, (_, index) =>
      makeOrder(`A-${index}`, { items: [{ reference_id: 'LAMP-BLUE-XL', name: 'Lamp' }] }),
    );
    await Promise.all(
      [0, 1, 2, 3].map((part) =>
        acceptOrders(world.context, orders.slice(part * 10, part * 10 + 10)),
      ),
    );
    const stored = await rows();
    const references = stored.map((row) => row.body.items?.[0]?.reference_id);
    expect(stored).toHaveLength(40);
    expect(new Set(references).size).toBe(40);
    expect(references.filter((reference) => reference === 'LAMP-BLUE-XL')).toHaveLength(1);
  });

  it("keeps a merchant's own, and numbers lines that have none", async () => {
    await world.accept(
      makeOrder('A-1', {
        items: [{ reference_id: 'line-99812', name: 'Lamp' }, { name: 'Desk' }],
        deliveries: [{ type: 'DIGITAL', digital_downloaded_at: '2026-11-20T11:00:00Z' }],
      }),
    );
    const [row] = await rows();
    expect(row?.body.items?.map((item) => item.reference_id)).toEqual(['line-99812', 'A-1:2']);
    expect(row?.body.deliveries?.[0]?.reference_id).toBe('A-1:d1');
  });

  it('are given back when a held order is corrected', async () => {
    const { device_id: _device, ...unready } = makeOrder('A-1', {
      items: [{ reference_id: 'line-1-of-A', name: 'x' }],
    });
    await world.accept(unready);
    await world.accept({ ...unready, device_id: 'd', items: [] });
    await world.accept(makeOrder('A-2', { items: [{ reference_id: 'line-1-of-A', name: 'x' }] }));
    const [, second] = await rows();
    expect(second?.body.items?.[0]?.reference_id).toBe('line-1-of-A');
  });
});

it('indexes the charges of an order in the same transaction', async () => {
  await world.accept(makeOrder('A-1'));
  const charge = await world.database.db.selectFrom('charge').selectAll().executeTakeFirstOrThrow();
  expect(charge).toMatchObject({
    organisation_id: ORGANISATION,
    reference: 'ch-A-1',
    order_reference: 'A-1',
    integration_id: INTEGRATION,
    amount_minor: 5_000,
    currency: 'JPY',
  });
});

it('tells other stages what an order says', async () => {
  await world.accept(makeOrder('A-1'));
  expect(await findOrder(world.database.db, ORGANISATION, 'A-1')).toMatchObject({
    orderDatetime: '2026-11-20T10:00:00Z',
    orderStatus: 'OPEN_PENDING',
    totalMinor: 5_000,
    currency: 'JPY',
    items: [{ name: 'Lamp' }],
    deliveries: [],
  });
  expect(await findOrder(world.database.db, ORGANISATION, 'A-2')).toBeUndefined();
  expect(await findOrder(world.database.db, 'org_other', 'A-1')).toBeUndefined();
});

describe('changes', () => {
  it('are merged into an order that waits, without a word to the service', async () => {
    await world.accept(makeOrder('A-1', { deliveries: [{ reference_id: 'd', type: 'PHYSICAL' }] }));
    const result = await acceptChange(world.context, {
      referenceId: 'A-1',
      change: {
        order_status: 'CLOSED_COMPLETE',
        deliveries: [{ reference_id: 'd', physical_shipping_status: 'SHIPPED' }],
      },
    });
    expect(result).toMatchObject({ kind: 'changed', parts: ['order_status', 'deliveries/A-1:d'] });
    const [row] = await rows();
    expect(row).toMatchObject({
      version: 2,
      state: 'WAITING',
      body: {
        order_status: 'CLOSED_COMPLETE',
        deliveries: [{ physical_shipping_status: 'SHIPPED' }],
      },
    });
    expect(await world.database.db.selectFrom('order_push').selectAll().execute()).toEqual([]);
  });

  it('that say nothing new change nothing', async () => {
    await world.accept(makeOrder('A-1'));
    const [before] = await rows();
    const result = await acceptChange(world.context, {
      referenceId: 'A-1',
      change: { order_status: 'OPEN_PENDING' },
    });
    expect(result).toMatchObject({ kind: 'unchanged' });
    expect(await rows()).toEqual([before]);
  });

  it('of an unknown order are refused', async () => {
    const change = { order_status: 'OTHER' };
    expect(await acceptChange(world.context, { referenceId: 'X', change })).toEqual({
      kind: 'unknown_order',
      referenceId: 'X',
    });
  });

  it('made at once are all kept', async () => {
    await world.accept(makeOrder('A-1'));
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        acceptChange(world.context, {
          referenceId: 'A-1',
          change: {
            refunds: [{ reference_id: `r-${index}`, amount_in_cents: 1 + index, currency: 'JPY' }],
          },
        }),
      ),
    );
    const [row] = await rows();
    expect(row?.body.refunds).toHaveLength(10);
    expect(row?.version).toBe(11);
  });
});
