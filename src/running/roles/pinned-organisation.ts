/** The organisation this installation is pinned to: a key of another one must not come into use. */

import { ConfigError } from '../../base/kernel/errors.ts';
import type { AlertsResource } from '../../service/client/resources/alerts.ts';

/** Longest wait for the service at a start, in milliseconds: one that is away delays no deadline. */
const ASK_MS = 5_000;

/**
 * Refuses to start when the key shows alerts of another organisation only. What cannot be known passes:
 * a service that is away, a key that is refused, or an organisation without alerts; the poll and apply
 * leave foreign alerts alone and raise an alarm then.
 *
 * @throws {ConfigError} naming the settings, neither the key nor the other organisation
 */
export async function refuseForeignKey(
  alerts: Pick<AlertsResource, 'page'>,
  organisationId: string,
): Promise<void> {
  const owners = await readOwners(alerts);
  if (owners.length === 0 || owners.includes(organisationId)) return;
  throw new ConfigError(
    'FORESTALL_API_KEY belongs to another organisation than FORESTALL_ORGANISATION_ID. Use the key of that organisation, or correct the id.',
  );
}

async function readOwners(alerts: Pick<AlertsResource, 'page'>): Promise<readonly string[]> {
  try {
    const options = { attemptsMax: 1, signal: AbortSignal.timeout(ASK_MS) };
    const { items } = await alerts.page({}, options);
    return items.map(({ organisation_id: owner }) => owner);
  } catch {
    return [];
  }
}
