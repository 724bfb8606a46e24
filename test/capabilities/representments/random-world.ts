/** Rows of random payments, orders, refunds and complaints, from a seed. The rows are the truth that drafts are judged by. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../../src/base/db/database.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { seeded } from '../credits/simulated-month.ts';

type Row = Readonly<Record<string, unknown>>;

/** One payment with its order and all that was told about it, as plain rows. */
export interface WorldPayment {
  readonly charge: Row;
  readonly order: Row;
  readonly account: Row | undefined;
  readonly movements: readonly Row[];
  /** Tables of rows that are a complaint about it. */
  readonly complaints: readonly string[];
}

/** A contested payment, and the other payments of the same person or of somebody else with the same card. */
export interface WorldCase {
  readonly id: string;
  readonly disputed: WorldPayment;
  readonly others: readonly WorldPayment[];
  readonly isEnded: boolean;
}

const CARD = { payment_method_card_last_4: '4242', payment_method_card_bin: '424242' };
const MS_PER_DAY = 86_400_000;
const BASE = Date.parse('2026-02-20T10:00:00Z');

type Random = <Value>(values: readonly Value[]) => Value;

export interface World {
  readonly cases: readonly WorldCase[];
  readonly tables: Readonly<Record<string, Row[]>>;
}

export function makeWorld(seed: number, count: number): World {
  const number = seeded(seed);
  const pick: Random = (values) => {
    const value = values[Math.floor(number() * values.length)];
    if (value === undefined && values.length === 0) throw new Error('nothing to pick from');
    return value as (typeof values)[number];
  };
  const tables: Record<string, Row[]> = {
    order_record: [],
    charge: [],
    charge_account: [],
    movement: [],
    alert: [],
    alert_case: [],
    dispute: [],
    representment: [],
    scheme_notice: [],
    side_action: [],
  };
  const cases = Array.from({ length: count }, (_, index) => makeCase(pick, tables, index));
  return { cases, tables };
}

function makeCase(pick: Random, tables: World['tables'], index: number): WorldCase {
  const customer = {
    customer_email: pick([
      `c${index}@shop.example`,
      `C${index}@Shop.example`,
      undefined,
      '[erased]',
    ]),
    customer_account_id: pick([`acct-${index}`, undefined, undefined, '[erased]']),
  };
  const subscription = `sub_${index}`;
  const make = (name: string, given: { at: string; amount: number; whose: Row }): WorldPayment =>
    makePayment(pick, tables, { name: `${index}_${name}`, subscription, ...given });
  const atOf = (days: number): string => new Date(BASE + days * MS_PER_DAY).toISOString();
  const disputed = make('d', {
    at: pick([atOf(0), '2026-02-20T00:00:00.000Z']),
    amount: 4_990,
    whose: customer,
  });
  const others = ['a', 'b', 'c'].slice(0, pick([1, 2, 3])).map((name) =>
    make(name, {
      at: atOf(pick([-400, -200, -30, -7, -3, 2, 7, 9])),
      amount: pick([4_990, 4_990, 100, 0]),
      // Somebody else with the same card, or the same address with another account.
      whose: pick([
        customer,
        customer,
        { customer_email: `other${index}@shop.example` },
        { ...customer, customer_account_id: `acct-${index}-second` },
        {},
      ]),
    }),
  );
  const id = `rep_${index}`;
  tables['representment']?.push(representment(id, disputed, pick));
  const isEnded = pick([true, false, false, false]);
  if (isEnded) tables['side_action']?.push(sideAction(index, String(disputed.charge['reference'])));
  return { id, disputed, others, isEnded };
}

interface PaymentPlan {
  readonly name: string;
  readonly at: string;
  readonly amount: number;
  readonly whose: Row;
  readonly subscription: string;
}

const STATUSES = [
  undefined,
  undefined,
  'SETTLED',
  'SETTLED',
  'SETTLED',
  'captured',
  'AUTHORISED',
  'DECLINED',
  'FAILED_3DS',
  'VOIDED',
  'EXPIRED',
  'REFUNDED',
  'SOMETHING_NEW',
];

