/**
 * Goes once through the orders that a version without the index stored, a slice per round, each with its
 * progress in one transaction. While an upgrade may still be under way it continues, because an older
 * version may store another order: for an hour after the first round.
 */

import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Db } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import type { Clock } from '../base/kernel/clock.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { readOrdersAfter } from './evidence.store.ts';
import { evidenceKeyOf } from './evidence-key.store.ts';
import { recordEvidence } from './record-evidence.ts';
import { openBodyOf } from './sealed-order.ts';

/** Orders of one round. */
export const FILL_SLICE = 500;

const UPGRADE_MS = 3_600_000;

/** Creates the step. It returns how many orders it went through. */
export function createEvidenceFill(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly organisationId: string;
}): () => Promise<number> {
  let isDone = false;
  return async () => {
    if (isDone) return 0;
    const filled = await inTransaction(deps.db, async (trx) => {
      const { organisationId } = deps;
      const now = nowDate(deps.clock);
      await evidenceKeyOf(trx, organisationId, now);
      const state = await trx
        .selectFrom('evidence_key')
        .select(['filled_to', 'filled_at', 'made_at'])
        .where('organisation_id', '=', organisationId)
        .forUpdate()
        .executeTakeFirstOrThrow();
      if (state.filled_at !== null) return { orders: 0, isDone: true };
      const stored = await readOrdersAfter(trx, organisationId, {
        after: state.filled_to,
        limit: FILL_SLICE,
      });
      const keys = dataKeysOf(trx);
      const orders = stored.map((row) => openBodyOf(keys, organisationId, row).body);
      await recordEvidence(trx, { organisationId, orders, now });
      const isOver = stored.length === 0 && now.getTime() > state.made_at.getTime() + UPGRADE_MS;
      await trx
        .updateTable('evidence_key')
        .set({
          filled_to: stored.at(-1)?.seq ?? state.filled_to,
          filled_at: isOver ? now : null,
        })
        .where('organisation_id', '=', organisationId)
        .execute();
      return { orders: stored.length, isDone: isOver };
    });
    isDone = filled.isDone;
    return filled.orders;
  };
}
