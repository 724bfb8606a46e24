/**
 * Many organisations at a glance: what is open and waits in each, and what its health is judged by. A fixed number of
 * statements, however many organisations there are, along indexes that hold open rows only.
 */
import { sql } from 'kysely';
import { KEY_REFUSED } from '../../alerts/guard/declare-health.store.ts';
import {
  PROCESSOR_BREAKER,
  processorBreakerOf,
} from '../../alerts/guard/processor-breaker.store.ts';
import { RECOVERY_FACTS, recoveryStateOf } from '../../alerts/guard/recovery-check.store.ts';
import type { Db } from '../../base/db/database.ts';
import { ALL_ORGANISATIONS } from '../../base/db/for-organisation.ts';
import { anyOf, textArray } from '../../base/db/text-array.ts';
import { SILENT_MS } from '../../base/jobs/heartbeat.store.ts';
import { LOG_ONLY } from '../../base/notify/notification.store.ts';
import type { FeedBrake } from '../../orders/feed-brake.store.ts';
import { AWAITS_DECISION } from '../figures/today.store.ts';
import { POLL_ALARMS } from '../reconcile/poll-alarm.ts';
import { RECONCILE_FACTS } from '../reconcile/reconcile-facts.ts';
import type { HealthFacts } from './health.store.ts';
import { alarmOf, LATE_MS, workerSettingsOf } from './health.store.ts';
import { readSigns } from './health-signs.store.ts';
import { secondsSince } from './operations.store.ts';

export interface ManyScope {
  readonly organisationIds: readonly string[];
  readonly now: Date;
}

export interface OrganisationFigures {
  readonly open: number;
  /** Alerts that wait for a person. */
  readonly reviews: number;
  /** When Forestall acts by itself on the first of them, or its deadline; null: none waits. */
  readonly nextActAt: Date | null;
  readonly nearestDeadlineAt: Date | null;
  /** Alerts that ran out without a declared answer, ever. */
  readonly missed: number;
  /** When the last of them ran out; null: none ever did. */
  readonly lastMissedAt: Date | null;
  /** Open findings that are errors. */
  readonly errors: number;
  readonly inboxWaiting: number;
}

export interface OrganisationRead {
  readonly figures: OrganisationFigures;
  readonly facts: HealthFacts;
}

export async function readManyOrganisations(
  db: Db,
  scope: ManyScope,
): Promise<ReadonlyMap<string, OrganisationRead>> {
  const { organisationIds, now } = scope;
  const rows = await readCounts(db, scope);
  const facts = await readFacts(db, organisationIds);
  const alarms = await readAlarms(db, organisationIds);
  const brakes = await readBrakes(db, organisationIds);
  const alive = await readAlive(db, scope);
  const signsOf = await readSigns(db, scope);
  return new Map(
    rows.map((row): [string, OrganisationRead] => {
      const { id } = row;
      const own = facts.get(id) ?? new Map<string, Fact>();
      const workersAlive = (alive.get(id) ?? 0) + (alive.get(ALL_ORGANISATIONS) ?? 0);
      const health = healthFactsOf(row, own, { now, workersAlive, signs: signsOf(id) });
      const known = new Map((alarms.get(id) ?? []).flatMap(alarmOf));
      const more = { alarms: known, stoppedFeeds: brakes.get(id) ?? [] };
      return [id, { figures: row, facts: { ...health, ...more } }];
    }),
  );
}

interface CountRow extends OrganisationFigures {
  readonly id: string;
  readonly late: number;
  readonly inboxOldest: Date | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
  readonly breakerOpenedAt: Date | null;
  readonly messagesWaiting: number;
  readonly messagesOldest: Date | null;
  readonly messagesGivenUp: number;
  readonly messagesLogged: number;
}

/** Messages written to the log only are counted for so long, in milliseconds. */
const LOGGED_MS = 24 * 3_600_000;

async function readCounts(
  db: Db,
  { organisationIds, now }: ManyScope,
): Promise<readonly CountRow[]> {
  const among = sql`organisation_id = ${anyOf(organisationIds)}`;
  const late = new Date(now.getTime() - LATE_MS);
  const { rows } = await sql<CountRow>`
    select o.id, coalesce(c.open, 0) as open, coalesce(c.reviews, 0) as reviews, c.acts as "nextActAt",
      c.nearest as "nearestDeadlineAt", coalesce(c.late, 0) as late, coalesce(m.missed, 0) as missed, m.last as "lastMissedAt",
      coalesce(f.errors, 0) as errors, coalesce(i.waiting, 0) as "inboxWaiting", i.oldest as "inboxOldest",
      p.paused_at as "pausedAt", p.paused_by as "pausedBy", p.reason as "pauseReason",
      b.opened_at as "breakerOpenedAt", coalesce(n.waiting, 0) as "messagesWaiting", n.oldest as "messagesOldest",
      coalesce(n.given_up, 0) as "messagesGivenUp", coalesce(l.logged, 0) as "messagesLogged"
    from unnest(${textArray(organisationIds)}::text[]) as o (id)
    left join (
      select organisation_id, count(*) as open, min(deadline_at) as nearest,
        count(*) filter (where state = any(${AWAITS_DECISION}::text[])) as reviews,
        min(least(fallback_at, deadline_at)) filter (where state = any(${AWAITS_DECISION}::text[])) as acts,
        count(*) filter (where next_action_at < ${late}) as late
      from alert_case where is_open and ${among} group by organisation_id) c on c.organisation_id = o.id
    left join (select organisation_id, count(*) as missed, max(missed_at) as last from alert_case
      where missed_at is not null and ${among} group by organisation_id) m on m.organisation_id = o.id
    left join (select organisation_id, count(*) filter (where severity = 'error') as errors from finding
      where closed_at is null and ${among} group by organisation_id) f on f.organisation_id = o.id
    left join (select organisation_id, count(*) as waiting, min(received_at) as oldest from inbox_work
      where ${among} group by organisation_id) i on i.organisation_id = o.id
    left join (
      select organisation_id, count(next_attempt_at) as waiting,
        count(*) filter (where next_attempt_at is null) as given_up,
        min(created_at) filter (where next_attempt_at is not null) as oldest
      from notification where sent_at is null and ${among} group by organisation_id) n on n.organisation_id = o.id
    left join (select organisation_id, count(*) as logged from notification
      where sent_at > ${new Date(now.getTime() - LOGGED_MS)} and channel = ${LOG_ONLY} and ${among}
      group by organisation_id) l on l.organisation_id = o.id
    left join lateral (
      select paused_at, paused_by, reason from money_pause where organisation_id in (o.id, ${ALL_ORGANISATIONS})
      order by organisation_id = ${ALL_ORGANISATIONS} desc limit 1) p on true
    left join refund_breaker b on b.organisation_id = o.id`.execute(db);
  return rows;
}

