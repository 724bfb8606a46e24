/**
 * How many orders go into the next request.
 *
 * Full batches, as long as all is well. Orders whose request failed without an answer go into ever
 * smaller ones, so that a single order that breaks the service ends up in a batch of its own; while
 * the service answers no request, one small probe is sent at a time. Pure.
 */
import { ORDERS_PER_CREATE_MAX } from '../service/wire/limits.ts';

/** Failures of one order before it is suspected. */
const FAILURES_TRUSTED = 2;

/** The largest batch an order that failed `attempts` times may travel in. */
export function companyLimit(attempts: number): number {
  return halved(Math.max(0, attempts - FAILURES_TRUSTED));
}

/** The largest batch after `streak` failed requests in a row. */
export function probeLimit(streak: number): number {
  return halved(Math.max(0, streak - 1));
}

function halved(times: number): number {
  return Math.max(1, ORDERS_PER_CREATE_MAX >> Math.min(times, 16));
}

/** What the plan needs to know of an order. */
export interface Candidate {
  readonly reference_id: string;
  readonly attempts: number;
}

/**
 * The longest beginning of `due` that may travel together. References must differ within a batch,
 * because results name the reference only.
 */
export function nextBatch<Order extends Candidate>(due: readonly Order[], limit: number): Order[] {
  const batch: Order[] = [];
  const references = new Set<string>();
  let roomFor = limit;
  for (const order of due) {
    roomFor = Math.min(roomFor, companyLimit(order.attempts));
    if (batch.length >= roomFor || references.has(order.reference_id)) break;
    references.add(order.reference_id);
    batch.push(order);
  }
  return batch;
}
