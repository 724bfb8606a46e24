/** What health is judged by: rows that the stages write for their own use, and how the last worker is set. */
import { sql } from 'kysely';
import { z } from 'zod';
import { readBreaker } from '../../alerts/guard/breaker.store.ts';
import { readKeyRefusal } from '../../alerts/guard/declare-health.store.ts';
import type { MoneyPause } from '../../alerts/guard/pause.store.ts';
import { readPause } from '../../alerts/guard/pause.store.ts';
import type { ProcessorBreaker } from '../../alerts/guard/processor-breaker.store.ts';
import { readProcessorBreaker } from '../../alerts/guard/processor-breaker.store.ts';
import type { RecoveryState } from '../../alerts/guard/recovery-check.store.ts';
import { readRecoveryState } from '../../alerts/guard/recovery-check.store.ts';
import { hasOurMovement } from '../../alerts/ledger/movement.store.ts';
import type { Db } from '../../base/db/database.ts';
import { readFact, writeFact } from '../../base/jobs/fact.store.ts';
import { countAlive } from '../../base/jobs/heartbeat.store.ts';
import type { FeedBrake } from '../../orders/feed-brake.store.ts';
import { findStopped } from '../../orders/feed-brake.store.ts';
import type { PollAlarm } from '../reconcile/poll-alarm.ts';
import { POLL_ALARMS } from '../reconcile/poll-alarm.ts';
import { RECONCILE_FACTS } from '../reconcile/reconcile-facts.ts';
import type { HealthSigns } from './health-signs.store.ts';
import { readSigns } from './health-signs.store.ts';
import type { Scope, Undelivered } from './operations.store.ts';
import { readInbox, readLastPoll, readUndelivered } from './operations.store.ts';

const settingsSchema = z.object({
  mode: z.enum(['live', 'shadow']),
  hasProcessor: z.boolean(),
  /** Ways to people, in the order in which they are tried. */
  channels: z.array(z.string()),
  pollSeconds: z.number(),
  /** Who says which policy is in force: a file, the program around the library, or people in the console. */
  policy: z.enum(['file', 'program', 'console']).optional(),
});

/** How a worker is set, as far as it matters to what works. */
export type WorkerSettings = z.infer<typeof settingsSchema>;

/** Notes how a worker that starts is set, for all who tell people what works. */
export async function writeWorkerSettings(
  db: Db,
  { organisationId, now }: Scope,
  value: WorkerSettings,
): Promise<void> {
  await writeFact(db, { organisationId, name: RECONCILE_FACTS.workerSettings, value, at: now });
}

export function workerSettingsOf(value: unknown): WorkerSettings | undefined {
  return settingsSchema.safeParse(value).data;
}

/** Who says which policy is in force; undefined while no worker has said so. */
export async function readPolicyOwner(
  db: Db,
  organisationId: string,
): Promise<WorkerSettings['policy']> {
  const settings = await readFact(db, organisationId, RECONCILE_FACTS.workerSettings);
  return workerSettingsOf(settings)?.policy;
}

/**
 * Whether a worker before this one could refund. Where none has noted its settings, a movement of ours
 * tells.
 */
export async function couldRefundBefore(db: Db, organisationId: string): Promise<boolean> {
  const noted = await readFact(db, organisationId, RECONCILE_FACTS.workerSettings);
  return workerSettingsOf(noted)?.hasProcessor ?? (await hasOurMovement(db, organisationId));
}

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
export const LATE_MS = 5 * 60_000;
const LATE_MAX = 1_000;

/** Reads it all, one statement after another: health must not take the connections of those who work. */
export async function readHealthFacts(db: Db, scope: Scope): Promise<HealthFacts> {
  const { organisationId, now } = scope;
  const settings = await readFact(db, organisationId, RECONCILE_FACTS.workerSettings);
  const breaker = await readBreaker(db, organisationId);
  return {
    now,
    workersAlive: await countAlive(db, { organisationId, role: 'work', now }),
    settings: workerSettingsOf(settings),
    pause: await readPause(db, organisationId),
    breakerOpenedAt: breaker?.opened_at ?? null,
    processorRefusal: await readProcessorBreaker(db, organisationId),
    recovery: await readRecoveryState(db, organisationId),
    keyRefusal: await readKeyRefusal(db, organisationId),
    alarms: await readAlarms(db, organisationId),
    ...(await readInbox(db, scope)),
    lastPollAt: await readLastPoll(db, scope),
    casesLate: await countLate(db, scope),
    stoppedFeeds: await findStopped(db, organisationId),
    messages: await readUndelivered(db, scope),
    signs: (await readSigns(db, { organisationIds: [organisationId], now }))(organisationId),
  };
}

const evidenceSchema = z.object({ codes: z.array(z.string()) });

async function readAlarms(
  db: Db,
  organisationId: string,
): Promise<ReadonlyMap<PollAlarm, readonly string[]>> {
  const rows = await db
    .selectFrom('finding')
    .select(['kind', 'evidence'])
    .where('organisation_id', '=', organisationId)
    .where('kind', 'in', Object.keys(POLL_ALARMS))
    .where('closed_at', 'is', null)
    .execute();
  return new Map(rows.flatMap(alarmOf));
}

/** A finding as the alarm of polling that it is. */
export function alarmOf({
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

async function countLate(db: Db, { organisationId, now }: Scope): Promise<number> {
  const { rows } = await sql<{ late: number }>`
    select count(*) as late from (
      select from alert_case
      where organisation_id = ${organisationId} and is_open
        and next_action_at < ${new Date(now.getTime() - LATE_MS)}
      limit ${LATE_MAX}
    ) as late`.execute(db);
  return rows[0]?.late ?? 0;
}
