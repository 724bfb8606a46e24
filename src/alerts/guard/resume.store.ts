/**
 * The rows behind it, all in `fact`: the last sign of life with the database it was written to, that a
 * look is under way, and which charges are held back although it is over.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../base/db/database.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { DatabaseIdentity, IdentityKind } from './database-identity.store.ts';
import { identityOf, readIdentity } from './database-identity.store.ts';
import type { SeenAlive } from './resume-rule.ts';
import { RESUME_REASON_NAMES } from './resume-rule.ts';

const ALIVE = 'last_alive';
const LOOK = 'reconcile_first';
const WITHHELD = 'reconcile_first_withheld';
type ResumeFact = typeof ALIVE | typeof LOOK | typeof WITHHELD;

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

const withheldSchema = z.record(z.string(), z.string());

/** Charges that the processor could not be asked about, each with the reason. */
export type Withheld = ReadonlyMap<string, string>;

function withheldOf(value: unknown): Withheld {
  return new Map(Object.entries(withheldSchema.safeParse(value).data ?? {}));
}

async function readValues(
  db: Kysely<Database>,
  organisationId: string,
  names: readonly ResumeFact[],
): Promise<ReadonlyMap<string, unknown>> {
  const rows = await db
    .selectFrom('fact')
    .select(['name', 'value'])
    .where('organisation_id', '=', organisationId)
    .where('name', 'in', names)
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

interface NewValue {
  readonly organisationId: string;
  readonly name: ResumeFact;
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
  const { data } = aliveSchema.safeParse(
    (await readValues(db, organisationId, [ALIVE])).get(ALIVE),
  );
  if (data === undefined) return undefined;
  return { kind: data.kind, identity: data.identity, atMs: Date.parse(data.at) };
}

/** Whether this is not the database that the last sign of life was written to. */
export async function isOtherDatabase(
  db: Kysely<Database>,
  organisationId: string,
): Promise<boolean> {
  return await isOther(db, await readAlive(db, organisationId));
}

async function isOther(
  db: Kysely<Database>,
  alive: DatabaseIdentity | undefined,
): Promise<boolean> {
  return alive !== undefined && alive.identity !== (await readIdentity(db, alive.kind));
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
  return (await readResume(db, organisationId)).look;
}

/** What a worker has to go on with. */
export interface ResumeState {
  readonly look: Look | undefined;
  readonly withheld: Withheld;
}

/** The look under way, and what is held back after one. */
export async function readResume(
  db: Kysely<Database>,
  organisationId: string,
): Promise<ResumeState> {
  const facts = await readValues(db, organisationId, [LOOK, WITHHELD]);
  return {
    look: lookSchema.safeParse(facts.get(LOOK)).data,
    withheld: withheldOf(facts.get(WITHHELD)),
  };
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

/** What the loops that act have to heed. */
export interface GateState {
  /** A look is under way, or this is not the database that the workers wrote to last, and none has noticed yet. */
  readonly mustLook: boolean;
  readonly withheld: Withheld;
  /** How much of the database's identity was known at the last sign of life. */
  readonly kind: IdentityKind | undefined;
}

/**
 * Reads it: in one statement where `kind`, how much this server told about itself the last time, is known
 * and holds still. It fails where the server tells less now: ask without it then.
 */
export async function readGate(
  db: Kysely<Database>,
  organisationId: string,
  kind?: IdentityKind,
): Promise<GateState> {
  const asked = sql<string | null>`${kind === undefined ? sql`null` : identityOf(kind)}`;
  const rows = await db
    .selectFrom('fact')
    .select(['name', 'value', asked.as('identity')])
    .where('organisation_id', '=', organisationId)
    .where('name', 'in', [ALIVE, LOOK, WITHHELD])
    .execute();
  const facts = new Map(rows.map(({ name, value }) => [name, value]));
  const withheld = withheldOf(facts.get(WITHHELD));
  const { data: alive } = aliveSchema.safeParse(facts.get(ALIVE));
  if (facts.has(LOOK)) return { mustLook: true, withheld, kind: alive?.kind };
  if (alive === undefined) return { mustLook: false, withheld, kind: undefined };
  const identity = alive.kind === kind ? rows[0]?.identity : await readIdentity(db, alive.kind);
  return { mustLook: alive.identity !== identity, withheld, kind: alive.kind };
}

/** Whether a refund of this charge has to wait: for a look at everything, or at this charge. */
export async function mustLookFirst(
  db: Kysely<Database>,
  { organisationId, chargeReference }: ChargeKey,
): Promise<boolean> {
  const { mustLook, withheld } = await readGate(db, organisationId);
  return mustLook || withheld.has(chargeReference);
}

/** The charges held back. */
export async function readWithheld(
  db: Kysely<Database>,
  organisationId: string,
): Promise<Withheld> {
  return (await readResume(db, organisationId)).withheld;
}

/** Holds exactly these charges back. Call it under {@link lockAlive}. */
export async function writeWithheld(
  trx: Transaction<Database>,
  organisationId: string,
  { withheld, now }: { readonly withheld: Withheld; readonly now: Date },
): Promise<void> {
  if (withheld.size > 0) {
    const value = Object.fromEntries(withheld);
    await writeValue(trx, { organisationId, name: WITHHELD, value, now });
    return;
  }
  await trx
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', WITHHELD)
    .execute();
}
