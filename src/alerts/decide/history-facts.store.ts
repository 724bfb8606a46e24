/** Read-only questions about a customer and a charge over the rows of other stages: one statement each. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db } from '../../base/db/database.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import type { CustomerField } from '../../base/seal/customer-index.ts';
import { customerIndexes } from '../../base/seal/customer-index.ts';
import type { OrderRow } from '../../orders/order.store.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { CLAIM_IDS } from '../cases/claim.ts';
import { customerIdentities } from '../guard/customer-identity.ts';
import type { ChargeHistory, CustomerFacts, CustomerKeys } from './history-facts.ts';
import { CUSTOMER_ORDERS_MAX, earliestOf, emailDomainOf, emailKey } from './history-facts.ts';

/** Whose history is asked for. */
export interface CustomerQuestion {
  readonly organisationId: string;
  readonly keys: CustomerKeys;
  /** The order and alert at hand, which are not history. */
  readonly orderReference: string;
  readonly alertId: string;
  /** Whether to look at our list of blocked customers. */
  readonly asksBlocked: boolean;
}

interface CustomerRow {
  readonly orders: number;
  readonly refunds: number;
  readonly placed: readonly (string | null)[] | null;
  readonly alerts: number;
  readonly fraud_notices: number;
  readonly blocked: boolean;
}

/** The customer's other orders, by account or e-mail, and what became of them. */
export async function readCustomerFacts(
  db: Db,
  question: CustomerQuestion,
): Promise<CustomerFacts> {
  const dataKeys = dataKeysOf(db);
  const row = await (dataKeys === undefined
    ? readOthers(db, question)
    : readSealedOthers(db, question, dataKeys));
  const { keys, asksBlocked } = question;
  const { accountId, email } = keys;
  return {
    accountId,
    emailHash: email === null ? null : emailKey(email),
    emailDomain: email === null ? null : emailDomainOf(email),
    orders: row?.orders ?? 0,
    firstOrderAt: earliestOf([keys.orderedAt, ...(row?.placed ?? [])]),
    refunds: row?.refunds ?? 0,
    alerts: row?.alerts ?? 0,
    fraudNotices: row?.fraud_notices ?? 0,
    blocked: asksBlocked ? (row?.blocked ?? false) : null,
  };
}

/** Whether the customer is on our list of blocked ones. */
function isBlocked({ organisationId, keys }: CustomerQuestion): RawBuilder<boolean> {
  const { accountId, email } = keys;
  const identities = customerIdentities({ customerAccountId: accountId, customerEmail: email });
  return sql<boolean>`exists (select from blocked_customer
    where organisation_id = ${organisationId} and identity = any(${identities}::text[]))`;
}

/** In one statement, where the database can read the orders. */
async function readOthers(db: Db, question: CustomerQuestion): Promise<CustomerRow | undefined> {
  const { organisationId, keys, orderReference, alertId } = question;
  const { accountId, email } = keys;
  const { rows } = await sql<CustomerRow>`
    with others as materialized (
      select reference_id, body->>'order_datetime' as placed,
        coalesce(jsonb_typeof(body->'refunds') = 'array' and body->'refunds' <> '[]'::jsonb, false) as refunded
      from order_record
      where organisation_id = ${organisationId} and reference_id <> ${orderReference}
        and (body->>'customer_account_id' = ${accountId} or lower(body->>'customer_email') = ${email?.toLowerCase() ?? null})
      order by seq desc limit ${CUSTOMER_ORDERS_MAX}
    ), charges as materialized (
      select c.reference, c.acquirer_reference_number from charge c
      join others o on o.reference_id = c.order_reference
      where c.organisation_id = ${organisationId}
    )
    select count(*)::int as orders, count(*) filter (where refunded)::int as refunds,
      array_agg(placed) as placed, ${isBlocked(question)} as blocked,
      (select count(*)::int from alert_case k where k.organisation_id = ${organisationId}
        and k.alert_id <> ${alertId} and k.alert_id not like ${CLAIM_IDS}
        and k.charge_reference in (select reference from charges)) as alerts,
      (select count(*)::int from scheme_notice n where n.organisation_id = ${organisationId}
        and n.notice_type = 'FRAUD_NOTICE' and n.is_revoked is not true
        and n.acquirer_reference_number in (select acquirer_reference_number from charges)) as fraud_notices
    from others`.execute(db);
  return rows[0];
}

