/**
 * Reads from the service's answer what it says about each order of a batch. Pure.
 *
 * Created orders are known by their reference, refused ones by their index. An order the answer does
 * not mention has an unknown fate and is sent again.
 */
import type { OrderCreateResult, OrderError } from '../service/wire/order.ts';

/** What is needed of an order that was sent. */
export interface SentOrder {
  readonly integration_id: string;
  readonly reference_id: string;
}

export type Fate<Sent> =
  | { readonly kind: 'created'; readonly order: Sent; readonly orderId: string }
  | { readonly kind: 'refused'; readonly order: Sent; readonly error: OrderError }
  | { readonly kind: 'unmentioned'; readonly order: Sent };

/** One fate per order of `batch`, in its order. References differ within a batch. */
export function readCreateResult<Sent extends SentOrder>(
  batch: readonly Sent[],
  result: OrderCreateResult,
): Fate<Sent>[] {
  const errors = new Map<string, OrderError>();
  for (const error of result.errors) {
    const named = batch.find((order) => order.reference_id === error.reference_id);
    const order = named ?? batch[error.index];
    if (order !== undefined) errors.set(order.reference_id, error);
  }
  const created = new Map<string, string>();
  for (const order of result.results) {
    if (typeof order.reference_id === 'string') created.set(order.reference_id, order.id);
  }
  return batch.map((order) => {
    const orderId = created.get(order.reference_id);
    if (orderId !== undefined) return { kind: 'created', order, orderId };
    const error = errors.get(order.reference_id);
    return error === undefined ? { kind: 'unmentioned', order } : { kind: 'refused', order, error };
  });
}
