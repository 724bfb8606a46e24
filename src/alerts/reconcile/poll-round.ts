/**
 * The reads that every round of polling makes: the list, what left it, and what was asked for.
 *
 * Every object read goes through the apply path before the next read begins, so a round that ends
 * early has applied what it saw. Nothing is concluded from a list that could not be read whole: an
 * alert missing from half a list is not an alert that is over.
 */

import type { Installation } from '../../base/db/database.ts';
import { closeFindingsAbout } from '../../base/findings/finding.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { isServiceError } from '../../service/client/service-error.ts';
import type { Alert } from '../../service/wire/alert.ts';
import type { Lookup } from '../../service/wire/lookup.ts';
import type { AnswerAgain } from '../declare/answer-again.ts';
import { holdGoneAlert } from './alert-gone.ts';
import type { ReadFailure } from './poll-failure.ts';
import { OBJECT_UNUSABLE, readFailureOf } from './poll-failure.ts';
import type {
  ApplyPolled,
  Counts,
  PollClient,
  PolledSnapshot,
  SnapshotEffect,
} from './poll-port.ts';
import { NOTHING_READ } from './poll-port.ts';
import {
  alertsInDoubt,
  alertsThatLeft,
  dropPollRequest,
  isKnownAlert,
  pollRequests,
} from './poll-target.store.ts';

/** Snapshots applied together. */
export const APPLY_BATCH = 100;

/**
 * Alerts read one by one in a round, for each of two reasons; `open-again.ts` reads a few more. Together
 * well under the 100 a minute that the endpoint allows, because the same reads guard refunds.
 */
const SINGLE_READS_MAX = 30;

/** An alert that answered 404 is asked about again after this time, in milliseconds. */
const GONE_RECHECK_MS = 60 * 60_000;

/** The round ends early: another process has taken the lease over, or this one is stopping. */
export class RoundEndedError extends Error {}

export interface RoundContext extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  readonly client: PollClient;
  readonly apply: ApplyPolled;
  readonly answerAgain: AnswerAgain;
  readonly signal: AbortSignal | undefined;
  /** Extends the lease. @throws {RoundEndedError} */
  readonly keepLease: () => Promise<void>;
  readonly tally: Tally;
}

/** The counts of a round while it goes on. */
export interface Tally extends Counts {
  /** Why enrolments could not be read, where that was tried. */
  enrolmentFailure: ReadFailure | undefined;
  /** `updated_at` of each change found first here, in milliseconds. */
  readonly foundUpdatedMs: number[];
  readonly failures: ReadFailure[];
}

export function createTally(): Tally {
  return { ...NOTHING_READ, enrolmentFailure: undefined, foundUpdatedMs: [], failures: [] };
}

/** Whether reading on would fail alike. */
export function mustStop(tally: Tally): boolean {
  return tally.failures.some((failure) => failure.stops);
}

/** Reads and applies the list. Returns the ids on it, or undefined when it was not read whole. */
export async function pollListing(round: RoundContext): Promise<string[] | undefined> {
  const { client, signal, tally } = round;
  const listed: string[] = [];
  let batch: Alert[] = [];
  const flush = async (): Promise<void> => {
    await applyFound(round, batch);
    batch = [];
    await round.keepLease();
  };
  try {
    for await (const alert of client.alerts.list({ status: 'ACTION_REQUIRED' }, { signal })) {
      if (isForeign(round, alert)) continue;
      listed.push(alert.id);
      tally.listed += 1;
      batch.push(alert);
      if (batch.length >= APPLY_BATCH) await flush();
    }
  } catch (error) {
    noteFailure(tally, error);
    await flush();
    return undefined;
  }
  await flush();
  return listed;
}

