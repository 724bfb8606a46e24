/**
 * Orders whose customer was erased: our copy holds less than the service's, on purpose. They are
 * neither compared nor repaired, and the word that replaces what was erased is never sent.
 */

import { sql } from 'kysely';
import { isRecord } from '../base/kernel/is-record.ts';
import { ERASED } from '../base/seal/redact.ts';
import type { OrderUpdate } from '../service/wire/order-update.ts';
import type { OrderRow } from './order.store.ts';

/** Whether the order's customer was erased. Version 0.1.0 noted it in the order's own words only. */
export function isErased(row: Pick<OrderRow, 'erased_at' | 'body'>): boolean {
  const { customer_email, order_email } = row.body;
  return row.erased_at !== null || customer_email === ERASED || order_email === ERASED;
}

/** The same as a condition on `order_record o`. */
export const isErasedSql = sql<boolean>`(o.erased_at is not null
  or coalesce(${ERASED} in (o.body->>'customer_email', o.body->>'order_email'), false))`;

/** The update without what was erased, and without what is empty for that. */
export function withoutErased(update: OrderUpdate): OrderUpdate {
  const strip = (_name: string, value: unknown): unknown => {
    if (value === ERASED) return undefined;
    // An element that was taken out left a gap.
    if (Array.isArray(value)) return value.filter(() => true);
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    return isEmpty ? undefined : value;
  };
  return JSON.parse(JSON.stringify(update), strip) ?? {};
}
