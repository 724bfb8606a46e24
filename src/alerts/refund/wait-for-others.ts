/** A refund waits for what organisations that share the processor account do on the charge. */
import type { Trx } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import { holdCase } from '../cases/hold-case.ts';
import type { OthersOnCharge } from '../guard/shared-account.store.ts';
import { othersOnCharge } from '../guard/shared-account.store.ts';
import { chargeReadingOf } from '../ledger/charge-reading.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { askAgainIn } from './ask-again.ts';
import type { SagaDeps } from './saga-deps.ts';

/** What the others do on the charge, compared with a reading of it. Holds their lock until the transaction ends. */
export async function readOthersOnCharge(
  trx: Trx,
  { sharesAccountWith: others }: SagaDeps,
  { charge, answer }: Pick<OpenedLedger, 'charge' | 'answer'>,
): Promise<OthersOnCharge> {
  return await othersOnCharge(trx, {
    charge,
    others,
    readAtMs: chargeReadingOf(answer)?.atMs,
    lookupLagSeconds: answer.capabilities.lookupLagSeconds,
  });
}

/** Whether the refund has to wait, or stops; then that is written. The charge is locked. */
export async function waitsForOthers(
  trx: Trx,
  claim: CaseRow,
  about: { readonly deps: SagaDeps } & Pick<OpenedLedger, 'charge' | 'answer'>,
): Promise<boolean> {
  const { deps } = about;
  const found = await readOthersOnCharge(trx, deps, about);
  const now = nowDate(deps.clock);
  switch (found.kind) {
    case 'nothing':
      return false;
    case 'under_way':
      await askAgainIn(trx, claim, { deps, reason: 'refund_under_way', error: found.why });
      return true;
    case 'just_sent':
      await postponeCase(trx, claim, { now, retryAt: found.shownFrom, error: found.why });
      return true;
    case 'accepted':
      await holdCase(trx, claim, { reason: 'another_alert_accepted', fallback: 'keep', now });
      return true;
  }
}
