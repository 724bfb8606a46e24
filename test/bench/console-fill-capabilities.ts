/** What a year of a large merchant leaves beside its alerts: credits, enrolments, findings, judgements, steps of people. */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../src/base/db/database.ts';

export interface Year {
  readonly organisationId: string;
  /** ISO 8601. */
  readonly now: string;
}

/** Each with as many rows as a year with 1,000,000 alerts has, spread over the year. */
export async function fillCapabilities(trx: Kysely<Database>, year: Year): Promise<void> {
  await fillCredits(trx, year);
  await fillFindings(trx, year);
  await fillJudgements(trx, year);
  await fillReviews(trx, year);
  await fillDeliveries(trx, year);
  await fillFigures(trx);
}

/** `count` rows over the year, the first of them now. */
function spread(
  { now }: Year,
  count: number,
): { past: RawBuilder<unknown>; from: RawBuilder<unknown> } {
  return {
    past: sql`${now}::timestamptz - n * (interval '365 days' / ${sql.lit(count)}::int)`,
    from: sql`from generate_series(1, ${sql.lit(count)}::int) as n`,
  };
}

async function fillCredits(trx: Kysely<Database>, year: Year): Promise<void> {
  const { past, from } = spread(year, 50_000);
  await sql`
    insert into credit_claim (organisation_id, alert_id, class, network, evidence, window_rule, claim_until, state, alerted_at,
      found_at, changed_at, changed_by)
    select ${year.organisationId}, 'netalrt_' || n * 20, (array['DUPLICATE', 'OTHER_NETWORK', 'ALREADY_REFUNDED', 'NOT_OURS'])[1 + n % 4],
      (array['NETA_ALERT', 'NETB_RDR'])[1 + n % 2], '{}', 'thirty_days', ${past} + interval '30 days',
      case when n <= 4000 then 'OPEN' else (array['SENT', 'GRANTED', 'REFUSED', 'EXPIRED'])[1 + n % 4] end,
      ${past}, ${past}, ${past}, 'forestall' ${from}`.execute(trx);
  const few = spread(year, 300);
  await sql`
    insert into enrolment (organisation_id, id, type, status, created_at, updated_at, snapshot, snapshot_hash, source, first_seen_at, changed_at)
    select ${year.organisationId}, 'enrl_' || n, (array['NETA_ALERT', 'NETB_RDR'])[1 + n % 2], (array['LIVE', 'PENDING'])[1 + n % 2],
      ${few.past}, ${few.past}, jsonb_build_object('merchant_id', 'mrch_' || n % 40, 'descriptor', 'SHOP ' || n % 50), '\\x00', 'poll',
      ${few.past}, ${few.past} ${few.from}`.execute(trx);
}

async function fillFindings(trx: Kysely<Database>, year: Year): Promise<void> {
  const { past, from } = spread(year, 50_000);
  await sql`
    insert into finding (organisation_id, kind, severity, subject, subject_id, evidence, next_step, opened_at, last_seen_at, closed_at)
    select ${year.organisationId}, (array['refund_unknown', 'outcome_differs', 'order_missing'])[1 + n % 3],
      (array['info', 'warning', 'error'])[1 + n % 3], 'alert', 'netalrt_' || n, '{"amount_minor": 500}', 'Look at the alert.',
      ${past}, ${past} + interval '1 hour', case when n > 2000 then ${past} + interval '2 hours' end ${from}
    order by n desc`.execute(trx);
}

async function fillJudgements(trx: Kysely<Database>, year: Year): Promise<void> {
  const many = spread(year, 100_000);
  await sql`
    insert into evidence_judgement (organisation_id, subject, subject_id, charge_reference, judged_at, ce3, fpt, ce3_why, fpt_why, ce3_missing)
    select ${year.organisationId}, (array['alert', 'lookup', 'representment'])[1 + n % 3], (array['netalrt_', 'lkup_', 'rep_'])[1 + n % 3] || n,
      'ch_' || n, ${many.past}, (array['qualifies', 'edge', 'not'])[1 + n % 3], 'not', 'two earlier payments', 'no device',
      array['device_id'] ${many.from}`.execute(trx);
  // The same lookups that failed.
  await sql`
    insert into lookup_cause (organisation_id, lookup_id, created_at, type, cause, detail, charge_reference, order_reference, cost,
      currency, amount_minor, judged_at, changed_at)
    select organisation_id, id, created_at, type, (array['sent_late', 'order_not_sent', 'field_missing'])[1 + (amount_minor + length(id)) % 3],
      'the order came later', null, null, (array['disputed', 'refunded', 'none_yet'])[1 + length(id) % 3], currency, amount_minor,
      changed_at, changed_at
    from lookup where deflection_status = 'FAILED'`.execute(trx);
}

