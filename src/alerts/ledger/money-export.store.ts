/**
 * Rows for accounting and for auditors: money that went back by the day of a time zone, and the audit log.
 * Read page by page along an index, so that a year costs memory for one page.
 */
import { sql } from 'kysely';
import type { AuditTable } from '../../base/audit/audit.table.ts';
import type { Db } from '../../base/db/database.ts';

/** Rows read at a time. */
const BATCH = 1_000;

/** Days of a time zone, the last one included. */
export interface ExportPeriod {
  readonly organisationId: string;
  /** `YYYY-MM-DD`. */
  readonly from: string;
  readonly to: string;
  /** An IANA name. */
  readonly zone: string;
}

/** Money that went back, or came again because a refund failed later. */
export interface MoneyRow {
  /** The day in the zone, `YYYY-MM-DD`. */
  readonly day: string;
  readonly at: Date;
  readonly kind: 'refund' | 'void' | 'network' | 'external' | 'chargeback' | 'reversal';
  /** Below zero for a reversal. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly movementId: string;
  readonly refundReference: string | null;
  readonly chargeReference: string | null;
  readonly orderReference: string | null;
  readonly alertId: string | null;
  readonly merchantId: string | null;
  readonly descriptor: string | null;
  readonly reasonCode: string | null;
  readonly decision: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
  readonly rule: string | null;
  readonly policyVersion: string | null;
  /** Who agreed to it, where two people had to. */
  readonly approvers: string | null;
}

/** Names that the database knows. It opens a file for each zone that there is, so it is asked once for each. */
const knownZones = new Set<string>();

export async function knowsZone(db: Db, zone: string): Promise<boolean> {
  if (knownZones.has(zone)) return true;
  const { rows } = await sql<{ known: boolean }>`
    select exists (select from pg_timezone_names where name = ${zone}) as known`.execute(db);
  const isKnown = rows[0]?.known === true;
  if (isKnown) knownZones.add(zone);
  return isKnown;
}

/** Reads the money rows of a period in the order of time. */
export async function* readMoneyRows(
  db: Db,
  { organisationId, from, to, zone }: ExportPeriod,
): AsyncGenerator<readonly MoneyRow[]> {
  const begin = sql`(${from}::date::timestamp at time zone ${zone})`;
  const end = sql`((${to}::date + 1)::timestamp at time zone ${zone})`;
  let place = { at: '-infinity', id: '' };
  for (;;) {
    const { rows } = await sql<MoneyRow & { readonly atText: string; readonly placeId: string }>`
      select to_char(m.at at time zone ${zone}, 'YYYY-MM-DD') as day, m.at, m.at::text as "atText", m.place as "placeId",
        m.kind, m.amount as "amountMinor", m.currency, m.id as "movementId",
        m.processor_reference as "refundReference", m.charge_reference as "chargeReference",
        ch.order_reference as "orderReference", m.alert_id as "alertId", a.merchant_id as "merchantId",
        a.descriptor, a.reason_code as "reasonCode", d.action as decision, d.decided_by as "decidedBy",
        d.decided_at as "decidedAt", d.rule, d.policy_version as "policyVersion", p.approvers
      from (
        select * from (
          select organisation_id, confirmed_at as at, id || ' 1' as place, id, kind::text as kind, amount_minor as amount, currency,
            processor_reference, charge_reference, alert_id
          from movement where organisation_id = ${organisationId} and confirmed_at >= ${begin} and confirmed_at < ${end}
            and amount_minor > 0
          union all
          select organisation_id, changed_at, id || ' 2', id, 'reversal', -amount_minor, currency,
            processor_reference, charge_reference, alert_id
          from movement where organisation_id = ${organisationId} and state = 'REVERSED'
            and changed_at >= ${begin} and changed_at < ${end} and amount_minor > 0
        ) as both_kinds
        where (at, place) > (${place.at}::timestamptz, ${place.id}::text)
        order by at, place limit ${BATCH}
      ) as m
      left join alert a on a.organisation_id = m.organisation_id and a.id = m.alert_id
      left join alert_case c on c.organisation_id = m.organisation_id and c.alert_id = m.alert_id
      left join decision d on d.organisation_id = m.organisation_id and d.id = c.decision_id
      left join charge ch on ch.organisation_id = m.organisation_id and ch.reference = m.charge_reference
      left join lateral (
        select string_agg(r.operator, ' ' order by r.approved_at) as approvers
        from refund_approval f
          join refund_approver r on r.organisation_id = f.organisation_id and r.approval_id = f.id
        where f.organisation_id = m.organisation_id and f.movement_id = m.id
      ) as p on true
      order by m.at, m.place`.execute(db);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    place = { at: last.atText, id: last.placeId };
  }
}

/** One step of the audit log. */
export type AuditRow = Pick<AuditTable, 'subject' | 'subject_id' | 'actor' | 'what'> & {
  readonly id: number;
  readonly at: Date;
  readonly alert_id: string | null;
  readonly from_state: string | null;
  readonly to_state: string | null;
  readonly detail: unknown;
};

/** Reads the audit log of a period in the order of time. */
export async function* readAuditRows(
  db: Db,
  { organisationId, from, to, zone }: ExportPeriod,
): AsyncGenerator<readonly AuditRow[]> {
  let afterId = 0;
  for (;;) {
    const { rows } = await sql<AuditRow>`
      select id, at, subject, subject_id, alert_id, actor, what, from_state, to_state, detail
      from audit where organisation_id = ${organisationId}
        and at >= (${from}::date::timestamp at time zone ${zone})
        and at < ((${to}::date + 1)::timestamp at time zone ${zone})
        and id > ${afterId}
      order by id limit ${BATCH}`.execute(db);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    afterId = last.id;
  }
}

/** What went back in a period, by kind and currency. */
export async function sumMoney(
  db: Db,
  { organisationId, from, to, zone }: ExportPeriod,
): Promise<
  readonly {
    readonly kind: string;
    readonly currency: string;
    readonly count: number;
    readonly amountMinor: number;
  }[]
> {
  const begin = sql`(${from}::date::timestamp at time zone ${zone})`;
  const end = sql`((${to}::date + 1)::timestamp at time zone ${zone})`;
  const { rows } = await sql<{
    kind: string;
    currency: string;
    count: number;
    amountMinor: number;
  }>`
    select kind::text as kind, currency, count(*)::bigint as count, sum(amount_minor)::bigint as "amountMinor"
    from movement where organisation_id = ${organisationId} and confirmed_at >= ${begin} and confirmed_at < ${end}
      and amount_minor > 0
    group by 1, 2
    union all
    select 'reversal', currency, count(*)::bigint, -sum(amount_minor)::bigint
    from movement where organisation_id = ${organisationId} and state = 'REVERSED'
      and changed_at >= ${begin} and changed_at < ${end} and amount_minor > 0
    group by 2
    order by 1, 2`.execute(db);
  return rows;
}
