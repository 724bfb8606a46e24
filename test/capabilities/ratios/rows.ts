/** Rows that the counts are made of, with what a test wants to say about them. */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../../src/base/db/database.ts';

export const ORG = 'org_ratio';

/** An acquirer reference of 23 characters. */
export function arnOf(number: number): string {
  return `7420832${String(number).padStart(16, '0')}`;
}

const SNAPSHOT = "'webhook', '2026-11-01', '2026-11-01'";

/** Payments of one day, brand and descriptor. */
export async function insertPayments(
  db: Kysely<Database>,
  given: {
    readonly prefix: string;
    readonly count: number;
    readonly day: string;
    readonly brand: string;
    readonly descriptor?: string;
  },
): Promise<void> {
  const { prefix, count, day, brand, descriptor = 'SHOP' } = given;
  await sql`insert into charge (organisation_id, reference, source, amount_minor, currency, authorised_at, card_brand, descriptor, known_at)
    select ${ORG}, ${prefix} || n, 'order', 1000, 'USD', ${day}::timestamptz, ${brand}, ${descriptor}, ${day}::timestamptz
    from generate_series(1, ${count}::int) as n`.execute(db);
}

/** One notice. */
export async function insertNotice(
  db: Kysely<Database>,
  given: {
    readonly id: string;
    readonly type: 'TC40' | 'TC15' | 'SAF';
    readonly scheme?: string;
    readonly day: string;
    readonly arn?: string;
    readonly revoked?: boolean;
    readonly merchant?: string;
    readonly submerchant?: string;
  },
): Promise<void> {
  const { id, type, scheme = 'SCHEME_A', day, arn = null, revoked = false } = given;
  const kind = type === 'TC15' ? 'DISPUTE_NOTICE' : 'FRAUD_NOTICE';
  const snapshot = JSON.stringify({ transaction_merchant_id: given.submerchant ?? null });
  await sql`insert into scheme_notice (organisation_id, id, merchant_id, scheme_notice_type, notice_type, scheme, is_revoked,
      fraud_reported_at, amount_minor, currency, acquirer_reference_number, created_at, updated_at, snapshot, snapshot_hash,
      source, first_seen_at, changed_at)
    values (${ORG}, ${id}, ${given.merchant ?? null}, ${type}, ${kind}, ${scheme}, ${revoked}, ${day}, 1000, 'USD', ${arn},
      ${day}, ${day}, ${snapshot}::jsonb, decode(md5(random()::text), 'hex'), ${sql.raw(SNAPSHOT)})`.execute(
    db,
  );
}

/** One alert, answered or not. */
export async function insertAlert(
  db: Kysely<Database>,
  given: {
    readonly id: string;
    readonly type?: 'NETA_ALERT' | 'NETB_RDR';
    readonly status?: string;
    readonly outcome?: string | null;
    readonly scheme?: string | null;
    readonly arn?: string;
    readonly day: string;
    readonly merchant?: string;
    readonly reason?: string;
  },
): Promise<void> {
  const { id, type = 'NETA_ALERT', status = 'RESOLVED', outcome = 'REFUNDED' } = given;
  const { scheme = 'SCHEME_A', arn = null, day, merchant = null, reason = null } = given;
  await sql`insert into alert (organisation_id, id, status, enrolment_type, refund_outcome, card_scheme, merchant_id, reason_code,
      acquirer_reference_number, amount_minor, currency, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, ${id}, ${status}, ${type}, ${outcome}, ${scheme}, ${merchant}, ${reason}, ${arn}, 1000, 'USD', ${day}, ${day}, '{}',
      decode(md5(random()::text), 'hex'), ${sql.raw(SNAPSHOT)})`.execute(db);
  if (status !== 'ACTION_REQUIRED') return;
  await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, changed_at)
    values (${ORG}, ${id}, 'HUMAN', ${day}, ${day}::timestamptz + interval '2 days', ${day}, ${day})`.execute(
    db,
  );
}

/** One lookup. */
export async function insertLookup(
  db: Kysely<Database>,
  given: {
    readonly id: string;
    readonly deflection: string;
    readonly arn?: string;
    readonly day: string;
  },
): Promise<void> {
  const { id, deflection, arn = null, day } = given;
  await sql`insert into lookup (organisation_id, id, type, lookup_status, deflection_status, acquirer_reference_number, created_at,
      updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, ${id}, 'NETB_ORDER_INSIGHT', 'SUCCEEDED', ${deflection}, ${arn}, ${day}, ${day}, '{}',
      decode(md5(random()::text), 'hex'), ${sql.raw(SNAPSHOT)})`.execute(db);
}

/** One dispute known by its representment. */
export async function insertRepresentment(
  db: Kysely<Database>,
  given: {
    readonly id: string;
    readonly scheme: string;
    readonly arn?: string;
    readonly day: string;
  },
): Promise<void> {
  const { id, scheme, arn = null, day } = given;
  const snapshot = JSON.stringify({ dispute_schema: scheme, disputed_at: day });
  await sql`insert into representment (organisation_id, id, dispute_stage, acquirer_reference_number, amount_minor, currency,
      created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    values (${ORG}, ${id}, 'CHARGEBACK', ${arn}, 1000, 'USD', ${day}, ${day}, ${snapshot}::jsonb,
      decode(md5(random()::text), 'hex'), ${sql.raw(SNAPSHOT)})`.execute(db);
}

/** Changes a row as a later snapshot of the service does. */
export async function changeRow(
  db: Kysely<Database>,
  table: 'scheme_notice' | 'representment' | 'alert' | 'lookup',
  id: string,
  set: string,
): Promise<void> {
  await sql`update ${sql.table(table)} set ${sql.raw(set)}, snapshot_hash = decode(md5(random()::text), 'hex')
    where organisation_id = ${ORG} and id = ${id}`.execute(db);
}