function makePayment(pick: Random, tables: World['tables'], plan: PaymentPlan): WorldPayment {
  const reference = `ch_${plan.name}`;
  const arn = pick([
    null,
    `${'7'.repeat(15)}${plan.name.replace('_', '')}`.padEnd(23, '0').slice(0, 23),
  ]);
  const status = pick(STATUSES);
  const settled = pick([null, null, '2026-02-21T00:00:00.000Z', '2999-01-01T00:00:00.000Z']);
  const order = orderRow(pick, { ...plan, status, reference });
  const charge = {
    organisation_id: ORG,
    reference,
    order_reference: order['reference_id'],
    integration_id: 'int_1',
    source: 'order',
    amount_minor: plan.amount,
    currency: 'USD',
    authorised_at: plan.at,
    settled_at: settled,
    authorisation_code: pick([null, 'A1B2C3']),
    acquirer_reference_number: arn,
    card_last4: '4242',
    card_bin: '424242',
    known_at: plan.at,
  };
  const account = pick([undefined, undefined, accountRow(pick, reference, plan.amount)]);
  const movements = Array.from({ length: pick([0, 0, 1, 2]) }, (_, index) =>
    movementRow(pick, { reference, index, amount: plan.amount }),
  );
  tables['order_record']?.push(order);
  tables['charge']?.push(charge);
  if (account !== undefined) tables['charge_account']?.push(account);
  tables['movement']?.push(...movements);
  const complaint = pick([false, false, false, true])
    ? complain(pick, tables, { reference, arn, name: plan.name })
    : '';
  const complaints = complaint === '' ? [] : [complaint];
  return { charge, order, account, movements, complaints };
}

function accountRow(pick: Random, reference: string, amount: number): Row {
  const status = pick(['captured', 'captured', 'authorised', 'declined', 'voided', null]);
  return {
    organisation_id: ORG,
    charge_reference: reference,
    status,
    amount_minor: pick([amount, amount, 1_000, amount + 500, 0]),
    currency: pick(['USD', 'USD', 'USD', 'EUR']),
    disputed: pick([null, false, false, true]),
    fraud_warned_at: pick([null, null, null, '2026-02-25T00:00:00Z']),
  };
}

function movementRow(
  pick: Random,
  given: { readonly reference: string; readonly index: number; readonly amount: number },
): Row {
  const id = `mv_${given.reference}_${given.index}`;
  const kind = pick([
    'external',
    'external',
    'network',
    'void',
    'chargeback',
    ...(given.index === 0 ? ['refund'] : []),
  ]);
  const isOurs = kind === 'refund';
  const state = isOurs
    ? pick(['SENT', 'UNKNOWN', 'PENDING', 'CONFIRMED', 'REJECTED', 'NOT_SENT', 'HUMAN', 'REVERSED'])
    : pick(['PENDING', 'CONFIRMED', 'CONFIRMED', 'REVERSED']);
  const at = '2026-03-01T10:30:00.000Z';
  const seenFrom = kind === 'network' ? `al_${id}` : 'processor';
  return {
    organisation_id: ORG,
    id,
    charge_reference: given.reference,
    kind,
    state,
    amount_minor: kind === 'void' ? 0 : pick([given.amount || 100, 700]),
    currency: pick(['USD', 'USD', 'EUR']),
    alert_id: isOurs || kind === 'network' ? `al_${id}` : null,
    idempotency_key: isOurs ? `key_${id}` : null,
    observed_from: isOurs ? null : seenFrom,
    failure_class: state === 'REJECTED' ? 'final' : null,
    processor_reference: pick([null, `re_${id}`]),
    first_sent_at: isOurs && state !== 'NOT_SENT' ? at : null,
    moved_at: pick([null, '2026-03-02T09:15:00.000Z']),
    confirmed_at: state === 'CONFIRMED' ? '2026-03-03T08:00:00.000Z' : null,
    next_action_at: ['SENT', 'UNKNOWN', 'PENDING', 'HUMAN'].includes(state) ? at : null,
    created_at: at,
    changed_at: at,
  };
}

const ENTITY = {
  snapshot: '{}',
  snapshot_hash: Buffer.from('00', 'hex'),
  source: 'webhook',
  first_seen_at: '2026-03-01T10:00:00Z',
  changed_at: '2026-03-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00Z',
};

