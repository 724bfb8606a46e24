/**
 * Whether a refund fits under the caps. Pure: what was sent comes in, a refusal or nothing goes out.
 *
 * Caps hold for everybody, policy and operator alike. A cap on money that does not name the refund's
 * currency does not cover it, so a person is asked rather than nothing checked.
 */

import type { Money } from '../../base/kernel/money.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { Caps, WindowCap } from './guard-settings.ts';

/** What was sent in a window: how many refunds, and minor units by currency. */
export interface Sent {
  readonly count: number;
  readonly amountMinor: Readonly<Record<string, number>>;
}

/** The refund in question, with what was sent before it. */
export interface CapQuestion {
  readonly refund: Money;
  /** Keys used on this charge before, and what of ours went back on it. */
  readonly charge: Sent;
  readonly hour: Sent;
  readonly day: Sent;
  /** Undefined: whose charge it is is not known. */
  readonly customer: Sent | undefined;
}

/** The cap that the refund would break, or undefined. */
export function brokenCap(caps: Caps, question: CapQuestion): HoldReason | undefined {
  const { refund } = question;
  return (
    broken(caps.charge, { refund, sent: question.charge, reason: 'charge_limit' }) ??
    brokenForCustomer(caps, question) ??
    broken(caps.hour, { refund, sent: question.hour, reason: 'hourly_limit' }) ??
    broken(caps.day, { refund, sent: question.day, reason: 'daily_limit' })
  );
}

function brokenForCustomer(
  { customer: cap }: Caps,
  { refund, customer }: CapQuestion,
): HoldReason | undefined {
  if (cap === undefined) return undefined;
  if (customer === undefined) return 'customer_unknown';
  return broken(cap, { refund, sent: customer, reason: 'customer_limit' });
}

function broken(
  cap: WindowCap | undefined,
  { refund, sent, reason }: { refund: Money; sent: Sent; reason: HoldReason },
): HoldReason | undefined {
  if (cap?.count !== undefined && sent.count + 1 > cap.count) return reason;
  if (cap?.amountMinor === undefined) return undefined;
  const limitMinor = cap.amountMinor[refund.currency];
  if (limitMinor === undefined) return 'currency_unlimited';
  const totalMinor = (sent.amountMinor[refund.currency] ?? 0) + refund.amountMinor;
  return totalMinor > limitMinor ? reason : undefined;
}
