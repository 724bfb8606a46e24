/** Reads all our rows about the payment of a contested dispute. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import { epochMsOf, toInstant } from '../../base/kernel/instant.ts';
import type { CustomerField } from '../../base/seal/customer-index.ts';
import { customerIndexes } from '../../base/seal/customer-index.ts';
import { findCharges } from '../../orders/charge.store.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import { findOrders } from '../../orders/find-order.ts';
import { HISTORY_TRAITS } from '../../orders/traits.ts';
import { known } from './claim.ts';
import { documentsAbout } from './documents/document.store.ts';
import type { Purchase } from './documents/in-force.ts';
import { dayOf, documentsFor } from './documents/in-force.ts';
import type { OwnPayment, PackFacts, SubscriptionPart } from './pack-facts.ts';
import type { RepresentmentRow } from './representment-list.store.ts';
import type { PaymentRows, ShownCharge } from './standing.ts';
import { standingOf, takenBy } from './standing.ts';

/** Earlier payments that are looked at. */
const PAYMENTS_MAX = 50;

/** Reads it for each representment, in their order. */
export async function readPackFacts(
  db: Db,
  organisationId: string,
  representments: readonly RepresentmentRow[],
): Promise<PackFacts[]> {
  const byArn = await referencesByArn(db, organisationId, representments);
  const referenceOf = (row: RepresentmentRow): string =>
    row.transaction_reference_id ?? byArn.get(row.id) ?? '';
  const charges = await findCharges(db, organisationId, representments.map(referenceOf));
  const orderReferences = [...charges.values()].flatMap(
    ({ orderReference }) => orderReference ?? [],
  );
  const [orders, movements, shown, ended, library, now] = await Promise.all([
    findOrders(db, organisationId, orderReferences),
    movementsOf(db, organisationId, [...charges.keys()]),
    shownCharges(db, organisationId, [...charges.keys()]),
    endedBy(db, organisationId, [...charges.keys()]),
    documentsAbout(db, organisationId, orderReferences),
    nowOf(db),
  ]);
  const others = new Map(
    await Promise.all(
      [...orders].map(
        async ([reference, order]) =>
          [reference, await othersOf(db, { organisationId, order, now })] as const,
      ),
    ),
  );
  return representments.map((representment) => {
    const charge = charges.get(referenceOf(representment));
    const { reference = '', orderReference } = charge ?? {};
    const order = orders.get(orderReference ?? '');
    const purchaseDay = dayOf(order?.orderDatetime) ?? dayOf(charge?.authorisedAt);
    const { payments = [], subscriptions = [] } = others.get(orderReference ?? '') ?? {};
    return {
      representment,
      charge,
      shown: shown.get(reference),
      order,
      documents:
        order === undefined || purchaseDay === null
          ? []
          : documentsFor(purchaseOf(order, purchaseDay), library),
      purchaseDay,
      movements: movements.get(reference) ?? [],
      payments,
      subscriptions,
      isEnded: ended.has(reference),
      now,
    };
  });
}

function purchaseOf({ referenceId, items, body }: KnownOrder, day: string): Purchase {
  // A field of the merchant's own: the interface names none.
  const language = /^[a-z]{2,3}(?![a-z])/i.exec(known(body['language']) ?? '')?.[0];
  return {
    orderReference: referenceId,
    day,
    language: language?.toLowerCase() ?? null,
    products: items.flatMap(({ sku, name }) => [known(sku) ?? [], known(name) ?? []].flat()),
  };
}

async function nowOf(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]?.now ?? new Date(0);
}

