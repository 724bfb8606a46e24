/**
 * What every sandbox starts with: one test organisation under one partner, ready to receive alerts.
 */

import {
  createGroup,
  createKey,
  createOrganisation,
  createPartner,
  createSubscription,
} from './control/accounts.ts';
import { createIntegration, createLiveEnrolment, createMerchant } from './control/holdings.ts';
import type { ApiKey } from './state/accounts.ts';
import type { World } from './world.ts';

/** Makes the default accounts and notes them in the state. */
export function seedDefaults(world: World): void {
  const partnerId = createPartner(world, 'Demo partner');
  const group = createGroup(world, { name: 'Administrators', partner_id: partnerId, admin: true });
  const organisation = createOrganisation(world, {
    name: 'Demo store',
    partner_id: partnerId,
    id: world.settings.organisationId,
  });
  const merchant = createMerchant(world, { name: 'Demo store', organisation_id: organisation.id });
  const integration = createIntegration(world, {});
  const alertEnrolment = createLiveEnrolment(world, {
    type: 'NETA_ALERT',
    descriptors: [{ descriptor: 'DEMO STORE', match_type: 'STARTS_WITH' }],
  });
  const rdrEnrolment = createLiveEnrolment(world, {
    type: 'NETB_RDR',
    bin: '411111',
    caid: 'DEMOSTORE000001',
  });
  const insightEnrolment = createLiveEnrolment(world, { type: 'NETB_ORDER_INSIGHT' });
  const subscription = createSubscription(world, {
    organisation_id: organisation.id,
    url: world.settings.webhookUrl,
  });
  world.state.accounts = {
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
    organisationKey: createKey(world, { organisation_id: organisation.id }).token,
    partnerKey: withV1(createKey(world, { group_id: group.id })).token,
  };
}

/** Older keys also carry the abilities of the deprecated paths. */
function withV1(key: ApiKey): ApiKey {
  key.abilities = [...key.abilities, 'enrolments:read', 'enrolments:write'];
  return key;
}
