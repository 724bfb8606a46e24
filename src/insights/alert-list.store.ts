/**
 * Lists cases with what a person needs to see of their alerts, page by page in order of deadline.
 *
 * Each state is walked along its own index and the pages are merged, so a page costs the same among
 * a hundred cases and among a million. The place of a page is kept in microseconds, as the database
 * holds it: a `Date` would lose rows that share a millisecond.
 */
import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { CaseState } from '../cases/case-state.ts';
import type { Database } from '../db/database.ts';
import type { FallbackAction } from '../decide/decision.table.ts';

/** One case as the list shows it. */
export interface AlertListItem {
  readonly alertId: string;
  readonly state: CaseState;
  readonly deadlineAt: Date;
  /** `deadlineAt` in microseconds, for the next page's {@link AlertPlace}. */
  readonly deadlineText: string;
  readonly openedAt: Date;
  readonly changedAt: Date;
  readonly nextActionAt: Date | null;
  readonly holdReason: string | null;
  readonly fallbackAction: FallbackAction | null;
  readonly fallbackAt: Date | null;
  readonly missedAt: Date | null;
  readonly lastError: string | null;
  readonly chargeReference: string | null;
  readonly refundState: string | null;
  readonly alertStatus: string | null;
  readonly enrolmentType: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly descriptor: string | null;
  readonly cardLast4: string | null;
  readonly reasonCode: string | null;
}

/** After which row a page begins. */
export interface AlertPlace {
  /** ISO 8601 UTC with microseconds. */
  readonly deadlineText: string;
  readonly alertId: string;
}

/** Which cases, and how many. */
export interface AlertListQuery {
  readonly organisationId: string;
  readonly states: readonly CaseState[];
  /** `soonest`: nearest deadline first. `latest`: the other way round. */
  readonly order: 'soonest' | 'latest';
  readonly limit: number;
  readonly after?: AlertPlace | undefined;
}

/** Lists cases in order of deadline, then of id. */
export async function listAlerts(
  db: Kysely<Database>,
  query: AlertListQuery,
): Promise<AlertListItem[]> {
  const { organisationId, states, limit } = query;
  const direction = query.order === 'soonest' ? sql`asc` : sql`desc`;
  const { rows } = await sql<AlertListItem>`
    select
      c.alert_id as "alertId", c.state, c.deadline_at as "deadlineAt",
      to_char(c.deadline_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "deadlineText",
      c.opened_at as "openedAt", c.changed_at as "changedAt", c.next_action_at as "nextActionAt",
      c.hold_reason as "holdReason", c.fallback_action as "fallbackAction",
      c.fallback_at as "fallbackAt", c.missed_at as "missedAt", c.last_error as "lastError",
      c.charge_reference as "chargeReference", r.state as "refundState",
      a.status as "alertStatus", a.enrolment_type as "enrolmentType",
      a.amount_minor as "amountMinor", a.currency, a.descriptor,
      a.card_last4 as "cardLast4", a.reason_code as "reasonCode"
    from unnest(${states}::text[]) as wanted (state)
    cross join lateral (
      select * from alert_case
      where organisation_id = ${organisationId} and state = wanted.state ${afterPlace(query)}
      order by deadline_at ${direction}, alert_id ${direction}
      limit ${limit}
    ) as c
    left join alert as a on a.organisation_id = c.organisation_id and a.id = c.alert_id
    left join refund as r on r.organisation_id = c.organisation_id and r.id = c.refund_id
    order by c.deadline_at ${direction}, c.alert_id ${direction}
    limit ${limit}`.execute(db);
  return rows;
}

function afterPlace({ after, order }: AlertListQuery): RawBuilder<unknown> {
  if (after === undefined) return sql``;
  const sign = order === 'soonest' ? sql`>` : sql`<`;
  return sql`and (deadline_at, alert_id) ${sign} (${after.deadlineText}::timestamptz, ${after.alertId}::text)`;
}
