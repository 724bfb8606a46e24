/**
 * `/sandbox/*` for accounts and holdings: organisations, groups, keys, subscriptions, merchants,
 * integrations, live enrolments, orders.
 */
import type { Endpoint } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import { created, noContent, ok, param } from '../http/route.ts';
import { readInput } from '../refusal.ts';
import { showOrder } from '../resources/order-create.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import {
  changeSubscription,
  createGroup,
  createKey,
  createOrganisation,
  createSubscription,
  newGroupInput,
  newKeyInput,
  newOrganisationInput,
  newSubscriptionInput,
  subscriptionChanges,
} from './accounts.ts';
import { control, creating, must, readControl } from './control-endpoint.ts';
import {
  addDescriptor,
  createIntegration,
  createLiveEnrolment,
  createMerchant,
  createOrder,
  descriptorChoice,
  enrolmentChanges,
  ingestTransaction,
  integrationChanges,
  moveEnrolmentByHand,
  newDescriptorInput,
  newEnrolmentInput,
  newIntegrationInput,
  newMerchantInput,
  newOrderInput,
  newTransactionInput,
  removeDescriptor,
} from './holdings.ts';

export function accountEndpoints(context: SandboxContext): readonly Endpoint[] {
  return [...dashboardEndpoints(context), ...holdingEndpoints(context)];
}

function dashboardEndpoints(context: SandboxContext): readonly Endpoint[] {
  const post = creating(context);
  const list = (items: Iterable<unknown>): Answer => ok({ items: [...items] });
  return [
    control('GET', '/sandbox/partners', () => list(context.state.partners.values())),
    control('GET', '/sandbox/organisations', () => list(context.state.organisations.values())),
    post('/sandbox/organisations', newOrganisationInput, createOrganisation),
    control('GET', '/sandbox/groups', () => list(context.state.groups.values())),
    post('/sandbox/groups', newGroupInput, createGroup),
    control('GET', '/sandbox/keys', () => list(context.state.keys.values())),
    post('/sandbox/keys', newKeyInput, createKey),
    control('DELETE', '/sandbox/keys/{key_id}', (incoming) => {
      const id = param(incoming, 'key_id');
      const key = [...context.state.keys.values()].find((candidate) => candidate.id === id);
      context.state.keys.delete(must(key, 'The key').token);
      return noContent();
    }),
    control('GET', '/sandbox/subscriptions', () => list(context.state.subscriptions.values())),
    post('/sandbox/subscriptions', newSubscriptionInput, createSubscription),
    control('PATCH', '/sandbox/subscriptions/{subscription_id}', (incoming) => {
      const id = param(incoming, 'subscription_id');
      const subscription = must(context.state.subscriptions.get(id), 'The subscription');
      changeSubscription(subscription, readControl(incoming, subscriptionChanges));
      return ok(subscription);
    }),
    control('DELETE', '/sandbox/subscriptions/{subscription_id}', (incoming) => {
      context.state.subscriptions.delete(param(incoming, 'subscription_id'));
      return noContent();
    }),
    control('GET', '/sandbox/notices', () => list(context.state.notices)),
  ];
}

function holdingEndpoints(context: SandboxContext): readonly Endpoint[] {
  const post = creating(context);
  return [
    post('/sandbox/merchants', newMerchantInput, createMerchant),
    post('/sandbox/integrations', newIntegrationInput, createIntegration),
    post('/sandbox/enrolments', newEnrolmentInput, createLiveEnrolment),
    control('PATCH', '/sandbox/enrolments/{enrolment_id}', (incoming) => {
      const id = param(incoming, 'enrolment_id');
      return ok(moveEnrolmentByHand(context, id, readControl(incoming, enrolmentChanges)));
    }),
    control('POST', '/sandbox/enrolments/{enrolment_id}/descriptors', (incoming) => {
      const id = param(incoming, 'enrolment_id');
      return created(addDescriptor(context, id, readControl(incoming, newDescriptorInput)));
    }),
    control('DELETE', '/sandbox/enrolments/{enrolment_id}/descriptors', (incoming) => {
      const chosen = readInput(descriptorChoice, incoming.query);
      return ok(removeDescriptor(context, param(incoming, 'enrolment_id'), chosen));
    }),
    control('PATCH', '/sandbox/integrations/{integration_id}', (incoming) => {
      const id = param(incoming, 'integration_id');
      const integration = must(context.state.integrations.get(id), 'The integration');
      const { programmes, enrichment_enabled: enrichment } = readControl(
        incoming,
        integrationChanges,
      );
      integration.programmes = programmes ?? integration.programmes;
      integration.enrichment_enabled = enrichment ?? integration.enrichment_enabled;
      return ok(integration);
    }),
    post('/sandbox/transactions', newTransactionInput, ingestTransaction),
    control('POST', '/sandbox/orders', (incoming) =>
      created(showOrder(createOrder(context, readControl(incoming, newOrderInput)))),
    ),
  ];
}
