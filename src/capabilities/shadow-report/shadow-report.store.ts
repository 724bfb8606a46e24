/** Reads both sides of a day, and keeps the day's report. */
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Trx } from '../../base/db/database.ts';
import type { ShadowAction, ShadowPair, ShadowReport } from './shadow-report.ts';

const DAY_MS = 24 * 3_600_000;

export interface ShadowDay {
  readonly organisationId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

/**
 * The alerts that closed on the day and that a shadow had decided, each with its latest decision. In a
 * shadow installation the other side is the outcome that the service shows, a refund counting with the
 * alert's amount; beside a live policy it is the live decision.
 */
export async function readShadowPairs(
  db: Db,
  { organisationId, day }: ShadowDay,
): Promise<ShadowPair[]> {
  const from = new Date(`${day}T00:00:00Z`);
  const to = new Date(from.getTime() + DAY_MS);
  const { rows } = await sql<ShadowPair>`
    select c.alert_id as "alertId",
      case when d.shadow then 'installation' else 'policy' end as shadow,
      case when d.shadow then d.action else d.beside_action end as would,
      case when d.shadow then d.amount_minor else d.beside_amount_minor end as "wouldMinor",
      case when not d.shadow then d.action
           when a.refund_outcome = 'REFUNDED' then 'REFUND'
           when a.refund_outcome = 'NOT_REFUNDED' then 'ACCEPT_DISPUTE' end as did,
      case when not d.shadow then d.amount_minor
           when a.refund_outcome = 'REFUNDED' then a.amount_minor end as "didMinor",
      a.currency as currency,
      case when d.shadow then d.rule else d.beside_rule end as rule,
      case when d.shadow then d.sentence else d.beside_sentence end as sentence
    from alert_case c
    join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    join lateral (
      select * from decision x
      where x.organisation_id = c.organisation_id and x.alert_id = c.alert_id
        and (x.shadow or x.beside_action is not null)
        and x.decided_by not like 'operator:%'
      order by x.id desc limit 1
    ) d on true
    where c.organisation_id = ${organisationId}
      and c.closed_at >= ${from} and c.closed_at < ${to}
    order by c.closed_at, c.alert_id`.execute(db);
  return rows;
}

/** Keeps the report of a day. Returns false when there is one already. */
export async function writeShadowReport(
  trx: Trx,
  organisationId: string,
  kept: { readonly report: ShadowReport; readonly now: Date },
): Promise<boolean> {
  const result = await trx
    .insertInto('shadow_report')
    .values({
      organisation_id: organisationId,
      day: kept.report.day,
      report: JSON.stringify(kept.report),
      created_at: kept.now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const action = z.enum(['REFUND', 'ACCEPT_DISPUTE', 'REVIEW', 'NONE']);
const sums = z.record(z.string(), z.number());
const reportSchema = z.object({
  day: z.string(),
  alerts: z.number(),
  same: z.number(),
  different: z.number(),
  review: z.number(),
  wouldRefundMinor: sums,
  didRefundMinor: sums,
  rows: z.array(
    z.object({
      alertId: z.string(),
      shadow: z.enum(['installation', 'policy']),
      would: action,
      wouldMinor: z.number().nullable(),
      did: action.nullable(),
      didMinor: z.number().nullable(),
      currency: z.string().nullable(),
      rule: z.string().nullable(),
      sentence: z.string(),
      verdict: z.enum(['same', 'different', 'review']),
    }),
  ),
});

export type ShadowDayFigures = Omit<ShadowReport, 'rows'>;

/** The figures of the last days that have a report, newest first. */
export async function listShadowReports(
  db: Db,
  organisationId: string,
  limit: number,
): Promise<readonly ShadowDayFigures[]> {
  const rows = await db
    .selectFrom('shadow_report')
    .select(sql<unknown>`report - 'rows'`.as('report'))
    .where('organisation_id', '=', organisationId)
    .orderBy('day', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ report }) => reportSchema.omit({ rows: true }).parse(report));
}

/** What the live policy and the one beside it said about the same alerts, and how often. */
export interface ShadowFigure {
  /** What the shadow policy said. */
  readonly version: string;
  readonly did: ShadowAction;
  readonly would: ShadowAction;
  readonly currency: string | null;
  readonly count: number;
  /** Of them: the same answer, with the same money. */
  readonly same: number;
  /** Money of refunds, in minor units; 0 where the answer is another. */
  readonly didMinor: number;
  readonly wouldMinor: number;
}

/** Decisions since a moment that a policy beside the live one was asked about as well. */
export async function readShadowFigures(
  db: Db,
  organisationId: string,
  since: Date,
): Promise<readonly ShadowFigure[]> {
  const { rows } = await sql<ShadowFigure>`
    select beside_version as version, action as did, beside_action as would,
      coalesce(currency, beside_currency) as currency, count(*) as count,
      count(*) filter (where action = beside_action and
        (action <> 'REFUND' or amount_minor is not distinct from beside_amount_minor)) as same,
      coalesce(sum(amount_minor) filter (where action = 'REFUND'), 0)::bigint as "didMinor",
      coalesce(sum(beside_amount_minor) filter (where beside_action = 'REFUND'), 0)::bigint as "wouldMinor"
    from decision
    where organisation_id = ${organisationId} and decided_at >= ${since} and beside_version is not null
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(db);
  return rows;
}

export async function findShadowReport(
  db: Db,
  { organisationId, day }: ShadowDay,
): Promise<ShadowReport | undefined> {
  const row = await db
    .selectFrom('shadow_report')
    .select('report')
    .where('organisation_id', '=', organisationId)
    .where('day', '=', day)
    .executeTakeFirst();
  return row === undefined ? undefined : reportSchema.parse(row.report);
}
