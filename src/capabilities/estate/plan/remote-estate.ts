/** Reads what the service holds of an estate. */
import { ConfigError } from '../../../base/kernel/errors.ts';
import type { ServiceClient } from '../../../service/client/index.ts';
import { isServiceError } from '../../../service/client/index.ts';
import type { Enrolment } from '../../../service/wire/enrolment.ts';
import type { Merchant } from '../../../service/wire/merchant.ts';
import type { Ruleset } from '../../../service/wire/ruleset.ts';

/** What the service holds. */
export interface RemoteEstate {
  readonly merchants: readonly Merchant[];
  readonly enrolments: readonly Enrolment[];
  readonly rulesets: readonly Ruleset[];
}

/** The calls that the estate makes. They need a partner key. */
export type EstateClient = Pick<ServiceClient, 'merchants' | 'enrolments' | 'rulesets'>;

/** Called while lists are read, with the number of objects so far. */
export type OnRead = (objects: number) => void;

/**
 * Reads everything of the organisations.
 *
 * @throws {ConfigError} when the key may not see an organisation: what cannot be seen is never taken for
 *   missing
 */
export async function readRemoteEstate(
  client: EstateClient,
  organisations: readonly string[],
  onRead: OnRead = () => undefined,
): Promise<RemoteEstate> {
  const merchants: Merchant[] = [];
  const enrolments: Enrolment[] = [];
  const rulesets: Ruleset[] = [];
  const note = (): void => onRead(merchants.length + enrolments.length + rulesets.length);
  for (const organisationId of organisations) {
    const filter = { organisation_id: organisationId };
    try {
      // Oldest first: what is created meanwhile comes last and moves no page.
      for await (const merchant of client.merchants.list({ ...filter, sort: 'created_at' })) {
        merchants.push(merchant);
        note();
      }
      for await (const enrolment of client.enrolments.list(filter)) {
        enrolments.push(enrolment);
        note();
      }
      for await (const ruleset of client.rulesets.list({ ...filter, sort: 'created_at' })) {
        rulesets.push(ruleset);
        note();
      }
    } catch (error) {
      throw explain(error, organisationId);
    }
  }
  return { merchants, enrolments, rulesets };
}

function explain(error: unknown, organisationId: string): unknown {
  if (isServiceError(error, 'NOT_FOUND')) {
    return new ConfigError(
      `The service does not show organisation ${organisationId} to this key (404). Check the id, and that the key's group reaches it. Nothing was planned: what cannot be seen may exist.`,
      { cause: error },
    );
  }
  if (isServiceError(error, 'UNAUTHORISED')) {
    return new ConfigError(
      'The service refused the key (401). Merchants and enrolments need a partner key: set FORESTALL_PARTNER_API_KEY.',
      { cause: error },
    );
  }
  return error;
}
