/**
 * What the document says about the control surface. An endpoint without an entry is described by its
 * method and path.
 */
import type { z } from 'zod';
import {
  newGroupInput,
  newKeyInput,
  newOrganisationInput,
  newSubscriptionInput,
  subscriptionChanges,
} from '../control/accounts.ts';
import {
  descriptorChoice,
  enrolmentChanges,
  integrationChanges,
  newDescriptorInput,
  newEnrolmentInput,
  newIntegrationInput,
  newMerchantInput,
  newOrderInput,
  newTransactionInput,
} from '../control/holdings.ts';
import { caseNotice, lookupChanges, resolution, withdrawal } from '../control/network-endpoints.ts';
import {
  capture,
  chargeback,
  chargeChanges,
  processorChanges,
  refundByHand,
  refundResult,
} from '../control/processor-endpoints.ts';
import { clockChange, clockMove, rawEvent } from '../control/run-endpoints.ts';
import { alertChanges } from '../resources/new-alert.ts';
import { representmentChanges } from '../resources/representment-rules.ts';
import { schemeNoticeChanges } from '../resources/scheme-notice-rules.ts';
import { CONTROL_SCHEMAS } from './schemas.ts';

export interface ControlOperation {
  readonly summary?: string;
  readonly request?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly response?: z.ZodType;
  /** Whether `{items}` is answered. */
  readonly isList?: boolean;
  /** What is answered when it is no JSON. */
  readonly contentType?: string;
  /** @default 201 for POST, 204 for DELETE, else 200 */
  readonly status?: 200 | 204;
}

const { Fault, NewAlert, NewCharge, NewLookup, NewRepresentment, NewSchemeNotice } =
  CONTROL_SCHEMAS;

