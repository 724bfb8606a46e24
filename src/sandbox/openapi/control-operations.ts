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
import { disputeChanges } from '../processor/dispute-life.ts';
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

function op(summary: string, request?: z.ZodType): ControlOperation {
  return request === undefined ? { summary } : { summary, request };
}

function list(summary: string): ControlOperation {
  return { summary, isList: true };
}

export const CONTROL_OPERATIONS: Readonly<Record<string, ControlOperation>> = {
  'POST /sandbox/reset': { summary: 'Forget everything and seed again', status: 200 },
  'GET /sandbox/recording': {
    summary: 'What was asked since the start, as a scenario file',
    contentType: 'application/yaml',
  },
  'GET /sandbox/snapshot': op('Everything it knows, as JSON'),
  'POST /sandbox/snapshot': { summary: 'Go on from a snapshot', status: 204 },
  'GET /sandbox/clock': op('The time of the sandbox'),
  'POST /sandbox/clock': { ...op('Move the clock', clockMove), status: 200 },
  'PATCH /sandbox/clock': op('Choose whose time signatures carry', clockChange),
  'GET /sandbox/faults': list('The planted faults'),
  'POST /sandbox/faults': op('Plant a fault', Fault),
  'DELETE /sandbox/faults': op('Remove all faults'),
  'DELETE /sandbox/faults/{fault_id}': op('Remove a fault'),
  'GET /sandbox/requests': list('The last requests'),
  'GET /sandbox/events': list('The emitted events'),
  'POST /sandbox/events': op('Send raw bytes as an event', rawEvent),
  'GET /sandbox/deliveries': list('The deliveries of events'),
  'POST /sandbox/deliveries/{delivery_id}/redeliver': op('Send an event once more'),
  'GET /sandbox/patches': list('Every alert action'),
  'GET /sandbox/notices': list('What owners of endpoints were told'),
  'GET /sandbox/partners': list('The partners'),
  'GET /sandbox/organisations': list('The organisations'),
  'POST /sandbox/organisations': op('Make an organisation', newOrganisationInput),
  'GET /sandbox/groups': list('The partner groups'),
  'POST /sandbox/groups': op('Make a partner group', newGroupInput),
  'GET /sandbox/keys': list('The API keys'),
  'POST /sandbox/keys': op('Make an API key', newKeyInput),
  'DELETE /sandbox/keys/{key_id}': op('Revoke an API key'),
  'GET /sandbox/subscriptions': list('The webhook subscriptions'),
  'POST /sandbox/subscriptions': op('Subscribe an endpoint', newSubscriptionInput),
  'PATCH /sandbox/subscriptions/{subscription_id}': op(
    'Change a subscription',
    subscriptionChanges,
  ),
  'DELETE /sandbox/subscriptions/{subscription_id}': op('Remove a subscription'),
  'POST /sandbox/merchants': op('Make a merchant', newMerchantInput),
  'POST /sandbox/integrations': op('Make an integration', newIntegrationInput),
  'PATCH /sandbox/integrations/{integration_id}': op(
    'Change programmes and enrichment of an integration',
    integrationChanges,
  ),
  'POST /sandbox/enrolments': op('Make an enrolment', newEnrolmentInput),
  'PATCH /sandbox/enrolments/{enrolment_id}': op(
    'Move an enrolment on, as support does',
    enrolmentChanges,
  ),
  'POST /sandbox/enrolments/{enrolment_id}/descriptors': op(
    'Add one descriptor',
    newDescriptorInput,
  ),
  'DELETE /sandbox/enrolments/{enrolment_id}/descriptors': {
    summary: 'Remove one descriptor',
    query: descriptorChoice,
    status: 200,
  },
  'POST /sandbox/orders': op('Store an order without any rule', newOrderInput),
  'POST /sandbox/transactions': op(
    'Have a processor integration ingest a transaction',
    newTransactionInput,
  ),
  'POST /sandbox/alerts': op('Raise an alert, as a network does', NewAlert),
  'PATCH /sandbox/alerts/{alert_id}': op('Change an outcome of an alert alone', alertChanges),
  'POST /sandbox/alerts/{alert_id}/resolve': {
    ...op('Resolve an alert in the dashboard', resolution),
    status: 200,
  },
  'POST /sandbox/alerts/{alert_id}/invalidate': {
    ...op('Withdraw an alert', withdrawal),
    status: 200,
  },
  'POST /sandbox/lookups': op('Ask for order data', NewLookup),
  'PATCH /sandbox/lookups/{lookup_id}': op('Move a lookup on', lookupChanges),
  'POST /sandbox/lookups/{lookup_id}/case-notice': {
    ...op('Send a case notice for a lookup', caseNotice),
    status: 200,
  },
  'GET /sandbox/representments': list('The representments'),
  'GET /sandbox/scheme-notices': list('The scheme notices'),
  'POST /sandbox/representments': op('Open a representment', NewRepresentment),
  'PATCH /sandbox/representments/{id}': op('Change a representment', representmentChanges),
  'POST /sandbox/scheme-notices': op('Report a scheme notice', NewSchemeNotice),
  'PATCH /sandbox/scheme-notices/{id}': op('Change a scheme notice', schemeNoticeChanges),
  'GET /sandbox/charges': list('The charges with their refunds'),
  'POST /sandbox/charges': op('Book a charge', NewCharge),
  'PATCH /sandbox/charges/{reference}': op('Change a charge', chargeChanges),
  'POST /sandbox/charges/{reference}/refunds': op('Refund a charge by hand', refundByHand),
  'POST /sandbox/charges/{reference}/captures': op('Capture a part of a charge', capture),
  'POST /sandbox/charges/{reference}/chargebacks': op(
    'Take money back as the issuer; 0 returns it',
    chargeback,
  ),
  'POST /sandbox/charges/{reference}/fraud-warnings': op(
    'Warn of fraud early, by a webhook of the processor',
  ),
  'PATCH /sandbox/refunds/{reference}': op('End a pending refund', refundResult),
  'GET /sandbox/disputes': op('Disputes at the processor, with all that was handed in'),
  'PATCH /sandbox/disputes/{reference}': op('Change a dispute, or decide it', disputeChanges),
  'POST /sandbox/disputes/{reference}/submissions': op('Hand evidence in by hand'),
  'GET /sandbox/processor': op('What the processor can do'),
  'PATCH /sandbox/processor': op('Change what it can do', processorChanges),
};