/** The same where orders may be sealed: they are found by keyed hashes too, and read here. */
async function readSealedOthers(
  db: Db,
  question: CustomerQuestion,
  dataKeys: DataKeys,
): Promise<CustomerRow | undefined> {
  const { organisationId, keys, orderReference, alertId } = question;
  const { accountId, email } = keys;
  const hashes = (field: CustomerField, value: string | null): Buffer[] =>
    value === null ? [] : customerIndexes(dataKeys, { organisationId, field, value });
  const stored = await sql<Pick<OrderRow, 'integration_id' | 'reference_id' | 'body'>>`
    select integration_id, reference_id, body from order_record
    where organisation_id = ${organisationId} and reference_id <> ${orderReference}
      and (body->>'customer_account_id' = ${accountId} or lower(body->>'customer_email') = ${email?.toLowerCase() ?? null}
        or account_hmac = any(${hashes('customer_account_id', accountId)}::bytea[])
        or email_hmac = any(${hashes('customer_email', email)}::bytea[]))
    order by seq desc limit ${CUSTOMER_ORDERS_MAX}`.execute(db);
  const orders = stored.rows.map((row) => openBodyOf(dataKeys, organisationId, row));
  const { rows } = await sql<Pick<CustomerRow, 'alerts' | 'fraud_notices' | 'blocked'>>`
    with charges as materialized (
      select c.reference, c.acquirer_reference_number from charge c
      where c.organisation_id = ${organisationId}
        and c.order_reference = any(${orders.map((order) => order.reference_id)}::text[])
    )
    select ${isBlocked(question)} as blocked,
      (select count(*)::int from alert_case k where k.organisation_id = ${organisationId}
        and k.alert_id <> ${alertId} and k.alert_id not like ${CLAIM_IDS}
        and k.charge_reference in (select reference from charges)) as alerts,
      (select count(*)::int from scheme_notice n where n.organisation_id = ${organisationId}
        and n.notice_type = 'FRAUD_NOTICE' and n.is_revoked is not true
        and n.acquirer_reference_number in (select acquirer_reference_number from charges)) as fraud_notices`.execute(
    db,
  );
  return {
    orders: orders.length,
    refunds: orders.filter(({ body }) => (body.refunds ?? []).length > 0).length,
    placed: orders.map(({ body }) => body.order_datetime ?? null),
    alerts: rows[0]?.alerts ?? 0,
    fraud_notices: rows[0]?.fraud_notices ?? 0,
    blocked: rows[0]?.blocked ?? false,
  };
}

/**
 * What else happened to the case's charge: other alerts of both networks, notices, representments. A
 * selection of one row, as {@link ChargeHistory}.
 *
 * @param arn the alert's acquirer reference number; the charge's own is looked up
 */
export function chargeHistory(
  {
    organisation_id: organisationId,
    alert_id: alertId,
    charge_reference: chargeReference,
  }: Pick<CaseRow, 'organisation_id' | 'alert_id' | 'charge_reference'>,
  arn: RawBuilder<unknown>,
): RawBuilder<ChargeHistory> {
  return sql<ChargeHistory>`
    with others as materialized (
      select a.enrolment_type, a.status from alert_case k
      join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
      where k.organisation_id = ${organisationId} and k.charge_reference = ${chargeReference}
        and k.alert_id <> ${alertId} and k.alert_id not like ${CLAIM_IDS}
    ), notices as materialized (
      select n.notice_type from scheme_notice n
      where n.organisation_id = ${organisationId} and n.is_revoked is not true
        and n.acquirer_reference_number in (
          select ${arn}
          union select c.acquirer_reference_number from charge c
          where c.organisation_id = ${organisationId} and c.reference = ${chargeReference})
    )
    select
      (select count(*)::int from others) as alerts,
      exists (select from others where enrolment_type is distinct from 'NETB_RDR' and status <> 'INVALID') as twin,
      exists (select from others where enrolment_type = 'NETB_RDR' and status <> 'INVALID') as rdr,
      exists (select from notices where notice_type = 'FRAUD_NOTICE') as "fraudNotice",
      exists (select from notices where notice_type = 'DISPUTE_NOTICE') as "disputeNotice",
      exists (select from representment r where r.organisation_id = ${organisationId}
        and r.transaction_reference_id = ${chargeReference}) as represented,
      exists (select from charge_account w where w.organisation_id = ${organisationId}
        and w.charge_reference = ${chargeReference} and w.fraud_warned_at is not null) as "fraudWarning"`;
}
