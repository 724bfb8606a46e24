/**
 * Orders on their way into their rows and back: what names the customer is sealed where this process has
 * a key to seal with. References, states and readiness stay in clear, because the feed works by them.
 */
import type { Insertable } from 'kysely';
import type { DataKey, DataKeys } from '../base/kernel/data-keys.ts';
import type { CustomerField } from '../base/seal/customer-index.ts';
import { customerIndex } from '../base/seal/customer-index.ts';
import { ERASED } from '../base/seal/redact.ts';
import type { SealPlace } from '../base/seal/seal.ts';
import { openJson, sealJson } from '../base/seal/seal.ts';
import type { OrderKey } from './nested-reference.store.ts';
import type { OrderRecordTable } from './order.table.ts';
import type { OrderBody } from './order-body.ts';

/** The sealed columns. */
export type OrderColumn = 'submitted' | 'body';

/** The place of a column of an order. */
export function placeOfOrder(
  { organisationId, integrationId, referenceId }: OrderKey,
  column: OrderColumn,
): SealPlace {
  return { organisationId, table: 'order_record', column, row: [integrationId, referenceId] };
}

type WrittenColumns = Pick<
  Insertable<OrderRecordTable>,
  'submitted' | 'body' | 'email_hmac' | 'account_hmac'
>;

/** What differs from the given JSON in the columns as they are written. Empty without keys. */
export function sealOrder(
  keys: DataKeys | undefined,
  order: OrderKey,
  plain: { readonly submitted?: string | undefined; readonly body?: string | undefined },
): Partial<WrittenColumns> {
  if (keys === undefined) return {};
  const { submitted, body } = plain;
  const key = keys.sealing;
  if (key === undefined) return body === undefined ? {} : { email_hmac: null, account_hmac: null };
  const columns: Partial<WrittenColumns> = {};
  if (submitted !== undefined) {
    columns.submitted = sealJson(key, placeOfOrder(order, 'submitted'), submitted);
  }
  if (body !== undefined) {
    columns.body = sealJson(key, placeOfOrder(order, 'body'), body);
    Object.assign(columns, customerColumns(key, order.organisationId, body));
  }
  return columns;
}

/** The keyed hashes by which the orders of a customer are found. */
function customerColumns(
  key: DataKey,
  organisationId: string,
  body: string,
): Pick<WrittenColumns, 'email_hmac' | 'account_hmac'> {
  const order: unknown = JSON.parse(body);
  const hmacOf = (field: CustomerField): Buffer | null => {
    const value = textOf(order, field);
    // Erased customers must not all become one and the same customer.
    return value === null || value === ERASED
      ? null
      : customerIndex(key, { organisationId, field, value });
  };
  return { email_hmac: hmacOf('customer_email'), account_hmac: hmacOf('customer_account_id') };
}

function textOf(body: unknown, field: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value = Object.entries(body).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : null;
}

/** What names an order's row, of its columns. */
interface RowKey {
  readonly integration_id: string;
  readonly reference_id: string;
}

function keyOf(organisationId: string, row: RowKey): OrderKey {
  return {
    organisationId,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
  };
}

/**
 * A row with its body opened.
 *
 * @throws as `openBytes` where it is sealed
 */
export function openBodyOf<Row extends RowKey & { readonly body: OrderBody }>(
  keys: DataKeys | undefined,
  organisationId: string,
  row: Row,
): Row {
  const place = placeOfOrder(keyOf(organisationId, row), 'body');
  return { ...row, body: openJson<OrderBody>(keys, place, row.body) };
}

/** A whole row with both columns opened. */
export function openOrder<
  Row extends RowKey & {
    readonly organisation_id: string;
    readonly body: OrderBody;
    readonly submitted: unknown;
  },
>(keys: DataKeys | undefined, row: Row): Row {
  const place = placeOfOrder(keyOf(row.organisation_id, row), 'submitted');
  return {
    ...openBodyOf(keys, row.organisation_id, row),
    submitted: openJson(keys, place, row.submitted),
  };
}
