/** Reads the alerts that an invoice is compared with, with their claims. */
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import type { Db } from '../../base/db/database.ts';
import type { BilledAlert, InvoiceLine } from './invoice.ts';

/** Alerts of one period that are read: a larger merchant compares a part of the month at a time. */
const ALERTS_MAX = 1_000_000;

/** The period, by its first and last UTC day. */
export interface InvoicePeriod {
  readonly from: string;
  readonly to: string;
}

/** Alerts created in the period, and those of other times that a line names. */
export async function alertsOfInvoice(
  db: Db,
  organisationId: string,
  { period, lines }: { readonly period: InvoicePeriod; readonly lines: readonly InvoiceLine[] },
): Promise<BilledAlert[]> {
  const named = [...new Set(lines.map(({ alertId }) => alertId))];
  const { rows } = await sql<BilledAlert>`
    select a.id as "alertId", a.enrolment_type as network, a.in_period as "isInPeriod",
      case when k.alert_id is not null then jsonb_build_object('class', k.class, 'state', k.state) end as claim
    from (
      select id, enrolment_type, coalesce(coalesce(created_at, first_seen_at) >= ${period.from}::date at time zone 'UTC'
        and coalesce(created_at, first_seen_at) < (${period.to}::date + 1) at time zone 'UTC', false) as in_period
      from alert where organisation_id = ${organisationId} and id not like ${CLAIM_IDS}
    ) a
    left join credit_claim k on k.organisation_id = ${organisationId} and k.alert_id = a.id
    where a.in_period or a.id = any(${named}::text[])
    order by a.id limit ${ALERTS_MAX}`.execute(db);
  return rows;
}
