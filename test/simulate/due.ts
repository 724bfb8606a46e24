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

/** A part of the question: its answer stays the same until one of its tables is written, or its next row falls due. */
interface Part {
  /** Those from which a trigger writes its rows included. Undefined: it counts from the moment of the question. */
  readonly tables: readonly string[] | undefined;
  /** Of the organisation `a`. */
  readonly selects: readonly string[];
}

const OWN = 'where organisation_id = a.organisation_id';

/** Rows that are due, and the first moment after now, for a loop. */
const counted = (loop: string, at: string, rows: string): string => `
  select a.organisation_id, '${loop}' as loop, c.waiting, c.later from a, lateral (
    select (count(*) filter (where ${at} <= $1::timestamptz))::int as waiting,
      min(${at}) filter (where ${at} > $1::timestamptz) as later
    from ${rows}) c`;

/** As few rows with a plan as tell the same: those up to the first one ahead. A lease delays a plan. */
const planned = (loop: string, rows: string): string =>
  counted(
    loop,
    'greatest(next_action_at, lease_until)',
    `${rows} and next_action_at <= coalesce((select next_action_at from ${rows} and next_action_at > $1
      and (lease_until is null or lease_until <= next_action_at) order by next_action_at limit 1), 'infinity')`,
  );

const ALARMS = `alert_case ${OWN} and is_open and next_alarm_at`;

const PARTS: readonly Part[] = [
  {
    tables: ['alert_case'],
    selects: [
      planned('cases', `alert_case ${OWN} and is_open`),
      counted(
        'deadlines',
        'next_alarm_at',
        `${ALARMS} <= coalesce((select next_alarm_at from ${ALARMS} > $1 order by next_alarm_at limit 1), 'infinity')`,
      ),
      counted('deadlines', '$1', `${ALARMS} is null and alarm_level = 0`),
    ],
  },
  { tables: ['movement'], selects: [planned('refunds', `movement ${OWN}`)] },
  {
    tables: ['side_action_due', 'side_action', 'alert_case', 'decision'],
    selects: [
      counted('side-actions', '$1', `side_action_due ${OWN}`),
      counted(
        'side-actions',
        'next_attempt_at',
        `side_action ${OWN} and next_attempt_at is not null`,
      ),
    ],
  },
  {
    tables: ['notification'],
    selects: [
      counted('notify', 'next_attempt_at', `notification ${OWN} and next_attempt_at is not null`),
    ],
  },
  {
    tables: ['order_record', 'order_push'],
    selects: [
      counted('feed-send', 'next_attempt_at', `order_record ${OWN} and state = 'WAITING'`),
      counted('feed-update', 'next_attempt_at', `order_record ${OWN} and state = 'CHECKING'`),
      counted('feed-update', 'next_attempt_at', `order_push ${OWN} and state = 'DUE'`),
    ],
  },
  {
    tables: undefined,
    selects: [
      counted(
        'reconcile-first',
        'at',
        `(select case name when 'last_alive' then changed_at + interval '9 minutes'
            else $1::timestamptz + interval '30 seconds' end as at
          from fact ${OWN} and name in ('reconcile_first', 'last_alive')
          union all select $1 where not exists (select from fact ${OWN} and name = 'last_alive')) f`,
      ),
    ],
  },
  {
    tables: ['inbox_work'],
    selects: [counted('apply', '$1', `(select from inbox_work ${OWN} limit 1) w`)],
  },
];

/** How far the run has come when the question is asked. */
export interface Place {
  /** How often rows of these tables may have changed so far, in an organisation; without tables: rows of any. */
  readonly changesOf: (organisationId: string, tables: readonly string[] | undefined) => number;
  readonly nowMs: number;
}

/** Answers for each organisation, in their order. */
export type AskDue = (place: Place) => Promise<readonly Due[]>;

