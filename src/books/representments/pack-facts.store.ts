/** Reads all our rows about the payment of a contested dispute. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import type { Db } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import type { CustomerField } from '../../base/seal/customer-index.ts';
import { customerIndexes } from '../../base/seal/customer-index.ts';
import { findCharges } from '../../orders/charge.store.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import { findOrders } from '../../orders/find-order.ts';
import type { RepresentmentRow } from '../insights/entity-list.store.ts';

/** Earlier payments that are looked at. */
const PAYMENTS_MAX = 50;

/** Another payment of the same customer. */
export interface OwnPayment {
  readonly reference: string;
  readonly orderReference: string;
  /** ISO 8601. */
  readonly authorisedAt: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** An alert, a representment or a notice speaks of it. */
  readonly isDisputed: boolean;
  readonly isRefunded: boolean;
}

export interface PackFacts {
  readonly representment: RepresentmentRow;
  readonly charge: ChargeRecord | undefined;
  readonly order: KnownOrder | undefined;
  readonly movements: readonly MovementRow[];
  /** The customer's other payments, newest first. */
  readonly payments: readonly OwnPayment[];
}

/** Reads it for each representment, in their order. */
export async function readPackFacts(
  db: Db,
  organisationId: string,
  representments: readonly RepresentmentRow[],
): Promise<PackFacts[]> {
  const byArn = await referencesByArn(db, organisationId, representments);
  const referenceOf = (row: RepresentmentRow): string =>
    row.transaction_reference_id ?? byArn.get(row.acquirer_reference_number ?? '') ?? '';
  const charges = await findCharges(db, organisationId, representments.map(referenceOf));
  const known = [...charges.values()];
  const orderReferences = known.flatMap(({ orderReference }) => orderReference ?? []);
  const [orders, movements] = await Promise.all([
    findOrders(db, organisationId, orderReferences),
    movementsOf(db, organisationId, [...charges.keys()]),
  ]);
  const payments = new Map(
    await Promise.all(
      [...orders].map(
        async ([reference, order]) =>
          [reference, await paymentsOf(db, organisationId, order)] as const,
      ),
    ),
  );
  return representments.map((representment) => {
    const charge = charges.get(referenceOf(representment));
    const { reference = '', orderReference } = charge ?? {};
    return {
      representment,
      charge,
      order: orders.get(orderReference ?? ''),
      movements: movements.get(reference) ?? [],
      payments: payments.get(orderReference ?? '') ?? [],
    };
  });
}

/** An acquirer reference number names a payment only where a single charge carries it. */
async function referencesByArn(
  db: Db,
  organisationId: string,
  representments: readonly RepresentmentRow[],
): Promise<ReadonlyMap<string, string>> {
  const arns = representments.flatMap((row) =>
    row.transaction_reference_id === null ? (row.acquirer_reference_number ?? []) : [],
  );
  if (arns.length === 0) return new Map();
  const { rows } = await sql<{ arn: string; reference: string }>`
    select acquirer_reference_number as arn, min(reference) as reference from charge
    where organisation_id = ${organisationId} and acquirer_reference_number = any(${arns}::text[])
    group by 1 having count(*) = 1`.execute(db);
  return new Map(rows.map(({ arn, reference }) => [arn, reference]));
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

async function paymentsOf(
  db: Db,
  organisationId: string,
  order: KnownOrder,
): Promise<OwnPayment[]> {
  if (order.customerAccountId === null && order.customerEmail === null) return [];
  const { rows } = await sql<OwnPayment>`
    with others as materialized (
      select reference_id from order_record
      where organisation_id = ${organisationId} and reference_id <> ${order.referenceId} and ${isSameCustomer(db, organisationId, order)}
      order by seq desc limit ${PAYMENTS_MAX}
    )
    select c.reference, c.order_reference as "orderReference", to_jsonb(c.authorised_at) as "authorisedAt",
      c.amount_minor as "amountMinor", c.currency,
      exists (select from alert_case k where k.organisation_id = c.organisation_id and k.charge_reference = c.reference)
        or exists (select from representment r where r.organisation_id = c.organisation_id and r.transaction_reference_id = c.reference)
        or exists (select from scheme_notice n where n.organisation_id = c.organisation_id and n.is_revoked is not true
          and n.acquirer_reference_number = c.acquirer_reference_number) as "isDisputed",
      exists (select from movement m where m.organisation_id = c.organisation_id and m.charge_reference = c.reference
        and m.state in ('CONFIRMED', 'PENDING', 'SENT', 'UNKNOWN', 'HUMAN') and m.kind <> 'void') as "isRefunded"
    from charge c join others o on o.reference_id = c.order_reference
    where c.organisation_id = ${organisationId} and c.authorised_at is not null
    order by c.authorised_at desc, c.reference limit ${PAYMENTS_MAX}`.execute(db);
  return rows;
}

/** By account or e-mail address, in clear or by the keyed hash beside a sealed order. */
function isSameCustomer(
  db: Db,
  organisationId: string,
  { customerAccountId: accountId, customerEmail: email }: KnownOrder,
): RawBuilder<boolean> {
  const keys = dataKeysOf(db);
  const hashes = (field: CustomerField, value: string | null): Buffer[] =>
    keys === undefined || value === null
      ? []
      : customerIndexes(keys, { organisationId, field, value });
  return sql<boolean>`(body->>'customer_account_id' = ${accountId}
    or lower(body->>'customer_email') = ${email?.toLowerCase() ?? null}
    or account_hmac = any(${hashes('customer_account_id', accountId)}::bytea[])
    or email_hmac = any(${hashes('customer_email', email)}::bytea[]))`;
}