async function shownCharges(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<ReadonlyMap<string, ShownCharge>> {
  if (references.length === 0) return new Map();
  const rows = await db
    .selectFrom('charge_account')
    .select(['charge_reference', 'status', 'amount_minor', 'currency'])
    .where('organisation_id', '=', organisationId)
    .where('charge_reference', 'in', references)
    .where('status', 'is not', null)
    .execute();
  return new Map(
    rows.map(({ charge_reference: reference, status, amount_minor: amountMinor, currency }) => [
      reference,
      { status, amountMinor, currency },
    ]),
  );
}

/** Charges whose subscription we ended, or the service did, after an alert. */
async function endedBy(
  db: Db,
  organisationId: string,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  if (references.length === 0) return new Set();
  const { rows } = await sql<{ reference: string }>`
    select s.subject as reference from side_action s
    where s.organisation_id = ${organisationId} and s.kind = 'cancel_subscription' and s.state <> 'FAILED'
      and s.subject = any(${references}::text[])
    union
    select k.charge_reference from alert_case k
    join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
    where k.organisation_id = ${organisationId} and k.charge_reference = any(${references}::text[])
      and a.subscription_cancel_outcome is not null`.execute(db);
  return new Set(rows.map(({ reference }) => reference));
}

/**
 * The payment that an acquirer reference number names, by representment: a single charge carries it, and it is the one
 * whose sum and day the service tells, because these numbers come back after a while.
 */
async function referencesByArn(
  db: Db,
  organisationId: string,
  representments: readonly RepresentmentRow[],
): Promise<ReadonlyMap<string, string>> {
  const unnamed = representments.filter((row) => row.transaction_reference_id === null);
  const arns = unnamed.flatMap((row) => row.acquirer_reference_number ?? []);
  if (arns.length === 0) return new Map();
  const { rows } = await sql<NamedCharge>`
    select acquirer_reference_number as arn, min(reference) as reference, min(amount_minor) as "amountMinor",
      min(currency) as currency, to_jsonb(min(authorised_at)) #>> '{}' as "authorisedAt" from charge
    where organisation_id = ${organisationId} and acquirer_reference_number = any(${arns}::text[])
    group by 1 having count(*) = 1`.execute(db);
  const byArn = new Map(rows.map((row) => [row.arn, row]));
  return new Map(
    unnamed.flatMap((row) => {
      const charge = byArn.get(row.acquirer_reference_number ?? '');
      return charge !== undefined && mayBeAbout(row, charge) ? [[row.id, charge.reference]] : [];
    }),
  );
}

interface NamedCharge {
  readonly arn: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly authorisedAt: string | null;
}

/** Days between what the service and the order say of one payment: authorisation and settlement are seldom further apart. */
const APART_DAYS = 30;

function mayBeAbout({ snapshot }: RepresentmentRow, charge: NamedCharge): boolean {
  const currency = snapshot['transaction_currency_code'];
  const amount = snapshot['transaction_amount_in_cents'];
  const day = toInstant(snapshot['transaction_authorisation_date']);
  if (typeof currency === 'string' && currency !== charge.currency) return false;
  if (typeof amount === 'number' && amount !== charge.amountMinor) return false;
  if (day === null || charge.authorisedAt === null) return true;
  const apartMs = Math.abs(epochMsOf(day) - Date.parse(charge.authorisedAt));
  return apartMs <= APART_DAYS * 86_400_000;
}

/** Movements by charge, oldest first. */
async function movementsOf(
  db: Db,
  organisationId: string,
  charges: readonly string[],
): Promise<ReadonlyMap<string | null, readonly MovementRow[]>> {
  if (charges.length === 0) return new Map();
  const rows = await db
    .selectFrom('movement')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('charge_reference', 'in', charges)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, (row) => row.charge_reference);
}

interface OtherRow extends Omit<OwnPayment, 'standing' | 'isShown'> {
  readonly settledAt: string | null;
  readonly shown: ShownCharge | null;
  readonly released: PaymentRows['released'];
}

interface Others {
  readonly payments: readonly OwnPayment[];
  readonly subscriptions: readonly SubscriptionPart[];
}

/** The customer's other orders: their payments, and their subscriptions. */
async function othersOf(
  db: Db,
  { organisationId, order, now }: { organisationId: string; order: KnownOrder; now: Date },
): Promise<Others> {
  const customer = { account: known(order.customerAccountId), email: known(order.customerEmail) };
  if (customer.account === null && customer.email === null) {
    return { payments: [], subscriptions: [] };
  }
  const { rows } = await sql<OtherRow>`
    with others as materialized (
      select reference_id from order_record
      where organisation_id = ${organisationId} and reference_id <> ${order.referenceId} and ${isSameCustomer(db, organisationId, customer)}
      order by seq desc limit ${PAYMENTS_MAX}
    )
    select c.reference, c.order_reference as "orderReference", to_jsonb(c.authorised_at) #>> '{}' as "authorisedAt",
      to_jsonb(c.settled_at) #>> '{}' as "settledAt", c.amount_minor as "amountMinor", c.currency,
      case when a.status is not null then jsonb_build_object('status', a.status, 'amountMinor', a.amount_minor, 'currency', a.currency) end as shown,
      case when bool_or(m.kind = 'void' and m.state = 'CONFIRMED') then 'yes'
        when bool_or(m.kind = 'void' and m.state in ('SENT', 'UNKNOWN', 'PENDING', 'HUMAN')) then 'perhaps' else 'no' end as released,
      coalesce(bool_or(m.kind <> 'void' and m.state in ('CONFIRMED', 'PENDING', 'SENT', 'UNKNOWN', 'HUMAN')), false) as "isRefunded",
      coalesce(bool_or(m.kind = 'chargeback'), false) or coalesce(a.disputed, false) or a.fraud_warned_at is not null
        or ${wasReported(organisationId)} as "isDisputed"
    from others o join charge c on c.order_reference = o.reference_id
    left join charge_account a on a.organisation_id = c.organisation_id and a.charge_reference = c.reference
    left join movement m on m.organisation_id = c.organisation_id and m.charge_reference = c.reference
    where c.organisation_id = ${organisationId} and c.authorised_at is not null
    group by c.organisation_id, c.reference, a.organisation_id, a.charge_reference
    order by c.authorised_at desc, c.reference limit ${PAYMENTS_MAX}`.execute(db);
  const orders = await findOrders(
    db,
    organisationId,
    rows.map((row) => row.orderReference),
  );
  return {
    payments: rows.map((row) => ownPayment(row, orders.get(row.orderReference), now)),
    subscriptions: [...orders.values()].flatMap(({ body }) => body.subscriptions ?? []),
  };
}

