/**
 * What the sender and the updater work with.
 */
import type { Installation } from '../base/db/database.ts';
import type { BackoffOptions } from '../base/kernel/backoff.ts';
import type { FeedOrders } from './feed-orders.ts';

export interface FeedDeps extends Installation {
  readonly orders: FeedOrders;
  /** Ends waits for the budget and calls under way when the process stops. */
  readonly signal?: AbortSignal;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: () => number;
}

/** Waits of one order, or one part, between attempts. */
export const ORDER_RETRY: BackoffOptions = { baseMs: 1_000, maxMs: 5 * 60_000 };

/** Waits of a whole drain while the service does not answer. */
export const DRAIN_RETRY: BackoffOptions = { baseMs: 1_000, maxMs: 60_000 };

/** Wait after the service refused our key or our address, in milliseconds. */
export const ACCESS_RETRY_MS = 60_000;

/** The random source as {@link backoffMs} takes it. */
export function randomOf(deps: FeedDeps): Pick<BackoffOptions, 'random'> {
  return deps.random === undefined ? {} : { random: deps.random };
}
