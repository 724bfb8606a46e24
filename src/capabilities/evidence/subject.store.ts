/** What can be judged, as the service told it: alerts, lookups, notices and representments, with their payment. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { KnownSubject, Subject } from '../../alerts/evidence/payment.ts';
import type { Db } from '../../base/db/database.ts';

/** Every kind, in the order in which they are judged. */
export const SUBJECT_KINDS = ['alert', 'lookup', 'scheme_notice', 'representment'] as const;

interface Row {
  readonly id: string;
  readonly charge_reference: string;
  readonly scheme: string | null;
  readonly reason: string | null;
  readonly day: string;
  readonly is_fraud_notice: boolean;
}

/**
 * The charge that an ARN names; the case's own match goes before it. ARNs come back after a while: one that two charges
 * carry names neither.
 */
function chargeOfArn(organisationId: string, alias: string): RawBuilder<unknown> {
  return sql`(select min(c.reference) from charge c where c.organisation_id = ${organisationId}
    and c.acquirer_reference_number = ${sql.ref(`${alias}.acquirer_reference_number`)} having count(*) = 1)`;
}

const dayOf = (moment: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD')`;

/** Lookups come from the network of one scheme each, and only about fraud that a customer claims. */
const LOOKUP_SCHEME = sql`case when t.type like 'NETB%' then 'SCHEME_A' when t.type like 'NETA%' then 'SCHEME_B' end`;

const SELECTS: Readonly<Record<Subject['kind'], (organisationId: string) => RawBuilder<Row>>> = {
  alert: (organisationId) => sql<Row>`
    select t.id, k.charge_reference, t.card_scheme as scheme, t.reason_code as reason,
      ${dayOf(sql`coalesce(t.created_at, t.first_seen_at)`)} as day, false as is_fraud_notice, k.changed_at as changed_at
    from alert t join alert_case k on k.organisation_id = t.organisation_id and k.alert_id = t.id
    where t.organisation_id = ${organisationId} and k.charge_reference is not null`,
  lookup: (organisationId) => sql<Row>`
    select t.id, coalesce(t.integration_transaction_id, ${chargeOfArn(organisationId, 't')}) as charge_reference,
      ${LOOKUP_SCHEME} as scheme, null as reason,
      ${dayOf(sql`coalesce(t.created_at, t.first_seen_at)`)} as day, false as is_fraud_notice, t.changed_at
    from lookup t where t.organisation_id = ${organisationId}`,
  scheme_notice: (organisationId) => sql<Row>`
    select t.id, ${chargeOfArn(organisationId, 't')} as charge_reference, t.scheme, null as reason,
      ${dayOf(sql`coalesce(t.fraud_reported_at, t.created_at, t.first_seen_at)`)} as day,
      coalesce(t.notice_type = 'FRAUD_NOTICE', false) as is_fraud_notice, t.updated_at as changed_at
    from scheme_notice t where t.organisation_id = ${organisationId} and t.is_revoked is not true`,
  representment: (organisationId) => sql<Row>`
    select t.id, coalesce(t.transaction_reference_id, ${chargeOfArn(organisationId, 't')}) as charge_reference,
      t.snapshot->>'dispute_schema' as scheme, t.snapshot->>'dispute_reason_code' as reason,
      coalesce(substring(t.snapshot->>'disputed_at' from '^\\d{4}-\\d{2}-\\d{2}'),
        ${dayOf(sql`coalesce(t.created_at, t.first_seen_at)`)}) as day, false as is_fraud_notice, t.updated_at as changed_at
    from representment t where t.organisation_id = ${organisationId}`,
};

/** One of them; undefined where there is none, or its payment is not known. */
export async function findSubject(
  db: Db,
  organisationId: string,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
): Promise<KnownSubject | undefined> {
  const { rows } = await sql<Row>`
    select s.* from (${SELECTS[kind](organisationId)} and t.id = ${id}) as s
    where s.charge_reference is not null`.execute(db);
  return rows[0] === undefined ? undefined : subjectOf(kind, rows[0]);
}

/** Those that changed since a moment and were not judged yet. */
export async function findUnjudged(
  db: Db,
  organisationId: string,
  wanted: { readonly kind: Subject['kind']; readonly since: Date; readonly limit: number },
): Promise<KnownSubject[]> {
  const changed = sql.ref(CHANGED[wanted.kind]);
  const { rows } = await sql<Row>`
    select s.* from (${SELECTS[wanted.kind](organisationId)} and ${changed} >= ${wanted.since}
      and not exists (select from evidence_judgement j where j.organisation_id = ${organisationId}
        and j.subject = ${wanted.kind} and j.subject_id = t.id)) as s
    where s.charge_reference is not null
    order by s.changed_at limit ${wanted.limit}`.execute(db);
  return rows.map((row) => subjectOf(wanted.kind, row));
}

/** What has an index. */
const CHANGED: Readonly<Record<Subject['kind'], string>> = {
  alert: 'k.changed_at',
  lookup: 't.changed_at',
  scheme_notice: 't.updated_at',
  representment: 't.updated_at',
};

function subjectOf(kind: Subject['kind'], row: Row): KnownSubject {
  const { id, scheme, reason, day, is_fraud_notice: isFraudNotice } = row;
  return {
    subject: { kind, id, scheme, reason, day, isFraudNotice },
    chargeReference: row.charge_reference,
  };
}
