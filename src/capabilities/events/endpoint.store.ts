/** All SQL of endpoints: who they are, what they are sent, whether they take it. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../base/audit/audit.store.ts';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import { createId } from '../../base/kernel/ids.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { createEndpointSecret } from '../../base/notify/standard-webhooks.ts';
import type { SealPlace } from '../../base/seal/seal.ts';
import { keyIdOfJson, openJson, sealJson } from '../../base/seal/seal.ts';
import type { EndpointOwner, EndpointSecret, EndpointState } from './events.table.ts';

/** Days for which the secret before signs too, after a new one was made. */
export const ROTATION_DAYS = 7;

/** Failing for so long switches an endpoint off, and gives an event up that another one overtakes, in milliseconds. */
export const FAILING_MS = 5 * 86_400_000;

/** So many failures in a row, and an endpoint is tried with one event at a time, with pauses. */
const FAILURES_IN_A_ROW = 10;

/** Shortest and longest pause of an endpoint that fails, in milliseconds: a quarter of how long it has failed. */
const QUIET = { minMs: 5_000, maxMs: 5 * 60_000, share: 0.25 };

/** Endpoints of one organisation: each has connections and slots of its own. */
export const ENDPOINTS_MAX = 50;

/** Characters of a name and of an address. */
export const NAME_LENGTH_MAX = 60;
export const URL_LENGTH_MAX = 500;

export interface EndpointItem {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly kept_by: EndpointOwner;
  readonly types: readonly string[];
  readonly merchants: readonly string[];
  readonly with_email: boolean;
  readonly state: EndpointState;
  readonly off_reason: string | null;
  readonly failing_since: Date | null;
  readonly failures: number;
  readonly quiet_until: Date | null;
  readonly created_at: Date;
  readonly created_by: string;
  /** What is still to be sent: what was tried in vain, and what is behind `taken_seq` in the stream. */
  readonly retrying: number;
  readonly behind: number;
  readonly given_up: number;
  readonly delivered_at: Date | null;
}

/** Those that are there, the oldest first. `id`: that one only. */
export async function listEndpoints(
  db: Db,
  organisationId: string,
  id?: string,
): Promise<EndpointItem[]> {
  const { rows } = await sql<EndpointItem>`
    select p.id, p.name, p.url, p.kept_by, p.types, p.merchants, p.with_email, p.state, p.off_reason, p.failing_since,
      p.failures, p.quiet_until, p.created_at, p.created_by,
      coalesce((select last_seq from event_position q where q.organisation_id = p.organisation_id), 0) - p.taken_seq as behind,
      (select count(*)::int from event_delivery d where d.organisation_id = p.organisation_id and d.endpoint_id = p.id and d.state = 'PENDING') as retrying,
      (select count(*)::int from event_delivery d where d.organisation_id = p.organisation_id and d.endpoint_id = p.id and d.state = 'GIVEN_UP') as given_up,
      (select d.changed_at from event_delivery d where d.organisation_id = p.organisation_id and d.endpoint_id = p.id
        and d.state = 'DELIVERED' order by d.seq desc limit 1) as delivered_at
    from event_endpoint p where p.organisation_id = ${organisationId} and p.state <> 'REMOVED'
      ${id === undefined ? sql`` : sql`and p.id = ${id}`}
    order by p.created_at, p.id`.execute(db);
  return rows;
}

/** What an endpoint is sent. */
export interface EndpointWish {
  readonly name: string;
  readonly url: string;
  /** Empty: all. */
  readonly types: readonly string[];
  readonly merchants: readonly string[];
  readonly withEmail: boolean;
}

export interface EndpointAct {
  readonly organisationId: string;
  /** `operator:<name>`, or `settings`. */
  readonly by: string;
  readonly now: Date;
}

/** Behind what was told until now. */
export function fromNowOn(organisationId: string): RawBuilder<number> {
  return sql<number>`coalesce((select last_seq from event_position where organisation_id = ${organisationId}), 0)`;
}

export type AddRefusal = 'name is taken' | 'too many';

