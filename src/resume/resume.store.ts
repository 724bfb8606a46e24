/**
 * The rows behind it, both in `fact`: the last sign of life with the database it was written to, and
 * that a look is under way.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import { readIdentity } from './database-identity.store.ts';
import type { SeenAlive } from './resume-rule.ts';
import { RESUME_REASON_NAMES } from './resume-rule.ts';

const ALIVE = 'last_alive';
const LOOK = 'reconcile_first';

const aliveSchema = z.object({
  kind: z.enum(['full', 'objects']),
  identity: z.string(),
  at: z.iso.datetime(),
});

const lookSchema = z.object({
  since: z.iso.datetime(),
  /** The last sign of life before; null when nothing tells. */
  alive: z.iso.datetime().nullable(),
  reason: z.enum(RESUME_REASON_NAMES),
  waitsFor: z.string(),
});

/** A look that is under way: since when, why, and what it waits for. */
export type Look = z.infer<typeof lookSchema>;

async function readValue(
  db: Kysely<Database>,
  organisationId: string,
  name: typeof ALIVE | typeof LOOK,
): Promise<unknown> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}

interface NewValue {
  readonly organisationId: string;
  readonly name: typeof ALIVE | typeof LOOK;
  readonly value: unknown;
  readonly now: Date;
}

async function writeValue(db: Kysely<Database>, fact: NewValue): Promise<void> {
  const { organisationId, name, now } = fact;
  const value = JSON.stringify(fact.value);
  await db
    .insertInto('fact')
    .values({ organisation_id: organisationId, name, value, changed_at: now })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'name']).doUpdateSet({ value, changed_at: now }),
    )
    .execute();
}

/** One process at a time looks at, and writes, the sign of life; until the transaction ends. */
export async function lockAlive(trx: Transaction<Database>, organisationId: string): Promise<void> {
  const name = JSON.stringify([ALIVE, organisationId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}

/** The last sign of life of any worker; undefined when there is none that can be read. */
export async function readAlive(
  db: Kysely<Database>,
  organisationId: string,
): Promise<SeenAlive | undefined> {
  const { data } = aliveSchema.safeParse(await readValue(db, organisationId, ALIVE));
  if (data === undefined) return undefined;
  return { kind: data.kind, identity: data.identity, atMs: Date.parse(data.at) };
}

/** Writes a sign of life. */
export async function writeAlive(
  trx: Transaction<Database>,
  organisationId: string,
  { kind, identity, atMs }: SeenAlive,
): Promise<void> {
  const now = new Date(atMs);
  const value = { kind, identity, at: now.toISOString() };
  await writeValue(trx, { organisationId, name: ALIVE, value, now });
}

/** The look under way, or undefined. */
export async function readLook(
  db: Kysely<Database>,
  organisationId: string,
): Promise<Look | undefined> {
  return lookSchema.safeParse(await readValue(db, organisationId, LOOK)).data;
}

/** Begins a look, or says anew what it waits for. */
export async function writeLook(
  db: Kysely<Database>,
  organisationId: string,
  { look, now }: { readonly look: Look; readonly now: Date },
): Promise<void> {
  await writeValue(db, { organisationId, name: LOOK, value: look, now });
}

/** Ends the look that began at `since`. False when it has ended, or another began. */
export async function endLook(
  trx: Transaction<Database>,
  organisationId: string,
  { since }: Look,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', LOOK)
    .where(sql<string>`value->>'since'`, '=', since)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether a case was opened before that moment. */
export async function hasCaseBefore(
  db: Kysely<Database>,
  organisationId: string,
  before: Date,
): Promise<boolean> {
  const row = await db
    .selectFrom('alert_case')
    .select('alert_id')
    .where('organisation_id', '=', organisationId)
    .where('opened_at', '<', before)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether money and answers have to wait: a look is under way, or this is not the database that the
 * workers wrote to last, and none has noticed yet.
 */
export async function mustLookFirst(
  db: Kysely<Database>,
  organisationId: string,
): Promise<boolean> {
  const rows = await db
    .selectFrom('fact')
    .select(['name', 'value'])
    .where('organisation_id', '=', organisationId)
    .where('name', 'in', [ALIVE, LOOK])
    .execute();
  if (rows.some(({ name }) => name === LOOK)) return true;
  const { data: alive } = aliveSchema.safeParse(rows[0]?.value);
  return alive !== undefined && alive.identity !== (await readIdentity(db, alive.kind));
}
