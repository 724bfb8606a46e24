/** Endpoints of rulesets and their nested rules. Section Endpoints, Rulesets. */
import { z } from 'zod';
import { AMOUNT_RULE_CURRENCY } from '../../service/wire/limits.ts';
import { rulesetFilter } from '../../service/wire/list.ts';
import {
  AMOUNT_OPERATORS,
  JOIN_OPERATORS,
  RULE_TYPES,
  RULESET_OUTCOMES,
} from '../../service/wire/ruleset.ts';
import { reachOrganisation, reachResource } from '../access.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { created, noContent, ok, param } from '../http/route.ts';
import type { ListRule } from '../listing.ts';
import { list } from '../listing.ts';
import { invalid, notFound, readInput, refusal } from '../refusal.ts';
import { nowIso } from '../sandbox-context.ts';
import type { DescriptorRule, RuleRecord, RulesetRecord } from '../state/resources.ts';
import { readMatchType } from './enrolment-config.ts';
import { reachOwnEnrolment } from './enrolments.ts';

const ALL = '/v1/rulesets';
const ONE = '/v1/rulesets/{ruleset_id}';
const RULES = '/v1/rulesets/{ruleset_id}/rules';
const RULE = '/v1/rulesets/{ruleset_id}/rules/{rule_id}';

export const rulesetRoutes: readonly Route[] = [
  { method: 'POST', path: ALL, ability: 'rulesets:write', handle: createRuleset },
  { method: 'GET', path: ALL, ability: 'rulesets:read', handle: listRulesets },
  { method: 'GET', path: ONE, ability: 'rulesets:read', handle: getRuleset },
  { method: 'PATCH', path: ONE, ability: 'rulesets:write', handle: updateRuleset },
  { method: 'DELETE', path: ONE, ability: 'rulesets:write', handle: deleteRuleset },
  { method: 'POST', path: RULES, ability: 'rulesets:write', handle: createRule },
  { method: 'GET', path: RULE, ability: 'rulesets:read', handle: getRule },
  { method: 'PATCH', path: RULE, ability: 'rulesets:write', handle: updateRule },
  { method: 'DELETE', path: RULE, ability: 'rulesets:write', handle: deleteRule },
];

const enrolmentIds = z.array(z.string()).min(1);

const createInput = z.looseObject({
  organisation_id: z.string(),
  enrolment_ids: enrolmentIds,
  outcome: z.enum(RULESET_OUTCOMES),
  join_operator: z.enum(JOIN_OPERATORS),
  rules: z.array(z.unknown()).optional(),
});

/** Everything is read before anything is stored: a bad rule leaves nothing behind. */
function createRuleset(call: Call): Answer {
  const { context } = call;
  const input = readInput(createInput, call.body);
  const organisation = reachOrganisation(context, call.key, input.organisation_id);
  checkEnrolments(call, input.enrolment_ids, organisation.id);
  const rules = (input.rules ?? []).map((rule, index) => readRule(call, rule, ['rules', index]));
  refuseSecondOfType(rules);
  const now = nowIso(context);
  const ruleset: RulesetRecord = {
    id: context.ids.next('ruleset'),
    organisation_id: organisation.id,
    enrolment_ids: input.enrolment_ids,
    outcome: input.outcome,
    join_operator: input.join_operator,
    rules,
    created_at: now,
    updated_at: now,
  };
  context.state.rulesets.set(ruleset.id, ruleset);
  return created(ruleset);
}

const LIST: ListRule<RulesetRecord> = {
  filter: rulesetFilter,
  sortBy: (ruleset) => ruleset.updated_at,
};

function listRulesets(call: Call): Answer {
  return ok(list(call, call.context.state.rulesets.values(), LIST));
}

function reachRuleset(call: Call): RulesetRecord {
  const ruleset = call.context.state.rulesets.get(param(call, 'ruleset_id'));
  return reachResource(call, ruleset, 'The ruleset');
}

function getRuleset(call: Call): Answer {
  return ok(reachRuleset(call));
}

const updateInput = z.looseObject({
  enrolment_ids: enrolmentIds.optional(),
  outcome: z.enum(RULESET_OUTCOMES).optional(),
  join_operator: z.enum(JOIN_OPERATORS).optional(),
  rules: z.unknown().optional(),
});

function updateRuleset(call: Call): Answer {
  const ruleset = reachRuleset(call);
  const input = readInput(updateInput, call.body);
  if (input.rules !== undefined) {
    throw refusal(
      'RULES_NOT_ALLOWED_ON_RULESET_UPDATE',
      'Rules change through the nested rule endpoints. Leave them out here.',
      'rules',
    );
  }
  const ids = input.enrolment_ids ?? ruleset.enrolment_ids;
  if (input.enrolment_ids !== undefined) checkEnrolments(call, ids, ruleset.organisation_id);
  ruleset.enrolment_ids = ids;
  ruleset.outcome = input.outcome ?? ruleset.outcome;
  ruleset.join_operator = input.join_operator ?? ruleset.join_operator;
  ruleset.updated_at = nowIso(call.context);
  return ok(ruleset);
}

