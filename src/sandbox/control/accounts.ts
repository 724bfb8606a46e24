/** What dashboards do with accounts: partners, groups, organisations, keys, webhook subscriptions. */
import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import type { Ability } from '../../service/wire/abilities.ts';
import { ABILITIES } from '../../service/wire/abilities.ts';
import { EVENT_TYPES } from '../../service/wire/event.ts';
import { timestampOut } from '../../service/wire/fields.ts';
import { SIGNING_SECRET_PREFIX, TEST_ORGANISATION_PREFIX } from '../../service/wire/id-prefixes.ts';
import { invalid, notFound } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import type { ApiKey, Organisation, PartnerGroup, Subscription } from '../state/accounts.ts';

export const newOrganisationInput = z.strictObject({
  /** @default a new one */
  id: z.string().optional(),
  name: z.string().min(1),
  /** @default 'test' */
  mode: z.enum(['live', 'test']).optional(),
  /** @default the first partner, which is made if there is none */
  partner_id: z.string().optional(),
  owner_email: z.string().optional(),
});

export const newGroupInput = z.strictObject({
  /** @default a new one */
  id: z.string().optional(),
  name: z.string().optional(),
  /** @default the first partner */
  partner_id: z.string().optional(),
  /** @default false */
  admin: z.boolean().optional(),
  organisation_ids: z.array(z.string()).optional(),
});

export const newKeyInput = z.strictObject({
  /** What comes after `Bearer`. @default a new one */
  token: z.string().min(8).optional(),
  /** One of the two. @default the first organisation */
  organisation_id: z.string().optional(),
  group_id: z.string().optional(),
  /** @default all */
  abilities: z.array(z.enum(ABILITIES)).optional(),
  expires_at: timestampOut.nullable().optional(),
});

export const newSubscriptionInput = z.strictObject({
  /** One of the two. @default the first organisation */
  organisation_id: z.string().optional(),
  group_id: z.string().optional(),
  /** HTTPS, or HTTP within this machine and private networks; null sends nothing until it is set. */
  url: z.string().nullable(),
  /** @default all ten */
  types: z.array(z.enum(EVENT_TYPES)).optional(),
  /** @default a new one */
  secret: z.string().min(1).optional(),
});
export type NewSubscription = z.input<typeof newSubscriptionInput>;

export const subscriptionChanges = z.strictObject({
  url: z.string().nullable().optional(),
  types: z.array(z.enum(EVENT_TYPES)).optional(),
  secret: z.string().min(1).optional(),
  status: z.enum(['ENABLED', 'DISABLED']).optional(),
});

/** Creates an organisation; a test one gets its name's prefix. */
export function createOrganisation(
  context: SandboxContext,
  input: z.input<typeof newOrganisationInput>,
): Organisation {
  const mode = input.mode ?? 'test';
  const prefixed = input.name.startsWith(TEST_ORGANISATION_PREFIX);
  const organisation: Organisation = {
    id: input.id ?? context.ids.next('organisation'),
    name: mode === 'test' && !prefixed ? `${TEST_ORGANISATION_PREFIX} ${input.name}` : input.name,
    mode,
    partner_id: input.partner_id ?? firstPartner(context),
    owner_email: input.owner_email ?? 'owner@merchant.example',
  };
  context.state.organisations.set(organisation.id, organisation);
  return organisation;
}

function firstPartner(context: SandboxContext): string {
  const [first] = context.state.partners.keys();
  return first ?? createPartner(context, 'Partner');
}

/** Creates a partner and answers its id. */
export function createPartner(context: SandboxContext, name: string): string {
  const id = context.ids.nextWith('prtn_');
  context.state.partners.set(id, { id, name });
  return id;
}

export function createGroup(
  context: SandboxContext,
  input: z.input<typeof newGroupInput>,
): PartnerGroup {
  const group: PartnerGroup = {
    id: input.id ?? context.ids.nextWith('pgrp_'),
    partner_id: input.partner_id ?? firstPartner(context),
    name: input.name ?? 'Group',
    admin: input.admin ?? false,
    organisation_ids: input.organisation_ids ?? [],
  };
  context.state.groups.set(group.id, group);
  return group;
}

