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

/** `METHOD path` → entry. A route without one fails the document's test. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /v1/rulesets': {
    id: 'createRuleset',
    summary: 'Create a ruleset with its rules; a bad rule rolls all back',
    request: 'RulesetCreate',
    response: 'Ruleset',
  },
  'GET /v1/rulesets': {
    id: 'listRulesets',
    summary: 'List rulesets',
    response: 'Ruleset',
    list: rulesetFilter,
  },
  'GET /v1/rulesets/{ruleset_id}': {
    id: 'readRuleset',
    summary: 'Read a ruleset',
    response: 'Ruleset',
  },
  'PATCH /v1/rulesets/{ruleset_id}': {
    id: 'updateRuleset',
    summary: 'Update a ruleset, not its rules',
    request: 'RulesetUpdate',
    response: 'Ruleset',
  },
  'DELETE /v1/rulesets/{ruleset_id}': {
    id: 'deleteRuleset',
    summary: 'Delete a ruleset with its rules',
  },
  'POST /v1/rulesets/{ruleset_id}/rules': {
    id: 'createRule',
    summary: 'Add a rule, at most one of each type',
    request: 'RuleInput',
    response: 'Rule',
  },
  'GET /v1/rulesets/{ruleset_id}/rules/{rule_id}': {
    id: 'readRule',
    summary: 'Read a rule',
    response: 'Rule',
  },
  'PATCH /v1/rulesets/{ruleset_id}/rules/{rule_id}': {
    id: 'updateRule',
    summary: 'Change the parameters of a rule',
    request: 'RuleInput',
    response: 'Rule',
  },
  'DELETE /v1/rulesets/{ruleset_id}/rules/{rule_id}': {
    id: 'deleteRule',
    summary: 'Delete a rule',
  },
  'GET /v1/merchants': {
    id: 'listMerchants',
    summary: 'List merchants',
    response: 'Merchant',
    list: merchantFilter,
  },
  'POST /v1/merchants': {
    id: 'createMerchant',
    summary: 'Create a merchant',
    request: 'MerchantCreate',
    response: 'Merchant',
  },
  'GET /v1/merchants/{merchant_id}': {
    id: 'readMerchant',
    summary: 'Read a merchant',
    response: 'Merchant',
  },
  'PATCH /v1/merchants/{merchant_id}': {
    id: 'updateMerchant',
    summary: 'Update a merchant',
    request: 'MerchantUpdate',
    response: 'Merchant',
  },
  'DELETE /v1/merchants/{merchant_id}': {
    id: 'deleteMerchant',
    summary: 'Delete a merchant without enrolments and alerts',
  },
  'POST /v2/enrolments': {
    id: 'createEnrolment',
    summary: 'Enrol merchants in a programme',
    request: 'EnrolmentCreate',
    response: 'Enrolment',
  },
  'GET /v2/enrolments': {
    id: 'listEnrolments',
    summary: 'List enrolments',
    response: 'Enrolment',
    list: enrolmentFilter,
  },
  'GET /v2/enrolments/{enrolment_id}': {
    id: 'readEnrolment',
    summary: 'Read an enrolment',
    response: 'Enrolment',
  },
  'PATCH /v2/enrolments/{enrolment_id}': {
    id: 'appendDescriptors',
    summary: 'Append descriptors to an alert enrolment',
    request: 'EnrolmentUpdate',
    response: 'Enrolment',
  },
  'DELETE /v2/enrolments/{enrolment_id}': {
    id: 'cancelEnrolment',
    summary: 'Cancel a PENDING enrolment',
    response: 'Enrolment',
  },
  'POST /v1/enrolments': {
    id: 'createEnrolmentV1',
    summary: 'Deprecated: enrol one merchant',
    request: 'EnrolmentV1Create',
    response: 'EnrolmentV1',
  },
  'GET /v1/enrolments': {
    id: 'listEnrolmentsV1',
    summary: 'Deprecated: list enrolments',
    response: 'EnrolmentV1',
    list: enrolmentFilter,
  },
  'GET /v1/enrolments/{enrolment_id}': {
    id: 'readEnrolmentV1',
    summary: 'Deprecated: read an enrolment',
    response: 'EnrolmentV1',
  },
  'DELETE /v1/enrolments/{enrolment_id}': {
    id: 'cancelEnrolmentV1',
    summary: 'Deprecated: cancel a PENDING enrolment',
    response: 'EnrolmentV1',
  },
  'POST /v1/orders/': {
    id: 'createOrders',
    summary: 'Create up to 100 orders, each on its own; 400 in this shape when all failed',
    request: 'OrderCreate',
    response: 'OrderCreateResult',
    status: 200,
  },
  'GET /v1/orders/': {
    id: 'listOrders',
    summary: 'List orders',
    response: 'Order',
    list: orderFilter,
  },
  'GET /v1/orders/{order_id}': { id: 'readOrder', summary: 'Read an order', response: 'Order' },
  'PATCH /v1/orders/{order_id}': {
    id: 'updateOrder',
    summary: 'Update an order, all or nothing; 404 answers {detail}',
    request: 'OrderUpdate',
    response: 'Order',
  },
  'GET /v1/alerts/': {
    id: 'listAlerts',
    summary: 'List alerts',
    response: 'Alert',
    list: alertFilter,
  },
  'GET /v1/alerts/{alert_id}': { id: 'readAlert', summary: 'Read an alert', response: 'Alert' },
  'PATCH /v1/alerts/{alert_id}': {
    id: 'actOnAlert',
    summary: 'Declare how an alert was resolved; moves no money',
    request: 'AlertAction',
    response: 'Alert',
  },
  'GET /v1/integrations/': {
    id: 'listIntegrations',
    summary: 'List integrations',
    response: 'Integration',
    list: integrationFilter,
  },
  'GET /v1/lookups/': {
    id: 'listLookups',
    summary: 'List lookups',
    response: 'Lookup',
    list: lookupFilter,
  },
  'PATCH /v1/simulate/enrolments/{enrolment_id}': {
    id: 'simulateEnrolment',
    summary: 'Set the status of an enrolment of a test organisation',
    request: 'SimulateEnrolment',
    response: 'Enrolment',
  },
  'POST /v1/simulate/alerts': {
    id: 'simulateAlert',
    summary: 'Raise an alert in a test organisation',
    request: 'SimulateAlert',
    response: 'Alert',
  },
  'POST /v1/simulate/lookups': {
    id: 'simulateLookup',
    summary: 'Create a lookup in a test organisation',
    request: 'SimulateLookup',
    response: 'Lookup',
  },
  'POST /v1/simulate/scheme-notices': {
    id: 'simulateSchemeNotice',
    summary: 'Report a scheme notice in a test organisation',
    request: 'SimulateSchemeNotice',
    response: 'SchemeNotice',
  },
};