/** Adds an endpoint; it is told of what happens from now on. */
export async function addEndpoint(
  db: Db,
  wish: EndpointWish,
  act: EndpointAct,
): Promise<{ readonly id: string; readonly secret: string } | AddRefusal> {
  const { organisationId, by, now } = act;
  const [id, secret] = [createId('ep'), createEndpointSecret()];
  return await inTransaction(db, async (trx) => {
    const known = await trx
      .selectFrom('event_endpoint')
      .select('name')
      .where('organisation_id', '=', organisationId)
      .where('state', '<>', 'REMOVED')
      .execute();
    if (known.length >= ENDPOINTS_MAX) return 'too many';
    if (known.some(({ name }) => name === wish.name)) return 'name is taken';
    const secrets = sealedSecrets(trx, { organisationId, id }, [{ secret, until: null }]);
    await sql`
      insert into event_endpoint (organisation_id, id, name, url, kept_by, types, merchants, with_email, secrets, taken_seq,
        created_at, created_by, changed_at)
      values (${organisationId}, ${id}, ${wish.name}, ${wish.url}, 'console', ${JSON.stringify(wish.types)}::jsonb,
        ${JSON.stringify(wish.merchants)}::jsonb, ${wish.withEmail}, ${secrets}::jsonb, ${fromNowOn(organisationId)},
        ${now}, ${by}, ${now})`.execute(trx);
    await noteChange(trx, { ...act, id }, 'endpoint for events added', { ...wish });
    return { id, secret };
  });
}

/** Changes what an endpoint of the console is sent, and where. False: there is none. */
export async function editEndpoint(
  db: Db,
  wish: EndpointWish,
  act: EndpointAct & { readonly id: string },
): Promise<boolean | AddRefusal> {
  const { organisationId, id, now } = act;
  return await inTransaction(db, async (trx) => {
    const { rows } = await sql<{ id: string; kept_by: EndpointOwner; name: string }>`
      select id, kept_by, name from event_endpoint where organisation_id = ${organisationId} and state <> 'REMOVED'
      order by id for update`.execute(trx);
    if (rows.some((row) => row.id !== id && row.name === wish.name)) return 'name is taken';
    if (!rows.some((row) => row.id === id && row.kept_by === 'console')) return false;
    await sql`
      update event_endpoint set name = ${wish.name}, url = ${wish.url}, types = ${JSON.stringify(wish.types)}::jsonb,
        merchants = ${JSON.stringify(wish.merchants)}::jsonb, with_email = ${wish.withEmail}, quiet_until = null, changed_at = ${now}
      where organisation_id = ${organisationId} and id = ${id}`.execute(trx);
    await noteChange(trx, act, 'endpoint for events changed', { ...wish });
    return true;
  });
}

export type EndpointChange = 'on' | 'off' | 'remove' | 'rotate';

export const CHANGES: Readonly<Record<EndpointChange, string>> = {
  on: 'endpoint for events switched on',
  off: 'endpoint for events switched off',
  remove: 'endpoint for events removed',
  rotate: 'endpoint for events given a new secret',
};

/** Changes an endpoint. Undefined: there is none for which that is possible. `secret`: the new one, after `rotate`. */
export async function changeEndpoint(
  db: Db,
  change: EndpointChange,
  act: EndpointAct & { readonly id: string },
): Promise<{ readonly secret: string | undefined } | undefined> {
  const { organisationId, id, by } = act;
  return await inTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('event_endpoint')
      .select(['secrets', 'kept_by'])
      .where('organisation_id', '=', organisationId)
      .where('id', '=', id)
      .where('state', '<>', 'REMOVED')
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const isOurs = row.kept_by === 'console';
    if (!isOurs && (change === 'rotate' || (change === 'remove' && by !== SETTINGS)))
      return undefined;
    const secret = change === 'rotate' ? createEndpointSecret() : undefined;
    if (change !== 'rotate') await setState(trx, act, change);
    else if (secret !== undefined) await putBefore(trx, { ...act, secrets: row.secrets }, secret);
    await noteChange(trx, act, CHANGES[change]);
    return { secret };
  });
}

