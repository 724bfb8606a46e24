/**
 * An order that the service holds already, handed over again with other content: what the service can change becomes
 * a change, and the rest is named.
 *
 * Shops hand over the whole order after each refund, dispute or change of status; none of these may be lost. Whether it
 * is the same order is told by its payments: a reference used for another order changes nothing here.
 */
import type { Trx } from '../base/db/database.ts';
import { nowDate } from '../base/kernel/clock.ts';
import { isRecord } from '../base/kernel/is-record.ts';
import { UPDATABLE_FIELDS } from '../service/wire/order-update.ts';
import { changeOrder } from './change-order.ts';
import { differingPaths } from './compare.ts';
import { isErased } from './erased-order.ts';
import type { IntakeContext } from './intake-context.ts';
import type { IntakeResult } from './intake-result.ts';
import type { OrderRow } from './order.store.ts';
import { keyOfRow } from './order.store.ts';
import type { OrderBody, OrderChange } from './order-body.ts';
import { orderChangeSchema } from './order-body.ts';
import { PART_ARRAYS } from './order-part.ts';

/** Changes the order as far as the service can; the order's row is locked by the caller. */
export async function meetAgain(
  trx: Trx,
  context: IntakeContext,
  { order, before }: { readonly order: OrderBody; readonly before: OrderRow },
): Promise<IntakeResult> {
  const known = {
    referenceId: before.reference_id,
    integrationId: before.integration_id,
    state: before.state,
  };
  const fields = differingPaths(before.submitted, order).filter((path) => !isChangeable(path));
  const isSame = !isErased(before) && samePayments(before.submitted, order);
  const change = isSame ? changeIn(order) : undefined;
  if (change === undefined) {
    return {
      kind: 'differs',
      ...known,
      fields: differingPaths(before.submitted, order),
      parts: [],
    };
  }
  const outcome = await changeOrder(trx, {
    order: keyOfRow(before),
    change,
    source: 'merchant',
    now: nowDate(context.clock),
    programmes: context.programmes,
    locked: { row: before, references: undefined },
  });
  const refused = outcome.kind === 'refused' ? outcome.problems.map(({ field }) => field) : [];
  const lasting = [...fields, ...refused, ...takenBack(before.submitted, order)];
  const parts = 'parts' in outcome ? outcome.parts : [];
  if (lasting.length > 0) return { kind: 'differs', ...known, fields: lasting, parts };
  if (parts.length > 0) return { kind: 'changed', ...known, parts };
  return { kind: 'unchanged', ...known, reason: before.reason, warnings: before.warnings };
}

function isChangeable(path: string): boolean {
  const [field = ''] = path.split(/[.[]/);
  return UPDATABLE_FIELDS.some((name) => name === field);
}

/** An order is known by its payments; one without any, by its reference alone. */
function samePayments(before: unknown, after: OrderBody): boolean {
  const references = (order: unknown): string =>
    JSON.stringify(referencesIn(order, 'transactions').sort());
  return references(before) === references(after);
}

function referencesIn(order: unknown, array: string): string[] {
  const entries: unknown = isRecord(order) ? order[array] : undefined;
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    const reference = isRecord(entry) ? entry['reference_id'] : undefined;
    return typeof reference === 'string' ? [reference] : [];
  });
}

/** What of the order an update can say; undefined: nothing. */
function changeIn(order: OrderBody): OrderChange | undefined {
  const said = UPDATABLE_FIELDS.flatMap((name) => {
    const value = order[name];
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [[name, value] as const];
  });
  const read = orderChangeSchema.safeParse(Object.fromEntries(said));
  return read.success ? read.data : undefined;
}

/** Entries that were handed over before and are missing now: no update takes them back. */
function takenBack(before: unknown, after: OrderBody): string[] {
  return PART_ARRAYS.flatMap((array) => {
    const kept = new Set(referencesIn(after, array));
    return referencesIn(before, array).flatMap((reference) =>
      kept.has(reference) ? [] : [`${array}[${reference}]`],
    );
  });
}
