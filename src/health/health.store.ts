/** What health is judged by: rows that the stages write for their own use. */
import { sql } from 'kysely';
import { z } from 'zod';
import { WORKER_SETTINGS } from '../alerts/cases/waits-for-people.store.ts';
import type { WorkerSettings } from '../alerts/cases/worker-settings.store.ts';
import { workerSettingsOf } from '../alerts/cases/worker-settings.store.ts';
import type { KnownRefusal } from '../alerts/guard/declare-health.store.ts';
import { KEY_REFUSED, keyRefusalOf } from '../alerts/guard/declare-health.store.ts';
import type { MoneyPause } from '../alerts/guard/pause.store.ts';
import { pauseOf } from '../alerts/guard/pause.store.ts';
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
import { eachOf } from '../base/db/text-array.ts';
import { SILENT_MS } from '../base/jobs/heartbeat.store.ts';
import type { KnownValue } from '../base/jobs/named-value.store.ts';
import { momentOf, readNamedValuesByOrganisation } from '../base/jobs/named-value.store.ts';
import { assertInvariant } from '../base/kernel/errors.ts';
import type { FeedBrake } from '../orders/feed-brake.store.ts';
import { findStoppedByOrganisation } from '../orders/feed-brake.store.ts';
import type { HealthSigns, RefusedMessages } from './health-signs.store.ts';
import {
  readDeliveries,
  readRefusedMessages,
  SIGN_FACTS,
  signsFrom,
} from './health-signs.store.ts';
import type { OrganisationsScope, Scope, Undelivered, WaitingRow } from './operations.store.ts';
import { WAITING_COLUMNS, waitingIn, waitingOf } from './operations.store.ts';

export interface HealthFacts {
  readonly now: Date;
  readonly workersAlive: number;
  /** Undefined: no worker has started since the version that notes them. */
  readonly settings: WorkerSettings | undefined;
  readonly pause: MoneyPause | undefined;
  readonly breakerOpenedAt: Date | null;
  readonly processorRefusal: ProcessorBreaker | undefined;
  readonly recovery: RecoveryState;
  readonly keyRefusal: KnownRefusal | undefined;
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

/** Reads it all of one, one statement after another: health must not take the connections of those who work. */
export async function readHealthFacts(db: Db, scope: Scope): Promise<HealthFacts> {
  const { organisationId, now } = scope;
  const read = await readHealthFactsByOrganisation(db, { organisationIds: [organisationId], now });
  const facts = read.get(organisationId);
  assertInvariant(facts !== undefined, 'Nothing was read of the organisation asked about.');
  return { ...facts, lastWebhookAt: (await lastWebhookAt(db, organisationId)) ?? null };
}

/**
 * The same of many, but for the last webhook, which is said only while all is well and costs a look into every week's
 * partition. A fixed number of statements, however many organisations there are; what mostly finds nothing is asked
 * only where the first says that there is something.
 */
export async function readHealthFactsByOrganisation(
  db: Db,
  scope: OrganisationsScope,
): Promise<ReadonlyMap<string, HealthFacts>> {
  const { organisationIds, now } = scope;
  const rows = await readRows(db, scope);
  const values = await readNamedValuesByOrganisation(db, organisationIds, FACTS);
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
    ? await findStoppedByOrganisation(db, organisationIds)
    : new Map<string, FeedBrake[]>();
  return new Map(
    rows.map((row) => {
      const { id } = row;
      const own = { signs: signsOf(id), stoppedFeeds: stopped.get(id) ?? [] };
      return [
        id,
        { now, ...factsOf(row, values.get(id) ?? new Map<string, KnownValue>(), now), ...own },
      ];
    }),
  );
}

interface HealthRow extends WaitingRow {
  readonly id: string;
  readonly workersAlive: number;
  readonly servedAt: Date | null;
  readonly late: number;
  /** The organisation's own switch, or that of all. */
  readonly pausedFor: string | null;
  readonly pausedAt: Date | null;
  readonly pausedBy: string | null;
  readonly pauseReason: string | null;
  readonly breakerOpenedAt: Date | null;
  readonly isFeedStopped: boolean;
  readonly alarms: readonly { readonly kind: string; readonly evidence: unknown }[] | null;
}

/** Everything that is a number or a row of each. */
async function readRows(
  db: Db,
  { organisationIds, now }: OrganisationsScope,
): Promise<readonly HealthRow[]> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const { rows } = await sql<HealthRow>`
    select o.id, w.alive as "workersAlive", w.served as "servedAt", c.late, ${WAITING_COLUMNS},
      p.organisation_id as "pausedFor", p.paused_at as "pausedAt", p.paused_by as "pausedBy", p.reason as "pauseReason",
      b.opened_at as "breakerOpenedAt",
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
    ${waitingIn(now)}
    left join lateral (${pauseOf(sql`o.id`)}) as p on true
    left join refund_breaker b on b.organisation_id = o.id`.execute(db);
  return rows;
}

const FACTS: readonly string[] = [
  ...RECOVERY_FACTS,
  ...SIGN_FACTS,
  KEY_REFUSED,
  PROCESSOR_BREAKER,
  RECONCILE_FACTS.lastPollAt,
  WORKER_SETTINGS,
];

function valuesOf(facts: ReadonlyMap<string, KnownValue>): ReadonlyMap<string, unknown> {
  return new Map([...facts].map(([name, { value }]) => [name, value]));
}

function factsOf(
  row: HealthRow,
  facts: ReadonlyMap<string, KnownValue>,
  now: Date,
): Omit<HealthFacts, 'now' | 'signs' | 'stoppedFeeds'> {
  const { pausedFor, pausedAt, pausedBy, pauseReason } = row;
  const values = valuesOf(facts);
  const { notifications: messages, ...inbox } = waitingOf(row, now);
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
    ...inbox,
    messages,
    lastWebhookAt: null,
    lastPollAt: momentOf(values.get(RECONCILE_FACTS.lastPollAt)) ?? null,
    casesLate: row.late,
  };
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