async function putBefore(
  trx: Trx,
  endpoint: EndpointAct & {
    readonly id: string;
    readonly secrets: readonly EndpointSecret[] | string;
  },
  secret: string,
): Promise<void> {
  const { organisationId, id, now } = endpoint;
  const until = new Date(now.getTime() + ROTATION_DAYS * 86_400_000).toISOString();
  const [present] = openSecrets(trx, endpoint, endpoint.secrets);
  const secrets = [
    { secret, until: null },
    ...(present === undefined ? [] : [{ secret: present.secret, until }]),
  ];
  await sql`
    update event_endpoint set secrets = ${sealedSecrets(trx, endpoint, secrets)}::jsonb, changed_at = ${now}
    where organisation_id = ${organisationId} and id = ${id}`.execute(trx);
}

export async function setState(
  trx: Trx,
  { organisationId, id, now, by }: EndpointAct & { readonly id: string },
  change: Exclude<EndpointChange, 'rotate'>,
): Promise<void> {
  const state = ({ on: 'ON', off: 'OFF', remove: 'REMOVED' } as const)[change];
  const reason = by === SETTINGS ? null : BY_PERSON;
  await sql`
    update event_endpoint set state = ${state}, changed_at = ${now}, off_reason = ${change === 'off' ? reason : null},
      failing_since = null, failures = 0, quiet_until = null
    where organisation_id = ${organisationId} and id = ${id}`.execute(trx);
  // What waited is tried as if it were new.
  if (change === 'on')
    await sql`
      update event_delivery set next_at = ${now}, tries = 0, first_at = null, lease_until = null
      where organisation_id = ${organisationId} and endpoint_id = ${id} and state = 'PENDING'`.execute(
      trx,
    );
  if (change === 'remove') await forget(trx, organisationId, id);
}

/** What was to be sent goes, and its secrets: an endpoint of the console never comes back, one of the settings has them there. */
async function forget(trx: Trx, organisationId: string, id: string): Promise<void> {
  await sql`update event_endpoint set secrets = '[]' where organisation_id = ${organisationId} and id = ${id}`.execute(
    trx,
  );
  await sql`delete from event_delivery where organisation_id = ${organisationId} and endpoint_id = ${id}`.execute(
    trx,
  );
}

export async function noteChange(
  trx: Trx,
  { organisationId, id, by, now }: EndpointAct & { readonly id: string },
  what: string,
  detail?: Record<string, unknown>,
): Promise<void> {
  const about = { organisationId, at: now, subject: 'system', subjectId: id, actor: by } as const;
  await writeAudit(trx, { ...about, what, ...(detail === undefined ? {} : { detail }) });
}

/** Why an endpoint is off that a person switched off, and nothing is wrong with. */
export const BY_PERSON = 'a person switched it off';

/** Who keeps an endpoint that is in a file. */
export const SETTINGS = 'settings';

interface SecretsOf {
  readonly organisationId: string;
  readonly id: string;
}

function placeOf({ organisationId, id }: SecretsOf): SealPlace {
  return { organisationId, table: 'event_endpoint', column: 'secrets', row: [id] };
}

function sealedSecrets(db: Db, endpoint: SecretsOf, secrets: readonly EndpointSecret[]): string {
  return sealJson(dataKeysOf(db)?.sealing, placeOf(endpoint), JSON.stringify(secrets));
}

/** The secrets of a row, opened. @throws as `openBytes` */
export function openSecrets(
  db: Db,
  endpoint: SecretsOf,
  stored: readonly EndpointSecret[] | string,
): readonly EndpointSecret[] {
  return openJson<readonly EndpointSecret[]>(dataKeysOf(db), placeOf(endpoint), stored);
}

/** Seals the secrets under the key that seals now, or opens them where none does. */
export async function resealEndpoints(
  db: Db,
  organisationId: string,
  keys: DataKeys,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const rows = await trx
      .selectFrom('event_endpoint')
      .select(['id', 'secrets'])
      .where('organisation_id', '=', organisationId)
      .orderBy('id')
      .forUpdate()
      .execute();
    for (const { id, secrets } of rows) {
      if (keyIdOfJson(secrets) === keys.sealing?.id) continue;
      const place = placeOf({ organisationId, id });
      const plain = JSON.stringify(openJson(keys, place, secrets));
      await trx
        .updateTable('event_endpoint')
        .set({ secrets: sealJson(keys.sealing, place, plain) })
        .where('organisation_id', '=', organisationId)
        .where('id', '=', id)
        .execute();
    }
  });
}

