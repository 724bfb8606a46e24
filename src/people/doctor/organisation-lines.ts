/**
 * Whether the key, the rows and FORESTALL_ORGANISATION_ID belong to one organisation. What the service lists
 * names its owner; without anything listed, the simulation of an alert tells whether the key reaches the
 * organisation at all.
 */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok } from '../../base/kernel/status-line.ts';
import { createProbeSender, reachesOrganisation } from '../../running/roles/organisation-mode.ts';
import type { Endpoint } from '../../service/client/call.ts';
import type { Sender } from '../../service/client/sender.ts';
import { isServiceError } from '../../service/client/service-error.ts';
import type { DoctorCheck } from './context.ts';

const NAME = 'organisation';

/** Lists of one organisation's objects. */
const LISTS: readonly Endpoint[] = [
  { method: 'GET', template: '/v1/alerts/', key: 'organisation' },
  { method: 'GET', template: '/v1/orders/', key: 'organisation' },
  { method: 'GET', template: '/v1/lookups/', key: 'organisation' },
];

const ownedSchema = z.looseObject({ organisation_id: z.string() });

export const organisationLines: DoctorCheck = async ({ service, rows }) => {
  const { organisationId } = service;
  const ofRows = 'value' in rows ? await rowsLine(rows.value, organisationId) : undefined;
  const sender = createProbeSender(service);
  // Side by side: a silent service takes the whole wait for each.
  const [owners, isReached] = await Promise.all([
    Promise.all(LISTS.map((list) => readOwners(sender, list))).then((lists) => lists.flat()),
    reachesOrganisation(sender, organisationId),
  ]);
  const isForeign = owners.length > 0 ? !owners.includes(organisationId) : isReached === false;
  if (isForeign) {
    const detail = 'the API key belongs to another organisation than FORESTALL_ORGANISATION_ID';
    const step =
      'Copy the id that the dashboard shows beside the key, or take the key of that organisation.';
    return [failed(NAME, detail, step), ...(ofRows === undefined ? [] : [ofRows])];
  }
  if (ofRows !== undefined) return [ofRows];
  const isOwnKey = owners.length > 0;
  return [ok(NAME, isOwnKey ? 'key and id belong together' : 'nothing speaks against the id')];
};

async function readOwners(sender: Sender, endpoint: Endpoint): Promise<string[]> {
  try {
    const { items } = await sender.page(
      endpoint,
      { query: { limit: 10 }, options: { attemptsMax: 1 } },
      ownedSchema,
    );
    return items.map(({ organisation_id: owner }) => owner);
  } catch (error) {
    // The lines about the key and its abilities tell of it.
    if (isServiceError(error)) return [];
    throw error;
  }
}

/** Rows of others and none of ours: most likely the id is wrong. */
async function rowsLine(db: Db, organisationId: string): Promise<StatusLine | undefined> {
  const found = await db
    .selectFrom('alert_case')
    .select('organisation_id')
    .where('organisation_id', '=', organisationId)
    .limit(1)
    .executeTakeFirst();
  if (found !== undefined) return undefined;
  const other = await db
    .selectFrom('alert_case')
    .select('organisation_id')
    .where('organisation_id', '<>', organisationId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) return undefined;
  return failed(
    NAME,
    'this database holds alerts of another organisation and none of this one',
    'Compare FORESTALL_ORGANISATION_ID and DATABASE_URL with those of the installation that wrote them.',
  );
}