/** Whether anything that was ever told of this charge is a complaint; of old ones only a mark is kept. */
function wasReported(organisationId: string): RawBuilder<boolean> {
  const ofCharge = sql`x.organisation_id = ${organisationId}`;
  return sql<boolean>`(
    exists (select from alert_case x where ${ofCharge} and x.charge_reference = c.reference)
    or exists (select from alert x left join alert_case k on k.organisation_id = x.organisation_id and k.alert_id = x.id
      where ${ofCharge} and x.acquirer_reference_number = c.acquirer_reference_number and k.charge_reference is null)
    or exists (select from representment x where ${ofCharge} and x.transaction_reference_id = c.reference)
    or exists (select from representment x where ${ofCharge} and x.acquirer_reference_number = c.acquirer_reference_number)
    or exists (select from scheme_notice x where ${ofCharge} and x.acquirer_reference_number = c.acquirer_reference_number)
    or exists (select from dispute x where ${ofCharge} and x.charge_reference = c.reference)
    or exists (select from evidence_key n join payment_evidence x on x.organisation = n.number
        and hashtextextended(x.reference, x.organisation) = hashtextextended(c.reference, n.number)
      where n.organisation_id = ${organisationId} and x.reference = c.reference and x.traits & ${HISTORY_TRAITS}::int <> 0))`;
}

function ownPayment(row: OtherRow, order: KnownOrder | undefined, now: Date): OwnPayment {
  const { settledAt, shown, released, ...payment } = row;
  const authorisedAt = new Date(row.authorisedAt).toISOString();
  const transaction = order?.transactions.find((each) => each.reference_id === row.reference);
  const rows: PaymentRows = {
    charge: { amountMinor: row.amountMinor, currency: row.currency, settledAt },
    status: known(transaction?.authorisation_status),
    shown: shown ?? undefined,
    released,
    now,
  };
  const isToldRefunded = (order?.refunds ?? []).some(
    ({ status }) => !NOT_REFUNDED.test(status ?? ''),
  );
  return {
    ...payment,
    authorisedAt,
    ...takenBy(rows),
    standing: standingOf(rows),
    isShown: shown !== null,
    isDisputed: row.isDisputed || (order?.body.disputes ?? []).length > 0,
    isRefunded: row.isRefunded || isToldRefunded || REFUNDED.test(rows.status ?? ''),
  };
}

/** States of a refund of the order that gave nothing back. */
const NOT_REFUNDED = /^(?:FAILED|REJECTED|CANCELL?ED|DECLINED|REVERSED|VOIDED)$/i;
const REFUNDED = /REFUND/i;

/** By account or e-mail address, in clear or by the keyed hash beside a sealed order. */
function isSameCustomer(
  db: Db,
  organisationId: string,
  { account, email }: { readonly account: string | null; readonly email: string | null },
): RawBuilder<boolean> {
  const keys = dataKeysOf(db);
  const hashes = (field: CustomerField, value: string | null): Buffer[] =>
    keys === undefined || value === null
      ? []
      : customerIndexes(keys, { organisationId, field, value });
  const isAccount = sql<boolean>`(body->>'customer_account_id' = ${account}
    or account_hmac = any(${hashes('customer_account_id', account)}::bytea[]))`;
  const isEmail = sql<boolean>`(lower(body->>'customer_email') = ${email?.toLowerCase() ?? null}
    or email_hmac = any(${hashes('customer_email', email)}::bytea[]))`;
  const hasAccount = sql<boolean>`(account_hmac is not null or coalesce(body->>'customer_account_id', '') <> '')`;
  // Two accounts are two customers, though they share an address.
  return account === null
    ? isEmail
    : sql<boolean>`(${isAccount} or (${isEmail} and not ${hasAccount}))`;
}
