/** Which lookups are to be judged, and what our rows know about each. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { OrderState } from '../../orders/order-state.ts';
import type { LookupFacts } from './cause.ts';
import type { LookupCost } from './lookup-cause.table.ts';

/** Lookups judged in one round. */
export const LOOKUP_BATCH = 200;

export interface LookupToJudge {
  readonly id: string;
  /** It failed in some way; else a cause that was stored is taken away. */
  readonly isFailing: boolean;
  readonly createdAt: Date;
  /** As the database writes it, to the microsecond. */
  readonly changedText: string;
  readonly facts: LookupFacts;
  readonly orderReference: string | null;
  readonly cost: LookupCost;
  readonly currency: string | null;
  readonly amountMinor: number | null;
}

type OrderFacts = NonNullable<LookupFacts['order']>;
type Row = Omit<LookupToJudge, 'facts'> &
  Omit<LookupFacts, 'order'> &
  Omit<OrderFacts, 'state' | 'missing'> & {
    readonly state: OrderState | null;
    readonly missing: OrderFacts['missing'] | null;
  };

/** Failed, timed out, or not deflected. */
const FAILING = sql`(l.lookup_status in ('FAILED', 'TIMEOUT') or l.deflection_status = 'FAILED')`;

/** The least that is known of when a lookup was created. */
const CREATED = sql`coalesce(l.created_at, l.first_seen_at)`;

export async function readLookupsToJudge(
  db: Db,
  {
    organisationId,
    since,
    now,
  }: { readonly organisationId: string; readonly since: Date; readonly now: Date },
): Promise<readonly LookupToJudge[]> {
  const { rows } = await sql<Row>`
    with wanted as materialized (
      select l.organisation_id, l.id, ${FAILING} as failing from lookup l
      left join lookup_cause c on c.organisation_id = l.organisation_id and c.lookup_id = l.id
      where l.organisation_id = ${organisationId} and l.changed_at >= ${since}::timestamptz
        and case when ${FAILING} then c.lookup_id is null or c.changed_at <> l.changed_at else c.lookup_id is not null end
      union
      select c.organisation_id, c.lookup_id, ${FAILING} from lookup_cause c
      join lookup l on l.organisation_id = c.organisation_id and l.id = c.lookup_id
      where c.organisation_id = ${organisationId} and c.judge_again_at <= ${now}::timestamptz
      order by 2 limit ${LOOKUP_BATCH}
    )
    select l.id, w.failing as "isFailing", coalesce(l.type, 'unknown') as type, ${CREATED} as "createdAt",
      coalesce(l.lookup_status = 'SUCCEEDED', false) as "isAnswered",
      coalesce(l.lookup_status = 'TIMEOUT', false) as "isTimeout",
      to_char(l.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "changedText",
      l.integration_transaction_id as "matchedReference", ${identified()} as "hasIdentifiers",
      ch.reference as "chargeReference", o.reference_id as "orderReference", o.state,
      o.order_id is not null as "isCreated", case when o.order_id is not null then o.settled_at end as "knownAt",
      o.error_code as "errorCode", o.reason, o.missing,
      ${earlierPayments()} as "earlierPayments", ${costOf()} as cost,
      coalesce(l.currency, ch.currency) as currency, coalesce(l.amount_minor, ch.amount_minor) as "amountMinor"
    from wanted w join lookup l on l.organisation_id = w.organisation_id and l.id = w.id
    left join lateral (${chargeOf()}) as ch on true
    left join lateral (
      select reference_id, state, order_id, settled_at, error_code, reason, missing from order_record r
      where r.organisation_id = l.organisation_id and r.reference_id = ch.order_reference
      order by r.integration_id is distinct from ch.integration_id, r.seq desc limit 1
    ) as o on true
    order by l.id`.execute(db);
  return rows.map(toJudge);
}

/** A text of the lookup's snapshot that has no column. */
function said(name: string): RawBuilder<string | null> {
  return sql<string | null>`nullif(l.snapshot->>${sql.lit(name)}, '')`;
}

