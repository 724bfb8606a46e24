/**
 * What the OpenAPI document says about each endpoint: its name, and the schemas it takes and
 * answers. Paths, methods and abilities come from the routes themselves.
 */
import type { z } from 'zod';
import {
  alertFilter,
  enrolmentFilter,
  integrationFilter,
  lookupFilter,
  merchantFilter,
  orderFilter,
  rulesetFilter,
} from '../../service/wire/list.ts';
import type { SchemaName } from './schemas.ts';

export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly request?: SchemaName;
  readonly response?: SchemaName;
  /** What a list takes besides `limit` and `offset`; its response is `{items, count}`. */
  readonly list?: z.ZodObject;
  /** @default 201 for POST, 204 for DELETE without a response, else 200 */
  readonly status?: 200;
}

/** An operation that takes a body, by its name, or what narrows a list. */
function op(id: string, summary: string, takes?: SchemaName | z.ZodObject): Operation {
  if (takes === undefined) return { id, summary };
  return typeof takes === 'string' ? { id, summary, request: takes } : { id, summary, list: takes };
}

function answering(
  response: SchemaName,
  operations: Readonly<Record<string, Operation>>,
): Record<string, Operation> {
  return Object.fromEntries(
    Object.entries(operations).map(([call, operation]) => [call, { ...operation, response }]),
  );
}

/** `METHOD path` → entry. A route without one fails the document's test. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...answering('Ruleset', {
    'POST /v1/rulesets': op(
      'createRuleset',
      'Create a ruleset with its rules; a bad rule rolls all back',
      'RulesetCreate',
    ),
    'GET /v1/rulesets': op('listRulesets', 'List rulesets', rulesetFilter),
    'GET /v1/rulesets/{ruleset_id}': op('readRuleset', 'Read a ruleset'),
    'PATCH /v1/rulesets/{ruleset_id}': op(
      'updateRuleset',
      'Update a ruleset, not its rules',
      'RulesetUpdate',
    ),
  }),
  'DELETE /v1/rulesets/{ruleset_id}': op('deleteRuleset', 'Delete a ruleset with its rules'),
  'DELETE /v1/rulesets/{ruleset_id}/rules/{rule_id}': op('deleteRule', 'Delete a rule'),
  'DELETE /v1/merchants/{merchant_id}': op(
    'deleteMerchant',
    'Delete a merchant without enrolments and alerts',
  ),
  ...answering('Rule', {
    'POST /v1/rulesets/{ruleset_id}/rules': op(
      'createRule',
      'Add a rule, at most one of each type',
      'RuleInput',
    ),
    'GET /v1/rulesets/{ruleset_id}/rules/{rule_id}': op('readRule', 'Read a rule'),
    'PATCH /v1/rulesets/{ruleset_id}/rules/{rule_id}': op(
      'updateRule',
      'Change the parameters of a rule',
      'RuleInput',
    ),
  }),
  ...answering('Merchant', {
    'GET /v1/merchants': op('listMerchants', 'List merchants', merchantFilter),
    'POST /v1/merchants': op('createMerchant', 'Create a merchant', 'MerchantCreate'),
    'GET /v1/merchants/{merchant_id}': op('readMerchant', 'Read a merchant'),
    'PATCH /v1/merchants/{merchant_id}': op(
      'updateMerchant',
      'Update a merchant',
      'MerchantUpdate',
    ),
  }),
  ...answering('Enrolment', {
    'POST /v2/enrolments': op(
      'createEnrolment',
      'Enrol merchants in a programme',
      'EnrolmentCreate',
    ),
    'GET /v2/enrolments': op('listEnrolments', 'List enrolments', enrolmentFilter),
    'GET /v2/enrolments/{enrolment_id}': op('readEnrolment', 'Read an enrolment'),
    'PATCH /v2/enrolments/{enrolment_id}': op(
      'appendDescriptors',
      'Append descriptors to an alert enrolment',
      'EnrolmentUpdate',
    ),
    'DELETE /v2/enrolments/{enrolment_id}': op('cancelEnrolment', 'Cancel a PENDING enrolment'),
    'PATCH /v1/simulate/enrolments/{enrolment_id}': op(
      'simulateEnrolment',
      'Set the status of an enrolment of a test organisation',
      'SimulateEnrolment',
    ),
  }),
  ...answering('EnrolmentV1', {
    'POST /v1/enrolments': op(
      'createEnrolmentV1',
      'Deprecated: enrol one merchant',
      'EnrolmentV1Create',
    ),
    'GET /v1/enrolments': op('listEnrolmentsV1', 'Deprecated: list enrolments', enrolmentFilter),
    'GET /v1/enrolments/{enrolment_id}': op('readEnrolmentV1', 'Deprecated: read an enrolment'),
    'DELETE /v1/enrolments/{enrolment_id}': op(
      'cancelEnrolmentV1',
      'Deprecated: cancel a PENDING enrolment',
    ),
  }),
  ...answering('OrderCreateResult', {
    'POST /v1/orders/': {
      ...op(
        'createOrders',
        'Create up to 100 orders, each on its own; 400 in this shape when all failed',
        'OrderCreate',
      ),
      status: 200,
    },
  }),
  ...answering('Order', {
    'GET /v1/orders/': op('listOrders', 'List orders', orderFilter),
    'GET /v1/orders/{order_id}': op('readOrder', 'Read an order'),
    'PATCH /v1/orders/{order_id}': op(
      'updateOrder',
      'Update an order, all or nothing; 404 answers {detail}',
      'OrderUpdate',
    ),
  }),
  ...answering('Alert', {
    'GET /v1/alerts/': op('listAlerts', 'List alerts', alertFilter),
    'GET /v1/alerts/{alert_id}': op('readAlert', 'Read an alert'),
    'PATCH /v1/alerts/{alert_id}': op(
      'actOnAlert',
      'Declare how an alert was resolved; moves no money',
      'AlertAction',
    ),
    'POST /v1/simulate/alerts': op(
      'simulateAlert',
      'Raise an alert in a test organisation',
      'SimulateAlert',
    ),
  }),
  ...answering('Integration', {
    'GET /v1/integrations/': op('listIntegrations', 'List integrations', integrationFilter),
  }),
  ...answering('Lookup', {
    'GET /v1/lookups/': op('listLookups', 'List lookups', lookupFilter),
    'POST /v1/simulate/lookups': op(
      'simulateLookup',
      'Create a lookup in a test organisation',
      'SimulateLookup',
    ),
  }),
  ...answering('SchemeNotice', {
    'POST /v1/simulate/scheme-notices': op(
      'simulateSchemeNotice',
      'Report a scheme notice in a test organisation',
      'SimulateSchemeNotice',
    ),
  }),
};