export const CONTROL_OPERATIONS: Readonly<Record<string, ControlOperation>> = {
  'POST /sandbox/reset': { summary: 'Forget everything and seed again', status: 200 },
  'GET /sandbox/recording': {
    summary: 'What was asked since the start, as a scenario file',
    contentType: 'application/yaml',
  },
  'GET /sandbox/snapshot': { summary: 'Everything it knows, as JSON' },
  'POST /sandbox/snapshot': { summary: 'Go on from a snapshot', status: 204 },
  'GET /sandbox/clock': { summary: 'The time of the sandbox' },
  'POST /sandbox/clock': { summary: 'Move the clock', request: clockMove, status: 200 },
  'PATCH /sandbox/clock': { summary: 'Choose whose time signatures carry', request: clockChange },
  'GET /sandbox/faults': { summary: 'The planted faults', isList: true },
  'POST /sandbox/faults': { summary: 'Plant a fault', request: Fault },
  'DELETE /sandbox/faults': { summary: 'Remove all faults' },
  'DELETE /sandbox/faults/{fault_id}': { summary: 'Remove a fault' },
  'GET /sandbox/requests': { summary: 'The last requests', isList: true },
  'GET /sandbox/events': { summary: 'The emitted events', isList: true },
  'POST /sandbox/events': { summary: 'Send raw bytes as an event', request: rawEvent },
  'GET /sandbox/deliveries': { summary: 'The deliveries of events', isList: true },
  'POST /sandbox/deliveries/{delivery_id}/redeliver': { summary: 'Send an event once more' },
  'GET /sandbox/patches': { summary: 'Every alert action', isList: true },
  'GET /sandbox/notices': { summary: 'What owners of endpoints were told', isList: true },
  'GET /sandbox/partners': { summary: 'The partners', isList: true },
  'GET /sandbox/organisations': { summary: 'The organisations', isList: true },
  'POST /sandbox/organisations': { summary: 'Make an organisation', request: newOrganisationInput },
  'GET /sandbox/groups': { summary: 'The partner groups', isList: true },
  'POST /sandbox/groups': { summary: 'Make a partner group', request: newGroupInput },
  'GET /sandbox/keys': { summary: 'The API keys', isList: true },
  'POST /sandbox/keys': { summary: 'Make an API key', request: newKeyInput },
  'DELETE /sandbox/keys/{key_id}': { summary: 'Revoke an API key' },
  'GET /sandbox/subscriptions': { summary: 'The webhook subscriptions', isList: true },
  'POST /sandbox/subscriptions': {
    summary: 'Subscribe an endpoint',
    request: newSubscriptionInput,
  },
  'PATCH /sandbox/subscriptions/{subscription_id}': {
    summary: 'Change a subscription',
    request: subscriptionChanges,
  },
  'DELETE /sandbox/subscriptions/{subscription_id}': { summary: 'Remove a subscription' },
  'POST /sandbox/merchants': { summary: 'Make a merchant', request: newMerchantInput },
  'POST /sandbox/integrations': { summary: 'Make an integration', request: newIntegrationInput },
  'PATCH /sandbox/integrations/{integration_id}': {
    summary: 'Change programmes and enrichment of an integration',
    request: integrationChanges,
  },
  'POST /sandbox/enrolments': { summary: 'Make an enrolment', request: newEnrolmentInput },
  'PATCH /sandbox/enrolments/{enrolment_id}': {
    summary: 'Move an enrolment on, as support does',
    request: enrolmentChanges,
  },
  'POST /sandbox/enrolments/{enrolment_id}/descriptors': {
    summary: 'Add one descriptor',
    request: newDescriptorInput,
  },
  'DELETE /sandbox/enrolments/{enrolment_id}/descriptors': {
    summary: 'Remove one descriptor',
    query: descriptorChoice,
    status: 200,
  },
  'POST /sandbox/orders': { summary: 'Store an order without any rule', request: newOrderInput },
  'POST /sandbox/transactions': {
    summary: 'Have a processor integration ingest a transaction',
    request: newTransactionInput,
  },
  'POST /sandbox/alerts': { summary: 'Raise an alert, as a network does', request: NewAlert },
  'PATCH /sandbox/alerts/{alert_id}': {
    summary: 'Change an outcome of an alert alone',
    request: alertChanges,
  },
  'POST /sandbox/alerts/{alert_id}/resolve': {
    summary: 'Resolve an alert in the dashboard',
    request: resolution,
    status: 200,
  },
  'POST /sandbox/alerts/{alert_id}/invalidate': {
    summary: 'Withdraw an alert',
    request: withdrawal,
    status: 200,
  },
  'POST /sandbox/lookups': { summary: 'Ask for order data', request: NewLookup },
  'PATCH /sandbox/lookups/{lookup_id}': { summary: 'Move a lookup on', request: lookupChanges },
  'POST /sandbox/lookups/{lookup_id}/case-notice': {
    summary: 'Send a case notice for a lookup',
    request: caseNotice,
    status: 200,
  },
  'GET /sandbox/representments': { summary: 'The representments', isList: true },
  'GET /sandbox/scheme-notices': { summary: 'The scheme notices', isList: true },
  'POST /sandbox/representments': { summary: 'Open a representment', request: NewRepresentment },
  'PATCH /sandbox/representments/{id}': {
    summary: 'Change a representment',
    request: representmentChanges,
  },
  'POST /sandbox/scheme-notices': { summary: 'Report a scheme notice', request: NewSchemeNotice },
  'PATCH /sandbox/scheme-notices/{id}': {
    summary: 'Change a scheme notice',
    request: schemeNoticeChanges,
  },
  'GET /sandbox/charges': { summary: 'The charges with their refunds', isList: true },
  'POST /sandbox/charges': { summary: 'Book a charge', request: NewCharge },
  'PATCH /sandbox/charges/{reference}': { summary: 'Change a charge', request: chargeChanges },
  'POST /sandbox/charges/{reference}/refunds': {
    summary: 'Refund a charge by hand',
    request: refundByHand,
  },
  'POST /sandbox/charges/{reference}/captures': {
    summary: 'Capture a part of a charge',
    request: capture,
  },
  'POST /sandbox/charges/{reference}/chargebacks': {
    summary: 'Take money back as the issuer; 0 returns it',
    request: chargeback,
  },
  'POST /sandbox/charges/{reference}/fraud-warnings': {
    summary: 'Warn of fraud early, by a webhook of the processor',
  },
  'PATCH /sandbox/refunds/{reference}': { summary: 'End a pending refund', request: refundResult },
  'GET /sandbox/processor': { summary: 'What the processor can do' },
  'PATCH /sandbox/processor': { summary: 'Change what it can do', request: processorChanges },
};
