/**
 * All SQL of cases that wait for a charge to become known, and of waking them.
 *
 * A case is woken by whatever could be its charge, by weaker signs too: then a person sees a candidate
 * that was not there before. Whether it is the one is the matcher's business.
 *
 * What could settle it wakes it at once. What can only add a candidate waits the longer the older the case was at
 * its last look: where every order has the same price, each would otherwise have all waiting cases looked at again,
 * before any new alert, because their deadlines are earlier.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { isLookedAt, wokenMark } from '../../base/jobs/woken-row.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import { usableArn, usableCode, usableLast4 } from './identifiers.ts';
import { WINDOW_DAYS_MAX } from './match-settings.ts';

/** Why a case is held for a person although another charge could change everything. */
export const WAITING_REASONS = [
  'no_charge',
  'several_charges',
  'search_unanswered',
  'candidate_refunded',
  'alert_changed',
] as const;

/** Whether it is held for one of these. */
export function waitsForCharge(reason: string | null): boolean {
  return WAITING_REASONS.some((each) => each === reason);
}

/**
 * How near in time a charge must be for a weaker sign: as wide as a window may be set, and a day more,
 * because the database compares moments and the matcher days.
 */
const NEAR = `${WINDOW_DAYS_MAX + 1} days`;

/** The age of a case at its last look, times this, passes before charges that cannot settle it have it looked at again, */
const PAUSE_TIMES = 4;

/** and no more than this. */
const PAUSE_MAX = '10 minutes';

/** When a case is looked at that any charge could concern. */
function pausedUntil(now: Date): RawBuilder<Date> {
  return sql<Date>`greatest(${now}::timestamptz, c.changed_at
    + least(${PAUSE_MAX}::interval, ${PAUSE_TIMES}::int * (c.changed_at - c.opened_at)))`;
}

/**
 * Makes cases due that wait for a charge, and network money that does, where one of `charges` could be it. Call it in the
 * transaction that recorded them.
 *
 * @returns how many cases are looked at sooner
 */
export async function rematchWaiting(
  trx: Trx,
  organisationId: string,
  news: { readonly charges: readonly ChargeRecord[]; readonly now: Date },
): Promise<number> {
  if (news.charges.length === 0) return 0;
  const keys = news.charges.map((charge) => ({
    reference: charge.reference,
    arn: usableArn(charge.acquirerReferenceNumber),
    code: usableCode(charge.authorisationCode),
    last4: usableLast4(charge.cardLast4),
    amount: charge.amountMinor,
    currency: charge.currency,
    paid_at: charge.authorisedAt ?? charge.settledAt,
  }));
  const isWaiting = sql`c.organisation_id = ${organisationId}
    and c.is_open
    and (c.state in ('UNMATCHED', 'AMBIGUOUS')
      or (c.state = 'HUMAN' and c.hold_reason in (${sql.join([...WAITING_REASONS])})))`;
  // Locked in one order, so that two feeds waking the same cases wait instead of deadlocking. Those that are due
  // are locked too: a look that began before the charges are stored would not find them.
  const { rows } = await sql<{ woken: number; placed: number }>`
    with news as (
      select * from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
        as k(reference text, arn text, code text, last4 text, amount bigint, currency text, paid_at timestamptz)
    ), open as materialized (
      select a.id, a.integration_transaction_id as reference, a.acquirer_reference_number as arn, a.card_last4 as last4,
        upper(trim(a.authorisation_code)) as code, a.amount_minor as amount, a.currency,
        a.authorised_at - ${NEAR}::interval as paid_from, a.authorised_at + ${NEAR}::interval as paid_until
      from alert_case c
      join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
      where ${isWaiting}
    ), signs as (
      -- One sign each, so that the database looks each up by its key: waiting cases times charges would be far more.
      select id, 'named' as sign from open o where exists (select from news k where k.reference = o.reference)
      union all
      select id, 'named' from open o where exists (select from news k where k.arn = o.arn)
      union all
      select id, 'alike' from open o where exists (select from news k where k.last4 = o.last4 and k.code = o.code)
      union all
      select id, 'alike' from open o where exists (
        select from news k where k.last4 = o.last4 and k.amount = o.amount and k.currency = o.currency)
      union all
      -- A part of the charge, or another currency, on the same card;
      select id, 'near' from open o where exists (
        select from news k where k.last4 = o.last4 and k.paid_at between o.paid_from and o.paid_until
          and (k.currency <> o.currency or k.amount > o.amount))
      union all
      -- or the same amount on other digits.
      select id, 'near' from open o where exists (
        select from news k where k.amount = o.amount and k.currency = o.currency
          and k.paid_at between o.paid_from and o.paid_until)
    ), signed as (
      select id, bool_or(sign = 'named') as is_named, bool_or(sign = 'alike') as is_alike from signs group by id
    ), waiting as (
      select c.organisation_id, c.alert_id,
        case when s.is_named or (s.is_alike and (c.hold_reason is null or c.hold_reason <> 'several_charges'))
          then ${news.now}::timestamptz else ${pausedUntil(news.now)} end as look_at
      from signed s
      join alert_case c on c.alert_id = s.id
      where ${isWaiting}
      order by c.alert_id
      for update of c
    ), woken as (
      -- Whoever looks at it now plans from then on; what is due besides stays due should that one end.
      update alert_case c set next_action_at = least(w.look_at, c.fallback_at, c.retry_at, c.deadline_at),
        changed_at = ${wokenMark(news.now, 'c')}
      from waiting w
      where c.organisation_id = w.organisation_id and c.alert_id = w.alert_id
        and (c.next_action_at > w.look_at or ${isLookedAt(news.now, 'c')})
      returning c.alert_id
    ), placed as (
      update movement m set next_action_at = ${news.now}
      from alert a, news k
      where m.organisation_id = ${organisationId} and m.charge_reference is null and m.kind = 'network'
        and a.organisation_id = m.organisation_id and a.id = m.observed_from
        and (a.integration_transaction_id = k.reference or a.acquirer_reference_number = k.arn
          or (a.card_last4 = k.last4 and upper(trim(a.authorisation_code)) = k.code)
          or (a.card_last4 = k.last4 and a.amount_minor = k.amount and a.currency = k.currency))
      returning m.id
    )
    select (select count(*) from woken) as woken, (select count(*) from placed) as placed`.execute(
    trx,
  );
  const { woken = 0, placed = 0 } = rows[0] ?? {};
  if (placed > 0) await wake(trx, 'movement');
  if (woken > 0) await wake(trx, 'case');
  return woken;
}
