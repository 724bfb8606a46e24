/** Our own list of blocked customers: written by side actions, asked by policies. */
import type { Trx } from '../../base/db/database.ts';

/** Who is put on the list, and why. */
export interface Block {
  readonly organisationId: string;
  readonly identities: readonly string[];
  /** `policy`, or `operator:<name>`. */
  readonly by: string;
  readonly alertId: string;
  readonly now: Date;
}

/** Puts a customer on the list; one who is there already stays as first written. */
export async function blockCustomer(trx: Trx, block: Block): Promise<void> {
  if (block.identities.length === 0) return;
  await trx
    .insertInto('blocked_customer')
    .values(
      block.identities.map((identity) => ({
        organisation_id: block.organisationId,
        identity,
        blocked_at: block.now,
        blocked_by: block.by,
        alert_id: block.alertId,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