/** What the rows of a part said last. */
interface Known {
  readonly changes: number;
  readonly rows: readonly DueRow[];
  readonly nextMs: number;
}

interface DueRow {
  readonly organisation: string;
  readonly part: number;
  readonly loop: string;
  readonly later: Date | null;
  readonly waiting: number;
}

/** An organisation whose answer is to be found out, and the parts that can have changed. */
interface Asked {
  readonly organisationId: string;
  readonly parts: readonly Part[];
}

/** Asks what is due: in one question, of what can have changed since the last one. */
export function createDue(raw: Wire, organisationIds: readonly string[]): AskDue {
  const known = new Map(organisationIds.map((id) => [id, new Map<Part, Known>()]));
  const answers = new Map<string, Due>();
  const isKnown = (part: Part, id: string, { changesOf, nowMs }: Place): boolean => {
    const last = known.get(id)?.get(part);
    return last?.changes === changesOf(id, part.tables) && nowMs < last.nextMs;
  };
  const askedOf = (id: string, place: Place): Asked => {
    const stale = PARTS.filter((part) => !isKnown(part, id, place));
    const isAny = stale.length > 0;
    const parts = isAny
      ? PARTS.filter((each) => each.tables === undefined || stale.includes(each))
      : stale;
    return { organisationId: id, parts };
  };
  return async (place) => {
    const asked = organisationIds
      .map((id) => askedOf(id, place))
      .filter(({ parts }) => parts.length > 0);
    const rows = asked.length === 0 ? [] : await rowsOf(raw, asked, place.nowMs);
    for (const { organisationId: id, parts } of asked) {
      const own = rows.filter(({ organisation }) => organisation === id);
      for (const part of parts) {
        const said = own.filter((row) => row.part === PARTS.indexOf(part));
        const changes = place.changesOf(id, part.tables);
        known.get(id)?.set(part, { changes, rows: said, nextMs: firstMs(said) });
      }
      answers.set(id, dueOf([...(known.get(id)?.values() ?? [])].flatMap((each) => each.rows)));
    }
    return organisationIds.map((id) => answers.get(id) ?? NOTHING);
  };
}

const NOTHING: Due = { loops: [], later: [], nextMs: undefined };

async function rowsOf(raw: Wire, asked: readonly Asked[], nowMs: number): Promise<DueRow[]> {
  const values: unknown[] = [new Date(nowMs)];
  const selects = PARTS.flatMap((part, place) => {
    const ids = asked.filter(({ parts }) => parts.includes(part));
    if (ids.length === 0) return [];
    values.push(ids.map(({ organisationId }) => organisationId));
    return part.selects.map(
      (select) => `select organisation_id as organisation, ${place} as part, loop, waiting, later
        from (with a as (select unnest($${values.length}::text[]) as organisation_id) ${select}) s
        where waiting > 0 or later is not null`,
    );
  });
  return (await raw.query<DueRow>(selects.join(' union all '), values)).rows;
}

function firstMs(rows: readonly DueRow[]): number {
  const times = rows.map(({ later }) => later?.getTime() ?? Number.POSITIVE_INFINITY);
  return Math.min(...times, Number.POSITIVE_INFINITY);
}

/** In the order of names: that of the rows is the planner's. */
function dueOf(rows: readonly DueRow[]): Due {
  const byLoop = [...Map.groupBy(rows, ({ loop }) => loop)].sort(([a], [b]) => (a < b ? -1 : 1));
  const loops = byLoop.map(([name, own]) => ({
    name,
    rows: own.reduce((sum, { waiting }) => sum + waiting, 0),
  }));
  const later = byLoop
    .map(([name, own]) => ({ name, atMs: firstMs(own) }))
    .filter(({ atMs }) => Number.isFinite(atMs));
  return {
    loops: loops.filter((each) => each.rows > 0),
    later,
    nextMs: later.length === 0 ? undefined : Math.min(...later.map(({ atMs }) => atMs)),
  };
}