interface Fact {
  readonly value: unknown;
  readonly at: Date;
}

const FACTS: readonly string[] = [
  ...RECOVERY_FACTS,
  KEY_REFUSED,
  PROCESSOR_BREAKER,
  RECONCILE_FACTS.lastPollAt,
  RECONCILE_FACTS.workerSettings,
];

async function readFacts(
  db: Db,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Fact>>> {
  const rows = await db
    .selectFrom('fact')
    .select(['organisation_id', 'name', 'value', 'changed_at'])
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('name', 'in', FACTS)
    .execute();
  return new Map(
    [...byOrganisation(rows)].map(([id, own]) => [
      id,
      new Map(own.map(({ name, value, changed_at: at }) => [name, { value, at }])),
    ]),
  );
}

async function readAlarms(
  db: Db,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, readonly { readonly kind: string; readonly evidence: unknown }[]>> {
  const rows = await db
    .selectFrom('finding')
    .select(['organisation_id', 'kind', 'evidence'])
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('kind', 'in', Object.keys(POLL_ALARMS))
    .where('closed_at', 'is', null)
    .execute();
  return byOrganisation(rows);
}

async function readBrakes(
  db: Db,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, readonly FeedBrake[]>> {
  const rows = await db
    .selectFrom('feed_brake')
    .selectAll()
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('passing_until', 'is', null)
    .orderBy('stopped_at')
    .execute();
  return byOrganisation(rows);
}

async function readAlive(
  db: Db,
  { organisationIds, now }: ManyScope,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('worker_heartbeat')
    .select(['organisation_id', sql<number>`count(*)`.as('alive')])
    .where('organisation_id', '=', anyOf([...organisationIds, ALL_ORGANISATIONS]))
    .where('role', '=', 'work')
    .where('seen_at', '>', new Date(now.getTime() - SILENT_MS))
    .groupBy('organisation_id')
    .execute();
  return new Map(rows.map((row) => [row.organisation_id, row.alive]));
}

function byOrganisation<Row extends { readonly organisation_id: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, Row[]> {
  return Map.groupBy(rows, (row) => row.organisation_id);
}

const NO_CODE = '';

function healthFactsOf(
  row: CountRow,
  facts: ReadonlyMap<string, Fact>,
  { now, workersAlive, signs }: Pick<HealthFacts, 'now' | 'workersAlive' | 'signs'>,
): Omit<HealthFacts, 'alarms' | 'stoppedFeeds'> {
  const { id, pausedAt, breakerOpenedAt, late, inboxWaiting, inboxOldest } = row;
  const values = new Map([...facts].map(([name, { value }]) => [name, value]));
  const lastPoll = values.get(RECONCILE_FACTS.lastPollAt);
  return {
    now,
    workersAlive,
    signs,
    settings: workerSettingsOf(values.get(RECONCILE_FACTS.workerSettings)),
    pause:
      pausedAt === null
        ? undefined
        : {
            organisation_id: id,
            paused_at: pausedAt,
            paused_by: row.pausedBy ?? '',
            reason: row.pauseReason ?? '',
          },
    breakerOpenedAt,
    processorRefusal: processorBreakerOf(values.get(PROCESSOR_BREAKER)),
    recovery: recoveryStateOf(values),
    keyRefusal: keyRefusalOf(facts.get(KEY_REFUSED)),
    inboxWaiting,
    inboxLagSeconds: inboxOldest === null ? 0 : secondsSince(inboxOldest, now),
    // Only said while all is well, and costs a look into every week's partition.
    lastWebhookAt: null,
    lastPollAt: typeof lastPoll === 'string' ? new Date(lastPoll) : null,
    casesLate: late,
    messages: {
      waiting: row.messagesWaiting,
      oldestSeconds: row.messagesOldest === null ? 0 : secondsSince(row.messagesOldest, now),
      givenUp: row.messagesGivenUp,
      loggedOnly: row.messagesLogged,
    },
  };
}

function keyRefusalOf(fact: Fact | undefined): HealthFacts['keyRefusal'] {
  if (fact === undefined) return undefined;
  const { value, at } = fact;
  const code =
    typeof value === 'object' && value !== null && 'code' in value ? String(value.code) : NO_CODE;
  return { code, at };
}
