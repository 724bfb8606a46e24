/** Makes rows of the endpoints that are in the settings. Their secrets stay there. */
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { deriveId } from '../../base/kernel/ids.ts';
import type { EndpointAct, EndpointItem, EndpointWish } from './endpoint.store.ts';
import { CHANGES, fromNowOn, noteChange, SETTINGS, setState } from './endpoint.store.ts';

/** The id of an endpoint of the settings: the same in every process. */
export function settingsEndpointId(organisationId: string, name: string): string {
  return deriveId('ep', [organisationId, name]);
}

type Kept = Pick<
  EndpointItem,
  'id' | 'name' | 'url' | 'types' | 'merchants' | 'with_email' | 'state' | 'kept_by'
>;

/**
 * Adds and changes rows, and removes those whose endpoint is no longer in the settings. One of the console keeps its name
 * until somebody removes it there. Returns how many changed.
 */
export async function storeSettingsEndpoints(
  db: Db,
  wishes: readonly EndpointWish[],
  { organisationId, now }: Pick<EndpointAct, 'organisationId' | 'now'>,
): Promise<number> {
  const act = { organisationId, now, by: SETTINGS };
  return await inTransaction(db, async (trx) => {
    const rows: readonly Kept[] = await trx
      .selectFrom('event_endpoint')
      .select(['id', 'name', 'url', 'types', 'merchants', 'with_email', 'state', 'kept_by'])
      .where('organisation_id', '=', organisationId)
      .orderBy('id')
      .forUpdate()
      .execute();
    const there = rows.filter(({ state }) => state !== 'REMOVED');
    const wishOf = new Map(
      wishes.map((wish) => [settingsEndpointId(organisationId, wish.name), wish]),
    );
    const due = [...wishOf].filter(
      ([id, wish]) =>
        !there.some((row) => (row.id === id ? isAsWished(row, wish) : row.name === wish.name)),
    );
    for (const [id, wish] of due) {
      await putEndpoint(trx, wish, { ...act, id });
      const isNew = !there.some((row) => row.id === id);
      await noteChange(
        trx,
        { ...act, id },
        isNew ? 'endpoint for events added' : 'endpoint for events changed',
        { ...wish },
      );
    }
    const gone = there.filter(({ id, kept_by: by }) => by === SETTINGS && !wishOf.has(id));
    for (const { id } of gone) {
      await setState(trx, { ...act, id }, 'remove');
      await noteChange(trx, { ...act, id }, CHANGES.remove);
    }
    return due.length + gone.length;
  });
}

function isAsWished(row: Kept, wish: EndpointWish): boolean {
  const { url, types, merchants, withEmail } = wish;
  return (
    JSON.stringify([row.url, row.types, row.merchants, row.with_email]) ===
    JSON.stringify([url, types, merchants, withEmail])
  );
}

async function putEndpoint(
  trx: Trx,
  wish: EndpointWish,
  { organisationId, id, now, by }: EndpointAct & { readonly id: string },
): Promise<void> {
  await sql`
    insert into event_endpoint as p (organisation_id, id, name, url, kept_by, types, merchants, with_email, taken_seq, created_at,
      created_by, changed_at)
    values (${organisationId}, ${id}, ${wish.name}, ${wish.url}, 'settings', ${JSON.stringify(wish.types)}::jsonb,
      ${JSON.stringify(wish.merchants)}::jsonb, ${wish.withEmail}, ${fromNowOn(organisationId)}, ${now}, ${by}, ${now})
    on conflict (organisation_id, id) do update set url = excluded.url, types = excluded.types, merchants = excluded.merchants,
      with_email = excluded.with_email, quiet_until = null, changed_at = excluded.changed_at,
      taken_seq = case when p.state = 'REMOVED' then excluded.taken_seq else p.taken_seq end,
      state = case when p.state = 'REMOVED' then 'ON' else p.state end`.execute(trx);
}
