/**
 * What a ruleset and its rules must satisfy. Section Endpoints, Rulesets.
 */
import { z } from 'zod';
import { MATCH_TYPES } from '../../service/wire/enrolment.ts';
import { AMOUNT_RULE_CURRENCY } from '../../service/wire/limits.ts';
import { AMOUNT_OPERATORS, RULE_TYPES } from '../../service/wire/ruleset.ts';
import type { Call } from '../http/route.ts';
import { readInput } from '../input.ts';
import { invalid, refusal } from '../refusal.ts';
import { nowIso } from '../sandbox-context.ts';
import type { RuleRecord, RulesetRecord } from '../state/resources.ts';
import { reachOwnEnrolment } from './enrolments.ts';

const ruleInput = z.looseObject({
  type: z.enum(RULE_TYPES),
  parameters: z.looseObject({}),
});

const amountParameters = z.object({
  operator: z.enum(AMOUNT_OPERATORS),
  currency_code: z.string(),
  amount_in_cents: z.int().min(0),
});

const descriptorParameters = z.object({
  descriptors: z
    .array(z.object({ value: z.string().min(1), match_type: z.enum(MATCH_TYPES) }))
    .min(1),
});

/** A new rule. @throws Refusal 422 */
export function readRule(call: Call, body: unknown): RuleRecord {
  const { type, parameters } = readInput(ruleInput, body);
  const now = nowIso(call.context);
  const id = call.context.ids.next('rule');
  if (type === 'DESCRIPTOR') {
    const read = readInput(descriptorParameters, parameters);
    return { id, type, parameters: read, created_at: now, updated_at: now };
  }
  const read = readInput(amountParameters, parameters);
  if (read.currency_code !== AMOUNT_RULE_CURRENCY) {
    const message = `An amount rule takes ${AMOUNT_RULE_CURRENCY} only; other currencies are converted. Send ${AMOUNT_RULE_CURRENCY}.`;
    throw refusal('INVALID_CURRENCY_CODE', message, 'currency_code');
  }
  return { id, type, parameters: read, created_at: now, updated_at: now };
}

/** @throws Refusal 422 when a rule's type is taken; the code is not shown, this one is ours */
export function refuseSecondOfType(rules: readonly RuleRecord[]): void {
  if (new Set(rules.map(({ type }) => type)).size === rules.length) return;
  const message = 'A ruleset has at most one rule of each type. Change the rule that is there.';
  throw invalid([{ code: 'DUPLICATE_RULE_TYPE', message, field: 'type' }]);
}

/** @throws Refusal 404 or 422 unless all are the organisation's, reachable, and of one type */
export function checkEnrolments(call: Call, ids: readonly string[], organisationId: string): void {
  const types = ids.map((id) => reachOwnEnrolment(call, id, organisationId).type);
  if (new Set(types).size === 1) return;
  const message = 'The enrolments of a ruleset must be of one type. Make a ruleset for each.';
  throw invalid([{ code: 'MIXED_ENROLMENT_TYPES', message, field: 'enrolment_ids' }]);
}

/** Puts a changed rule in the place of the old one. @throws Refusal 422 when its type differs */
export function replaceRule(call: Call, ruleset: RulesetRecord, old: RuleRecord): RuleRecord {
  const read = readRule(call, call.body);
  if (read.type !== old.type) {
    const message = `The type of the rule is ${old.type} and cannot be changed. Send this type, or make another rule.`;
    throw invalid([{ code: 'RULE_TYPE_IMMUTABLE', message, field: 'type' }]);
  }
  const rule = { ...read, id: old.id, created_at: old.created_at };
  ruleset.rules = ruleset.rules.map((candidate) => (candidate.id === old.id ? rule : candidate));
  ruleset.updated_at = rule.updated_at;
  return rule;
}
