/** Rulesets and their rules: what the network answers to disputes by itself. */
import type { ReadList, RulesetFilter } from '../../wire/list.ts';
import type { Rule, RuleInput, Ruleset, RulesetCreate, RulesetUpdate } from '../../wire/ruleset.ts';
import {
  ruleInputSchema,
  ruleSchema,
  rulesetCreateSchema,
  rulesetSchema,
  rulesetUpdateSchema,
} from '../../wire/ruleset.ts';
import type { Endpoint } from '../call.ts';
import type { PageQuery } from '../list.ts';
import type { CallOptions } from '../options.ts';
import type { Sender } from '../sender.ts';

/** Where a rule is. */
export interface RuleAddress {
  readonly rulesetId: string;
  readonly ruleId: string;
}

/** Operations on rulesets. */
export interface RulesetsResource {
  list(filter?: RulesetFilter, options?: CallOptions): AsyncIterable<Ruleset>;
  page(query?: RulesetFilter & PageQuery, options?: CallOptions): Promise<ReadList<Ruleset>>;
  get(rulesetId: string, options?: CallOptions): Promise<Ruleset>;
  /** Creates a ruleset with its rules; a bad rule undoes all of it. */
  create(body: RulesetCreate, options?: CallOptions): Promise<Ruleset>;
  /** Changes a ruleset, never its rules. */
  update(rulesetId: string, body: RulesetUpdate, options?: CallOptions): Promise<Ruleset>;
  /** Deletes a ruleset and its rules. */
  delete(rulesetId: string, options?: CallOptions): Promise<void>;
  readonly rules: RulesResource;
}

/** Operations on the rules of a ruleset. */
export interface RulesResource {
  get(address: RuleAddress, options?: CallOptions): Promise<Rule>;
  create(rulesetId: string, body: RuleInput, options?: CallOptions): Promise<Rule>;
  /** `type` must be the one the rule has. */
  update(address: RuleAddress, body: RuleInput, options?: CallOptions): Promise<Rule>;
  delete(address: RuleAddress, options?: CallOptions): Promise<void>;
}

const LIST: Endpoint = { method: 'GET', template: '/v1/rulesets', key: 'organisation' };
const CREATE: Endpoint = { ...LIST, method: 'POST', writer: rulesetCreateSchema };
const GET: Endpoint = {
  method: 'GET',
  template: '/v1/rulesets/{ruleset_id}',
  key: 'organisation',
  ids: ['ruleset'],
};
const UPDATE: Endpoint = { ...GET, method: 'PATCH', writer: rulesetUpdateSchema };
const DELETE: Endpoint = { ...GET, method: 'DELETE' };

const CREATE_RULE: Endpoint = {
  ...GET,
  method: 'POST',
  template: '/v1/rulesets/{ruleset_id}/rules',
  writer: ruleInputSchema,
};
const GET_RULE: Endpoint = {
  ...GET,
  template: '/v1/rulesets/{ruleset_id}/rules/{rule_id}',
  ids: ['ruleset', 'rule'],
};
const UPDATE_RULE: Endpoint = { ...GET_RULE, method: 'PATCH', writer: ruleInputSchema };
const DELETE_RULE: Endpoint = { ...GET_RULE, method: 'DELETE' };

export function createRulesets(sender: Sender): RulesetsResource {
  return {
    list: (query, options) => sender.all(LIST, { query, options }, rulesetSchema),
    page: (query, options) => sender.page(LIST, { query, options }, rulesetSchema),
    get: (id, options) => sender.one(GET, { ids: [id], options }, rulesetSchema),
    create: (body, options) => sender.one(CREATE, { body, options }, rulesetSchema),
    update: (id, body, options) => sender.one(UPDATE, { ids: [id], body, options }, rulesetSchema),
    delete: (id, options) => sender.nothing(DELETE, { ids: [id], options }),
    rules: createRules(sender),
  };
}

function createRules(sender: Sender): RulesResource {
  const idsOf = ({ rulesetId, ruleId }: RuleAddress): string[] => [rulesetId, ruleId];
  return {
    get: (address, options) => sender.one(GET_RULE, { ids: idsOf(address), options }, ruleSchema),
    create: (rulesetId, body, options) =>
      sender.one(CREATE_RULE, { ids: [rulesetId], body, options }, ruleSchema),
    update: (address, body, options) =>
      sender.one(UPDATE_RULE, { ids: idsOf(address), body, options }, ruleSchema),
    delete: (address, options) => sender.nothing(DELETE_RULE, { ids: idsOf(address), options }),
  };
}
