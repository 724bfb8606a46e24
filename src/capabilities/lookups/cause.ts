/**
 * Why a lookup was not answered, or answered and did not deflect its dispute. Pure.
 *
 * The causes are asked in the order in which an order travels: whether it was handed in, taken, in time, whole, found,
 * and only then whether its evidence was enough. The first that applies is the cause.
 */
import type { OrderState } from '../../orders/order-state.ts';
import type { Programme } from '../../orders/programme.ts';

export const CAUSES = {
  order_not_sent: {
    title: 'Order not sent',
    next: 'Hand the order in with the payment: look whether all shops and channels feed their orders.',
  },
  sent_late: {
    title: 'Order sent late',
    next: 'Hand orders in when the payment is made, not with the night’s batch.',
  },
  refused: {
    title: 'Order refused by the service',
    next: 'See the reason with "forestall orders status", correct the order, and hand it in again.',
  },
  field_missing: {
    title: 'A field is missing',
    next: 'Add the field to the order feed: most fields cannot be added later.',
  },
  matched_elsewhere: {
    title: 'Matched with another payment',
    next: 'Send the acquirer reference and the descriptor with every payment, so that only one fits.',
  },
  no_evidence_pair: {
    title: 'No two earlier payments as evidence',
    next: 'Nothing for this customer. For others: send customer, device and address with every order.',
  },
  timed_out: {
    title: 'The network’s time ran out',
    next: 'Nothing of ours: the order was known and whole. Ask the service when it continues.',
  },
  unexplained: {
    title: 'Not explained by our rows',
    next: 'The order was known, whole and in time. Ask the service why, with the lookup’s id.',
  },
} as const;
export type CauseName = keyof typeof CAUSES;

/** A cause, with what it names: a field, a code, a reference, a span. */
export interface Cause {
  readonly cause: CauseName;
  readonly detail: string;
}

export interface LookupOrder {
  readonly state: OrderState;
  /** The service holds it. */
  readonly isCreated: boolean;
  /** When the service took it; null until then. */
  readonly knownAt: Date | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
  /** Fields that each programme lacks. */
  readonly missing: Readonly<Record<string, readonly string[] | undefined>>;
}

export interface LookupFacts {
  readonly type: string;
  readonly isAnswered: boolean;
  readonly isTimeout: boolean;
  readonly createdAt: Date;
  /** The payment that the service matched; null: none. */
  readonly matchedReference: string | null;
  /** The payment that the lookup's own identifiers lead to in our index; null: none. */
  readonly chargeReference: string | null;
  /** It names an acquirer reference, a code with a card, or a card with its amount. */
  readonly hasIdentifiers: boolean;
  /** Null: our index names no order for the payment, or there is no such order. */
  readonly order: LookupOrder | null;
  /** Undisputed payments of the same BIN and last four, 120 to 365 days before: the most there can be of this card. */
  readonly earlierPayments: number;
}

/** Programmes whose fields a lookup of a type needs. */
const NEEDS: Readonly<Record<string, readonly Programme[]>> = {
  NETA_CONSUMER_CLARITY: ['receipt-neta'],
  NETA_FIRST_PARTY_TRUST: ['first-party-trust'],
  NETB_ORDER_INSIGHT: ['receipt-netb'],
  NETB_COMPELLING_EVIDENCE_3: ['compelling-evidence'],
};

/** Types whose deflection takes two earlier payments. */
const PAIRED: ReadonlySet<string> = new Set(['NETB_ORDER_INSIGHT', 'NETB_COMPELLING_EVIDENCE_3']);

/** Two are needed. */
const PAIR = 2;

export function causeOf(facts: LookupFacts): Cause {
  const { matchedReference, chargeReference, order } = facts;
  if (matchedReference !== null && matchedReference !== chargeReference) {
    const ours = chargeReference === null ? 'none of ours' : chargeReference;
    return { cause: 'matched_elsewhere', detail: `${matchedReference}, and not ${ours}` };
  }
  if (order === null) {
    const detail =
      chargeReference ??
      (facts.hasIdentifiers
        ? 'no payment of ours fits'
        : 'the lookup names nothing to find the payment by');
    return {
      cause: facts.hasIdentifiers || chargeReference !== null ? 'order_not_sent' : 'unexplained',
      detail,
    };
  }
  return causeOnTheWay(order, facts) ?? causeAtTheService(order, facts);
}

function causeOnTheWay(order: LookupOrder, { createdAt }: LookupFacts): Cause | undefined {
  const { state, isCreated, knownAt, errorCode, reason } = order;
  if (state === 'REFUSED') {
    return errorCode === 'MISSING_FIELD'
      ? { cause: 'field_missing', detail: reason ?? errorCode }
      : { cause: 'refused', detail: errorCode ?? reason ?? 'no code' };
  }
  if (state === 'HELD') return { cause: 'field_missing', detail: reason ?? 'held back' };
  if (!isCreated || knownAt === null) return { cause: 'order_not_sent', detail: `still ${state}` };
  const lateMs = knownAt.getTime() - createdAt.getTime();
  return lateMs > 0
    ? { cause: 'sent_late', detail: `${spanText(lateMs)} after the lookup` }
    : undefined;
}

function causeAtTheService({ missing }: LookupOrder, facts: LookupFacts): Cause {
  const { type, isAnswered, isTimeout, earlierPayments } = facts;
  const needed: readonly Programme[] =
    isAnswered && PAIRED.has(type) ? ['compelling-evidence'] : (NEEDS[type] ?? []);
  const gaps = needed.flatMap((programme) => missing[programme] ?? []);
  if (gaps.length > 0) return { cause: 'field_missing', detail: gaps.join(', ') };
  if (isAnswered && PAIRED.has(type) && earlierPayments < PAIR) {
    return { cause: 'no_evidence_pair', detail: `${earlierPayments} of ${PAIR} earlier payments` };
  }
  return isTimeout
    ? { cause: 'timed_out', detail: type }
    : { cause: 'unexplained', detail: isAnswered ? 'answered, and not deflected' : 'not answered' };
}

/** Roughly: 40 s, 12 min, 5 h, 3 d. */
function spanText(ms: number): string {
  const steps: readonly (readonly [number, string])[] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ];
  const [unit = 1_000, name = 's'] = steps.find(([size]) => ms >= size) ?? [];
  return `${Math.max(1, Math.round(ms / unit))} ${name}`;
}
