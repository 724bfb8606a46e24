/** What health is judged by: rows that the stages write for their own use. */
import { sql } from 'kysely';
import { z } from 'zod';
import { WORKER_SETTINGS } from '../alerts/cases/waits-for-people.store.ts';
import type { WorkerSettings } from '../alerts/cases/worker-settings.store.ts';
import { workerSettingsOf } from '../alerts/cases/worker-settings.store.ts';
import { KEY_REFUSED } from '../alerts/guard/declare-health.store.ts';
import type { MoneyPause } from '../alerts/guard/pause.store.ts';
import type { ProcessorBreaker } from '../alerts/guard/processor-breaker.store.ts';
import { PROCESSOR_BREAKER, processorBreakerOf } from '../alerts/guard/processor-breaker.store.ts';
import type { RecoveryState } from '../alerts/guard/recovery-check.store.ts';
import { RECOVERY_FACTS, recoveryStateOf } from '../alerts/guard/recovery-check.store.ts';
import type { PollAlarm } from '../alerts/reconcile/poll-alarm.ts';
import { POLL_ALARMS } from '../alerts/reconcile/poll-alarm.ts';
import { lastWebhookAt } from '../alerts/reconcile/poll-target.store.ts';
import { RECONCILE_FACTS } from '../alerts/reconcile/reconcile-facts.ts';
import type { Db } from '../base/db/database.ts';
import { ALL_ORGANISATIONS } from '../base/db/for-organisation.ts';
import { anyOf, eachOf } from '../base/db/text-array.ts';
import { SILENT_MS } from '../base/jobs/heartbeat.store.ts';
import { assertInvariant } from '../base/kernel/errors.ts';
import { LOG_ONLY } from '../base/notify/notification.store.ts';
import type { FeedBrake } from '../orders/feed-brake.store.ts';
import type { HealthSigns, RefusedMessages } from './health-signs.store.ts';
import {
  readDeliveries,
  readRefusedMessages,
  SIGN_FACTS,
  signsFrom,
} from './health-signs.store.ts';
import type { Scope, Undelivered } from './operations.store.ts';
import { secondsSince } from './operations.store.ts';

export interface HealthFacts {
  readonly now: Date;
  readonly workersAlive: number;
  /** Undefined: no worker has started since the version that notes them. */
  readonly settings: WorkerSettings | undefined;
  readonly pause: MoneyPause | undefined;
  readonly breakerOpenedAt: Date | null;
  readonly processorRefusal: ProcessorBreaker | undefined;
  readonly recovery: RecoveryState;
  readonly keyRefusal: { readonly code: string; readonly at: Date } | undefined;
  /** What is open, with the codes that polling met. */
  readonly alarms: ReadonlyMap<PollAlarm, readonly string[]>;
  readonly inboxWaiting: number;
  readonly inboxLagSeconds: number;
  readonly lastWebhookAt: Date | null;
  readonly lastPollAt: Date | null;
  /** Open cases that should have been worked on {@link LATE_MS} ago, counted up to {@link LATE_MAX}. */
  readonly casesLate: number;
  readonly stoppedFeeds: readonly FeedBrake[];
  readonly messages: Undelivered;
  /** What has begun to fail. */
  readonly signs: HealthSigns;
}

/** A case is worked on within seconds; one that is due for longer than this waits, in milliseconds. */
const LATE_MS = 5 * 60_000;
const LATE_MAX = 1_000;

/** Messages written to the log only are counted for so long, in milliseconds. */
const LOGGED_MS = 24 * 3_600_000;

/** Organisations, and the moment for which they are read. */
export interface ManyScope {
  readonly organisationIds: readonly string[];
  readonly now: Date;
}

/** Reads it all of one, one statement after another: health must not take the connections of those who work. */
export async function readHealthFacts(db: Db, scope: Scope): Promise<HealthFacts> {
  const { organisationId, now } = scope;
  const read = await readManyHealthFacts(db, { organisationIds: [organisationId], now });
  const facts = read.get(organisationId);
  assertInvariant(facts !== undefined, 'Nothing was read of the organisation asked about.');
  return { ...facts, lastWebhookAt: (await lastWebhookAt(db, organisationId)) ?? null };
}