/** Asks about every alert that we hold open and the list did not show. */
export async function pollLeft(
  round: RoundContext,
  listed: readonly string[],
  listedAt: Date,
): Promise<void> {
  const { db, clock, organisationId, tally } = round;
  const about = { organisationId, kind: 'alert_not_found', at: nowDate(clock) };
  await closeFindingsAbout(db, about, listed);
  const left = await alertsThatLeft(db, {
    organisationId,
    listed,
    listedAt,
    goneBefore: new Date(clock.nowMs() - GONE_RECHECK_MS),
    limit: SINGLE_READS_MAX,
  });
  tally.leftTheList = left.length;
  for (const alertId of left) {
    const end = await readOne(round, alertId);
    if (end.kind === 'read') countFound(tally, end.effect, end.alert);
  }
}

/** Reads what was asked for: ties between snapshots, and alerts named by refused deliveries. */
export async function pollRequested(round: RoundContext): Promise<void> {
  const { db, clock, organisationId, tally } = round;
  const goneBefore = new Date(clock.nowMs() - GONE_RECHECK_MS);
  const limit = SINGLE_READS_MAX;
  const requests = await pollRequests(db, organisationId, limit);
  const doubtful = await alertsInDoubt(db, { organisationId, goneBefore, limit });
  const asked = new Set([...requests.map((request) => request.alertId), ...doubtful]);
  for (const alertId of [...asked].slice(0, limit)) {
    const servedAt = nowDate(clock);
    const end = await readOne(round, alertId);
    if (end.kind === 'failed') continue;
    tally.requested += 1;
    await dropPollRequest(db, organisationId, { alertId, servedAt });
  }
}

type ReadEnd =
  | { readonly kind: 'read'; readonly alert: Alert; readonly effect: SnapshotEffect }
  /** Gone, or not ours: asking again would not help. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed' };

/** Reads an alert by itself and applies it. */
export async function readOne(round: RoundContext, alertId: string): Promise<ReadEnd> {
  const { db, clock, client, organisationId, signal, tally } = round;
  if (mustStop(tally)) {
    tally.unread += 1;
    return { kind: 'failed' };
  }
  await round.keepLease();
  try {
    const alert = await client.alerts.get(alertId, { signal });
    if (isForeign(round, alert)) return { kind: 'nothing' };
    const [effect = 'refused'] = await applyAll(round, [{ entity: 'alert', object: alert }]);
    const about = { organisationId, kind: 'alert_not_found', at: nowDate(clock) };
    await closeFindingsAbout(db, about, [alertId]);
    return { kind: 'read', alert, effect };
  } catch (error) {
    if (isServiceError(error, 'NOT_FOUND')) {
      tally.notFound += 1;
      if (await isKnownAlert(db, organisationId, alertId)) {
        await holdGoneAlert(db, { organisationId, alertId, now: nowDate(clock) });
      }
      return { kind: 'nothing' };
    }
    noteFailure(tally, error);
    tally.unread += 1;
    return { kind: 'failed' };
  }
}

/** Applies, and counts what could not be placed as a failed read. */
export async function applyAll(
  { apply, tally }: RoundContext,
  snapshots: readonly PolledSnapshot[],
): Promise<readonly SnapshotEffect[]> {
  const effects = await apply(snapshots);
  if (effects.includes('refused')) tally.failures.push(OBJECT_UNUSABLE);
  return effects;
}

export async function applyFound(round: RoundContext, alerts: readonly Alert[]): Promise<void> {
  if (alerts.length === 0) return;
  const snapshots = alerts.map((object) => ({ entity: 'alert' as const, object }));
  const effects = await applyAll(round, snapshots);
  for (const [index, alert] of alerts.entries()) {
    countFound(round.tally, effects[index] ?? 'refused', alert);
  }
}

function countFound(tally: Tally, effect: SnapshotEffect, alert: Alert): void {
  if (effect === 'unchanged' || effect === 'refused') return;
  if (effect === 'created') tally.newWithoutWebhook += 1;
  else tally.healed += 1;
  tally.foundUpdatedMs.push(Date.parse(alert.updated_at));
}

export function isForeign(round: RoundContext, object: Alert | Lookup): boolean {
  if (object.organisation_id === round.organisationId) return false;
  round.tally.foreign += 1;
  return true;
}

export function noteFailure(tally: Tally, error: unknown): void {
  const failure = readFailureOf(error);
  if (failure === undefined) throw error;
  tally.failures.push(failure);
}