/** Creates a key. It is stored under its token. */
export function createKey(context: SandboxContext, input: z.input<typeof newKeyInput>): ApiKey {
  const owner = ownerOf(context, input);
  const key: ApiKey = {
    id: context.ids.nextWith('key_', 12),
    token: input.token ?? context.ids.nextWith(`sandbox_${owner.level}_`, 36),
    level: owner.level,
    owner_id: owner.id,
    abilities: input.abilities ?? NEW_KEY_ABILITIES,
    expires_at: input.expires_at ?? null,
  };
  context.state.keys.set(key.token, key);
  return key;
}

/** New keys may do everything but the deprecated v1 enrolments. */
const NEW_KEY_ABILITIES: Ability[] = ABILITIES.filter(
  (ability) => !ability.startsWith('enrolments:'),
);

function ownerOf(
  context: SandboxContext,
  choice: { readonly organisation_id?: string | undefined; readonly group_id?: string | undefined },
): { readonly level: ApiKey['level']; readonly id: string } {
  if (choice.group_id !== undefined) {
    if (!context.state.groups.has(choice.group_id)) throw notFound('The group', 'group_id');
    return { level: 'partner', id: choice.group_id };
  }
  const [first] = context.state.organisations.keys();
  const id = choice.organisation_id ?? first ?? '';
  if (!context.state.organisations.has(id)) throw notFound('The organisation', 'organisation_id');
  return { level: 'organisation', id };
}

export function createSubscription(context: SandboxContext, input: NewSubscription): Subscription {
  const subscription: Subscription = {
    id: context.ids.nextWith('whsub_', 16),
    owner_id: ownerOf(context, input).id,
    url: checkedUrl(input.url),
    types: input.types ?? [...EVENT_TYPES],
    secret: input.secret ?? context.ids.nextWith(SIGNING_SECRET_PREFIX, 40),
    status: 'ENABLED',
    failed_in_a_row: 0,
  };
  context.state.subscriptions.set(subscription.id, subscription);
  return subscription;
}

/** Changes a subscription. Enabling it forgets its failures. */
export function changeSubscription(
  subscription: Subscription,
  changes: z.input<typeof subscriptionChanges>,
): void {
  if (changes.url !== undefined) subscription.url = checkedUrl(changes.url);
  if (changes.types !== undefined) subscription.types = changes.types;
  if (changes.secret !== undefined) subscription.secret = changes.secret;
  if (changes.status !== undefined) subscription.status = changes.status;
  if (changes.status === 'ENABLED') subscription.failed_in_a_row = 0;
}

/** Names that never leave a machine or a private network: one word, or under one of these. */
const PRIVATE_NAME = /^(?:[a-z0-9_-]+|.+\.(?:internal|local|localhost|test))$/i;

const PRIVATE_ADDRESSES = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE_ADDRESSES.addSubnet(network, bits, 'ipv4');
}
PRIVATE_ADDRESSES.addAddress('::1', 'ipv6');
PRIVATE_ADDRESSES.addSubnet('fc00::', 7, 'ipv6');

/**
 * Takes an endpoint's URL: HTTPS, as at the service, and plain HTTP where no other machine can listen: on this machine, in
 * its private networks, to a container by its name. null sends nothing.
 *
 * @throws Refusal 422
 */
export function checkedUrl(url: string | null): string | null {
  if (url === null) return null;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:') return url;
  if (parsed?.protocol === 'http:' && isPrivate(parsed.hostname)) return url;
  const message =
    'The endpoint URL must be HTTPS. HTTP is accepted for this machine and private networks only.';
  throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'url' }]);
}

function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  if (family === 0) return PRIVATE_NAME.test(host);
  return PRIVATE_ADDRESSES.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
