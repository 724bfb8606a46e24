/**
 * The repairs that reconcile makes by itself. None moves money or declares: each only makes a row
 * due, and the saga acts, with all its guards.
 */

import type { Trx } from '../../base/db/database.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { MOVEMENT_TOPIC } from '../ledger/movement.store.ts';
import type { Contradiction } from './checks.store.ts';

/** A contradiction that may be repaired. */
export type Repairable = Pick<Contradiction, 'alertId' | 'evidence'> & {
  readonly organisationId: string;
  readonly now: Date;
};

/** Makes a row due. Answers what was done, in the past tense; undefined when nothing was. */
export type Repair = (trx: Trx, found: Repairable) => Promise<string | undefined>;

/** Has the saga look at an open case now, unless a worker holds it or it is due already. */
export const lookAtCaseAgain: Repair = async (trx, { organisationId, alertId, now }) => {
  const result = await trx
    .updateTable('alert_case')
    .set({ next_action_at: now })
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .where('is_open', '=', true)
    .where('next_action_at', '>', now)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return undefined;
  await wake(trx, 'case');
  return `The case was made due at ${now.toISOString()}.`;
};

/** Has the saga ask the processor about a confirmed refund once more, also after its watch has ended. */
export const lookAtRefundAgain: Repair = async (trx, { organisationId, evidence, now }) => {
  const refundId = evidence['refund_id'];
  if (typeof refundId !== 'string') return undefined;
  const result = await trx
    .updateTable('movement')
    .set({ next_action_at: now })
    .where('organisation_id', '=', organisationId)
    .where('id', '=', refundId)
    .where('idempotency_key', 'is not', null)
    .where('state', '=', 'CONFIRMED')
    .where((eb) => eb.or([eb('next_action_at', 'is', null), eb('next_action_at', '>', now)]))
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return undefined;
  await wake(trx, MOVEMENT_TOPIC);
  return `The refund was put under watch again at ${now.toISOString()}.`;
};
