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

/** What is due of an organisation. */
export interface Due {
  readonly loops: readonly DueLoop[];
  /** When further rows of each loop fall due. */
  readonly later: readonly { readonly name: string; readonly atMs: number }[];
  /** The first of them, in milliseconds; undefined when nothing is planned. */
  readonly nextMs: number | undefined;
}

/** Of each organisation; each case is read once, whichever loop it waits for. */
const QUERY = `
  with asked as (select unnest($1::text[]) as organisation_id),
  times(organisation_id, loop, at) as (
    select c.organisation_id, t.loop, t.at from alert_case c, lateral (values
        ('cases', greatest(c.next_action_at, c.lease_until)),
        ('deadlines', case when c.next_alarm_at is null and c.alarm_level = 0 then $2 else c.next_alarm_at end)) as t (loop, at)
      where c.is_open and c.organisation_id = any($1)
    union all select organisation_id, 'refunds', greatest(next_action_at, lease_until) from movement
      where organisation_id = any($1) and next_action_at is not null
    union all select organisation_id, 'side-actions', $2 from side_action_due where organisation_id = any($1)
    union all select organisation_id, 'side-actions', next_attempt_at from side_action
      where organisation_id = any($1) and next_attempt_at is not null
    union all select organisation_id, 'notify', next_attempt_at from notification
      where organisation_id = any($1) and next_attempt_at is not null
    union all select organisation_id, case state when 'WAITING' then 'feed-send' else 'feed-update' end, next_attempt_at
      from order_record
      where organisation_id = any($1) and state in ('WAITING', 'CHECKING') and next_attempt_at is not null
    union all select organisation_id, 'feed-update', next_attempt_at from order_push
      where organisation_id = any($1) and state = 'DUE'
    union all select organisation_id, 'reconcile-first', case name when 'last_alive' then changed_at + interval '9 minutes'
        else $2::timestamptz + interval '30 seconds' end
      from fact where organisation_id = any($1) and name in ('reconcile_first', 'last_alive')
    union all select organisation_id, 'reconcile-first', $2 from asked where not exists (
        select from fact f where f.organisation_id = asked.organisation_id and f.name = 'last_alive')
    union all select organisation_id, 'apply', $2 from asked where exists (
        select from inbox_work w where w.organisation_id = asked.organisation_id)
  )
  select organisation_id as organisation, loop, min(at) as at, min(at) filter (where at > $2::timestamptz) as later,
    (count(*) filter (where at <= $2::timestamptz))::int as waiting
  from times group by organisation_id, loop`;

/** How far the run has come when the question is asked. */
export interface Place {
  /** What an organisation's rows have been through so far: as long as it is the same, so are they. */
  readonly changesOf: (organisationId: string) => number;
  readonly nowMs: number;
}

/** Answers for each organisation, in their order. */
export type AskDue = (place: Place) => Promise<readonly Due[]>;

interface Known {
  readonly changes: number;
  readonly due: Due;
}

/** Asks what is due: in one question, of those organisations whose answer can have changed. */
export function createDue(raw: Wire, organisationIds: readonly string[]): AskDue {
  const known = new Map<string, Known>();
  const isKnown = (id: string, { changesOf, nowMs }: Place): boolean => {
    const last = known.get(id);
    return last?.changes === changesOf(id) && nowMs < (last.due.nextMs ?? Number.POSITIVE_INFINITY);
  };
  return async (place) => {
    const asked = organisationIds.filter((id) => !isKnown(id, place));
    if (asked.length > 0) {
      const answers = await whatIsDue(raw, asked, place.nowMs);
      for (const id of asked) {
        known.set(id, { changes: place.changesOf(id), due: answers.get(id) ?? NOTHING });
      }
    }
    return organisationIds.map((id) => known.get(id)?.due ?? NOTHING);
  };
}

const NOTHING: Due = { loops: [], later: [], nextMs: undefined };

interface DueRow {
  readonly organisation: string;
  readonly loop: string;
  readonly at: Date | null;
  readonly later: Date | null;
  readonly waiting: number;
}

async function whatIsDue(
  raw: Wire,
  organisationIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, Due>> {
  const { rows } = await raw.query<DueRow>(QUERY, [organisationIds, new Date(nowMs)]);
  const byOrganisation = Map.groupBy(rows, (row) => row.organisation);
  return new Map([...byOrganisation].map(([id, own]) => [id, dueOf(own, nowMs)]));
}

function dueOf(rows: readonly DueRow[], nowMs: number): Due {
  const later = rows.flatMap(({ loop, later: at }) =>
    at === null ? [] : [{ name: loop, atMs: at.getTime() }],
  );
  return {
    loops: rows
      .filter((row) => row.at !== null && row.at.getTime() <= nowMs)
      .map((row) => ({ name: row.loop, rows: row.waiting }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    // In the order of names: that of the rows is the planner's.
    later: later.sort((a, b) => (a.name < b.name ? -1 : 1)),
    nextMs: later.length === 0 ? undefined : Math.min(...later.map(({ atMs }) => atMs)),
  };
}
