/**
 * What follows for a case when its movement did not go through: by the class of the refusal, or by why
 * nothing was sent. Pure.
 *
 * A refusal proves that nothing executed, and concedes nothing: what may pass is tried again until the
 * policy's fallback is due, and the fallback applies at its own moment (`when_refused: accept` alone
 * concedes at once).
 */

import type { FailureClass } from '../../service/wire/processor.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { isHoldReason } from '../cases/hold-reason.ts';
import { ANOTHER_AMOUNT } from '../ledger/ledger.ts';
import { ladderMs } from './retry-ladder.ts';

/** What becomes of the case. */
export interface RefusalRuling {
  readonly reason: HoldReason;
  /** When it is tried again, in milliseconds from now; null: not by itself. */
  readonly againMs: number | null;
  /** Whether the dispute is accepted at once, because a rule says so. */
  readonly accepts: boolean;
}

/** A movement that came to nothing. */
export interface Refused {
  readonly state: 'REJECTED' | 'NOT_SENT';
  readonly code: string | null;
  readonly failureClass: FailureClass | null;
  /** Keys the charge has used: how often it was tried. */
  readonly round: number;
}

/** Rules. `random` from 0 up to, not including, 1. */
export function ruleRefusal(
  refused: Refused,
  { acceptsFinal, random }: { readonly acceptsFinal: boolean; readonly random: number },
): RefusalRuling {
  const { state, code, failureClass, round } = refused;
  if (state === 'NOT_SENT') {
    const reason = code !== null && isHoldReason(code) ? code : 'refund_not_sent';
    return { reason, againMs: WAITS_FOR_A_PERSON.has(reason) ? null : NOT_SENT_MS, accepts: false };
  }
  switch (failureClass) {
    case 'final':
      return { reason: 'refund_rejected', againMs: null, accepts: acceptsFinal };
    case 'done':
      // Sending again would only be refused again: the routine readings find what there is.
      return {
        reason: code === ANOTHER_AMOUNT ? 'part_went_back' : 'refunded_elsewhere',
        againMs: null,
        accepts: false,
      };
    case 'retry':
    case 'ours':
    case null:
      return { reason: 'refund_refused', againMs: ladderMs(round, { random }), accepts: false };
  }
}

/** A cap's window, or a breaker, is looked at again this often, in milliseconds. */
const NOT_SENT_MS = 5 * 60_000;

/** Their cause ends with what a person does, which wakes the case. */
const WAITS_FOR_A_PERSON: ReadonlySet<HoldReason> = new Set([
  'approval_declined',
  'approval_needed',
  'paused',
  'charge_limit',
]);
