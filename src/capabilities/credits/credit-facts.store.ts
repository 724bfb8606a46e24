/** Reads what is known about alerts that may be claimed, and about the alerts of the same disputes. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { CLAIM_IDS } from '../../alerts/cases/claim.ts';
import { ACCEPT_NOTES } from '../../alerts/ledger/answer-notes.ts';
import type { Db } from '../../base/db/database.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { CreditFacts } from './credit-class.ts';

/** Rows of one kind that are read for one alert: one that has more is no ordinary one. */
const ROWS_MAX = 100;

type Row = Omit<CreditFacts, 'descriptors'> & { readonly enrolled: unknown };

/** The facts of these alerts; none for one whose case is gone. */
export async function readCreditFacts(
  db: Db,
  organisationId: string,
  alertIds: readonly string[],
): Promise<CreditFacts[]> {
  const { rows } = await sql<Row>`
    select c.alert_id as "alertId", a.enrolment_type as "enrolmentType", a.status, a.refund_outcome as "refundOutcome",
      ${iso('coalesce(a.created_at, c.opened_at)')} as "alertedAt", a.amount_minor as "amountMinor", a.currency, a.descriptor,
      (not c.is_open or c.missed_at is not null) as "isOver", c.charge_reference as "chargeReference",
      (select ${iso('d.created_at')} from declaration d where d.organisation_id = c.organisation_id
        and d.alert_id = c.alert_id and d.action = 'ACCEPT_DISPUTE' and d.note = ${ACCEPT_NOTES.not_ours}) as "saidNotOursAt",
      ${CHARGE} as charge,
      (select ${iso('min(d.decided_at)')} from decision d
        where d.organisation_id = c.organisation_id and d.alert_id = c.alert_id) as "firstDecidedAt",
      (select jsonb_build_object('id', m.id, 'at', m.matched_at,
          'outcome', case when m.evidence->>'unanswered' = 'true' then 'unanswered' else m.outcome end)
        from match m where m.organisation_id = c.organisation_id and m.alert_id = c.alert_id
        order by m.id desc limit 1) as match,
      ${listOf(SIBLINGS)} as siblings, ${listOf(OTHERS_MONEY)} as "othersMoney",
      ${listOf(REPRESENTMENTS)} as representments,
      (select e.snapshot->'neta_alert'->'descriptors' from enrolment e
        where e.organisation_id = c.organisation_id and e.id = a.enrolment_id) as enrolled
    from alert_case c join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    where c.organisation_id = ${organisationId} and c.alert_id = any(${[...alertIds]}::text[])`.execute(
    db,
  );
  return rows.map(({ enrolled, ...row }) => ({ ...row, descriptors: descriptorsOf(enrolled) }));
}

const CHARGE = sql`(
  select jsonb_build_object('status', k.status, 'amountMinor', k.amount_minor, 'currency', k.currency, 'readAt', k.read_at)
  from charge_account k where k.organisation_id = c.organisation_id
    and k.charge_reference = c.charge_reference and k.status is not null)`;

const SIBLINGS = sql`
  select s.alert_id as "alertId", b.enrolment_type as "enrolmentType", b.status,
    coalesce(b.created_at, s.opened_at) as "alertedAt", b.amount_minor as "amountMinor", b.currency
  from alert_case s join alert b on b.organisation_id = s.organisation_id and b.id = s.alert_id
  where s.organisation_id = c.organisation_id and s.dispute_id = c.dispute_id and s.alert_id <> c.alert_id
    and s.alert_id not like ${CLAIM_IDS}`;

const OTHERS_MONEY = sql`
  select v.id, v.kind, v.state, v.amount_minor as "amountMinor", v.currency, v.moved_at as "movedAt", v.created_at as "seenAt"
  from movement v where v.organisation_id = c.organisation_id and v.charge_reference = c.charge_reference
    and v.idempotency_key is null and v.kind in ('external', 'void', 'chargeback')`;

/** The day on which it began is the service's own word; one that is no moment says nothing. */
const REPRESENTMENTS = sql`
  select r.id, r.snapshot->>'disputed_at' as "disputedAt", r.amount_minor as "amountMinor", r.currency
  from representment r where r.organisation_id = c.organisation_id and r.transaction_reference_id = c.charge_reference
    and r.snapshot->>'disputed_at' ~ '^[12]\\d{3}-\\d\\d-\\d\\dT'`;

function listOf(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(t), '[]') from (${rows} limit ${sql.lit(ROWS_MAX)}) t)`;
}

/** A moment as the rest of the row has it: JSON's own form. */
function iso(moment: string): RawBuilder<unknown> {
  return sql`to_jsonb(${sql.raw(moment)})`;
}

function descriptorsOf(enrolled: unknown): CreditFacts['descriptors'] {
  if (!Array.isArray(enrolled)) return [];
  return enrolled.flatMap((each: unknown) => {
    if (!isRecord(each)) return [];
    const { descriptor, match_type: matchType } = each;
    return typeof descriptor === 'string' && typeof matchType === 'string'
      ? [{ descriptor, matchType }]
      : [];
  });
}
