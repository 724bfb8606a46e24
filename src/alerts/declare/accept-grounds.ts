/**
 * Why nothing goes back to the cardholder, as the charge itself shows it: what the note of an accepted
 * dispute says, and whether the alert's price should be claimed back.
 */

import type { ProcessorCharge } from '../../service/wire/processor.ts';
import { ACCEPT_NOTE, ACCEPT_NOTES } from '../ledger/answer-notes.ts';
import { isChargedBack } from '../ledger/reading.ts';

/** What an `ACCEPT_DISPUTE` says about its charge. */
export interface AcceptGrounds {
  readonly note: string;
  /** The alert was about money that was never taken, or was taken back already. */
  readonly creditClaim: boolean;
}

/** Nothing particular is known: the merchant chose to accept. */
export const CHOSEN: AcceptGrounds = { note: ACCEPT_NOTE, creditClaim: false };

/** Reads the grounds off the charge (domain rules, section 0). */
export function acceptGroundsOf(charge: ProcessorCharge): AcceptGrounds {
  if (charge.status === 'declined') return { note: ACCEPT_NOTES.declined, creditClaim: true };
  if (charge.status === 'voided') return { note: ACCEPT_NOTES.never_captured, creditClaim: true };
  if (isChargedBack(charge)) return { note: ACCEPT_NOTES.charged_back, creditClaim: true };
  return charge.disputed ? { note: ACCEPT_NOTES.disputed, creditClaim: false } : CHOSEN;
}
