/**
 * Takes changes of orders in: the merchant's updates of status, communications, deliveries,
 * subscriptions, refunds and disputes. Nothing is sent here.
 */
import type { Db, Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { nowDate } from '../base/kernel/clock.ts';
import type { ChangeResult } from './change-order.ts';
import { changeOrder } from './change-order.ts';
import type { IntakeContext } from './intake-context.ts';
import { alarmCardNumbers } from './intake-news.ts';
import { readOrder } from './order.store.ts';
import { readChange } from './submission.ts';

/** Which order to change, and how. */
export interface ChangeInput {
  readonly referenceId: string;
  /** @default the installation's integration, else the one that has this reference */
  readonly integrationId?: string | undefined;
  readonly change: unknown;
}

/** Takes one change in, in a transaction of its own. */
export async function acceptChange(
  deps: IntakeContext & { readonly db: Db },
  input: ChangeInput,
): Promise<ChangeResult> {
  return await inTransaction(deps.db, (trx) => recordChange(trx, deps, input));
}

/** Takes one change in inside a transaction of the caller's. A refusal leaves nothing behind. */
export async function recordChange(
  trx: Trx,
  context: IntakeContext,
  input: ChangeInput,
): Promise<ChangeResult> {
  const read = readChange(input.change);
  if (!read.ok) {
    if (read.cardNumber) await alarmCardNumbers(trx, context, 1);
    return { kind: 'refused', problems: read.problems };
  }
  const { organisationId } = context;
  const { referenceId } = input;
  const named = input.integrationId ?? context.integrationId;
  const row =
    (await readOrder(trx, organisationId, { referenceId, integrationId: named })) ??
    (input.integrationId === undefined
      ? await readOrder(trx, organisationId, { referenceId })
      : undefined);
  if (row === undefined) return { kind: 'unknown_order', referenceId };
  return await changeOrder(trx, {
    order: { organisationId, integrationId: row.integration_id, referenceId },
    change: read.value,
    source: 'merchant',
    now: nowDate(context.clock),
    programmes: context.programmes,
  });
}
