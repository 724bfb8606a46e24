/**
 * Opens a case for every alert that is new to us, and makes an open one due when its alert changed in
 * a way that matters. Part of the transaction that writes the alert: no alert exists without a case.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import type { CasePlan } from './case-plan.ts';

/** An alert whose case must be opened or woken. */
export interface CaseIntake extends CasePlan {
  readonly alertId: string;
  /** An alert of the network's own refunds (RDR). */
  readonly isNetwork: boolean;
  /** Its deadline is earlier than it was. */
  readonly isNearer: boolean;
}

/** Topic on which workers wait for cases. */
const CASE_TOPIC = 'case';

/**
 * Opens or wakes cases, and tells the workers once: changes that do not depend on one another. The case's
 * version stays: a worker that holds a claim keeps it, and reads the alert itself before anything moves.
 */
export async function takingInCases(
  trx: Trx,
  context: IntakeContext,
  cases: readonly CaseIntake[],
): Promise<readonly RawBuilder<unknown>[]> {
  if (cases.length === 0) return [];
  if (context.wakes) await wake(trx, CASE_TOPIC);
  const network = cases.filter(({ isNetwork }) => isNetwork).map(({ alertId }) => alertId);
  const nearer = cases.filter(({ isNearer }) => isNearer).map(({ alertId }) => alertId);
  if (network.length > 0 || nearer.length > 0) await wake(trx, 'movement');
  return [
    openingCases(context, cases),
    ...(network.length > 0 ? [wakingNetworkMoney(context, network)] : []),
    ...(nearer.length > 0 ? [wakingMovements(context, nearer)] : []),
  ];
}

interface IntakeContext {
  readonly organisationId: string;
  readonly now: Date;
  readonly wakes: boolean;
}

function openingCases(context: IntakeContext, cases: readonly CaseIntake[]): RawBuilder<unknown> {
  const records = JSON.stringify(
    cases.map(({ alertId, deadlineAt, nextAlarmAt }) => ({
      alert_id: alertId,
      deadline_at: deadlineAt,
      next_alarm_at: nextAlarmAt,
    })),
  );
  return sql`
    insert into alert_case as c
      (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, next_alarm_at, changed_at)
    select ${context.organisationId}::text, r.alert_id, 'RECEIVED', ${context.now}::timestamptz, r.deadline_at,
           ${context.now}::timestamptz, r.next_alarm_at, ${context.now}::timestamptz
    from json_to_recordset(${records}::json)
      as r(alert_id text, deadline_at timestamptz, next_alarm_at timestamptz)
    order by r.alert_id
    on conflict (organisation_id, alert_id) do update set
      deadline_at = excluded.deadline_at,
      -- A fallback was planned as "so long before the deadline", and stays that far away from it.
      fallback_at = case when c.fallback_at is null or c.deadline_at = excluded.deadline_at then c.fallback_at
                         else greatest(excluded.changed_at, c.fallback_at + (excluded.deadline_at - c.deadline_at)) end,
      next_action_at = least(c.next_action_at, excluded.next_action_at),
      next_alarm_at = case when c.deadline_at = excluded.deadline_at then c.next_alarm_at
                           else least(c.next_alarm_at, excluded.next_alarm_at) end,
      changed_at = excluded.changed_at
    where c.is_open`;
}

/** A refund in doubt was to be looked at so often as the deadline of then asked for. */
function wakingMovements(
  { organisationId, now }: IntakeContext,
  alertIds: readonly string[],
): RawBuilder<unknown> {
  return sql`update movement set next_action_at = ${now}
    where organisation_id = ${organisationId} and kind in ('refund', 'void') and next_action_at > ${now}
      and state in ('UNKNOWN', 'PENDING', 'HUMAN') and charge_reference in (
        select charge_reference from alert_case
        where organisation_id = ${organisationId} and alert_id = any(${alertIds}::text[]) and is_open)`;
}

/** What an alert of the network's own refunds says of its money is computed again at every change. */
function wakingNetworkMoney(
  { organisationId, now }: IntakeContext,
  alertIds: readonly string[],
): RawBuilder<unknown> {
  return sql`update movement set next_action_at = ${now}
    where organisation_id = ${organisationId} and kind = 'network' and observed_from = any(${alertIds}::text[])`;
}
