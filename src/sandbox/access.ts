/**
 * Who may do what: section Authentication, Access scopes.
 *
 * An organisation key reaches its organisation; an admin partner group every organisation of its
 * partner; another partner group those assigned to it. What is out of reach looks missing.
 */
import type { Ability } from '../service/wire/abilities.ts';
import { notFound, refusal } from './refusal.ts';
import type { SandboxContext } from './sandbox-context.ts';
import type { ApiKey, Organisation } from './state/accounts.ts';

export interface AccessRule {
  readonly ability: Ability;
  /** Whether organisation keys are turned away with `401`. */
  readonly partnerOnly: boolean;
}

/** The key of an `Authorization` header. @throws Refusal 401 when it is missing, unknown or expired */
export function authenticate(context: SandboxContext, header: string | undefined): ApiKey {
  const token = /^Bearer ([^\s]+)$/i.exec(header ?? '')?.[1];
  const key = token === undefined ? undefined : context.state.keys.get(token);
  if (key === undefined)
    throw refusal(
      'UNAUTHORISED',
      'The API key is missing or invalid. Send "Authorization: Bearer <key>".',
    );
  if (key.expires_at !== null && Date.parse(key.expires_at) <= context.clock.nowMs()) {
    throw refusal('UNAUTHORISED', 'The API key has expired. Use another one.');
  }
  return key;
}

/** @throws Refusal 401 or 403 unless the key satisfies the rule */
export function authorise(key: ApiKey, rule: AccessRule): void {
  if (rule.partnerOnly && key.level === 'organisation') {
    throw refusal(
      'UNAUTHORISED',
      'This endpoint takes partner keys only. Use the key of a partner group.',
    );
  }
  if (!key.abilities.includes(rule.ability)) {
    throw refusal(
      'FORBIDDEN',
      `The API key lacks the ability ${rule.ability}. Grant it, or use another key.`,
    );
  }
}

export function reaches(context: SandboxContext, key: ApiKey, organisationId: string): boolean {
  if (key.level === 'organisation') return key.owner_id === organisationId;
  return groupReaches(context, key.owner_id, organisationId);
}

export function groupReaches(
  context: SandboxContext,
  groupId: string,
  organisationId: string,
): boolean {
  const group = context.state.groups.get(groupId);
  const organisation = context.state.organisations.get(organisationId);
  if (group === undefined || organisation === undefined) return false;
  if (organisation.partner_id !== group.partner_id) return false;
  return group.admin || group.organisation_ids.includes(organisationId);
}

/** An organisation the key reaches. @throws Refusal 404 */
export function reachOrganisation(
  context: SandboxContext,
  key: ApiKey,
  organisationId: string,
): Organisation {
  const organisation = context.state.organisations.get(organisationId);
  if (organisation === undefined || !reaches(context, key, organisationId)) {
    throw notFound('The organisation', 'organisation_id');
  }
  return organisation;
}

/** Something of an organisation the key reaches. @throws Refusal 404 */
export function reachResource<Resource extends { readonly organisation_id: string }>(
  call: { readonly context: SandboxContext; readonly key: ApiKey },
  resource: Resource | undefined,
  what: string,
): Resource {
  if (resource === undefined || !reaches(call.context, call.key, resource.organisation_id)) {
    throw notFound(what);
  }
  return resource;
}