/** The child rules go with it. */
function deleteRuleset(call: Call): Answer {
  call.context.state.rulesets.delete(reachRuleset(call).id);
  return noContent();
}

function createRule(call: Call): Answer {
  const ruleset = reachRuleset(call);
  const rule = readRule(call, call.body);
  refuseSecondOfType([...ruleset.rules, rule]);
  ruleset.rules = [...ruleset.rules, rule];
  ruleset.updated_at = rule.updated_at;
  return created(rule);
}

function reachRule(call: Call, ruleset: RulesetRecord): RuleRecord {
  const rule = ruleset.rules.find(({ id }) => id === param(call, 'rule_id'));
  if (rule === undefined) throw notFound('The rule');
  return rule;
}

function getRule(call: Call): Answer {
  return ok(reachRule(call, reachRuleset(call)));
}

function updateRule(call: Call): Answer {
  const ruleset = reachRuleset(call);
  return ok(replaceRule(call, ruleset, reachRule(call, ruleset)));
}

function deleteRule(call: Call): Answer {
  const ruleset = reachRuleset(call);
  const rule = reachRule(call, ruleset);
  ruleset.rules = ruleset.rules.filter(({ id }) => id !== rule.id);
  ruleset.updated_at = nowIso(call.context);
  return noContent();
}

const ruleInput = z.looseObject({ type: z.enum(RULE_TYPES), parameters: z.looseObject({}) });

const amountParameters = z.object({
  operator: z.enum(AMOUNT_OPERATORS),
  currency_code: z.string(),
  amount_in_cents: z.int().min(0),
});

const descriptorParameters = z.object({
  descriptors: z.array(z.object({ value: z.string().min(1), match_type: z.string() })).min(1),
});

function readDescriptorRule(
  parameters: object,
  within: readonly PropertyKey[],
): DescriptorRule['parameters'] {
  const { descriptors } = readInput(descriptorParameters, parameters, within);
  const place = [...within, 'descriptors'].map(String).join('.');
  return {
    descriptors: descriptors.map(({ value, match_type: matchType }, index) => ({
      value,
      match_type: readMatchType(matchType, `${place}.${index}.match_type`),
    })),
  };
}

/** A new rule. @throws Refusal 422 */
function readRule(call: Call, body: unknown, within: readonly PropertyKey[] = []): RuleRecord {
  const { type, parameters } = readInput(ruleInput, body, within);
  const now = nowIso(call.context);
  const id = call.context.ids.next('rule');
  if (type === 'DESCRIPTOR') {
    const read = readDescriptorRule(parameters, [...within, 'parameters']);
    return { id, type, parameters: read, created_at: now, updated_at: now };
  }
  const read = readInput(amountParameters, parameters, [...within, 'parameters']);
  if (read.currency_code !== AMOUNT_RULE_CURRENCY) {
    const message = `An amount rule takes ${AMOUNT_RULE_CURRENCY} only; other currencies are converted. Send ${AMOUNT_RULE_CURRENCY}.`;
    throw refusal('INVALID_CURRENCY_CODE', message, 'currency_code');
  }
  return { id, type, parameters: read, created_at: now, updated_at: now };
}

/** @throws Refusal 422 when a rule's type is taken; the code is not shown, this one is ours */
function refuseSecondOfType(rules: readonly RuleRecord[]): void {
  if (new Set(rules.map(({ type }) => type)).size === rules.length) return;
  const message = 'A ruleset has at most one rule of each type. Change the rule that is there.';
  throw invalid([{ code: 'DUPLICATE_RULE_TYPE', message, field: 'type' }]);
}

/** @throws Refusal 404 or 422 unless all are the organisation's, reachable, and of one type */
function checkEnrolments(call: Call, ids: readonly string[], organisationId: string): void {
  const types = ids.map((id) => reachOwnEnrolment(call, id, organisationId).type);
  if (new Set(types).size === 1) return;
  const message = 'The enrolments of a ruleset must be of one type. Make a ruleset for each.';
  throw invalid([{ code: 'MIXED_ENROLMENT_TYPES', message, field: 'enrolment_ids' }]);
}

/** Puts a changed rule in the place of the old one. @throws Refusal 422 when its type differs */
function replaceRule(call: Call, ruleset: RulesetRecord, old: RuleRecord): RuleRecord {
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
