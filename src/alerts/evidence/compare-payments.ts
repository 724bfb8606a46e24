/** Compares the disputed payment with earlier ones, element by element. Pure. */
import type { Ce3Rule } from './evidence-rules.ts';
import type { EarlierPayment, Element, Payment } from './payment.ts';
import { daysBetween, ELEMENTS } from './payment.ts';

/** What came of comparing one element. */
export interface ComparedElement {
  readonly element: Element;
  readonly state:
    | 'equal'
    | 'different'
    | 'too short'
    | 'missing here'
    | 'missing there'
    | 'missing on both'
    | 'no login';
}

/** Whether an earlier payment counts, and all that speaks against it. */
export interface Weighed {
  readonly counts: 'yes' | 'edge' | 'no';
  readonly reasons: readonly string[];
}

/** What to compare by. */
export interface Comparison {
  readonly rule: Ce3Rule;
  readonly emailIsLogin: boolean;
  readonly settlingDays: number;
  /** Fields that are taken as equal wherever they are missing: to find out which one is lacking. */
  readonly assume: keyof typeof ASSUMED | null;
}

/** What can be assumed, and where it is in an order: see `FIELD_OF`. */
export const ASSUMED = {
  account: 'account',
  ip: 'ip',
  address: 'address',
  device: 'device',
  fingerprint: 'fingerprint',
  product: 'product',
  descriptor: 'descriptor',
  settled: 'settled',
} as const;

/** Compares every element. */
export function compareElements(
  payment: Payment,
  earlier: Payment,
  how: Comparison,
): ComparedElement[] {
  return ELEMENTS.map((element) => ({
    element,
    state: stateOf(element, { payment, earlier }, how),
  }));
}

function stateOf(
  element: Element,
  { payment, earlier }: { payment: Payment; earlier: Payment },
  how: Comparison,
): ComparedElement['state'] {
  if (element === 'email' && !how.emailIsLogin) return 'no login';
  const here = elementOf(payment, element, how);
  const there = elementOf(earlier, element, how);
  if (here === null || there === null) {
    if (how.assume === element) return 'equal';
    if (here !== null) return 'missing there';
    return there === null ? 'missing on both' : 'missing here';
  }
  if (here !== there) return 'different';
  return isTooShort(element, payment, how) && how.assume !== element ? 'too short' : 'equal';
}

function elementOf(payment: Payment, element: Element, { rule }: Comparison): string | null {
  if (element !== 'ip' || !rule.recurring_address) return payment.values[element];
  // A later payment of a subscription is made by the merchant's machine: its own address says nothing.
  return payment.firstIp ?? payment.values.ip;
}

function isTooShort(element: Element, { traits }: Payment, { rule }: Comparison): boolean {
  if (element === 'device') return traits.deviceLength < rule.device_length;
  return element === 'fingerprint' && traits.fingerprintLength < rule.fingerprint_length;
}

/** The days between which a payment was settled. */
interface Span {
  readonly from: string;
  readonly to: string;
}

/** When a payment was settled, as far as its order says so. */
export function settledSpan({ day, traits }: Payment, settlingDays: number): Span {
  if (!traits.authorisedDay) return { from: day, to: day };
  const last = new Date(Date.parse(day) + settlingDays * 86_400_000).toISOString().slice(0, 10);
  return { from: day, to: last };
}

/** Whether its age lies within the bounds, whatever basis is given. */
export function weighAge(earlier: Payment, basis: Span, how: Comparison): Weighed {
  const { rule, settlingDays } = how;
  const settled = settledSpan(earlier, settlingDays);
  const youngest = daysBetween(settled.to, basis.from);
  const oldest = daysBetween(settled.from, basis.to);
  const words = youngest === oldest ? `${oldest} days` : `${youngest} to ${oldest} days`;
  if (youngest >= rule.certain_days.from && oldest <= rule.certain_days.to) {
    return { counts: 'yes', reasons: [] };
  }
  if (oldest < rule.days.from || youngest > rule.days.to) {
    const which = oldest < rule.days.from ? 'too young' : 'too old';
    return {
      counts: 'no',
      reasons: [`${which}: ${words}, not ${rule.days.from} to ${rule.days.to}`],
    };
  }
  return { counts: 'edge', reasons: [`at the edge: ${words}`] };
}

/** Whether it may count at all, its age apart. */
export function weighStanding(payment: Payment, earlier: EarlierPayment, how: Comparison): Weighed {
  const against = whatForbids(payment, earlier, how);
  if (against.length > 0) return { counts: 'no', reasons: against };
  const doubts = whatIsOpen(payment, earlier, how);
  return { counts: doubts.length > 0 ? 'edge' : 'yes', reasons: doubts };
}

function whatForbids(payment: Payment, earlier: EarlierPayment, { assume }: Comparison): string[] {
  const { traits, history } = earlier;
  const forbids: readonly (readonly [boolean, string])[] = [
    [traits.failed, 'it was declined, voided or for nothing'],
    [traits.disputed || history.disputed, 'it was disputed'],
    [traits.fraud || history.fraud, 'fraud was reported on it'],
    [!traits.product && assume !== 'product', 'its order does not say what was sold'],
    [
      differs(payment.descriptor, earlier.descriptor),
      `its descriptor begins with ${earlier.descriptor}, not ${payment.descriptor}`,
    ],
  ];
  return forbids.filter(([isSo]) => isSo).map(([, why]) => why);
}

function whatIsOpen(payment: Payment, earlier: EarlierPayment, { assume }: Comparison): string[] {
  const isHeadMissing = payment.descriptor === null || earlier.descriptor === null;
  const open: readonly (readonly [boolean, string])[] = [
    [!earlier.traits.settled && assume !== 'settled', 'its order does not say that it was settled'],
    [earlier.history.revoked, 'a report on it was taken back'],
    [isHeadMissing && assume !== 'descriptor', 'a descriptor is not known'],
  ];
  return open.filter(([isSo]) => isSo).map(([, why]) => why);
}

function differs(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}
