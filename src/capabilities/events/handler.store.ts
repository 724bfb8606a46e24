/** All SQL of handlers: their places in the stream, and who holds them. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { EventHandler } from '../../surface/event-handlers.ts';

export interface Holder {
  readonly organisationId: string;
  readonly name: string;
  /** Of the lease. */
  readonly owner: string;
}

/** Enters names that are new, where they begin. */
export async function enterHandlers(
  db: Db,
  organisationId: string,
  handlers: readonly Pick<EventHandler, 'name' | 'from'>[],
): Promise<void> {
  await sql`
    insert into event_handler (organisation_id, name, cursor)
    select ${organisationId}, given.name, case when given.from = 'beginning'
        then coalesce((select min(seq) - 1 from event where organisation_id = ${organisationId}), place.last)
        else place.last end
    from json_to_recordset(${JSON.stringify(handlers)}::json) as given (name text, "from" text),
      (select coalesce((select last_seq from event_position where organisation_id = ${organisationId}), 0) as last) as place
    on conflict do nothing`.execute(db);
}

/** Which of them have something to read, and are not held. */
export async function dueHandlers(
  db: Db,
  about: {
    readonly organisationId: string;
    readonly now: Date;
    readonly names: readonly string[];
  },
): Promise<string[]> {
  const { organisationId, now, names } = about;
  const { rows } = await sql<{ name: string }>`
    select h.name from event_handler h join event_position p on p.organisation_id = h.organisation_id
    where h.organisation_id = ${organisationId} and h.name = any(${names}::text[]) and h.cursor <> p.last_seq
      and (h.retry_at is null or h.retry_at <= ${now}::timestamptz)
      and (h.lease_until is null or h.lease_until <= ${now}::timestamptz)`.execute(db);
  return rows.map(({ name }) => name);
}

/** Takes the lease. Undefined: another one has it, or it is not time to try again. */
export async function claimHandler(
  db: Db,
  { organisationId, name, owner }: Holder,
  lease: { readonly now: Date; readonly until: Date },
): Promise<{ readonly cursor: number; readonly tries: number } | undefined> {
  const { rows } = await sql<{ cursor: number; tries: number }>`
    update event_handler set lease_owner = ${owner}, lease_until = ${lease.until}::timestamptz
    where organisation_id = ${organisationId} and name = ${name}
      and (retry_at is null or retry_at <= ${lease.now}::timestamptz)
      and (lease_until is null or lease_until <= ${lease.now}::timestamptz)
    returning cursor, tries`.execute(db);
  return rows[0];
}

/** Writes how far it has come, and holds on. False: the lease ended, and another one has it. */
export async function moveHandler(
  db: Db,
  { organisationId, name, owner }: Holder,
  to: { readonly cursor: number; readonly until: Date | null },
): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`
    update event_handler set cursor = ${to.cursor}, tries = 0, retry_at = null, lease_until = ${to.until}::timestamptz
    where organisation_id = ${organisationId} and name = ${name} and lease_owner = ${owner} returning name`.execute(
    db,
  );
  return rows.length > 0;
}

/** Holds on while a handler takes its time. */
export async function holdHandler(
  db: Db,
  { organisationId, name, owner }: Holder,
  until: Date,
): Promise<void> {
  await sql`
    update event_handler set lease_until = ${until}::timestamptz
    where organisation_id = ${organisationId} and name = ${name} and lease_owner = ${owner}`.execute(
    db,
  );
}

/** Notes that the next event was not handled, and lets go until it is tried again. */
export async function noteFailure(
  db: Db,
  { organisationId, name, owner }: Holder,
  retryAt: Date,
): Promise<void> {
  await sql`
    update event_handler set tries = tries + 1, retry_at = ${retryAt}::timestamptz, lease_until = null
    where organisation_id = ${organisationId} and name = ${name} and lease_owner = ${owner}`.execute(
    db,
  );
}
