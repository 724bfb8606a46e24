/**
 * Which loops have something to do now, and when the next row falls due: one question instead of ten
 * loops that find nothing. What it does not know of is run every two hours anyway, as the minute job
 * does in production. A sign of life is written often enough that only a real absence is a silence.
 */
import type { Wire } from './wire.ts';

/** A loop that has something to do. */
export interface DueLoop {
  readonly name: string;
  /** Rows that are due. */
  readonly rows: number;
}

/** What is due. */
export interface Due {
  readonly loops: readonly DueLoop[];
  /** When further rows of each loop fall due. */
  readonly later: readonly { readonly name: string; readonly atMs: number }[];
  /** The first of them, in milliseconds; undefined when nothing is planned. */
  readonly nextMs: number | undefined;
}

const QUERY = `
  with times(loop, at) as (
    select 'cases', greatest(next_action_at, lease_until) from alert_case
      where is_open and organisation_id = $1
    union all select 'deadlines', next_alarm_at from alert_case
      where is_open and organisation_id = $1 and next_alarm_at is not null
    union all select 'deadlines', $2 from alert_case
      where is_open and organisation_id = $1 and next_alarm_at is null and alarm_level = 0
    union all select 'refunds', greatest(next_action_at, lease_until) from movement
      where organisation_id = $1 and next_action_at is not null
    union all select 'side-actions', $2 from side_action_due where organisation_id = $1
    union all select 'side-actions', next_attempt_at from side_action
      where organisation_id = $1 and next_attempt_at is not null
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
  select loop, min(at) as at, min(at) filter (where at > $2::timestamptz) as later,
    (count(*) filter (where at <= $2::timestamptz))::int as waiting
  from times group by loop`;

/** How far the run has come when the question is asked. */
export interface Place {
  /** Operations let through so far: nothing of ours changes without one. */
  readonly steps: number;
  readonly nowMs: number;
}

/** Asks what is due; a question whose answer cannot have changed is not asked again. */
export function createDue(raw: Wire, organisationId: string): (place: Place) => Promise<Due> {
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

async function whatIsDue(raw: Wire, organisationId: string, nowMs: number): Promise<Due> {
  const { rows } = await raw.query<{
    loop: string;
    at: Date | null;
    later: Date | null;
    waiting: number;
  }>(QUERY, [organisationId, new Date(nowMs)]);
  const later = rows.flatMap(({ loop, later: at }) =>
    at === null ? [] : [{ name: loop, atMs: at.getTime() }],
  );
  return {
    loops: rows
      .filter((row) => row.at !== null && row.at.getTime() <= nowMs)
      .map((row) => ({ name: row.loop, rows: row.waiting }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    later,
    nextMs: later.length === 0 ? undefined : Math.min(...later.map(({ atMs }) => atMs)),
  };
}
