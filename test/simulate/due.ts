/**
 * Which loops have something to do now, and when the next row falls due: one question instead of ten
 * loops that find nothing. What it does not know of is run every two hours anyway, as the minute job
 * does in production. A sign of life is written often enough that only a real absence is a silence.
 */
import type pg from 'pg';

/** What is due. */
export interface Due {
  /** Names of loops. */
  readonly loops: readonly string[];
  /** The next moment after now, in milliseconds, and whose it is; undefined when nothing is planned. */
  readonly nextMs: number | undefined;
  readonly nextLoops: readonly string[];
}

const QUERY = `
  with times(loop, at) as (
    select 'cases', greatest(next_action_at, lease_until) from alert_case
      where is_open and organisation_id = $1
    union all select 'deadlines', next_alarm_at from alert_case
      where is_open and organisation_id = $1 and next_alarm_at is not null
    union all select 'deadlines', $2 from alert_case
      where is_open and organisation_id = $1 and next_alarm_at is null and alarm_level = 0
    union all select 'refunds', greatest(next_action_at, lease_until) from refund
      where organisation_id = $1 and next_action_at is not null
    union all select 'notify', next_attempt_at from notification
      where organisation_id = $1 and next_attempt_at is not null
    union all select 'feed-send', next_attempt_at from order_record
      where organisation_id = $1 and state = 'WAITING' and next_attempt_at is not null
    union all select 'feed-update', next_attempt_at from order_record
      where organisation_id = $1 and state = 'CHECKING' and next_attempt_at is not null
    union all select 'feed-update', next_attempt_at from order_push
      where organisation_id = $1 and state = 'DUE'
    union all select 'reconcile-first', $2::timestamptz + interval '30 seconds' from fact
      where organisation_id = $1 and name = 'reconcile_first'
    union all select 'reconcile-first', coalesce(max(changed_at) + interval '9 minutes', $2) from fact
      where organisation_id = $1 and name = 'last_alive'
    union all (select 'apply', $2::timestamptz from inbox_work where organisation_id = $1 limit 1)
  )
  select loop, min(at) as at, min(at) filter (where at > $2::timestamptz) as later
  from times group by loop`;

/** How far the run has come when the question is asked. */
export interface Place {
  /** Operations let through so far: nothing of ours changes without one. */
  readonly steps: number;
  readonly nowMs: number;
}

/** Asks what is due; a question whose answer cannot have changed is not asked again. */
export function createDue(
  raw: pg.ClientBase,
  organisationId: string,
): (place: Place) => Promise<Due> {
  let asked: { readonly place: Place; readonly due: Due } | undefined;
  return async (place) => {
    const isKnown =
      asked !== undefined &&
      asked.place.steps === place.steps &&
      place.nowMs < (asked.due.nextMs ?? Number.POSITIVE_INFINITY);
    if (asked === undefined || !isKnown) {
      asked = { place, due: await whatIsDue(raw, organisationId, place.nowMs) };
    }
    return asked.due;
  };
}

async function whatIsDue(raw: pg.ClientBase, organisationId: string, nowMs: number): Promise<Due> {
  const { rows } = await raw.query<{ loop: string; at: Date | null; later: Date | null }>({
    name: 'simulate_due',
    text: QUERY,
    values: [organisationId, new Date(nowMs)],
  });
  const later = rows.flatMap((row) => (row.later === null ? [] : [row.later.getTime()]));
  const nextMs = later.length === 0 ? undefined : Math.min(...later);
  return {
    loops: rows
      .filter((row) => row.at !== null && row.at.getTime() <= nowMs)
      .map((row) => row.loop)
      .sort(),
    nextMs,
    nextLoops: rows.filter(({ later }) => later?.getTime() === nextMs).map(({ loop }) => loop),
  };
}