/** What attempts at an endpoint showed. */
export interface EndpointNews {
  readonly delivered: number;
  readonly failed: number;
  /** It answered 410. */
  readonly isGone: boolean;
}

/** Whether an endpoint that failed so often in a row is tried with one event at a time. */
export function isFailing(failures: number): boolean {
  return failures >= FAILURES_IN_A_ROW;
}

/** Notes it: pauses an endpoint that fails, and switches off what is gone or has failed for five days; people are told. */
export async function noteEndpoint(
  db: Db,
  news: EndpointNews & { readonly organisationId: string; readonly id: string; readonly now: Date },
): Promise<void> {
  const { organisationId, id, now, delivered, failed, isGone } = news;
  if (delivered > 0 && !isGone) return await noteTaken(db, news);
  if (failed === 0 && !isGone) return;
  await inTransaction(db, async (trx) => {
    const { rows } = await sql<{
      name: string;
      state: EndpointState;
      failing_since: Date;
      failures: number;
    }>`
      update event_endpoint set failures = failures + ${failed}, failing_since = coalesce(failing_since, ${now}::timestamptz)
      where organisation_id = ${organisationId} and id = ${id}
      returning name, state, failing_since, failures`.execute(trx);
    const [row] = rows;
    if (row === undefined || row.state !== 'ON') return;
    const failingMs = now.getTime() - row.failing_since.getTime();
    if (isGone) await switchOff(trx, { ...news, name: row.name }, 'it answered 410 Gone');
    else if (failingMs >= FAILING_MS)
      await switchOff(trx, { ...news, name: row.name }, 'it took nothing for five days');
    else if (isFailing(row.failures)) {
      const pauseMs = Math.min(Math.max(failingMs * QUIET.share, QUIET.minMs), QUIET.maxMs);
      await sql`
        update event_endpoint set quiet_until = ${new Date(now.getTime() + pauseMs)}
        where organisation_id = ${organisationId} and id = ${id}`.execute(trx);
    }
  });
}

/** It takes events (again): what waited for a later attempt waits no longer. */
async function noteTaken(
  db: Db,
  {
    organisationId,
    id,
    now,
  }: { readonly organisationId: string; readonly id: string; readonly now: Date },
): Promise<void> {
  await sql`
    with back as (
      update event_endpoint p set failing_since = null, failures = 0, quiet_until = null
      from (select id, failures from event_endpoint where organisation_id = ${organisationId} and id = ${id}) before
      where p.organisation_id = ${organisationId} and p.id = ${id} and (p.failures > 0 or p.failing_since is not null)
      returning before.failures
    )
    update event_delivery set next_at = ${now}
    where organisation_id = ${organisationId} and endpoint_id = ${id} and state = 'PENDING' and next_at > ${now}
      and exists (select from back where failures >= ${FAILURES_IN_A_ROW})`.execute(db);
}

async function switchOff(
  trx: Trx,
  endpoint: {
    readonly organisationId: string;
    readonly id: string;
    readonly name: string;
    readonly now: Date;
  },
  reason: string,
): Promise<void> {
  const { organisationId, id, name, now } = endpoint;
  await sql`
    update event_endpoint set state = 'OFF', off_reason = ${reason}, changed_at = ${now}
    where organisation_id = ${organisationId} and id = ${id}`.execute(trx);
  await noteChange(trx, { ...endpoint, by: 'forestall' }, 'endpoint for events switched off', {
    reason,
  });
  await notify(trx, {
    organisationId,
    dedupeKey: `event_endpoint_off:${id}:${now.toISOString()}`,
    kind: 'event_endpoint_off',
    severity: 'error',
    text: `The endpoint “${name}” for events was switched off: ${reason}. Its events are kept for 90 days. Mend it, then switch it on on the page Endpoints: it is sent what it missed.`,
    at: now,
  });
}
