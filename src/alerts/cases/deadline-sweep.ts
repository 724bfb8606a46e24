/**
 * The independent guard of deadlines: raises alarms on open cases, records the ones that ran out
 * unanswered, and repairs plans. It moves no case and makes no calls; it needs no step to have worked.
 */
import { ofCase, writeAudit } from '../../base/audit/audit.store.ts';
import type { Installation, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readDue } from '../../base/jobs/due.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import type { NewNotification } from '../../base/notify/notification.store.ts';
import { notify, notifyEach } from '../../base/notify/notification.store.ts';
import { findClaim } from '../review/claim.store.ts';
import type { CaseRow } from './case.store.ts';
import type { SavedAlarm, SweepScope } from './deadline.store.ts';
import {
  countStalled,
  hasDueAlarms,
  hasLatePlans,
  hasMissed,
  hasStalled,
  lockDueAlarms,
  lockMissed,
  repairLatePlans,
  saveAlarms,
  saveMissed,
} from './deadline.store.ts';
import { holdSentence } from './hold-reason.ts';

/** What the sweep works with. */
export type DeadlineSweepDeps = Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'>;

/** What one sweep did. */
export interface SweepResult {
  readonly alarms: number;
  readonly missed: number;
  /** Plans brought back before their deadline. */
  readonly repaired: number;
  /** Cases due for minutes on which no worker is at work. */
  readonly stalled: number;
}

/** Rows per query and sweep; the next sweep, seconds later, takes the rest. */
const SWEEP_ROWS_MAX = 500;

/** A case due for this long, in milliseconds, has no worker: a step's own lease is 30 s. */
const STALLED_MS = 5 * 60_000;

/** A page about stalled work is repeated this often, in milliseconds. */
const PAGE_MS = 60 * 60_000;

/** In the order in which a sweep looks after them; at rest it asks for all of them in one statement. */
const SWEPT = [hasStalled(STALLED_MS), hasDueAlarms, hasMissed, hasLatePlans] as const;

/** Creates the sweep. Any number may run at once. */
export function createDeadlineSweep(deps: DeadlineSweepDeps): { runOnce(): Promise<SweepResult> } {
  return {
    async runOnce(): Promise<SweepResult> {
      const { db, clock, organisationId } = deps;
      const now = nowDate(clock);
      const scope = { organisationId, now, limit: SWEEP_ROWS_MAX };
      const [isStalled, isAlarmDue, isMissed, isLate] = await readDue(db, scope, SWEPT);
      const stalled = isStalled ? await checkBacklog(deps, scope) : 0;
      const alarms = isAlarmDue
        ? await inTransaction(db, (trx) => raiseAlarms(trx, deps, scope))
        : 0;
      const missed = isMissed
        ? await inTransaction(db, (trx) => recordAllMissed(trx, deps, scope))
        : 0;
      const repaired = isLate ? await repairLatePlans(db, scope) : 0;
      return { alarms, missed, repaired, stalled };
    },
  };
}

async function raiseAlarms(
  trx: Trx,
  { log }: DeadlineSweepDeps,
  scope: SweepScope,
): Promise<number> {
  const saved: SavedAlarm[] = [];
  const messages: NewNotification[] = [];
  for (const row of await lockDueAlarms(trx, scope)) {
    const window = { openedMs: row.opened_at.getTime(), deadlineMs: row.deadline_at.getTime() };
    const isDue = row.next_alarm_at !== null;
    const raisedNow = row.alarm_level + (isDue ? 1 : 0);
    const { level, nextMs } = alarmPlanAt(window, scope.now.getTime(), raisedNow);
    const isNew = isDue || level > row.alarm_level;
    saved.push({
      alertId: row.alert_id,
      level,
      nextAt: nextMs === null ? null : new Date(nextMs),
      raisedAt: isNew ? scope.now : null,
    });
    if (!isNew) continue;
    messages.push(await announceAlarm(trx, row, { level, now: scope.now }));
    log.warn({ alertId: row.alert_id, state: row.state, level }, 'deadline is coming closer');
  }
  await saveAlarms(trx, scope.organisationId, saved);
  await notifyEach(trx, messages);
  return messages.length;
}

async function announceAlarm(
  trx: Trx,
  row: CaseRow,
  { level, now }: { readonly level: number; readonly now: Date },
): Promise<NewNotification> {
  await writeAudit(trx, {
    organisationId: row.organisation_id,
    at: now,
    ...ofCase(row.alert_id),
    what: `deadline alarm ${level} of ${ALARM_LEVELS}`,
    detail: { deadline_at: row.deadline_at.toISOString(), state: row.state },
  });
  return {
    organisationId: row.organisation_id,
    dedupeKey: `deadline:${row.alert_id}:${level}`,
    kind: 'deadline_near',
    severity: level >= ALARM_LEVELS ? 'error' : 'warning',
    alertId: row.alert_id,
    text: await alarmText(trx, row, now),
    at: now,
  };
}

