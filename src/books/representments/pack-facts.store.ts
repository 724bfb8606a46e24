/** Reads everything of ours that a contested dispute's payment is about. */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import { movementsOfCharge } from '../../alerts/ledger/movement.store.ts';
import type { Database } from '../../base/db/database.ts';
import { dataKeysOf } from '../../base/seal/carried-keys.ts';
import type { CustomerField } from '../../base/seal/customer-index.ts';
import { customerIndexes } from '../../base/seal/customer-index.ts';
import { findCharge } from '../../orders/charge.store.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { KnownOrder } from '../../orders/find-order.ts';
import { findOrder } from '../../orders/find-order.ts';
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

/** Everything that is looked at. */
export interface PackFacts {
  readonly representment: RepresentmentRow;
  readonly charge: ChargeRecord | undefined;
  readonly order: KnownOrder | undefined;
  readonly movements: readonly MovementRow[];
  /** The customer's other payments, newest first. */
  readonly payments: readonly OwnPayment[];
}

/** Reads it for one representment. */
export async function readPackFacts(
  db: Kysely<Database>,
  organisationId: string,
  representment: RepresentmentRow,
): Promise<PackFacts> {
  const charge = await chargeOf(db, organisationId, representment);
  if (charge === undefined) {
    return { representment, charge, order: undefined, movements: [], payments: [] };
  }
  const { reference: chargeReference, orderReference } = charge;
  const order =
    orderReference === null ? undefined : await findOrder(db, organisationId, orderReference);
  return {
    representment,
    charge,
    order,
    movements: await movementsOfCharge(db, { organisationId, chargeReference }),
    payments: order === undefined ? [] : await paymentsOf(db, organisationId, order),
  };
}

/** By the payment's reference; by its acquirer reference number only where a single charge carries that. */
async function chargeOf(
  db: Kysely<Database>,
  organisationId: string,
  { transaction_reference_id: reference, acquirer_reference_number: arn }: RepresentmentRow,
): Promise<ChargeRecord | undefined> {
  if (reference !== null) return await findCharge(db, organisationId, reference);
  if (arn === null) return undefined;
  const rows = await db
    .selectFrom('charge')
    .select('reference')
    .where('organisation_id', '=', organisationId)
    .where('acquirer_reference_number', '=', arn)
    .limit(2)
    .execute();
  const [only, ...more] = rows;
  if (only === undefined || more.length > 0) return undefined;
  return await findCharge(db, organisationId, only.reference);
}

async function paymentsOf(
  db: Kysely<Database>,
  organisationId: string,
  order: KnownOrder,
): Promise<OwnPayment[]> {
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
  db: Kysely<Database>,
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