/** Writes a complaint. Returns its table; empty where it can name no payment. */
function complain(
  pick: Random,
  tables: World['tables'],
  { reference, arn, name }: { reference: string; arn: string | null; name: string },
): string {
  const table = pick([
    'alert_case',
    'alert',
    'representment',
    'representment_arn',
    'scheme_notice',
    'dispute',
  ]);
  const own = { organisation_id: ORG, id: `${table}_${name}` };
  const at = '2026-03-01T10:00:00Z';
  if (table === 'dispute') {
    const money = { amount_minor: 100, currency: 'USD', opened_at: at };
    tables['dispute']?.push({ ...own, charge_reference: reference, ...money });
    return table;
  }
  if (table === 'alert_case') {
    const { id, organisation_id } = own;
    const times = { opened_at: at, deadline_at: at, closed_at: at, changed_at: at };
    const state = 'DECLARED_ACCEPT';
    tables['alert_case']?.push({
      organisation_id,
      alert_id: id,
      state,
      charge_reference: reference,
      ...times,
    });
    return table;
  }
  if (table === 'representment') {
    tables['representment']?.push({ ...own, ...ENTITY, transaction_reference_id: reference });
    return table;
  }
  if (arn === null) return '';
  const named = { ...own, ...ENTITY, acquirer_reference_number: arn };
  if (table === 'alert') tables['alert']?.push({ ...named, status: 'ACTION_REQUIRED' });
  if (table === 'representment_arn') tables['representment']?.push(named);
  if (table === 'scheme_notice') {
    tables['scheme_notice']?.push({
      ...named,
      notice_type: 'FRAUD_NOTICE',
      is_revoked: pick([true, false]),
    });
  }
  return table;
}

function representment(id: string, { charge }: WorldPayment, pick: Random): Row {
  const disputedAt = pick(['2026-03-10', '2026-03-10T06:30:00Z', undefined]);
  return {
    ...ENTITY,
    organisation_id: ORG,
    id,
    dispute_status: 'OPEN',
    amount_minor: 4_990,
    currency: 'USD',
    transaction_reference_id: charge['reference'],
    snapshot: JSON.stringify({ dispute_reason_code: '13.1', disputed_at: disputedAt }),
  };
}

function sideAction(index: number, subject: string): Row {
  return {
    organisation_id: ORG,
    id: `sa_${index}`,
    alert_id: `al_${index}`,
    kind: 'cancel_subscription',
    subject,
    cause: 'policy',
    detail: '{}',
    state: 'DONE',
    created_at: '2026-03-01T10:00:00Z',
    settled_at: '2026-03-01T10:01:00Z',
  };
}

type OrderPlan = PaymentPlan & { readonly status: string | undefined; readonly reference: string };

function orderRow(pick: Random, plan: OrderPlan): Row {
  const reference = `order-${plan.name}`;
  const body = {
    type: 'COMPLETE',
    reference_id: reference,
    order_number: pick([undefined, `N-${plan.name}`]),
    order_datetime: pick([plan.at, plan.at.slice(0, 10), '2026-02-20T10:00:00+02:00']),
    order_total_amount_in_cents: pick([undefined, 4_990]),
    order_currency: 'USD',
    order_status: pick(['CLOSED_COMPLETE', 'OPEN_PENDING', 'CLOSED_CANCELLED']),
    ...plan.whose,
    device_ip_address: pick([undefined, '203.0.113.9', '[erased]']),
    device_id: pick([undefined, `device-${plan.name}`]),
    order_proof_of_consent: pick([
      undefined,
      'ticked the terms',
      'declined',
      { accepted: false, text: 'terms of 2026' },
      { accepted: true, text: 'terms of 2026' },
      '[erased]',
    ]),
    order_communications: pick([
      undefined,
      [{ from: 'merchant', text: 'Sorry to hear that.' }],
      ['[erased]'],
    ]),
    items: pick([
      undefined,
      [
        {
          reference_id: 'i1',
          name: 'Lamp',
          quantity: pick([0, 1, 3, undefined]),
          price_in_cents: pick([undefined, 900]),
        },
      ],
    ]),
    transactions: [
      {
        reference_id: plan.reference,
        amount_in_cents: plan.amount,
        currency: 'USD',
        authorisation_status: plan.status,
        three_d_secure_verified: pick([undefined, true, false]),
        cvc_verified: pick([undefined, true, false]),
        billing_address: pick([
          undefined,
          { line_1: '1 Main Street', country: 'US' },
          { line_1: '[erased]' },
        ]),
        ...CARD,
      },
    ],
    deliveries: pick([
      undefined,
      [delivery(pick, 1)],
      [delivery(pick, 1), delivery(pick, 2)],
      [digital(pick)],
    ]),
    subscriptions: pick([undefined, [subscription(pick, plan.subscription)]]),
    refunds: pick([undefined, undefined, undefined, [refund(pick, plan)]]),
    disputes: pick([
      undefined,
      undefined,
      undefined,
      undefined,
      [{ reference_id: `dp-${plan.name}`, amount_in_cents: 100, currency: 'USD', status: 'OPEN' }],
    ]),
  };
  return {
    organisation_id: ORG,
    integration_id: 'int_1',
    reference_id: reference,
    type: 'COMPLETE',
    state: 'CREATED',
    order_id: `ord_${plan.name}`,
    submitted: JSON.stringify(body),
    submitted_hash: Buffer.from('00', 'hex'),
    body: JSON.stringify(body),
    ready: [],
    missing: [],
    warnings: '[]',
    accepted_at: plan.at,
    changed_at: plan.at,
  };
}

