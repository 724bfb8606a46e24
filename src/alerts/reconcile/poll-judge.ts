/**
 * What follows from a round of polling: polling fails, webhooks are silent, clocks disagree, and
 * for which time it cannot be known what was missed.
 */
import { closeFindingsOpenedBefore, openFinding } from '../../base/findings/finding.store.ts';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import type { PollAlarm } from './poll-alarm.ts';
import { setAlarm } from './poll-alarm.ts';
import { judgeFailure, readFailureRecord } from './poll-failure.ts';
import type { PollerOptions } from './poll-port.ts';
import type { Tally } from './poll-round.ts';
import { mustStop } from './poll-round.ts';
import { lastWebhookAt } from './poll-target.store.ts';
import { RECONCILE_FACTS } from './reconcile-facts.ts';
import type { SilenceRecord } from './silence.ts';
import { judgeSilence, readSilenceRecord, unheardPeriod } from './silence.ts';

/** Disagreement of clocks that is worth a word, in milliseconds: the tolerance is 300 s. */
const SKEW_ALARM_MS = 120_000;

/** How long a period of which something may be missing stays among the findings, in milliseconds. */
const PERIOD_SHOWN_MS = 7 * 24 * 60 * 60_000;

/** When the round ended, and whether it read the whole list. */
export interface RoundEnd {
  readonly now: Date;
  readonly read: boolean;
}

/** Brings every alarm of polling up to date. Returns how each moved. */
export async function judgeRound(
  options: PollerOptions,
  tally: Tally,
  { now, read }: RoundEnd,
): Promise<(-1 | 0 | 1)[]> {
  const { db, organisationId } = options;
  const set = (
    alarm: PollAlarm,
    isOn: boolean,
    evidence: Record<string, unknown>,
  ): Promise<-1 | 0 | 1> => setAlarm(db, alarm, { organisationId, now, isOn, evidence });
  const failing = await judgeFailing(options, tally, now);
  const silence = await judgeSilent(options, tally, now);
  const moves = [
    await set('poll_failing', failing.isOn, failing.evidence),
    await set('webhooks_silent', silence.isOn, silence.evidence),
    await noteUnheard(options, { now, read, silence }),
  ];
  if (tally.enrolments !== null || tally.enrolmentFailure !== undefined) {
    const code = tally.enrolmentFailure?.code;
    moves.push(await set('enrolments_unreadable', code !== undefined, { code: code ?? null }));
  }
  if (mustStop(tally)) return moves; // What was not seen says nothing about the rest.
  moves.push(await set('foreign_alerts', tally.foreign > 0, { items: tally.foreign }));
  const skewMs = options.clockSkewMs?.();
  if (skewMs !== undefined) {
    const isOn = Math.abs(skewMs) >= SKEW_ALARM_MS;
    moves.push(await set('clock_skew', isOn, { skewSeconds: Math.round(skewMs / 1000) }));
  }
  return moves;
}

interface Judgement {
  readonly isOn: boolean;
  readonly evidence: Record<string, unknown>;
}

async function judgeFailing(options: PollerOptions, tally: Tally, now: Date): Promise<Judgement> {
  const { db, organisationId } = options;
  const name = RECONCILE_FACTS.pollFailure;
  const before = readFailureRecord(await readNamedValue(db, organisationId, name));
  const { record, alarm } = judgeFailure(before, tally.failures, now.getTime());
  await writeNamedValue(db, { organisationId, name, value: record, at: now });
  return {
    isOn: alarm,
    evidence: {
      codes: [...new Set(tally.failures.map((failure) => failure.code))],
      failingSince: record === null ? null : new Date(record.sinceMs),
      failingRounds: record?.rounds ?? 0,
    },
  };
}

interface SilenceJudgement extends Judgement {
  readonly before: SilenceRecord | undefined;
  readonly heard: Date | undefined;
}

async function judgeSilent(
  options: PollerOptions,
  tally: Tally,
  now: Date,
): Promise<SilenceJudgement> {
  const { db, organisationId } = options;
  const name = RECONCILE_FACTS.webhookSilence;
  const heard = await lastWebhookAt(db, organisationId);
  const before = readSilenceRecord(await readNamedValue(db, organisationId, name));
  const { record, silent } = judgeSilence(before, {
    nowMs: now.getTime(),
    lastWebhookMs: heard?.getTime() ?? null,
    foundUpdatedMs: tally.foundUpdatedMs,
  });
  await writeNamedValue(db, { organisationId, name, value: record, at: now });
  return {
    isOn: silent,
    evidence: { changesFound: record.changes, lastWebhookAt: heard ?? null },
    before,
    heard,
  };
}

/**
 * What has a list was read again; representments and scheme notices have none. So the period in which
 * no webhook can have arrived is reported once, and shown for a week.
 */
async function noteUnheard(
  options: PollerOptions,
  { now, read, silence }: RoundEnd & { readonly silence: SilenceJudgement },
): Promise<-1 | 0 | 1> {
  const { db, organisationId, intervalMs = 120_000 } = options;
  const kind = 'unlisted_period';
  const shownSince = new Date(now.getTime() - PERIOD_SHOWN_MS);
  const closed = await closeFindingsOpenedBefore(db, { organisationId, kind, at: now }, shownSince);
  if (!read) return closed > 0 ? -1 : 0;
  const lastPoll = await readNamedValue(db, organisationId, RECONCILE_FACTS.lastPollAt);
  const period = unheardPeriod({
    before: silence.before,
    nowMs: now.getTime(),
    lastPollMs: typeof lastPoll === 'string' ? Date.parse(lastPoll) : undefined,
    lastWebhookMs: silence.heard?.getTime(),
    intervalMs,
  });
  if (period === undefined) return closed > 0 ? -1 : 0;
  const from = new Date(period.fromMs).toISOString();
  const to = new Date(period.toMs).toISOString();
  const opened = await openFinding(db, {
    organisationId,
    kind,
    severity: 'warning',
    subject: 'period',
    subjectId: from,
    evidence: { from, to },
    nextStep: `No webhook arrived from ${utcWords(new Date(period.fromMs))} to ${utcWords(new Date(period.toMs))}. Alerts, lookups and enrolments were read again and nothing of them is missing. Representments and scheme notices have no list to read: look in the dashboard for those of that time.`,
    at: now,
  });
  return opened ? 1 : 0;
}
