/** Updates an order: all or nothing, a few fields only. Section Endpoints, Orders, rules for update. */
import { UPDATABLE_FIELDS } from '../../service/wire/order-update.ts';
import { reaches } from '../access.ts';
import type { Answer, Call } from '../http/route.ts';
import { ok, param } from '../http/route.ts';
import type { RefusalEntry } from '../refusal.ts';
import { invalid, Refusal, readInput, refusal } from '../refusal.ts';
import { nowIso } from '../sandbox-context.ts';
import type { OrderChanges, OrderInput, OrderRecord } from '../state/orders.ts';
import { orderChanges } from '../state/orders.ts';
import type { State } from '../state/state.ts';
import { indexOrder, nestedKeys, showOrder } from './order-create.ts';
import { missingInParts, missingRefundMoment } from './order-programmes.ts';

const UPDATABLE: ReadonlySet<string> = new Set(UPDATABLE_FIELDS);

/** Lists that only change what was created with the order. */
const FIXED_PARTS = ['deliveries', 'subscriptions'] as const;

/** Lists that also take new entries, with the fields that never change. */
const GROWING_PARTS = {
  refunds: ['amount_in_cents', 'currency'],
  disputes: ['amount_in_cents', 'currency', 'type'],
} as const;

/** `PATCH /v1/orders/{order_id}`. */
export function updateOrder(call: Call): Answer {
  const { context } = call;
  const order = context.state.orders.get(param(call, 'order_id'));
  if (order === undefined || !reaches(context, call.key, order.organisation_id)) {
    throw new Refusal(404, {
      detail: 'The order was not found. Check its id, and what the key reaches.',
    });
  }
  refuseFixedFields(call.body);
  const changes = readInput(orderChanges, call.body);
  const fields = { ...order.fields, ...changes, ...mergeParts(order, changes) };
  refuseIncomplete(call, order, changes);
  refuseForeignReferences(context.state, order, changes);
  order.fields = fields;
  order.updated_at = nowIso(context);
  indexOrder(context.state, order);
  return ok(showOrder(order));
}

function refuseFixedFields(body: unknown): void {
  if (typeof body !== 'object' || body === null) return;
  const names = Object.keys(body);
  const errors = names
    .filter((name) => !UPDATABLE.has(name))
    .map((field) => fault('VALIDATION_FIELD_NOT_UPDATABLE', field));
  if (names.length === 0) {
    const message = `The update changes nothing. Give at least one of ${[...UPDATABLE].join(', ')}.`;
    errors.push({ code: 'VALIDATION_REQUIRED', message, field: 'order_status' });
  }
  if (errors.length > 0) throw invalid(errors);
}

const MESSAGES: Readonly<Record<string, string>> = {
  VALIDATION_FIELD_NOT_UPDATABLE: 'cannot be updated; it is sent at creation. Leave it out',
  VALIDATION_REQUIRED: 'is missing. Name the entry by it',
  VALIDATION_UNKNOWN_REFERENCE: 'was not created with the order. Send only entries that were',
  VALIDATION_IMMUTABLE_FIELD: 'cannot change. Leave it out, or send its old value',
};

function fault(code: string, field: string): RefusalEntry {
  return { code, message: `${field} ${MESSAGES[code] ?? 'is invalid'}.`, field };
}

/** The nested lists as they will be, by `reference_id`. @throws Refusal 422 */
function mergeParts(order: OrderRecord, changes: OrderChanges): Partial<OrderInput> {
  const merged: Partial<OrderInput> = {};
  for (const part of FIXED_PARTS) {
    if (changes[part] === undefined) continue;
    const fixed = part === 'deliveries' ? ['type'] : [];
    const list = mergeList(part, order.fields[part] ?? [], changes[part]);
    refuseImmutable(part, list, fixed);
    refuseNew(part, list);
    Object.assign(merged, { [part]: list.after });
  }
  for (const part of ['refunds', 'disputes'] as const) {
    if (changes[part] === undefined) continue;
    const list = mergeList(part, order.fields[part] ?? [], changes[part]);
    refuseImmutable(part, list, GROWING_PARTS[part]);
    Object.assign(merged, { [part]: list.after });
  }
  return merged;
}

interface Entry {
  readonly reference_id?: string | undefined;
  readonly [field: string]: unknown;
}

interface Merge {
  readonly changed: readonly { readonly before: Entry | undefined; readonly change: Entry }[];
  readonly after: readonly Entry[];
}

function mergeList(part: string, stored: readonly Entry[], changes: readonly Entry[]): Merge {
  const after = new Map(stored.map((entry) => [entry.reference_id, entry]));
  const changed = changes.map((change, index) => {
    if (change.reference_id === undefined) {
      throw invalid([fault('VALIDATION_REQUIRED', `${part}.${index}.reference_id`)]);
    }
    const before = after.get(change.reference_id);
    after.set(change.reference_id, { ...before, ...change });
    return { before, change };
  });
  return { changed, after: [...after.values()] };
}

function refuseImmutable(part: string, list: Merge, immutable: readonly string[]): void {
  const errors = list.changed.flatMap(({ before, change }, index) =>
    immutable
      .filter((name) => before !== undefined && name in change && change[name] !== before[name])
      .map((name) => fault('VALIDATION_IMMUTABLE_FIELD', `${part}.${index}.${name}`)),
  );
  if (errors.length > 0) throw invalid(errors);
}

function refuseNew(part: string, list: Merge): void {
  const errors = list.changed.flatMap(({ before }, index) =>
    before === undefined
      ? [fault('VALIDATION_UNKNOWN_REFERENCE', `${part}.${index}.reference_id`)]
      : [],
  );
  if (errors.length > 0) throw invalid(errors);
}

/** New refunds and disputes need what every refund and dispute needs. */
function refuseIncomplete(call: Call, order: OrderRecord, changes: OrderChanges): void {
  const integration = call.context.state.integrations.get(order.integration_id);
  const isNew = (part: 'refunds' | 'disputes', entry: Entry): boolean =>
    !(order.fields[part] ?? []).some((stored) => stored.reference_id === entry.reference_id);
  const refunds = (changes.refunds ?? []).filter((entry) => isNew('refunds', entry));
  const disputes = (changes.disputes ?? []).filter((entry) => isNew('disputes', entry));
  const wantsMoment = integration?.programmes.includes('NETA_DIGITAL_RECEIPT') === true;
  const missing =
    missingInParts({ refunds, disputes }) ??
    (wantsMoment ? missingRefundMoment({ refunds }) : undefined);
  if (missing === undefined) return;
  const message = `${missing.field} is required by the rule ${missing.rule}. Add it.`;
  throw refusal('MISSING_FIELD', message, missing.field);
}

function refuseForeignReferences(state: State, order: OrderRecord, changes: OrderChanges): void {
  for (const key of nestedKeys(order.integration_id, { refunds: changes.refunds })) {
    const owner = state.nestedReferences.get(key);
    if (owner === undefined || owner === order.id) continue;
    const message =
      'The refund reference_id is in use by another order of the integration. Choose another.';
    throw refusal('DUPLICATE_ITEM', message, 'refunds.reference_id');
  }
}