/**
 * The same of many, but for the last webhook, which is said only while all is well and costs a look into every week's
 * partition. A fixed number of statements, however many organisations there are; what mostly finds nothing is asked
 * only where the first says that there is something.
 */
export async function readManyHealthFacts(
  db: Db,
  scope: ManyScope,
): Promise<ReadonlyMap<string, HealthFacts>> {
  const { organisationIds, now } = scope;
  const rows = await readRows(db, scope);
  const values = await readFactsOf(db, organisationIds);
  const facts = new Map([...values].map(([id, own]) => [id, valuesOf(own)]));
  const signsOf = signsFrom({
    facts,
    deliveries: await readDeliveries(db, scope),
    messages: rows.some((row) => row.messagesRefused > 0)
      ? await readRefusedMessages(db, scope)
      : new Map<string, RefusedMessages>(),
    served: new Map(
      rows.flatMap(({ id, servedAt }) => (servedAt === null ? [] : [[id, servedAt]])),
    ),
  });
  const stopped = rows.some((row) => row.isFeedStopped)
    ? await readStopped(db, organisationIds)
    : new Map<string, FeedBrake[]>();
  return new Map(
    rows.map((row) => {
      const { id } = row;
      const own = { signs: signsOf(id), stoppedFeeds: stopped.get(id) ?? [] };
      return [id, { now, ...factsOf(row, values.get(id) ?? new Map<string, Fact>(), now), ...own }];
    }),
  );
}

interface HealthRow {
  readonly id: string;
  readonly workersAlive: number;
  readonly servedAt: Date | null;
  readonly late: number;
  readonly inboxWaiting: number;
  readonly inboxOldest: Date | null;
  /** The organisation's own switch, or that of all. */
  readonly pausedFor: string | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
  readonly breakerOpenedAt: Date | null;
  readonly messagesWaiting: number;
  readonly messagesOldest: Date | null;
  readonly messagesGivenUp: number;
  readonly messagesRefused: number;
  readonly messagesLogged: number;
  readonly isFeedStopped: boolean;
  readonly alarms: readonly { readonly kind: string; readonly evidence: unknown }[] | null;
}

/** Everything that is a number or a row of each. */
async function readRows(
  db: Db,
  { organisationIds, now }: ManyScope,
): Promise<readonly HealthRow[]> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const { rows } = await sql<HealthRow>`
    select o.id, w.alive as "workersAlive", w.served as "servedAt", c.late,
      i.waiting as "inboxWaiting", i.oldest as "inboxOldest",
      p.organisation_id as "pausedFor", p.paused_at as "pausedAt", p.paused_by as "pausedBy", p.reason as "pauseReason",
      b.opened_at as "breakerOpenedAt", n.waiting as "messagesWaiting", n.oldest as "messagesOldest",
      n.given_up as "messagesGivenUp", n.refused as "messagesRefused", l.logged as "messagesLogged",
      exists (select from feed_brake where organisation_id = o.id and passing_until is null) as "isFeedStopped",
      (select jsonb_agg(jsonb_build_object('kind', kind, 'evidence', evidence)) from finding
        where organisation_id = o.id and kind = any(${Object.keys(POLL_ALARMS)}::text[]) and closed_at is null) as alarms
    from ${eachOf(organisationIds)} as o (id)
    cross join lateral (
      select count(*) filter (where role = 'work' and seen_at > ${before(SILENT_MS)}) as alive,
        max(seen_at) filter (where role = 'serve') as served
      from worker_heartbeat where organisation_id in (o.id, ${ALL_ORGANISATIONS})) as w
    cross join lateral (
      select count(*) as late from (
        select from alert_case
        where organisation_id = o.id and is_open and next_action_at < ${before(LATE_MS)} limit ${LATE_MAX}) as late) as c
    cross join lateral (
      select count(*) as waiting, min(received_at) as oldest from inbox_work where organisation_id = o.id) as i
    cross join lateral (
      select count(next_attempt_at) as waiting, count(*) filter (where next_attempt_at is null) as given_up,
        min(created_at) filter (where next_attempt_at is not null) as oldest,
        count(last_error) filter (where next_attempt_at is not null) as refused
      from notification where organisation_id = o.id and sent_at is null) as n
    cross join lateral (
      select count(*) as logged from notification
      where organisation_id = o.id and sent_at > ${before(LOGGED_MS)} and channel = ${LOG_ONLY}) as l
    left join lateral (
      select organisation_id, paused_at, paused_by, reason from money_pause where organisation_id in (o.id, ${ALL_ORGANISATIONS})
      order by organisation_id = ${ALL_ORGANISATIONS} desc limit 1) as p on true
    left join refund_breaker b on b.organisation_id = o.id`.execute(db);
  return rows;
}