function identified(): RawBuilder<boolean> {
  const last4 = said('transaction_card_last4');
  return sql<boolean>`(usable_arn(l.acquirer_reference_number) is not null
    or (${said('transaction_auth_code')} is not null and ${last4} is not null)
    or (${said('transaction_card_bin')} is not null and ${last4} is not null and l.amount_minor is not null))`;
}

/** The payment that the identifiers lead to, strongest first; without one, what the service matched, where it is ours. */
function chargeOf(): RawBuilder<unknown> {
  const columns = sql`c.reference, c.order_reference, c.integration_id, c.currency, c.amount_minor,
    c.card_bin, c.card_last4, c.acquirer_reference_number, coalesce(c.authorised_at, c.settled_at) as paid_at`;
  const last4 = said('transaction_card_last4');
  return sql`
    select * from (
      (select 1 as strength, ${columns} from charge c
      where c.organisation_id = l.organisation_id and c.acquirer_reference_number = usable_arn(l.acquirer_reference_number) limit 1)
      union all
      (select 2, ${columns} from charge c
      where c.organisation_id = l.organisation_id and c.authorisation_code = upper(${said('transaction_auth_code')})
        and c.card_last4 = ${last4}
        and abs(extract(epoch from coalesce(c.authorised_at, c.settled_at) - coalesce(l.transaction_date, ${CREATED}))) <= 3 * 86400
      limit 1)
      union all
      (select 3, ${columns} from charge c
      where c.organisation_id = l.organisation_id and c.card_last4 = ${last4} and c.amount_minor = l.amount_minor
        and c.currency = l.currency and c.card_bin = ${said('transaction_card_bin')}
        and abs(extract(epoch from c.authorised_at - coalesce(l.transaction_date, ${CREATED}))) <= 3 * 86400
      limit 1)
      union all
      (select 4, ${columns} from charge c
      where c.organisation_id = l.organisation_id and c.reference = l.integration_transaction_id and not ${identified()})
    ) as found order by strength limit 1`;
}

/** What may be evidence: the same BIN and last four, 120 to 365 days earlier, without a notice. */
function earlierPayments(): RawBuilder<number> {
  return sql<number>`(
    select count(*)::int from charge p
    where p.organisation_id = l.organisation_id and p.card_last4 = ch.card_last4 and p.card_bin = ch.card_bin
      and p.reference <> ch.reference
      and p.authorised_at between ch.paid_at - interval '365 days' and ch.paid_at - interval '120 days'
      and not exists (select from scheme_notice n where n.organisation_id = p.organisation_id
        and n.acquirer_reference_number = p.acquirer_reference_number and n.is_revoked is not true))`;
}

/** The outcome of the payment since. */
function costOf(): RawBuilder<LookupCost> {
  const arn = sql`coalesce(usable_arn(l.acquirer_reference_number), usable_arn(ch.acquirer_reference_number))`;
  return sql<LookupCost>`case
    when exists (select from representment r where r.organisation_id = l.organisation_id
        and (r.acquirer_reference_number = ${arn} or r.transaction_reference_id = ch.reference))
      or exists (select from scheme_notice n where n.organisation_id = l.organisation_id
        and n.acquirer_reference_number = ${arn} and n.notice_type = 'DISPUTE_NOTICE' and n.is_revoked is not true)
      then 'disputed'
    when exists (select from movement m where m.organisation_id = l.organisation_id
        and m.charge_reference = ch.reference and m.state = 'CONFIRMED' and m.amount_minor > 0)
      or exists (select from alert a where a.organisation_id = l.organisation_id
        and a.acquirer_reference_number = ${arn} and a.refund_outcome = 'REFUNDED' and a.status = 'RESOLVED')
      then 'refunded'
    when exists (select from alert a where a.organisation_id = l.organisation_id
        and a.acquirer_reference_number = ${arn} and a.status = 'ACTION_REQUIRED')
      then 'alert_open'
    else 'none_yet' end`;
}

function toJudge(row: Row): LookupToJudge {
  const { state, isCreated, knownAt, errorCode, reason, missing, ...lookup } = row;
  const order = { isCreated, knownAt, errorCode, reason, missing: missing ?? {} };
  return { ...lookup, facts: { ...lookup, order: state === null ? null : { state, ...order } } };
}
