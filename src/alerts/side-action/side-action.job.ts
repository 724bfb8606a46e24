/**
 * The loop of side actions: plans those of alerts that were decided, and carries out what is due, each
 * at least once under one idempotency key, until it is done or a person must do it.
 *
 * They move no money, yet rest while the kill switch is on: what makes people stop refunds may well
 * have spoilt these decisions too.
 */
import { sql } from 'kysely';
import { inTransaction } from '../../base/db/transaction.ts';
import type { DueCondition } from '../../base/jobs/due.store.ts';
import { readDue } from '../../base/jobs/due.store.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { Log } from '../../base/kernel/log.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { createClaimGate } from '../guard/claim-gate.store.ts';
import type { CancelChoice } from '../guard/guard-settings.ts';
import type { Performed, SideActionPorts } from './perform.ts';
import { performSideAction } from './perform.ts';
import { planSideActions } from './plan-side-actions.ts';
import type { SideActionRow } from './side-action.store.ts';
import {
  claimDueSideActions,
  hasActionsToPerform,
  hasAlertsToPlan,
  insertSideActions,
  postponeSideAction,
  settleSideAction,
} from './side-action.store.ts';
import { takeDueAlerts } from './side-action-facts.store.ts';

/** What the loop works with. */
export interface SideActionDeps extends SideActionPorts {
  readonly log: Log;
  readonly organisationId: string;
  readonly cancelSubscriptions: CancelChoice;
  /** Decide and record, act on nothing. */
  readonly shadow: boolean;
}

/** Alerts planned, and actions carried out, in one round. */
const PLAN_BATCH = 50;
export const PERFORM_BATCH = 8;

const RETRY = { baseMs: 5_000, maxMs: 60 * 60_000 };

/** Attempts before a person must do it: about a day of a port that is down. */
export const SIDE_ACTION_ATTEMPTS_MAX = 40;

/** Runs one round. Returns how much it did; 0 means nothing is due. */
export function createSideActions(deps: SideActionDeps): { runOnce(): Promise<number> } {
  const { db, clock, organisationId } = deps;
  const gate = createClaimGate({ db, organisationId });
  const conditions = [hasAlertsToPlan, hasActionsToPerform];
  return {
    async runOnce(): Promise<number> {
      const [plans, performs] = await gate.claim((isShut) => {
        const unlessShut = (isDue: DueCondition): DueCondition => {
          return (...asked) => sql<boolean>`(${isDue(...asked)} and not ${isShut})`;
        };
        return readDue(db, { organisationId, now: nowDate(clock) }, conditions.map(unlessShut));
      });
      const planned = plans === true ? await planDue(deps) : NOTHING_PLANNED;
      const isMore = performs === true || planned.actions > 0;
      return planned.alerts + (isMore ? await performDue(deps) : 0);
    },
  };
}

/** What was planned. */
interface Planned {
  readonly alerts: number;
  readonly actions: number;
}

const NOTHING_PLANNED: Planned = { alerts: 0, actions: 0 };

async function planDue(deps: SideActionDeps): Promise<Planned> {
  const { db, clock, organisationId } = deps;
  return await inTransaction(db, async (trx) => {
    const { cancelSubscriptions } = deps;
    const taken = await takeDueAlerts(trx, organisationId, {
      limit: PLAN_BATCH,
      cancelSubscriptions,
    });
    let actions = 0;
    if (deps.shadow) return { alerts: taken.length, actions };
    for (const { alertId, facts } of taken) {
      if (facts === undefined) continue;
      const planned = planSideActions(facts);
      const now = nowDate(clock);
      actions += await insertSideActions(trx, { organisationId, alertId, planned, now });
    }
    return { alerts: taken.length, actions };
  });
}

async function performDue(deps: SideActionDeps): Promise<number> {
  const { db, clock, organisationId } = deps;
  if (deps.shadow) return 0;
  const now = nowDate(clock);
  const rows = await claimDueSideActions(db, {
    organisationId,
    now,
    limit: PERFORM_BATCH,
    claimedUntil: new Date(now.getTime() + 2 * LEASE_MS),
  });
  await Promise.all(rows.map((row) => performOne(deps, row)));
  return rows.length;
}

async function performOne(deps: SideActionDeps, row: SideActionRow): Promise<void> {
  const { db, clock, log } = deps;
  const performed = await tryPerform(deps, row);
  const isLast = row.attempts >= SIDE_ACTION_ATTEMPTS_MAX;
  if (performed.kind === 'again' && !isLast) {
    const at = new Date(clock.nowMs() + backoffMs(row.attempts, RETRY));
    await postponeSideAction(db, row, { at, error: performed.why });
    return;
  }
  const isDone = performed.kind === 'done';
  await inTransaction(db, async (trx) => {
    const now = nowDate(clock);
    const note = isDone ? performed.note : performed.why;
    const state = isDone ? 'DONE' : 'FAILED';
    const mine = await settleSideAction(trx, row, { state, note, now });
    if (isDone || !mine) return;
    await notify(trx, {
      organisationId: row.organisation_id,
      dedupeKey: `side_action_failed:${row.id}`,
      kind: 'side_action_failed',
      severity: 'warning',
      alertId: row.alert_id,
      text: failureText(row, note ?? ''),
      at: now,
    });
  });
  log.info({ alertId: row.alert_id, kind: row.kind, done: isDone }, 'side action settled');
}

async function tryPerform(deps: SideActionDeps, row: SideActionRow): Promise<Performed> {
  try {
    return await performSideAction(deps, row, AbortSignal.timeout(LEASE_MS));
  } catch (error) {
    return { kind: 'again', why: messageOf(error) };
  }
}

const BY_HAND = {
  cancel_subscription: 'Cancel the subscription of charge',
  stop_fulfilment: 'Stop order',
  block_customer: 'Block the customer of the order of alert',
  notify: 'Look at alert',
} as const;

function failureText({ kind, subject, alert_id: alertId }: SideActionRow, why: string): string {
  const isNamed = kind === 'cancel_subscription' || kind === 'stop_fulfilment';
  return `${BY_HAND[kind]} ${isNamed ? subject : alertId} by hand (alert ${alertId}): ${why}.`;
}
