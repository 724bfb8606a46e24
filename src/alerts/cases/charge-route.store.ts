/**
 * Who has to do with a charge: the alerts that are about it, and through whose processor money of it was sent.
 * All SQL of choosing the processor.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { CLAIM_IDS } from './claim.ts';
import type { NamedMerchants } from './merchant.ts';

/** What is known of a charge. */
export interface ChargeTies {
  /** The merchants through whose processors a request of ours went; null: the organisation's own. */
  readonly sentThrough: readonly (string | null)[];
  /** What its alerts name, one entry for each. */
  readonly alerts: readonly NamedMerchants[];
}

/** Of whom. */
interface ChargeOf {
  readonly organisationId: string;
  readonly chargeReference: string;
  /** An alert that is left aside. */
  readonly besides?: string | undefined;
}

/** Reads it. A claim that names no merchant says nothing. */
export async function readChargeTies(
  db: Db,
  { organisationId, chargeReference, besides = '' }: ChargeOf,
): Promise<ChargeTies> {
  const { rows } = await sql<{ sent: (string | null)[] | null; alerts: NamedMerchants[] | null }>`
    select (select json_agg(distinct m.sent_through) from movement m
        where m.organisation_id = ${organisationId} and m.charge_reference = ${chargeReference}
          and m.idempotency_key is not null and m.first_sent_at is not null) as sent,
      (select json_agg(json_build_object('merchantId', a.merchant_id,
          'merchantIds', coalesce(${merchantIds}, '[]'::jsonb)))
        from alert_case k join alert a on a.organisation_id = k.organisation_id and a.id = k.alert_id
        where k.organisation_id = ${organisationId} and k.charge_reference = ${chargeReference}
          and k.alert_id <> ${besides} and ${namesSomebody}) as alerts`.execute(db);
  return { sentThrough: rows[0]?.sent ?? [], alerts: rows[0]?.alerts ?? [] };
}

/** The merchants that an alert names; undefined: there is no such alert. */
export async function readNamedMerchants(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<NamedMerchants | undefined> {
  const { rows } = await sql<NamedMerchants>`
    select a.merchant_id as "merchantId", coalesce(${merchantIds}, '[]'::jsonb) as "merchantIds"
    from alert a where a.organisation_id = ${organisationId} and a.id = ${alertId}`.execute(db);
  return rows[0];
}

/** Whether an alert, as `a`, names a merchant, be it among others. */
export function namesMerchant(merchantId: string): RawBuilder<boolean> {
  return sql<boolean>`(a.merchant_id = ${merchantId}
    or ${merchantIds} @> to_jsonb(${merchantId}::text))`;
}

/** The list of an alert's own object, where it is one. */
const merchantIds = sql`case when jsonb_typeof(a.snapshot -> 'merchant_ids') = 'array' then a.snapshot -> 'merchant_ids' end`;

const namesSomebody = sql<boolean>`(a.id not like ${CLAIM_IDS} or a.merchant_id is not null)`;
