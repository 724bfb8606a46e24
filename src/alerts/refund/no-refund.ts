/** Ends of a case decided as `REFUND` whose charge shows that no refund is to be made. */
import type { Trx } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { Hold } from '../cases/hold-case.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { ACCEPT_NOTES } from '../ledger/answer-notes.ts';

/** The bank has taken the money back already. */
export async function acceptChargedBack(trx: Trx, claim: CaseRow, now: Date): Promise<void> {
  await moveCase(trx, claim, {
    to: 'DECIDED_ACCEPT',
    now,
    nextActionAt: now,
    what: 'charged back already',
    set: { answer_note: ACCEPT_NOTES.charged_back },
  });
}

type HoldAs = Pick<Hold, 'reason' | 'fallback' | 'answerNote' | 'againAt'>;

/** Money of the network that is in doubt may be taken back, or find its charge, as an acceptance may: looked at again this often, in milliseconds. */
const DOUBT_AGAIN_MS = 60 * 60_000;

/** How a case is held whose charge cannot be refunded. */
export function holdOf(reason: HoldReason, now: Date): HoldAs {
  switch (reason) {
    case 'declined':
      return { reason, fallback: 'ACCEPT_DISPUTE', answerNote: ACCEPT_NOTES.declined };
    case 'network_refund_unclear':
    case 'acceptance_unclear':
      return { reason, fallback: 'keep', againAt: new Date(now.getTime() + DOUBT_AGAIN_MS) };
    default:
      return { reason, fallback: 'keep' };
  }
}