function delivery(pick: Random, number: number): Row {
  return {
    reference_id: `d${number}`,
    type: 'PHYSICAL',
    physical_shipping_carrier: pick([undefined, 'DHL']),
    physical_shipping_tracking_number: `JD000${number}`,
    physical_shipping_status: pick([
      undefined,
      'SHIPPED',
      'DELIVERED',
      'DELIVERY_FAILED',
      'RETURNED',
    ]),
    physical_shipping_datetime_delivered: pick([
      undefined,
      '2026-02-23T14:05:00Z',
      '2026-02-23',
      '2999-01-01T00:00:00Z',
    ]),
    physical_shipping_address: pick([undefined, { line_1: '1 Main Street', country: 'US' }]),
  };
}

function digital(pick: Random): Row {
  return {
    reference_id: 'd1',
    type: 'DIGITAL',
    digital_status: pick([undefined, 'FAILED', 'DONE']),
    digital_kind: 'FONT',
    digital_downloaded_at: pick([
      undefined,
      '2026-02-23T14:05:00Z',
      '2999-01-01T00:00:00Z',
      'never',
    ]),
    digital_ip_address: pick([undefined, '203.0.113.9', '[erased]']),
    digital_expires_at: '2026-02-24T00:00:00Z',
  };
}

function subscription(pick: Random, reference: string): Row {
  return {
    reference_id: reference,
    interval: pick([undefined, 'MONTH']),
    interval_price_in_cents: pick([undefined, 900]),
    interval_currency: 'USD',
    status: pick([undefined, undefined, 'ACTIVE', 'CANCELLED', 'PENDING_CANCELLATION', 'PAUSED']),
    cancellation_date: pick([undefined, undefined, '2026-02-25', '2999-01-01']),
  };
}

function refund(pick: Random, { name, reference, amount }: OrderPlan): Row {
  return {
    reference_id: `rf-${name}`,
    amount_in_cents: pick([amount || 100, 650]),
    currency: 'USD',
    status: pick([undefined, 'SUCCEEDED', 'SUCCEEDED', 'PENDING', 'FAILED']),
    original_transaction_reference_id: pick([undefined, reference, 'ch_of_another_order']),
    refund_datetime: pick([undefined, '2026-03-04T10:00:00Z', '2026-03-04']),
  };
}

/** Writes all rows, without the ledger's triggers: rows that no version of ours would write are drafts' material too. */
export async function insertWorld(db: Kysely<Database>, { tables }: World): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = 'replica'`.execute(trx);
    for (const [table, rows] of Object.entries(tables)) {
      // A statement takes 65,535 values.
      for (let start = 0; start < rows.length; start += 500) {
        await trx
          .insertInto(table as 'charge')
          .values(rows.slice(start, start + 500) as never)
          .execute();
      }
    }
  });
}
