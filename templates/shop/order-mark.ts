/**
 * What an event of Forestall says about an order of your shop, and how marks of several events go together.
 *
 * Each refund and each dispute has a mark of its own on the order, with the position of the event that it came from: an event
 * that comes twice changes nothing, and an older one does not undo a newer one.
 */
import type { ForestallEvent } from 'forestall/events';

export type OrderState =
  | 'refunded'
  | 'refund_failed'
  | 'refunded_by_network'
  | 'network_refund_open'
  | 'network_refund_reversed'
  | 'disputed'
  | 'dispute_won'
  | 'dispute_lost'
  | 'dispute_closed';

export interface OrderMark {
  /** The refund or the dispute. Letters, digits, `_` and `-`. */
  readonly subject: string;
  /** As your order mapper gave it; null where Forestall knows no order. */
  readonly orderReference: string | null;
  /** Of the payment at the processor. */
  readonly chargeReference: string | null;
  readonly state: OrderState;
  /** Of the event in its stream. */
  readonly position: number;
  /** For the people of the shop. */
  readonly note: string;
  readonly eventId: string;
  /** What went back, in minor units; null where it is not known. */
  readonly amountMinor: number | null;
}

/** The types that say something about an order: for `types` of the endpoint. */
export const SHOP_EVENTS = [
  'refund.confirmed',
  'refund.failed_late',
  'network_refund.recorded',
  'dispute.opened',
  'dispute.closed',
] as const;

const NETWORK: Readonly<Record<string, OrderState>> = {
  CONFIRMED: 'refunded_by_network',
  REVERSED: 'network_refund_reversed',
};

const DISPUTES: Readonly<Record<string, OrderState>> = {
  WON: 'dispute_won',
  LOST: 'dispute_lost',
};

/** What the event says about an order; undefined where it says nothing. */
export function markOf(event: ForestallEvent): OrderMark | undefined {
  switch (event.type) {
    case 'refund.confirmed':
      return ofMoney(event, 'refunded');
    case 'refund.failed_late':
      return ofMoney(event, 'refund_failed');
    case 'network_refund.recorded':
      return ofMoney(event, NETWORK[event.data.state] ?? 'network_refund_open');
    case 'dispute.opened':
      return ofDispute(event, 'disputed');
    case 'dispute.closed':
      return ofDispute(event, DISPUTES[event.data.status ?? ''] ?? 'dispute_closed');
    default:
      return undefined;
  }
}

type MoneyEvent = Extract<
  ForestallEvent,
  { type: 'refund.confirmed' | 'refund.failed_late' | 'network_refund.recorded' }
>;
type DisputeEvent = Extract<ForestallEvent, { type: 'dispute.opened' | 'dispute.closed' }>;

function ofMoney(event: MoneyEvent, state: OrderState): OrderMark {
  const { movement_id: movement, amount_minor: amountMinor } = event.data;
  return { ...common(event), subject: wordOf(movement), state, amountMinor };
}

function ofDispute(event: DisputeEvent, state: OrderState): OrderMark {
  return { ...common(event), subject: wordOf(event.data.dispute_id), state, amountMinor: null };
}

function common(
  event: MoneyEvent | DisputeEvent,
): Pick<OrderMark, 'orderReference' | 'chargeReference' | 'position' | 'note' | 'eventId'> {
  const { order_reference: order, charge_reference: charge } = event.data;
  return {
    orderReference: order ?? null,
    chargeReference: charge ?? null,
    position: event.position,
    note: event.sentence,
    eventId: event.id,
  };
}

function wordOf(id: string): string {
  return id.replaceAll(/[^\w-]/g, '_').slice(0, 40);
}

/** A mark as the shop keeps it: `12 refunded`. */
export function markText({ position, state }: Pick<OrderMark, 'position' | 'state'>): string {
  return `${position} ${state}`;
}

/** Subject → mark, as the shop has them. */
export type KeptMarks = ReadonlyMap<string, { readonly position: number; readonly state: string }>;

/** Reads what the shop keeps; what is no mark is left out. */
export function readMarks(kept: Iterable<readonly [subject: string, text: unknown]>): KeptMarks {
  return new Map(
    [...kept].flatMap(([subject, text]) => {
      const [, position, state] = /^(\d{1,15}) (\w+)$/.exec(String(text)) ?? [];
      if (position === undefined || state === undefined) return [];
      return [[subject, { position: Number(position), state }] as const];
    }),
  );
}

/** Whether the mark is newer than what the shop has of its subject. */
export function isNews(kept: KeptMarks, { subject, position }: OrderMark): boolean {
  return position > (kept.get(subject)?.position ?? 0);
}

/**
 * The words for the whole order, with this mark, sorted. Where the network refunded, no dispute of the order is lost: the
 * merchant answered none, and the customer has the money.
 */
export function wordsWith(kept: KeptMarks, mark: OrderMark): string[] {
  const all = statesWith(kept, mark);
  if (all.has('refunded_by_network') && all.delete('dispute_lost')) all.add('dispute_closed');
  return [...all].sort();
}

/** The sentence for people, with this mark: it says as little of a lost dispute as the words do. */
export function noteWith(kept: KeptMarks, mark: OrderMark): string {
  const isRefunded = statesWith(kept, mark).has('refunded_by_network');
  return mark.state === 'dispute_lost' && isRefunded
    ? `Dispute ${mark.subject} was closed: refunded by the network.`
    : mark.note;
}

function statesWith(kept: KeptMarks, mark: OrderMark): Set<string> {
  const states = new Map([...kept].map(([subject, { state }]) => [subject, state]));
  return new Set(states.set(mark.subject, mark.state).values());
}

/** One after the other for each order: two events about one order read and write the same words. */
export function createTurns(): <Result>(
  order: string,
  act: () => Promise<Result>,
) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return async (order, act) => {
    const before = last.get(order) ?? Promise.resolve();
    const turn = before.then(act, act);
    last.set(order, turn);
    try {
      return await turn;
    } finally {
      if (last.get(order) === turn) last.delete(order);
    }
  };
}
