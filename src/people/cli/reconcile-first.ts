/** `forestall reconcile first`: starts a recovery check, as after a restore that nothing shows. */
import type { Command } from 'commander';
import { inTransaction } from '../../base/db/transaction.ts';
import { beginRecoveryCheck } from '../../books/recovery-check/begin-recovery-check.ts';
import type { OpenOrdersContext } from './orders.ts';
import { withContext } from './orders.ts';
import { say } from './print.ts';

export function registerFirst(reconcile: Command, openContext: OpenOrdersContext): void {
  reconcile
    .command('first')
    .description(
      'no refund and no answer before service and processor have been asked; after a restore',
    )
    .action(async () => {
      await withContext(openContext, async ({ db, clock, organisationId }) => {
        const nowMs = clock.nowMs();
        await inTransaction(db, (trx) =>
          beginRecoveryCheck(trx, organisationId, { reason: 'asked', aliveMs: null, nowMs }),
        );
        say(
          'Refunds and answers wait until the service has been polled and the processor asked about every open alert. The System page, and /readyz on a private port, tell what they wait for.',
        );
      });
    });
}
