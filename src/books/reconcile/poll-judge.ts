/**
 * What a round of polling says about the world: polling fails, webhooks are silent, clocks disagree,
 * and for which time nobody can know what was missed.
 */

import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import {
  closeFinding,
  closeFindingsOpenedBefore,
  openFinding,
} from '../../base/findings/finding.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Severity } from '../../base/notify/notification.table.ts';
import { RECONCILE_FACTS, readFact, writeFact } from './fact.store.ts';
import { judgeFailure, readFailureRecord } from './poll-failure.ts';
import type { PollerOptions } from './poll-port.ts';
import type { Tally } from './poll-round.ts';
import { mustStop } from './poll-round.ts';
import { lastWebhookAt } from './poll-target.store.ts';
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
  const before = readFailureRecord(await readFact(db, organisationId, name));
  const { record, alarm } = judgeFailure(before, tally.failures, now.getTime());
  await writeFact(db, { organisationId, name, value: record, at: now });
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
  const before = readSilenceRecord(await readFact(db, organisationId, name));
  const { record, silent } = judgeSilence(before, {
    nowMs: now.getTime(),
    lastWebhookMs: heard?.getTime() ?? null,
    foundUpdatedMs: tally.foundUpdatedMs,
  });
  await writeFact(db, { organisationId, name, value: record, at: now });
  return {
    isOn: silent,
    evidence: { changesFound: record.changes, lastWebhookAt: heard ?? null },
    before,
    heard,
  };
}

/**
 * What has a list was read again; representments and scheme notices have none. So the period in which
 * no webhook can have arrived is told, once, and shown for a week.
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
  const lastPoll = await readFact(db, organisationId, RECONCILE_FACTS.lastPollAt);
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
    nextStep: `No webhook arrived from ${from} to ${to}. Alerts, lookups and enrolments were read again and nothing of them is missing. Representments and scheme notices have no list to read: look in the dashboard for those of that time.`,
    at: now,
  });
  return opened ? 1 : 0;
}

// The alarms of polling: it fails, webhooks are silent, clocks disagree. Each is a finding with
// one message when it begins, and closes by itself with another when it is over.

/** The alarms, by the kind of their finding. */
const POLL_ALARMS = {
  poll_failing: {
    subject: 'service',
    severity: 'error',
    nextStep:
      'Polling cannot read the open alerts, so nothing heals what webhooks miss. Check the service URL, the API key and its abilities with: forestall doctor',
    over: 'Polling reads the open alerts again.',
  },
  webhooks_silent: {
    subject: 'endpoint',
    severity: 'warning',
    nextStep:
      'Polling finds changes that no webhook brings. The endpoint is probably disabled, its signing secret differs, or the subscription leaves out alert events. In the dashboard under Settings, Webhooks: compare the address and the secret with FORESTALL_WEBHOOK_SECRETS, select all event types, and enable the endpoint again; then run "forestall doctor". Alerts, lookups and enrolments are handled by polling meanwhile; representments and scheme notices are not.',
    over: 'Webhooks arrive again.',
  },
  clock_skew: {
    subject: 'clock',
    severity: 'warning',
    nextStep:
      'Our time and the service disagree, and from 5 minutes on every webhook would be refused. Check time synchronisation (NTP) of the database machine.',
    over: 'Our time and the service agree again.',
  },
  enrolments_unreadable: {
    subject: 'service',
    severity: 'warning',
    nextStep:
      'Enrolments cannot be read with the partner key, so what changes about them is known from webhooks only. Check FORESTALL_PARTNER_API_KEY and its ability enrolments_v2:read.',
    over: 'Enrolments can be read again.',
  },
  foreign_alerts: {
    subject: 'service',
    severity: 'error',
    nextStep:
      'The API key shows alerts of another organisation; they were left alone. Check FORESTALL_API_KEY against FORESTALL_ORGANISATION_ID.',
    over: 'The API key shows alerts of our organisation only.',
  },
} as const satisfies Record<
  string,
  { subject: string; severity: Severity; nextStep: string; over: string }
>;
type PollAlarm = keyof typeof POLL_ALARMS;

/** What an alarm is raised or cleared with. */
interface AlarmContext {
  readonly organisationId: string;
  readonly now: Date;
}

/** An alarm as one round sees it. */
interface AlarmState {
  readonly isOn: boolean;
  /** Counts, codes and moments only. */
  readonly evidence: Record<string, unknown>;
}

/** Brings the alarm to the given state. Returns 1 when it began, -1 when it ended, else 0. */
async function setAlarm(
  db: Kysely<Database>,
  alarm: PollAlarm,
  state: AlarmState & AlarmContext,
): Promise<-1 | 0 | 1> {
  const { organisationId, now, isOn, evidence } = state;
  const { subject, severity, nextStep, over } = POLL_ALARMS[alarm];
  const key = { organisationId, kind: alarm, subject, subjectId: organisationId };
  return await inTransaction(db, async (trx) => {
    const moved = isOn
      ? await openFinding(trx, { ...key, severity, evidence, nextStep, at: now })
      : await closeFinding(trx, key, now);
    if (!moved) return 0;
    await notify(trx, {
      organisationId,
      dedupeKey: `${alarm}:${isOn ? 'on' : 'over'}:${now.toISOString()}`,
      kind: alarm,
      severity: isOn ? severity : 'info',
      text: isOn ? nextStep : over,
      at: now,
    });
    return isOn ? 1 : -1;
  });
}
