/** The last step of a move: the target works for the organisation. */
import { findIdentity } from '../../alerts/guard/database-identity.store.ts';
import { readPause } from '../../alerts/guard/pause.store.ts';
import { awaitsRecoveryCheck } from '../../alerts/guard/recovery-check.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { DatabaseError } from '../../base/kernel/errors.ts';
import { LOST } from './both-sides.ts';
import { adoptIdentity, forgetErasure, storeStopped } from './cell.store.ts';
import { dropFence } from './fence.store.ts';
import { finishArriving, readMove, takeArrival } from './move.store.ts';
import type { MoveContext } from './move-context.ts';
import { heldBy } from './move-context.ts';
import type { MovedTable } from './moved-tables.ts';

/** The check of all charges is meant. */
const NO_CHARGE = '';

/** Lets the target work for it. */
export async function arrive(
  context: MoveContext,
  tables: readonly MovedTable[],
  moveId: string,
): Promise<void> {
  const { source, target, organisationId } = context;
  const there = await readMove(target.db, organisationId);
  if (there?.state === 'ARRIVED' && there.move_id === moveId) return;
  if (!(await takeArrival(target.db, heldBy(context), moveId))) throw new DatabaseError(LOST);
  if (there?.has_returned === true) await dropFence(target.pool, tables, organisationId);
  const { kind } = await findIdentity(target.db);
  const isRestored = await awaitsRecoveryCheck(source.db, {
    organisationId,
    chargeReference: NO_CHARGE,
  });
  const stop = await readPause(source.db, organisationId);
  await inTransaction(target.db, async (trx) => {
    await forgetErasure(trx, organisationId);
    // What the source had to ask first, the target has to ask first.
    if (!isRestored) await adoptIdentity(trx, organisationId, kind);
    if (stop !== undefined) await storeStopped(trx, organisationId, stop);
    await finishArriving(trx, organisationId);
  });
  if (stop !== undefined) {
    context.tell({
      kind: 'step',
      text: 'Its refunds are stopped at the source, so they are stopped here too.',
    });
  }
  await crashPoint('move.arrived');
}
