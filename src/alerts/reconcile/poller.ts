/**
 * Polls the service for what webhooks may have missed, and says so when they miss it often.
 *
 * Place in the flow: beside receive. The list of alerts that need an action is read every two
 * minutes and applied through the same path as webhooks; an alert that we hold open and that left
 * the list is read by itself; a sweep about once an hour reads the others, lookups and enrolments.
 * One process per organisation polls, by a lease in the database.
 *
 * Durable after each round: the rows it healed, the facts `last_poll_at` and `last_poll_report`, and
 * findings with their messages. A round that dies loses only its report.
 */
import { closeFindingsOfSettledAlerts } from '../../base/findings/finding.store.ts';
import { mayTakeLease, releaseLease, takeLease } from '../../base/jobs/cluster-lease.store.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { runChecks } from './checks.ts';
import { pollOpenAgain } from './open-again.ts';
import { judgeRound } from './poll-judge.ts';
import type { Counts, PollerOptions, PollReport } from './poll-port.ts';
import { standbyReport } from './poll-port.ts';
import type { RoundContext, Tally } from './poll-round.ts';
import {
  createTally,
  mustStop,
  pollLeft,
  pollListing,
  pollRequested,
  RoundEndedError,
} from './poll-round.ts';
import { pollEnrolments, pollLookups, pollSweep } from './poll-sweep.ts';
import { RECONCILE_FACTS } from './reconcile-facts.ts';

export interface Poller {
  /**
   * One round; with `since` a full one that sweeps back to that moment.
   *
   * @throws only for what is no fault of the service: the database, or a defect
   */
  runOnce(signal?: AbortSignal, since?: Date): Promise<PollReport>;
  /** Whether no other process holds the lease. */
  readonly mayPoll: DueCondition;
  /** Extends the lease while its holder does other work. @throws {RoundEndedError} when it is lost */
  keepLease(): Promise<void>;
  /** Gives the lease back at the end of the process, so that another continues at once. */
  release(): Promise<void>;
}

const LEASE = 'poll';

/** How long the lease lasts while a round runs, in milliseconds: above any single read. */
const ROUND_LEASE_MS = 120_000;

/** How much longer than the interval the lease lasts between rounds, in milliseconds. */
const LEASE_SLACK_MS = 15_000;

/** Creates a poller. Any number may run: one polls, the others wait. */
export function createPoller(options: PollerOptions): Poller {
  const { db, clock, organisationId, workerId, intervalMs = 120_000 } = options;
  const lease = { organisationId, name: LEASE, holder: workerId };
  const extend = (durationMs: number): Promise<boolean> =>
    takeLease(db, {
      ...lease,
      now: nowDate(clock),
      until: new Date(clock.nowMs() + durationMs),
    });
  const keepLease = async (): Promise<void> => {
    if (!(await extend(ROUND_LEASE_MS))) throw new RoundEndedError('Another process polls now.');
  };
  return {
    mayPoll: mayTakeLease(lease),
    keepLease,
    async runOnce(signal?: AbortSignal, since?: Date): Promise<PollReport> {
      const startedAt = nowDate(clock);
      if (!(await extend(ROUND_LEASE_MS))) return standbyReport(startedAt.toISOString());
      try {
        const report = await runRound(options, { startedAt, signal, since, keepLease });
        await extend(intervalMs + LEASE_SLACK_MS);
        return report;
      } catch (error) {
        if (error instanceof RoundEndedError) return standbyReport(startedAt.toISOString());
        throw error;
      }
    },
    release: () => releaseLease(db, lease),
  };
}

interface RoundStart {
  readonly startedAt: Date;
  readonly signal: AbortSignal | undefined;
  readonly since: Date | undefined;
  readonly keepLease: () => Promise<void>;
}

async function runRound(options: PollerOptions, start: RoundStart): Promise<PollReport> {
  const { db, clock, log, client, organisationId } = options;
  const { startedAt, signal, since, keepLease } = start;
  const tally = createTally();
  const round: RoundContext = {
    db,
    clock,
    client,
    apply: options.applySnapshots,
    answerAgain: options.answerAgain,
    organisationId,
    signal,
    keepLease,
    tally,
  };
  const listed = await pollListing(round);
  if (listed !== undefined) await pollLeft(round, listed, startedAt);
  if (listed !== undefined) await pollOpenAgain(round, listed);
  if (!mustStop(tally)) await pollRequested(round);
  if (!mustStop(tally)) await pollSweep(round, since);
  const isFull = !mustStop(tally) && (await isFullRound(options, since));
  if (isFull) await pollLookups(round);
  if (isFull) await pollEnrolments(round);
  if (signal?.aborted === true) throw new RoundEndedError('The process is stopping.');

  const now = nowDate(clock);
  const gone = { organisationId, kind: 'alert_not_found', at: now };
  const settled = await closeFindingsOfSettledAlerts(db, gone);
  const checks = await runChecks(db, { organisationId, now, slowOnes: isFull });
  const alarms = await judgeRound(options, tally, { now, read: listed !== undefined });
  const report: PollReport = {
    ...countsOf(tally),
    outcome: tally.failures.length === 0 && tally.unread === 0 ? 'whole' : 'partial',
    startedAt: startedAt.toISOString(),
    durationMs: now.getTime() - startedAt.getTime(),
    findingsOpened: checks.opened + alarms.filter((moved) => moved > 0).length,
    findingsClosed: checks.closed + settled + alarms.filter((moved) => moved < 0).length,
    errors: [...new Set(tally.failures.map((failure) => failure.code))],
  };
  const fact = { organisationId, at: now };
  if (isFull) {
    const value = tally.enrolments !== null;
    await writeNamedValue(db, { ...fact, name: RECONCILE_FACTS.enrolmentsRead, value });
  }
  await writeNamedValue(db, { ...fact, name: RECONCILE_FACTS.lastPollReport, value: report });
  if (listed !== undefined) {
    await writeNamedValue(db, {
      ...fact,
      name: RECONCILE_FACTS.lastPollAt,
      value: now.toISOString(),
    });
  }
  log[report.outcome === 'whole' ? 'debug' : 'warn']({ ...report }, 'polled');
  return report;
}

function countsOf(tally: Tally): Counts {
  const { foundUpdatedMs: _found, failures: _failures, enrolmentFailure: _none, ...counts } = tally;
  return counts;
}

/** Whether this round reads lookups and enrolments too: the first, every so many, and when asked. */
async function isFullRound(options: PollerOptions, since: Date | undefined): Promise<boolean> {
  if (since !== undefined) return true;
  const { db, clock, organisationId, lookupEvery = 30 } = options;
  const name = RECONCILE_FACTS.lookupRound;
  const last = await readNamedValue(db, organisationId, name);
  const round = typeof last === 'number' ? (last + 1) % lookupEvery : 0;
  await writeNamedValue(db, { organisationId, name, value: round, at: nowDate(clock) });
  return round === 0;
}