interface Fact {
  readonly value: unknown;
  readonly at: Date;
}

const FACTS: readonly string[] = [
  ...RECOVERY_FACTS,
  ...SIGN_FACTS,
  KEY_REFUSED,
  PROCESSOR_BREAKER,
  RECONCILE_FACTS.lastPollAt,
  WORKER_SETTINGS,
];

async function readFactsOf(
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
    [...Map.groupBy(rows, (row) => row.organisation_id)].map(([id, own]) => [
      id,
      new Map(own.map(({ name, value, changed_at: at }) => [name, { value, at }])),
    ]),
  );
}

function valuesOf(facts: ReadonlyMap<string, Fact>): ReadonlyMap<string, unknown> {
  return new Map([...facts].map(([name, { value }]) => [name, value]));
}

async function readStopped(
  db: Db,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, FeedBrake[]>> {
  const rows = await db
    .selectFrom('feed_brake')
    .selectAll()
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('passing_until', 'is', null)
    .orderBy('stopped_at')
    .orderBy('integration_id')
    .execute();
  return Map.groupBy(rows, (row) => row.organisation_id);
}

function factsOf(
  row: HealthRow,
  facts: ReadonlyMap<string, Fact>,
  now: Date,
): Omit<HealthFacts, 'now' | 'signs' | 'stoppedFeeds'> {
  const { pausedFor, pausedAt, pausedBy, pauseReason, inboxOldest, messagesOldest } = row;
  const values = valuesOf(facts);
  const lastPoll = values.get(RECONCILE_FACTS.lastPollAt);
  return {
    workersAlive: row.workersAlive,
    settings: workerSettingsOf(values.get(WORKER_SETTINGS)),
    pause:
      pausedAt === null || pausedFor === null
        ? undefined
        : {
            organisation_id: pausedFor,
            paused_at: pausedAt,
            paused_by: pausedBy ?? '',
            reason: pauseReason ?? '',
          },
    breakerOpenedAt: row.breakerOpenedAt,
    processorRefusal: processorBreakerOf(values.get(PROCESSOR_BREAKER)),
    recovery: recoveryStateOf(values),
    keyRefusal: keyRefusalOf(facts.get(KEY_REFUSED)),
    alarms: new Map((row.alarms ?? []).flatMap(alarmOf)),
    inboxWaiting: row.inboxWaiting,
    inboxLagSeconds: inboxOldest === null ? 0 : secondsSince(inboxOldest, now),
    lastWebhookAt: null,
    lastPollAt: typeof lastPoll === 'string' ? new Date(lastPoll) : null,
    casesLate: row.late,
    messages: {
      waiting: row.messagesWaiting,
      oldestSeconds: messagesOldest === null ? 0 : secondsSince(messagesOldest, now),
      givenUp: row.messagesGivenUp,
      loggedOnly: row.messagesLogged,
    },
  };
}

const NO_CODE = '';

function keyRefusalOf(fact: Fact | undefined): HealthFacts['keyRefusal'] {
  if (fact === undefined) return undefined;
  const { value, at } = fact;
  const code =
    typeof value === 'object' && value !== null && 'code' in value ? String(value.code) : NO_CODE;
  return { code, at };
}

const evidenceSchema = z.object({ codes: z.array(z.string()) });

/** A finding as the alarm of polling that it is. */
function alarmOf({
  kind,
  evidence,
}: {
  readonly kind: string;
  readonly evidence: unknown;
}): [PollAlarm, readonly string[]][] {
  return isAlarm(kind) ? [[kind, evidenceSchema.safeParse(evidence).data?.codes ?? []]] : [];
}

function isAlarm(kind: string): kind is PollAlarm {
  return Object.hasOwn(POLL_ALARMS, kind);
}
