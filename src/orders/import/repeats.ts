/**
 * What a file says twice: a reference on two lines, or a payment of two orders. Which of the two is right is not known,
 * so the earlier line counts and the later one is refused, with both lines named.
 *
 * Kept are numbers, not texts, so that a million lines take some tens of megabytes.
 */
import { hash } from 'node:crypto';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { Problem } from '../submission.ts';
import type { FileEntry } from './read-file.ts';

/** What is known of the lines before. */
export interface Repeats {
  /** Notes a line. It becomes a problem where one of its payments belongs to an order of an earlier line. */
  note(entry: FileEntry): FileEntry;
  /** The earlier line with the order's reference; undefined: it is the first. */
  firstLineOf(order: unknown): number | undefined;
}

/**
 * Creates it before the first line is read, also of an import that goes on where it was interrupted.
 *
 * @param integrationId of lines that name none
 */
export function createRepeats(integrationId: string | undefined): Repeats {
  const orders = new Map<number, number>();
  const payments = new Map<number, { readonly line: number; readonly order: number }>();
  const later = new WeakMap<object, number>();
  return {
    note(entry): FileEntry {
      if (!('order' in entry) || !isRecord(entry.order)) return entry;
      const { order, line } = entry;
      const integration = order['integration_id'] ?? integrationId;
      const own = numberOf('order', integration, order['reference_id']);
      const earlier = orders.get(own);
      if (earlier === undefined) orders.set(own, line);
      else later.set(order, earlier);
      const problems: Problem[] = [];
      for (const [index, reference] of paymentsOf(order).entries()) {
        const key = numberOf('payment', integration, reference);
        const known = payments.get(key);
        if (known === undefined) payments.set(key, { line, order: own });
        else if (known.order !== own) {
          problems.push({
            field: `transactions[${index}].reference_id`,
            problem: `stands on line ${known.line} for another order; a payment belongs to one order`,
          });
        }
      }
      return problems.length === 0 ? entry : { line, problems };
    },
    firstLineOf: (order) => (isRecord(order) ? later.get(order) : undefined),
  };
}

function paymentsOf({ transactions }: Record<string, unknown>): unknown[] {
  if (!Array.isArray(transactions)) return [];
  return transactions.flatMap((entry: unknown) => {
    const reference = isRecord(entry) ? entry['reference_id'] : undefined;
    return typeof reference === 'string' ? [reference] : [];
  });
}

/** 53 bits of a hash: two names of a million share one in one file of ten thousand. */
function numberOf(...names: readonly unknown[]): number {
  const bits = hash('sha256', JSON.stringify(names), 'buffer').readBigUInt64BE();
  return Number(bits >> 11n);
}