/** Who is to act, by when, and what happens otherwise: the same alarm says more of a held case. */
async function alarmText(trx: Trx, row: CaseRow, now: Date): Promise<string> {
  const { organisation_id: organisationId, alert_id: alertId, fallback_at: fallbackAt } = row;
  const deadline = utcWords(row.deadline_at);
  if (row.state !== 'HUMAN') {
    return `Alert ${alertId} is open (${row.state}) and must be answered before ${deadline}. Open it in the console.`;
  }
  const claim = await findClaim(trx, { organisationId, alertId, now });
  const who = claim === undefined ? 'Nobody has claimed it.' : `${claim.operator} has claimed it.`;
  const otherwise =
    fallbackAt === null
      ? 'Nothing happens by itself.'
      : `Without a decision ${row.fallback_action} follows at ${utcWords(fallbackAt)}.`;
  return `Alert ${alertId} waits for a decision before ${deadline}. ${holdSentence(row.hold_reason ?? '')} ${who} ${otherwise}`;
}

async function recordAllMissed(
  trx: Trx,
  { log }: DeadlineSweepDeps,
  scope: SweepScope,
): Promise<number> {
  const rows = await lockMissed(trx, scope);
  await recordMissed(trx, rows, scope);
  for (const { alert_id: alertId, state, ...row } of rows) {
    // An alarm older than the deadline. Its absence means that no sweep ran in time.
    const wasWarned = row.alarmed_at !== null && row.alarmed_at <= row.deadline_at;
    log.error({ alertId, state, wasWarned }, 'alert missed: the deadline passed without an answer');
  }
  return rows.length;
}

/** Records that the alerts of these cases ran out unanswered, and tells people. */
export async function recordMissed(
  trx: Trx,
  rows: readonly CaseRow[],
  { organisationId, now }: Pick<SweepScope, 'organisationId' | 'now'>,
): Promise<void> {
  for (const { alert_id: alertId, deadline_at: deadlineAt, state } of rows) {
    await writeAudit(trx, {
      organisationId,
      at: now,
      ...ofCase(alertId),
      what: 'missed',
      detail: { deadline_at: deadlineAt.toISOString(), state },
    });
  }
  await saveMissed(trx, organisationId, { alertIds: rows.map((row) => row.alert_id), now });
  const messages = rows.map(
    ({ alert_id: alertId, deadline_at: deadlineAt, state }): NewNotification => ({
      organisationId,
      dedupeKey: `missed:${alertId}`,
      kind: 'missed',
      severity: 'error',
      alertId,
      text: `Alert ${alertId} ran out at ${utcWords(deadlineAt)} without an answer (${state}). Look at it in the service's dashboard; a chargeback may follow.`,
      at: now,
    }),
  );
  await notifyEach(trx, messages);
}

async function checkBacklog(deps: DeadlineSweepDeps, scope: SweepScope): Promise<number> {
  const { db, log, organisationId } = deps;
  const { now } = scope;
  const stalled = await countStalled(db, scope, new Date(now.getTime() - STALLED_MS));
  if (stalled === 0) return 0;
  log.error({ stalled }, 'cases are due and nobody works on them');
  await notify(db, {
    organisationId,
    dedupeKey: `stalled:${Math.floor(now.getTime() / PAGE_MS)}`,
    kind: 'work_stalled',
    severity: 'error',
    text: `${counted(stalled, 'alert')} due for more than ${STALLED_MS / 60_000} minutes, and no worker has taken any. Check that a worker is running and reaches the service.`,
    at: now,
  });
  return stalled;
}

// When a case that is still open must be brought to a person's attention. Pure.
//
// At 50, 25 and 10 % of the window left, and the first time at least an hour before the
// deadline; a window too short for that alarms at once.

/** Shares of the window left at which an alarm is raised. */
const SHARES_LEFT: readonly number[] = [0.5, 0.25, 0.1];

/** A person needs at least this long to act, in milliseconds. */
const LEAST_NOTICE_MS = 60 * 60_000;

/** How many alarms a case can have. */
const ALARM_LEVELS = SHARES_LEFT.length;

/** The window of a case, in milliseconds since 1970. */
interface AlertWindow {
  readonly openedMs: number;
  readonly deadlineMs: number;
}

/** The moments of the alarms, in order. None lies before the case was opened. */
export function alarmMomentsMs({ openedMs, deadlineMs }: AlertWindow): readonly number[] {
  const windowMs = Math.max(0, deadlineMs - openedMs);
  return SHARES_LEFT.map((share, index) => {
    const moment = deadlineMs - Math.max(windowMs * share, index === 0 ? LEAST_NOTICE_MS : 0);
    return Math.max(openedMs, moment);
  });
}

/** How far the alarms of a case have come. */
interface AlarmPlan {
  /** Alarms due by now. */
  readonly level: number;
  /** The next one; null after the last. */
  readonly nextMs: number | null;
}

/**
 * How far the alarms have come at `nowMs`.
 *
 * @param raised alarms raised before, plus one when an alarm that was planned for other reasons (no
 *   believable deadline) is due now
 */
export function alarmPlanAt(window: AlertWindow, nowMs: number, raised = 0): AlarmPlan {
  const moments = alarmMomentsMs(window);
  const passed = moments.filter((moment) => moment <= nowMs).length;
  return {
    level: Math.min(ALARM_LEVELS, Math.max(passed, raised)),
    nextMs: moments[passed] ?? null,
  };
}
