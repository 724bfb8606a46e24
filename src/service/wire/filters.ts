/**
 * What each list can be filtered and sorted by: the client's types, what the sandbox obeys and what
 * the OpenAPI document says are made from these. `limit` and `offset` go with every list.
 *
 * The specification names the filters of rulesets, merchants and enrolments, `status` of alerts and
 * `reference_id` of orders; the others are what the sandbox offers besides.
 */
import { z } from 'zod';
import { ALERT_ENROLMENT_TYPES, ALERT_STATUSES } from './alert.ts';
import { ENROLMENT_STATUSES, ENROLMENT_TYPES } from './enrolment.ts';
import type { Open } from './fields.ts';
import { DEFLECTION_STATUSES, LOOKUP_STATUSES, LOOKUP_TYPES } from './lookup.ts';
import { ORDER_STATUSES, ORDER_TYPES } from './order.ts';
import { RULESET_SORTS } from './ruleset.ts';

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
