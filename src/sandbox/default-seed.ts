/** What every sandbox starts with: one test organisation under one partner, ready to receive alerts. */
import {
  createGroup,
  createKey,
  createOrganisation,
  createPartner,
  createSubscription,
} from './control/accounts.ts';
import { createIntegration, createLiveEnrolment, createMerchant } from './control/holdings.ts';
import type { SandboxContext } from './sandbox-context.ts';
import type { ApiKey } from './state/accounts.ts';

/** Creates the default accounts and notes them in the state. */
export function seedDefaults(context: SandboxContext): void {
  const partnerId = createPartner(context, 'Demo partner');
  const group = createGroup(context, {
    name: 'Administrators',
    partner_id: partnerId,
    admin: true,
  });
  const organisation = createOrganisation(context, {
    name: 'Demo store',
    partner_id: partnerId,
    id: context.settings.organisationId,
  });
  const merchant = createMerchant(context, {
    name: 'Demo store',
    organisation_id: organisation.id,
  });
  const integration = createIntegration(context, {});
  const alertEnrolment = createLiveEnrolment(context, {
    type: 'NETA_ALERT',
    descriptors: [{ descriptor: 'DEMO STORE', match_type: 'STARTS_WITH' }],
  });
  const rdrEnrolment = createLiveEnrolment(context, {
    type: 'NETB_RDR',
    bin: '411111',
    caid: 'DEMOSTORE000001',
  });
  const insightEnrolment = createLiveEnrolment(context, { type: 'NETB_ORDER_INSIGHT' });
  const subscription = createSubscription(context, {
    organisation_id: organisation.id,
    url: context.settings.webhookUrl,
  });
  context.state.accounts = {
    partnerId,
    partnerGroupId: group.id,
    organisationId: organisation.id,
    merchantId: merchant.id,
    integrationId: integration.id,
    alertEnrolmentId: alertEnrolment.id,
    rdrEnrolmentId: rdrEnrolment.id,
    insightEnrolmentId: insightEnrolment.id,
    subscriptionId: subscription.id,
    webhookSecret: subscription.secret,
    organisationKey: createKey(context, { organisation_id: organisation.id }).token,
    partnerKey: withV1(createKey(context, { group_id: group.id })).token,
  };
}

/** Older keys also carry the abilities of the deprecated paths. */
function withV1(key: ApiKey): ApiKey {
  key.abilities = [...key.abilities, 'enrolments:read', 'enrolments:write'];
  return key;
}
