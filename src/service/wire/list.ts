/**
 * Reads the answer of a list endpoint.
 *
 * The specification shows `{items, count}` for most lists and nothing for alerts, orders and
 * lookups, so a bare array is read as well. Any other shape is a failure, never an empty list: "no
 * alerts" is a statement about money.
 */
import { z } from 'zod';
import { ALERT_ENROLMENT_TYPES, ALERT_STATUSES } from './alert.ts';
import { ENROLMENT_STATUSES, ENROLMENT_TYPES } from './enrolment.ts';
import type { Open } from './fields.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES, LOOKUP_TYPES } from './lookup.ts';
import { ORDER_STATUSES, ORDER_TYPES } from './order.ts';
import { RULESET_SORTS } from './ruleset.ts';

/**
 * What each list can be filtered and sorted by: the client's types, what the sandbox obeys and what
 * the OpenAPI document says are made from these. `limit` and `offset` go with every list.
 *
 * The specification names the filters of rulesets, merchants and enrolments, `status` of alerts and
 * `reference_id` of orders; the others are what the sandbox offers besides.
 */
const text = z.string().optional();

export type OpenValue<Value> = Value extends string ? Open<Value> : Value;

/** A filter as the client takes it. One that is not listed is passed on as it is. */
export type Filter<Schema extends z.ZodType> = {
  readonly [Name in keyof z.infer<Schema>]?: OpenValue<z.infer<Schema>[Name]> | undefined;
} & { readonly [unlisted: string]: string | number | undefined };

export const rulesetFilter = z.object({
  organisation_id: text,
  sort: z.enum(RULESET_SORTS).optional(),
});
export type RulesetFilter = Filter<typeof rulesetFilter>;

export const MERCHANT_SORTS = [
  '-created_at',
  'created_at',
  'name',
  '-name',
  'type',
  '-type',
  'updated_at',
  '-updated_at',
] as const;

export const merchantFilter = z.object({
  organisation_id: text,
  type: text,
  /** Matches in part, whatever its case. */
  name: text,
  /** Matches exactly. */
  external_id: text,
  sort: z.enum(MERCHANT_SORTS).optional(),
});
export type MerchantFilter = Filter<typeof merchantFilter>;

export const enrolmentFilter = z.object({
  merchant_id: text,
  organisation_id: text,
  type: z.enum(ENROLMENT_TYPES).optional(),
  status: z.enum(ENROLMENT_STATUSES).optional(),
});
export type EnrolmentFilter = Filter<typeof enrolmentFilter>;

/** Sorts of lists that know no other order than that of creation. */
export const CREATION_SORTS = ['-created_at', 'created_at'] as const;

export const orderFilter = z.object({
  reference_id: text,
  organisation_id: text,
  integration_id: text,
  type: z.enum(ORDER_TYPES).optional(),
  order_status: z.enum(ORDER_STATUSES).optional(),
  sort: z.enum(CREATION_SORTS).optional(),
});
export type OrderFilter = Filter<typeof orderFilter>;

export const ALERT_SORTS = [
  ...CREATION_SORTS,
  'action_required_deadline',
  '-action_required_deadline',
] as const;

export const alertFilter = z.object({
  status: z.enum(ALERT_STATUSES).optional(),
  organisation_id: text,
  merchant_id: text,
  enrolment_id: text,
  enrolment_type: z.enum(ALERT_ENROLMENT_TYPES).optional(),
  sort: z.enum(ALERT_SORTS).optional(),
});
export type AlertFilter = Filter<typeof alertFilter>;

export const integrationFilter = z.object({ organisation_id: text });
export type IntegrationFilter = Filter<typeof integrationFilter>;

export const lookupFilter = z.object({
  organisation_id: text,
  enrollment_id: text,
  parent_lookup_id: text,
  type: z.enum(LOOKUP_TYPES).optional(),
  lookup_status: z.enum(LOOKUP_STATUSES).optional(),
  deflection_status: z.enum(DEFLECTION_STATUSES).optional(),
  sort: z.enum(CREATION_SORTS).optional(),
});
export type LookupFilter = Filter<typeof lookupFilter>;

/** Why an answer is no list. */
export type ListFault = 'not_a_list' | 'items_missing' | 'count_invalid';

/** An entry that is not what the list should hold. The others are still good. */
export interface InvalidItem {
  readonly index: number;
  /** Where in the entry, and what was expected; never the value. */
  readonly problem: string;
}

/** A list as read. `items` and `invalid` together are everything the page held. */
export interface ReadList<Item> {
  readonly ok: true;
  readonly items: readonly Item[];
  readonly invalid: readonly InvalidItem[];
  /** How many there are in all, or `undefined` when the answer did not say. */
  readonly count: number | undefined;
}

export type ListOutcome<Item> = ReadList<Item> | { readonly ok: false; readonly reason: ListFault };

/** Reads `{items, count}` or a bare array. */
export function readList<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): ListOutcome<z.infer<Schema>> {
  if (Array.isArray(body)) return readItems(schema, body, undefined);
  if (typeof body !== 'object' || body === null) return { ok: false, reason: 'not_a_list' };
  const { items, count } = body as { items?: unknown; count?: unknown };
  if (!Array.isArray(items)) return { ok: false, reason: 'items_missing' };
  if (count === undefined || count === null) return readItems(schema, items, undefined);
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    return { ok: false, reason: 'count_invalid' };
  }
  return readItems(schema, items, count);
}

function readItems<Schema extends z.ZodType>(
  schema: Schema,
  entries: readonly unknown[],
  count: number | undefined,
): ReadList<z.infer<Schema>> {
  const items: z.infer<Schema>[] = [];
  const invalid: InvalidItem[] = [];
  for (const [index, entry] of entries.entries()) {
    const parsed = schema.safeParse(entry);
    if (parsed.success) items.push(parsed.data);
    else invalid.push({ index, problem: describeIssues(parsed.error.issues) });
  }
  return { ok: true, items, invalid, count };
}

/** The first issues of a failed parse as one line: paths and expectations, no values. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  return issues
    .slice(0, 3)
    .map((issue) => `${issue.path.map(String).join('.') || '(root)'}: ${issue.message}`)
    .join('; ');
}
