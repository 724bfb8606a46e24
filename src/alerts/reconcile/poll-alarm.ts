/**
 * The alarms of polling: it fails, webhooks are silent, clocks disagree. Each is a finding with one
 * message when it begins, and closes by itself with another when it is over.
 */
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { closeFinding, openFinding } from '../../base/findings/finding.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Severity } from '../../base/notify/notification.table.ts';

/** The alarms, by the kind of their finding. */
export const POLL_ALARMS = {
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
export type PollAlarm = keyof typeof POLL_ALARMS;

export interface AlarmContext {
  readonly organisationId: string;
  readonly now: Date;
}

export interface AlarmState {
  readonly isOn: boolean;
  /** Counts, codes and moments only. */
  readonly evidence: Record<string, unknown>;
}

/** Brings the alarm to the given state. Returns 1 when it began, -1 when it ended, else 0. */
export async function setAlarm(
  db: Db,
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
