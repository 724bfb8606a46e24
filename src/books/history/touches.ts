/**
 * Whether something the service tells us about concerns a charge, and how surely.
 *
 * Lookups, representments and scheme notices arrive without a match of ours. They name the charge by
 * reference; or by ARN, which is recycled and therefore needs the card's digits or the date beside it;
 * or, a scheme notice, by card, amount and date, which two equal purchases share.
 */

import {
  sameBin,
  usableArn,
  usableBin,
  usableLast4,
  utcDay,
} from '../../alerts/match/identifiers.ts';
import { DEFAULT_MATCH_SETTINGS } from '../../alerts/match/match-settings.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';

/** How an entry came to stand in the history of a charge. */
export type Link = 'reference' | 'acquirer_reference_number' | 'card_and_amount';

/** What the service's object says about its payment. Null: not told. */
export interface Told {
  readonly reference: string | null;
  readonly arn: string | null;
  readonly cardBin: string | null;
  readonly cardLast4: string | null;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** ISO 8601 or a plain date. */
  readonly date: string | null;
}

const { apartDays, exactWindowDays } = DEFAULT_MATCH_SETTINGS;

/** How `told` concerns the charge, or undefined when it does not. Pure. */
export function linkTo(charge: ChargeRecord, told: Told): Link | undefined {
  if (told.reference !== null) return told.reference === charge.reference ? 'reference' : undefined;
  const days = daysApart(charge, told.date);
  const digits = digitsVerdict(charge, told);
  if (digits === 'differ' || (days !== null && days > apartDays)) return undefined;
  const arn = usableArn(told.arn);
  const ownArn = usableArn(charge.acquirerReferenceNumber);
  if (arn !== null && ownArn !== null) {
    const backed = digits === 'agree' || days !== null;
    return arn === ownArn && backed ? 'acquirer_reference_number' : undefined;
  }
  const isSame =
    digits === 'agree' &&
    usableBin(told.cardBin) !== null &&
    told.amountMinor === charge.amountMinor &&
    told.currency === charge.currency &&
    days !== null &&
    days <= exactWindowDays;
  return isSame ? 'card_and_amount' : undefined;
}

function digitsVerdict(charge: ChargeRecord, told: Told): 'agree' | 'differ' | 'unknown' {
  const [last4, ownLast4] = [usableLast4(told.cardLast4), usableLast4(charge.cardLast4)];
  const [bin, ownBin] = [usableBin(told.cardBin), usableBin(charge.cardBin)];
  if (bin !== null && ownBin !== null && !sameBin(bin, ownBin)) return 'differ';
  if (last4 === null || ownLast4 === null) return 'unknown';
  return last4 === ownLast4 ? 'agree' : 'differ';
}

function daysApart(charge: ChargeRecord, date: string | null): number | null {
  const own = utcDay(charge.authorisedAt) ?? utcDay(charge.settledAt);
  const day = utcDay(date);
  return own === null || day === null ? null : Math.abs(own - day);
}
