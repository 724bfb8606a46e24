/** What became of a payment: whether it took money, by the order, the processor and our own releases. Pure. */
import type { Money } from '../../base/kernel/money.ts';

/** `unknown`: no row says it. `contradicted`: rows say different things. */
export type Standing =
  | 'taken'
  | 'authorised'
  | 'declined'
  | 'released'
  | 'unknown'
  | 'contradicted';

/** A charge as the processor last showed it. */
export interface ShownCharge {
  readonly status: string | null;
  /** What was captured, or authorised while nothing is captured. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
}

export interface PaymentRows {
  /** As the order says. */
  readonly charge: Money & { readonly settledAt: string | null };
  /** The transaction's `authorisation_status`. */
  readonly status: string | null;
  /** Undefined: the processor was never asked. */
  readonly shown: ShownCharge | undefined;
  /** Whether its authorisation was released by us or somebody else. `perhaps`: a release without an answer. */
  readonly released: 'yes' | 'perhaps' | 'no';
  readonly now: Date;
}

const DECLINED = /^(?:DECLIN|FAIL|REFUS|REJECT|ERROR|DENIED|BLOCKED)/i;
const RELEASED = /^(?:VOID|CANCEL|REVERS|EXPIR|RELEASED)/i;
const TAKEN =
  /^(?:SETTLED|CAPTURED|CLEARED|PAID|SUCCEEDED|COMPLETED?|REFUNDED|PARTIALLY_REFUNDED)$/i;
const AUTHORISED = /^(?:AUTHORI[SZ]ED|APPROVED|UNCAPTURED|REQUIRES_CAPTURE)$/i;

const SHOWN: Readonly<Record<string, Standing>> = {
  captured: 'taken',
  authorised: 'authorised',
  declined: 'declined',
  voided: 'released',
};

export function standingOf(rows: PaymentRows): Standing {
  if (rows.released === 'perhaps') return 'contradicted';
  const said = saidByOrder(rows);
  const shown = SHOWN[rows.shown?.status ?? ''] ?? 'unknown';
  const released: Standing = rows.released === 'yes' ? 'released' : 'unknown';
  const all = new Set([said, shown, released]);
  all.delete('unknown');
  // An authorisation comes first: the processor's later word, or a release, goes before the order's.
  if (said === 'authorised' && (shown === 'taken' || shown === 'released'))
    all.delete('authorised');
  if (released === 'released' && shown !== 'taken') all.delete('authorised');
  const [one, ...more] = all;
  return more.length > 0 ? 'contradicted' : (one ?? 'unknown');
}

function saidByOrder({ status, charge, now }: PaymentRows): Standing {
  const text = status ?? '';
  const isSettled = charge.settledAt !== null && Date.parse(charge.settledAt) <= now.getTime();
  const failed = (DECLINED.test(text) && 'declined') || (RELEASED.test(text) && 'released');
  if (failed) return isSettled ? 'contradicted' : failed;
  if (TAKEN.test(text) || isSettled) return 'taken';
  return AUTHORISED.test(text) ? 'authorised' : 'unknown';
}

/**
 * What it took: the processor's word before the order's. Null where it took nothing, where that is not known, or where the two
 * name different currencies.
 */
export function takenBy(rows: PaymentRows): Money | null {
  if (standingOf(rows) !== 'taken') return null;
  const { shown, charge } = rows;
  if (shown?.status !== 'captured' || shown.amountMinor === null || shown.currency === null) {
    return charge.amountMinor > 0
      ? { amountMinor: charge.amountMinor, currency: charge.currency }
      : null;
  }
  if (shown.currency !== charge.currency || shown.amountMinor === 0) return null;
  return { amountMinor: shown.amountMinor, currency: shown.currency };
}
