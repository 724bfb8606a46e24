/**
 * Seeds: many things at once, from code or from a file. Everything is optional; what is created
 * comes back in the order it was given.
 */
import { z } from 'zod';
import {
  createGroup,
  createKey,
  createOrganisation,
  createSubscription,
  newGroupInput,
  newKeyInput,
  newOrganisationInput,
  newSubscriptionInput,
} from './control/accounts.ts';
import {
  createIntegration,
  createLiveEnrolment,
  createMerchant,
  createOrder,
  ingestTransaction,
  newEnrolmentInput,
  newIntegrationInput,
  newMerchantInput,
  newOrderInput,
  newTransactionInput,
} from './control/holdings.ts';
import {
  askLookup,
  openRepresentment,
  raiseAlert,
  raiseAlertFor,
  reportSchemeNotice,
} from './control/network.ts';
import { createCharge } from './processor/ledger.ts';
import { newChargeInput } from './processor/new-charge.ts';
import { newLookupInput } from './resources/lookup-rules.ts';
import { newAlertInput } from './resources/new-alert.ts';
import { newRepresentmentInput } from './resources/representment-rules.ts';
import { newSchemeNoticeInput } from './resources/scheme-notice-rules.ts';
import type { SandboxContext } from './sandbox-context.ts';

const seedAlert = newAlertInput.extend({ charge_reference: z.string().optional() });

export const seedInput = z.strictObject({
  organisations: z.array(newOrganisationInput).optional(),
  groups: z.array(newGroupInput).optional(),
  keys: z.array(newKeyInput).optional(),
  subscriptions: z.array(newSubscriptionInput).optional(),
  merchants: z.array(newMerchantInput).optional(),
  integrations: z.array(newIntegrationInput).optional(),
  enrolments: z.array(newEnrolmentInput).optional(),
  charges: z.array(newChargeInput).optional(),
  orders: z.array(newOrderInput).optional(),
  transactions: z.array(newTransactionInput).optional(),
  alerts: z.array(seedAlert).optional(),
  lookups: z.array(newLookupInput).optional(),
  representments: z.array(newRepresentmentInput).optional(),
  scheme_notices: z.array(newSchemeNoticeInput).optional(),
});
/** What a seed holds. */
export type SeedData = z.input<typeof seedInput>;

export interface Seeded {
  readonly organisations: readonly ReturnType<typeof createOrganisation>[];
  readonly groups: readonly ReturnType<typeof createGroup>[];
  readonly keys: readonly ReturnType<typeof createKey>[];
  readonly subscriptions: readonly ReturnType<typeof createSubscription>[];
  readonly merchants: readonly ReturnType<typeof createMerchant>[];
  readonly integrations: readonly ReturnType<typeof createIntegration>[];
  readonly enrolments: readonly ReturnType<typeof createLiveEnrolment>[];
  readonly charges: readonly ReturnType<typeof createCharge>[];
  readonly transactions: readonly ReturnType<typeof ingestTransaction>[];
  readonly orders: readonly ReturnType<typeof createOrder>[];
  readonly alerts: readonly ReturnType<typeof raiseAlert>[];
  readonly lookups: readonly ReturnType<typeof askLookup>[];
  readonly representments: readonly ReturnType<typeof openRepresentment>[];
  readonly scheme_notices: readonly ReturnType<typeof reportSchemeNotice>[];
}

/** Creates what the seed holds: accounts first, then charges and orders, then what refers to them. */
export function applySeed(context: SandboxContext, data: SeedData): Seeded {
  const seed = seedInput.parse(data);
  return {
    organisations: each(seed.organisations, (organisation) =>
      createOrganisation(context, organisation),
    ),
    groups: each(seed.groups, (group) => createGroup(context, group)),
    keys: each(seed.keys, (key) => createKey(context, key)),
    subscriptions: each(seed.subscriptions, (subscription) =>
      createSubscription(context, subscription),
    ),
    merchants: each(seed.merchants, (merchant) => createMerchant(context, merchant)),
    integrations: each(seed.integrations, (integration) => createIntegration(context, integration)),
    enrolments: each(seed.enrolments, (enrolment) => createLiveEnrolment(context, enrolment)),
    charges: each(seed.charges, (charge) => createCharge(context, charge)),
    transactions: each(seed.transactions, (transaction) => ingestTransaction(context, transaction)),
    orders: each(seed.orders, (order) => createOrder(context, order)),
    alerts: each(seed.alerts, ({ charge_reference: charge, ...fields }) =>
      charge === undefined ? raiseAlert(context, fields) : raiseAlertFor(context, charge, fields),
    ),
    lookups: each(seed.lookups, (lookup) => askLookup(context, lookup)),
    representments: each(seed.representments, (representment) =>
      openRepresentment(context, representment),
    ),
    scheme_notices: each(seed.scheme_notices, (notice) => reportSchemeNotice(context, notice)),
  };
}

function each<Input, Output>(
  inputs: readonly Input[] | undefined,
  create: (input: Input) => Output,
): readonly Output[] {
  return (inputs ?? []).map((input) => create(input));
}
