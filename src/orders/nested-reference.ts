/**
 * Makes the nested references of an order unique among all orders of its integration, so that a
 * product number used as an item's reference never collides (`DUPLICATE_ITEM`).
 *
 * A reference that is the merchant's own and used once stays as it is. One that looks like a product
 * or line number, or that another order has taken, becomes `<order>:<reference>`. Pure: which ones
 * are taken is asked by the caller.
 */

import type { ReferenceKind } from './order.table.ts';
import type { OrderBody, OrderChange } from './order-body.ts';

/** Arrays whose references must be unique across orders; disputes, to be distinguished by their names. */
const UNIQUE_ARRAYS = {
  transaction: 'transactions',
  delivery: 'deliveries',
  item: 'items',
  refund: 'refunds',
  dispute: 'disputes',
} as const satisfies Record<ReferenceKind, string>;
const UNIQUE_KINDS = ['transaction', 'delivery', 'item', 'refund', 'dispute'] as const;

/** One nested reference: as the merchant gave it, and as it is sent. */
export interface NamedReference {
  readonly kind: ReferenceKind;
  readonly given: string;
  readonly reference: string;
}

/** At most this many digits or characters: a line number or size code, repeated on every order. */
const SHORT_MAX = 4;

/** The references an order would use if no other had any of them, in the order's own sequence. */
export function wishedReferences(order: OrderBody): NamedReference[] {
  const used = new Map<string, number>();
  return UNIQUE_KINDS.flatMap((kind) =>
    (order[UNIQUE_ARRAYS[kind]] ?? []).map((entry) => {
      const given = entry.reference_id;
      const generic =
        kind === 'item' || kind === 'delivery' ? isGeneric(entry, order.reference_id) : false;
      const wished = generic ? `${order.reference_id}:${given}` : given;
      const reference = firstFree(kind, wished, used);
      return { kind, given, reference };
    }),
  );
}

/** The reference to try when the wished one is another order's; `round` counts the tries from 1. */
export function ownReference(
  orderReference: string,
  wished: { readonly reference: string; readonly round: number },
): string {
  const prefix = `${orderReference}:`;
  const { reference, round } = wished;
  const own = reference.startsWith(prefix) ? reference : `${prefix}${reference}`;
  return round === 1 && own !== reference ? own : `${own}#${round + 1}`;
}

/** Whether the reference says by itself to which order it belongs: `A-17` of order `A`. */
function belongsTo(orderReference: string, given: string): boolean {
  return (
    given.startsWith(orderReference) && /^[^A-Za-z0-9]/.test(given.slice(orderReference.length))
  );
}

/** Equal to the product number, or too short to be unique. */
function isGeneric(
  entry: { reference_id: string; sku?: unknown },
  orderReference: string,
): boolean {
  const given = entry.reference_id;
  return !belongsTo(orderReference, given) && (entry.sku === given || given.length <= SHORT_MAX);
}

/** The same product on two lines: the second becomes `<reference>#2`. */
function firstFree(kind: ReferenceKind, wished: string, used: Map<string, number>): string {
  // The copies of a name are counted on, so that a thousand lines with one reference take a thousand steps.
  const key = `${kind} ${wished}`;
  let copies = used.get(key);
  if (copies === undefined) {
    used.set(key, 1);
    return wished;
  }
  do copies += 1;
  while (used.has(`${key}#${copies}`));
  used.set(key, copies);
  used.set(`${key}#${copies}`, 1);
  return `${wished}#${copies}`;
}

/**
 * The order with its nested references as sent; itself where none is another than was given. `names` holds one entry
 * per nested entry, in sequence.
 */
export function withReferences(order: OrderBody, names: readonly NamedReference[]): OrderBody {
  if (names.every(({ given, reference }) => given === reference)) return order;
  const queue = Map.groupBy(names, ({ kind }) => kind);
  const sent = (kind: ReferenceKind, index: number, given: string): string =>
    queue.get(kind)?.[index]?.reference ?? given;
  const find = createFinder(names);
  const renamed: OrderBody = { ...order };
  if (order.transactions !== undefined) {
    renamed.transactions = order.transactions.map((entry, index) => ({
      ...entry,
      reference_id: sent('transaction', index, entry.reference_id),
    }));
  }
  if (order.deliveries !== undefined) {
    renamed.deliveries = order.deliveries.map((entry, index) => ({
      ...entry,
      reference_id: sent('delivery', index, entry.reference_id),
    }));
  }
  if (order.items !== undefined) {
    renamed.items = order.items.map((entry, index) => ({
      ...entry,
      reference_id: sent('item', index, entry.reference_id),
      ...(entry.delivery_reference_id === undefined
        ? {}
        : { delivery_reference_id: find('delivery', entry.delivery_reference_id) }),
    }));
  }
  if (order.refunds !== undefined) {
    renamed.refunds = order.refunds.map((entry, index) =>
      renameRefund({ ...entry, reference_id: sent('refund', index, entry.reference_id) }, find),
    );
  }
  if (order.disputes !== undefined) {
    renamed.disputes = order.disputes.map((entry, index) => ({
      ...entry,
      reference_id: sent('dispute', index, entry.reference_id),
    }));
  }
  return renamed;
}

/** Finds the reference that is sent for one the merchant gave; unknown ones stay. */
export type ReferenceFinder = (kind: ReferenceKind, given: string) => string;

/** Creates a finder from the names of one order. Also finds by alias and by the sent form itself. */
export function createFinder(
  names: readonly (NamedReference & { readonly alias?: string | null })[],
): ReferenceFinder {
  const map = new Map<string, string>();
  for (const { kind, given, reference, alias } of names) {
    for (const name of [given, reference, alias]) {
      if (typeof name === 'string' && !map.has(`${kind} ${name}`))
        map.set(`${kind} ${name}`, reference);
    }
  }
  return (kind, given) => map.get(`${kind} ${given}`) ?? given;
}

/** A change with its nested references as sent. */
export function renameChange(change: OrderChange, find: ReferenceFinder): OrderChange {
  return {
    ...change,
    ...(change.deliveries === undefined
      ? {}
      : {
          deliveries: change.deliveries.map((entry) => ({
            ...entry,
            reference_id: find('delivery', entry.reference_id),
          })),
        }),
    ...(change.refunds === undefined
      ? {}
      : {
          refunds: change.refunds.map((entry) =>
            renameRefund({ ...entry, reference_id: find('refund', entry.reference_id) }, find),
          ),
        }),
    ...(change.disputes === undefined
      ? {}
      : {
          disputes: change.disputes.map((entry) => ({
            ...entry,
            reference_id: find('dispute', entry.reference_id),
          })),
        }),
  };
}

function renameRefund<Refund extends { original_transaction_reference_id?: string | undefined }>(
  refund: Refund,
  find: ReferenceFinder,
): Refund {
  const original = refund.original_transaction_reference_id;
  if (original === undefined) return refund;
  return { ...refund, original_transaction_reference_id: find('transaction', original) };
}
