/**
 * A ruleset and its rules: what the network itself answers to disputes on chosen enrolments.
 * Resources "Ruleset" and "Rule".
 */
import { z } from 'zod';
import { MATCH_TYPES } from './enrolment.ts';
import { openEnum, text, timestamp } from './fields.ts';
import { AMOUNT_RULE_CURRENCY } from './limits.ts';

export const RULESET_OUTCOMES = [
  'REFUND',
  'CANCEL',
  'REFUND_AND_CANCEL',
  'ACCEPT_DISPUTE',
] as const;
export type RulesetOutcome = (typeof RULESET_OUTCOMES)[number];

export const JOIN_OPERATORS = ['AND', 'OR'] as const;
export type JoinOperator = (typeof JOIN_OPERATORS)[number];

/** At most one rule of each type per ruleset. */
export const RULE_TYPES = ['AMOUNT', 'DESCRIPTOR'] as const;
export type RuleType = (typeof RULE_TYPES)[number];

export const AMOUNT_OPERATORS = [
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'EQUAL',
  'NOT_EQUAL',
] as const;
export type AmountOperator = (typeof AMOUNT_OPERATORS)[number];

/** Orders of `GET /v1/rulesets`; the first is the default. */
export const RULESET_SORTS = ['-created_at', 'created_at', '-updated_at', 'updated_at'] as const;
export type RulesetSort = (typeof RULESET_SORTS)[number];

/** Reads a rule. `parameters` depends on `type`; see the two schemas below. */
export const ruleSchema = z.looseObject({
  id: text,
  type: openEnum(RULE_TYPES),
  parameters: z.record(z.string(), z.unknown()),
  created_at: timestamp.nullish(),
  updated_at: timestamp.nullish(),
});
export type Rule = z.infer<typeof ruleSchema>;

/** Reads a ruleset. */
export const rulesetSchema = z.looseObject({
  id: text,
  organisation_id: text,
  enrolment_ids: z.array(z.string()),
  outcome: openEnum(RULESET_OUTCOMES),
  join_operator: openEnum(JOIN_OPERATORS),
  rules: z.array(ruleSchema).nullish(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Ruleset = z.infer<typeof rulesetSchema>;

export const amountRuleParametersSchema = z.strictObject({
  operator: z.enum(AMOUNT_OPERATORS),
  currency_code: z.literal(AMOUNT_RULE_CURRENCY),
  amount_in_cents: z.int().min(0),
});
export type AmountRuleParameters = z.infer<typeof amountRuleParametersSchema>;

export const descriptorRuleParametersSchema = z.strictObject({
  descriptors: z
    .array(z.strictObject({ value: z.string().min(1), match_type: z.enum(MATCH_TYPES) }))
    .min(1),
});
export type DescriptorRuleParameters = z.infer<typeof descriptorRuleParametersSchema>;

/** Writes `POST …/rules` and `PATCH …/rules/{rule_id}`; a PATCH must name the existing type. */
export const ruleInputSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('AMOUNT'), parameters: amountRuleParametersSchema }),
  z.strictObject({ type: z.literal('DESCRIPTOR'), parameters: descriptorRuleParametersSchema }),
]);
export type RuleInput = z.infer<typeof ruleInputSchema>;

const enrolmentIds = z.array(z.string().min(1)).min(1);

/** Writes `POST /v1/rulesets`. */
export const rulesetCreateSchema = z.strictObject({
  organisation_id: z.string().min(1),
  enrolment_ids: enrolmentIds,
  outcome: z.enum(RULESET_OUTCOMES),
  join_operator: z.enum(JOIN_OPERATORS),
  rules: z
    .array(ruleInputSchema)
    .refine(
      (rules) => new Set(rules.map((rule) => rule.type)).size === rules.length,
      'must hold at most one rule of each type',
    )
    .optional(),
});
export type RulesetCreate = z.infer<typeof rulesetCreateSchema>;

/** Writes `PATCH /v1/rulesets/{ruleset_id}`; omitted fields keep their values, rules are refused. */
export const rulesetUpdateSchema = z.strictObject({
  enrolment_ids: enrolmentIds.optional(),
  outcome: z.enum(RULESET_OUTCOMES).optional(),
  join_operator: z.enum(JOIN_OPERATORS).optional(),
});
export type RulesetUpdate = z.infer<typeof rulesetUpdateSchema>;
