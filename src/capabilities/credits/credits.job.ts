/**
 * Finds credit claims: judges alerts that the database marked (a case closed, an alert was withdrawn, somebody
 * else's money showed), and lets claims expire. A claim that a person has touched is theirs; one that was not touched
 * follows the rows, and goes when its reason goes.
 */
import type { Installation, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { counted } from '../../base/kernel/counted.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { endClaims, storeClaim, takeDueAlerts } from './credit-claim.store.ts';
import { creditOf } from './credit-class.ts';
import { readCreditFacts } from './credit-facts.store.ts';
import type { WindowRule } from './credit-windows.ts';
import { windowOf } from './credit-windows.ts';

/** Marks taken in one round; the next one continues. */
export const CREDIT_BATCH = 200;

/** How long before the end of their window people are notified of claims that were not sent, in milliseconds. */
const WARNED_MS = 3 * 86_400_000;

export interface CreditDeps extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  readonly windows: readonly WindowRule[];
}

/** Creates the round. Returns how many marks it took and claims it let expire. */
export function createCredits(deps: CreditDeps): { runOnce(): Promise<number> } {
  const { db, clock, organisationId } = deps;
  return {
    async runOnce(): Promise<number> {
      const now = nowDate(clock);
      return await inTransaction(db, async (trx) => {
        const { marked, alertIds } = await takeDueAlerts(trx, organisationId, CREDIT_BATCH);
        const groundless = marked > 0 ? await judge(trx, deps, { alertIds, now }) : [];
        const before = new Date(now.getTime() + WARNED_MS);
        const { expired, ending } = await endClaims(trx, {
          organisationId,
          groundless,
          now,
          before,
        });
        if (ending > 0) await warn(trx, organisationId, { ending, now });
        return marked + expired;
      });
    },
  };
}

/** Keeps the claims of these alerts, and returns the alerts that have no reason for one. */
async function judge(
  trx: Trx,
  { organisationId, windows }: CreditDeps,
  { alertIds, now }: { readonly alertIds: readonly string[]; readonly now: Date },
): Promise<string[]> {
  const groundless: string[] = [];
  for (const facts of await readCreditFacts(trx, organisationId, alertIds)) {
    const { alertId, alertedAt, enrolmentType: network } = facts;
    const finding = creditOf(facts);
    if (finding === undefined) {
      groundless.push(alertId);
      continue;
    }
    const window = windowOf(windows, { network, class: finding.class, alertedAt });
    await storeClaim(trx, { organisationId, alertId, alertedAt, network, finding, window, now });
  }
  return groundless;
}

/** Once a day, while there are such claims. */
async function warn(
  trx: Trx,
  organisationId: string,
  { ending, now }: { readonly ending: number; readonly now: Date },
): Promise<void> {
  const day = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  await notify(trx, {
    organisationId,
    dedupeKey: `credits_ending:${day}`,
    kind: 'credits_ending',
    severity: 'warning',
    text: `${counted(ending, 'credit claim')} can be sent for less than three days more. Export them on the page Credits, send them to your provider, and mark them as sent.`,
    at: now,
  });
}
