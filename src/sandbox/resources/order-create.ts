/**
 * Creates orders: each on its own, so that one bad order never stops its neighbours. Section
 * Endpoints, Orders, rules for create.
 */
import { z } from 'zod';
import type { ErrorCode } from '../../service/wire/error-codes.ts';
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import { ORDERS_PER_CREATE_MAX } from '../../service/wire/limits.ts';
import { reaches } from '../access.ts';
import type { Answer, Call } from '../http/route.ts';
import { readInput } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import type { OrderInput, OrderRecord } from '../state/orders.ts';
import { orderInput } from '../state/orders.ts';
import type { IntegrationRecord } from '../state/resources.ts';
import type { State } from '../state/state.ts';
import type { PartName } from './order-programmes.ts';
import { findMissing } from './order-programmes.ts';

const createInput = z.array(orderInput).min(1).max(ORDERS_PER_CREATE_MAX);

interface OrderFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string;
}

/** What is answered about a stored order: what was sent, under its id. A field `id` that was sent is none. */
export function showOrder({ id, fields, created_at, updated_at }: OrderRecord): object {
  return Object.assign({ id }, fields, { id, created_at, updated_at });
}

/** `POST /v1/orders/`: 200 when at least one was created, 400 when none was, 422 when unreadable. */
export function createOrders(call: Call): Answer {
  const inputs = readInput(createInput, call.body);
  const results: object[] = [];
  const errors: object[] = [];
  const sentNow = new Set<string>();
  for (const [index, input] of inputs.entries()) {
    const fault = refuseOrder(call, input, sentNow);
    if (fault === undefined) results.push(showOrder(storeOrder(call.context, input)));
    else errors.push({ index, reference_id: input.reference_id ?? '', ...fault });
    sentNow.add(referenceKey(input));
  }
  return {
    status: results.length > 0 ? 200 : 400,
    body: { created: results.length, failed: errors.length, results, errors },
  };
}

/** Stores an order without asking any rule; for the API after its rules, and for seeds. */
export function storeOrder(context: SandboxContext, input: OrderInput): OrderRecord {
  const now = nowIso(context);
  const order: OrderRecord = {
    id: context.ids.next('order'),
    organisation_id: input.organisation_id ?? '',
    integration_id: input.integration_id ?? '',
    reference_id: input.reference_id ?? '',
    fields: input,
    created_at: now,
    updated_at: now,
  };
  context.state.orders.set(order.id, order);
  indexOrder(context.state, order);
  return order;
}

/** Enters an order's references, which must stay unique per integration. */
export function indexOrder(state: State, order: OrderRecord): void {
  state.orderByReference.set(referenceKey(order), order.id);
  for (const key of nestedKeys(order.integration_id, order.fields)) {
    state.nestedReferences.set(key, order.id);
  }
}

function refuseOrder(
  call: Call,
  input: OrderInput,
  sentNow: ReadonlySet<string>,
): OrderFault | undefined {
  return (
    refuseIdentity(input) ??
    refuseIntegration(call, input) ??
    refuseDuplicate(call, input, sentNow) ??
    refuseIncomplete(call.context, input) ??
    refuseReusedReference(call.context.state, input)
  );
}

function refuseIdentity(input: OrderInput): OrderFault | undefined {
  const fields = ['type', 'organisation_id', 'integration_id', 'reference_id'] as const;
  const field = fields.find((name) => input[name] === undefined);
  return field && missingFault(field, 'CORE');
}

function missingFault(field: string, rule: string): OrderFault {
  return {
    code: 'MISSING_FIELD',
    message: `${field} is required by the rule ${rule}. Add it.`,
    field,
  };
}

function refuseIntegration(call: Call, input: OrderInput): OrderFault | undefined {
  const integration = integrationOf(call.context, input);
  const accessible =
    integration !== undefined &&
    integration.organisation_id === input.organisation_id &&
    reaches(call.context, call.key, integration.organisation_id);
  if (!accessible) {
    const message =
      'The integration does not belong to the organisation or is not accessible. Send one that GET /v1/integrations/ lists.';
    return { code: 'INVALID_INTEGRATION', message, field: 'integration_id' };
  }
  const custom = integration.type === CUSTOM_ORDERS_TYPE;
  if (custom !== (input.type === 'COMPLETE')) {
    const message = `${input.type} orders are not for ${integration.type} integrations. Send ${custom ? 'COMPLETE' : 'PARTIAL'}.`;
    return { code: 'INVALID_ORDER_TYPE', message, field: 'type' };
  }
  if (!custom && !integration.enrichment_enabled) {
    const message = 'Order enrichment is not enabled on the integration. Have it enabled first.';
    return { code: 'ENRICHMENT_NOT_ENABLED', message, field: 'integration_id' };
  }
  return undefined;
}

/** A repeat within one request, or while the first one still runs, counts as concurrent. */
function refuseDuplicate(
  call: Call,
  input: OrderInput,
  sentNow: ReadonlySet<string>,
): OrderFault | undefined {
  const key = referenceKey(input);
  if (!call.context.state.orderByReference.has(key)) return undefined;
  const concurrent = call.concurrent || sentNow.has(key);
  return {
    code: concurrent ? 'DUPLICATE_REFERENCE_ID' : 'DUPLICATE_ORDER',
    message:
      'An order with this reference_id exists for the integration. Read it, and update it if it differs.',
    field: 'reference_id',
  };
}

function refuseIncomplete(context: SandboxContext, input: OrderInput): OrderFault | undefined {
  const missing = findMissing(input, integrationOf(context, input)?.programmes ?? []);
  return missing && missingFault(missing.field, missing.rule);
}

function refuseReusedReference(state: State, input: OrderInput): OrderFault | undefined {
  const keys = new Set<string>();
  for (const key of nestedKeys(input.integration_id ?? '', input)) {
    if (state.nestedReferences.has(key) || keys.has(key)) return reusedFault(key);
    keys.add(key);
  }
  return undefined;
}

function reusedFault(key: string): OrderFault {
  const [part = '', , ...reference] = key.split(' ');
  const message = `The reference_id ${reference.join(' ')} in ${part} exists for the integration. Make it unique, for example by the order it belongs to.`;
  return { code: 'DUPLICATE_ITEM', message, field: `${part}.reference_id` };
}

function integrationOf(context: SandboxContext, input: OrderInput): IntegrationRecord | undefined {
  return context.state.integrations.get(input.integration_id ?? '');
}

function referenceKey(order: {
  readonly integration_id?: string | undefined;
  readonly reference_id?: string | undefined;
}): string {
  return `${order.integration_id} ${order.reference_id}`;
}

/** The nested lists whose references are unique per integration. */
const UNIQUE_PARTS = [
  'items',
  'transactions',
  'deliveries',
  'refunds',
] as const satisfies PartName[];

/** The keys of every nested reference of an order. */
export function nestedKeys(
  integrationId: string,
  fields: Partial<Pick<OrderInput, (typeof UNIQUE_PARTS)[number]>>,
): readonly string[] {
  return UNIQUE_PARTS.flatMap((part) =>
    (fields[part] ?? []).map((entry) => `${part} ${integrationId} ${entry.reference_id}`),
  );
}
