/**
 * A charge as one account: what was captured, each movement of money with the disputes it answers, what
 * is left, and what is not known yet. Pure.
 */

import type { Money } from '../../base/kernel/money.ts';
import type { Dispute, Ledger, Movement } from './ledger.ts';
import { capturedMinor, coverOf, isOurs, mayHaveExecuted, outMinor } from './ledger.ts';
import type { DisputeMention } from './named-dispute.store.ts';

/** The sums, in minor units of the charge's currency. */
export interface AccountMoney {
  readonly currency: string;
  /** Null: only authorised, declined or released, so that nothing can go back. */
  readonly capturedMinor: number | null;
  /** Went back by our own doing. */
  readonly oursMinor: number;
  /** Went back by others: support, the network, the issuer. */
  readonly othersMinor: number;
  /** May go back, or may have gone: sent, unanswered, pending, or held for a person. */
  readonly uncertainMinor: number;
  /** What another refund could move at most. */
  readonly leftMinor: number;
}

export interface AccountDispute extends Dispute {
  readonly coveredMinor: number;
  readonly missingMinor: number;
  /** Notices and representments that speak of it. */
  readonly mentions: readonly DisputeMention[];
}

export interface Account {
  /** Undefined: the charge's currency is not known. */
  readonly money: AccountMoney | undefined;
  /** Oldest first. */
  readonly movements: readonly Movement[];
  readonly disputes: readonly AccountDispute[];
}

export interface AccountSources {
  readonly ledger: Ledger;
  /** The payment as it was reported to us: for charges the processor was never asked about. */
  readonly charge: Money | undefined;
  readonly mentions: readonly DisputeMention[];
}

export function accountOf({ ledger, charge, mentions }: AccountSources): Account {
  const fromCharge = { status: 'captured', amountMinor: charge?.amountMinor ?? null } as const;
  const known: Ledger = {
    ...ledger,
    ...(ledger.status === null && ledger.amountMinor === null ? fromCharge : {}),
    currency: ledger.currency ?? charge?.currency ?? null,
  };
  return {
    money: moneyOf(known),
    movements: known.movements,
    disputes: known.disputes.map((dispute) => {
      const coveredMinor = coverOf(known, dispute.id, false);
      const missingMinor = Math.max(0, dispute.amountMinor - coveredMinor);
      const own = mentions.filter((each) => each.dispute_id === dispute.id);
      return { ...dispute, coveredMinor, missingMinor, mentions: own };
    }),
  };
}

function moneyOf(ledger: Ledger): AccountMoney | undefined {
  const { currency, status, movements } = ledger;
  if (currency === null) return undefined;
  const settled = movements.filter(({ state }) => state === 'CONFIRMED');
  const isCaptured = status === 'captured' && ledger.amountMinor !== null;
  return {
    currency,
    capturedMinor: isCaptured ? ledger.amountMinor : null,
    oursMinor: sum(settled.filter(isOurs)),
    othersMinor: sum(settled.filter((movement) => !isOurs(movement))),
    uncertainMinor: sum(movements.filter(isUncertain)),
    leftMinor: Math.max(0, capturedMinor(ledger) - outMinor(ledger)),
  };
}

/** Whether its money may have gone back, and that is not known yet. */
export function isUncertain(movement: Movement): boolean {
  return mayHaveExecuted(movement) && movement.state !== 'CONFIRMED';
}

function sum(movements: readonly Movement[]): number {
  return movements.reduce((total, { amountMinor }) => total + amountMinor, 0);
}