/** What people did: every twentieth alert was theirs, and some of their words. */
async function fillReviews(trx: Kysely<Database>, year: Year): Promise<void> {
  const { past, from } = spread(year, 150_000);
  await sql`
    insert into audit (organisation_id, at, subject, subject_id, alert_id, actor, what)
    select ${year.organisationId}, ${past}, (array['operator', 'case', 'operator'])[1 + n % 3], 'netalrt_' || n, 'netalrt_' || n,
      'operator:' || (array['ada', 'noor', 'ben', 'kim', 'lea'])[1 + n % 5], (array['asked for REFUND', 'decided', 'claimed the review'])[1 + n % 3]
    ${from} order by n desc`.execute(trx);
  const some = spread(year, 20_000);
  await sql`
    insert into review_comment (organisation_id, alert_id, operator, text, at)
    select ${year.organisationId}, 'netalrt_' || n * 50, 'ada', 'Asked the shop.', ${some.past} ${some.from} order by n desc`.execute(
    trx,
  );
  await sql`
    insert into refund_claim (organisation_id, id, source, reference, charge_reference, amount_minor, currency, claimed_at, due_at, due_by,
      opened_by, opened_at)
    select ${year.organisationId}, 'clm_' || n, 'SUPPORT', 'ticket-' || n, 'ch_' || n, 500, 'USD', ${some.past}, ${some.past} + interval '14 days',
      'SUPPORT', 'ada', ${some.past} ${some.from}`.execute(trx);
  await sql`
    insert into side_action (organisation_id, id, alert_id, kind, subject, cause, state, created_at, settled_at)
    select ${year.organisationId}, 'sda_' || n, 'netalrt_' || n * 50, 'cancel_subscription', 'sub_' || n, 'policy', 'DONE', ${some.past}, ${some.past}
    ${some.from}`.execute(trx);
}

async function fillDeliveries(trx: Kysely<Database>, year: Year): Promise<void> {
  const some = spread(year, 20_000);
  await sql`
    insert into quarantine (organisation_id, event_id, reason, detail, quarantined_at, resolved_at)
    select ${year.organisationId}, 'evt_q' || n, 'unknown_type', '', ${some.past}, case when n > 100 then ${some.past} end
    ${some.from} order by n desc`.execute(trx);
  const many = spread(year, 200_000);
  await sql`
    insert into notification (organisation_id, dedupe_key, kind, severity, alert_id, text, created_at, sent_at, channel)
    select ${year.organisationId}, 'key_' || n, 'review', 'info', 'netalrt_' || n, 'An alert waits.', ${many.past}, ${many.past}, 'slack'
    ${many.from} order by n desc`.execute(trx);
  await sql`
    insert into processor_event (organisation_id, processor, event_id, kind, charge_references, received_at, applied_at)
    select ${year.organisationId}, 'pay', 'pev_' || n, 'refund', array['ch_' || n], ${many.past}, ${many.past} ${many.from}`.execute(
    trx,
  );
  await sql`
    insert into delivery_minute (organisation_id, minute, verdict, count, last_at)
    select ${year.organisationId}, date_trunc('minute', ${year.now}::timestamptz - n * interval '1 minute'),
      case when n % 20 = 0 then 'no_match' else 'accepted' end, 6, ${year.now}::timestamptz - n * interval '1 minute'
    from generate_series(1, 130000) as n`.execute(trx);
}

/** As triggers keep them. */
async function fillFigures(trx: Kysely<Database>): Promise<void> {
  await sql`
    insert into figure (organisation_id, measure, label, count, amount)
    select organisation_id, 'case', state, count(*), 0 from alert_case group by 1, 3
    union all select organisation_id, 'refund', state, count(*), 0 from movement group by 1, 3
    union all select organisation_id, 'refunded', currency, count(*), sum(amount_minor)::bigint from movement group by 1, 3`.execute(
    trx,
  );
}
