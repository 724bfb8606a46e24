/**
 * The rows of `fact` behind the look before acting: the last sign of life with the database it was written to, and
 * that a look is under way. Which charges are held back although it is over: `withheld.store.ts`.
 */
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../base/db/database.ts';
import { lockOrganisation } from '../../base/db/organisation-lock.store.ts';
import { writeFact } from '../../base/jobs/fact.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { IdentityKind } from './database-identity.store.ts';
import { identityOf, readIdentity } from './database-identity.store.ts';
import type { SeenAlive } from './resume-rule.ts';
import { RESUME_REASON_NAMES } from './resume-rule.ts';
import type { Withheld } from './withheld.store.ts';
import { WITHHELD, withheldOf } from './withheld.store.ts';

const ALIVE = 'last_alive';
const LOOK = 'reconcile_first';
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
  /** Whether refunds could be sent before; a look that an older version began does not say. */
  couldRefund: z.boolean().optional(),
});

/** A look that is under way: since when, why, and what it waits for. */
export type Look = z.infer<typeof lookSchema>;

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

/** One process at a time looks at, and writes, the sign of life; until the transaction ends. */
export async function lockAlive(trx: Transaction<Database>, organisationId: string): Promise<void> {
  await lockOrganisation(trx, organisationId, ALIVE);
}

function seenAliveOf(value: unknown): SeenAlive | undefined {
  const { data } = aliveSchema.safeParse(value);
  if (data === undefined) return undefined;
  return { kind: data.kind, identity: data.identity, atMs: Date.parse(data.at) };
}

/** The last sign of life of any worker; undefined when there is none that can be read. */
export async function readAlive(
  db: Kysely<Database>,
  organisationId: string,
): Promise<SeenAlive | undefined> {
  return seenAliveOf((await readValues(db, organisationId, [ALIVE])).get(ALIVE));
}

/**
 * Writes a sign of life where nothing speaks for lost time: this is the database of the last one, which is
 * no older than the last of this process. False: it has to be looked at under {@link lockAlive}.
 */
export async function extendAlive(
  db: Kysely<Database>,
  organisationId: string,
  sign: { readonly kind: IdentityKind; readonly wroteMs: number; readonly nowMs: number },
): Promise<boolean> {
  const now = new Date(sign.nowMs);
  // Never back: two workers' clocks differ by a little.
  const later = sql`greatest((value ->> 'at') collate "C", ${now.toISOString()})`;
  const { numUpdatedRows } = await db
    .updateTable('fact')
    .set({ value: sql`value || jsonb_build_object('at', ${later})`, changed_at: now })
    .where('organisation_id', '=', organisationId)
    .where('name', '=', ALIVE)
    .where(sql<string>`value ->> 'identity'`, '=', identityOf(sign.kind))
    .where(sql<string>`(value ->> 'at') collate "C"`, '>=', new Date(sign.wroteMs).toISOString())
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A sign of life that this process wrote. */
export interface LastSign {
  readonly kind: IdentityKind;
  readonly wroteMs: number;
}

/**
 * {@link extendAlive} for many organisations, in one statement.
 *
 * @returns those that it holds for; each of the others has to be looked at
 */
export async function extendEachAlive(
  db: Kysely<Database>,
  signs: ReadonlyMap<string, LastSign>,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const kinds = new Set([...signs.values()].map(({ kind }) => kind));
  const [kind] = kinds;
  // Every organisation's kind is that of the one server; where it has just changed, each looks for itself.
  if (kind === undefined || kinds.size > 1) return new Set();
  const at = new Date(nowMs).toISOString();
  const wrote = [...signs.values()].map(({ wroteMs }) => new Date(wroteMs).toISOString());
  // Two processes sign at one moment: in one order, so that neither waits for the other in a circle.
  const { rows } = await sql<{ organisation_id: string }>`
    with mine as materialized (
      select f.organisation_id from fact f
      join unnest(${[...signs.keys()]}::text[], ${wrote}::text[]) as sign (organisation_id, wrote)
        using (organisation_id)
      where f.name = ${ALIVE} and f.value ->> 'identity' = ${identityOf(kind)}
        and (f.value ->> 'at') collate "C" >= sign.wrote
      order by f.organisation_id for update of f
    )
    update fact set changed_at = ${new Date(nowMs)},
      value = value || jsonb_build_object('at', greatest((value ->> 'at') collate "C", ${at}))
    from mine where fact.organisation_id = mine.organisation_id and fact.name = ${ALIVE}
    returning fact.organisation_id`.execute(db);
  return new Set(rows.map((row) => row.organisation_id));
}

/** Writes a sign of life. */
export async function writeAlive(
  trx: Transaction<Database>,
  organisationId: string,
  { kind, identity, atMs }: SeenAlive,
): Promise<void> {
  const now = new Date(atMs);
  const value = { kind, identity, at: now.toISOString() };
  await writeFact(trx, { organisationId, name: ALIVE, value, at: now });
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
  return resumeStateOf(await readValues(db, organisationId, RESUME_FACTS));
}

/** Names of the facts that {@link resumeStateOf} reads. */
export const RESUME_FACTS = [LOOK, WITHHELD] as const;

/** What the facts say. */
export function resumeStateOf(facts: ReadonlyMap<string, unknown>): ResumeState {
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
  await writeFact(db, { organisationId, name: LOOK, value: look, at: now });
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
 * Whether Forestall has to look before it acts: a look is under way, or this is not the database that the
 * workers wrote to last, and none has noticed yet. `kind`: how much this server tells about itself; the
 * statement fails where it tells less.
 */
export function mustLookSql(
  organisationId: string | RawBuilder<string>,
  kind: IdentityKind,
): RawBuilder<boolean> {
  const identity =
    kind === 'full'
      ? sql`case value ->> 'kind' when 'objects' then ${identityOf('objects')} else ${identityOf('full')} end`
      : sql`case value ->> 'kind' when 'objects' then ${identityOf('objects')} end`;
  return sql<boolean>`exists (select from fact where organisation_id = ${organisationId}
    and (name = ${LOOK} or name = ${ALIVE} and value ->> 'identity' is distinct from ${identity}))`;
}

/** Whether the loop of the looks has anything to do. */
export function hasResumeWork(
  organisationId: RawBuilder<string>,
  kind: IdentityKind,
): RawBuilder<boolean> {
  return sql<boolean>`(${mustLookSql(organisationId, kind)} or exists (
    select from fact where organisation_id = ${organisationId} and name = ${WITHHELD}))`;
}

/** Why the charge of an `alert_case c` is held back; null where it is not. */
export const HELD_BACK: RawBuilder<string | null> = sql<string | null>`(
  select f.value ->> c.charge_reference from fact f
  where f.organisation_id = c.organisation_id and f.name = ${WITHHELD})`;

/** Whether a refund of this charge has to wait: for a look at everything, or at this charge. */
export async function mustLookFirst(
  db: Kysely<Database>,
  { organisationId, chargeReference }: ChargeKey,
): Promise<boolean> {
  const { rows } = await sql<{ facts: ResumeFacts }>`
    select ${resumeFacts(organisationId)} as facts`.execute(db);
  const facts = rows[0]?.facts ?? null;
  const kind = identityKindOf(facts);
  const identity = kind === undefined ? undefined : await readIdentity(db, kind);
  return mustLookAt(chargeReference, facts, identity);
}

/** What is asked about it, by name; null: nothing. */
export type ResumeFacts = Readonly<Record<string, unknown>> | null;

/** The same as a part of another statement. */
export function resumeFacts(organisationId: string): RawBuilder<ResumeFacts> {
  return sql<ResumeFacts>`(select json_object_agg(name, value) from fact
    where organisation_id = ${organisationId} and name in (${ALIVE}, ${LOOK}, ${WITHHELD}))`;
}

/** Which identity they must be compared with; undefined: none was written. */
export function identityKindOf(facts: ResumeFacts): IdentityKind | undefined {
  return facts === null ? undefined : seenAliveOf(facts[ALIVE])?.kind;
}

/** What they say about a charge. `identity`: of the database that answers now, as {@link identityKindOf} says. */
export function mustLookAt(
  chargeReference: string,
  facts: ResumeFacts,
  identity: string | undefined,
): boolean {
  if (facts === null) return false;
  if (Object.hasOwn(facts, LOOK) || withheldOf(facts[WITHHELD]).has(chargeReference)) return true;
  const alive = seenAliveOf(facts[ALIVE]);
  return alive !== undefined && alive.identity !== identity;
}

/** The charges held back. */
export async function readWithheld(
  db: Kysely<Database>,
  organisationId: string,
): Promise<Withheld> {
  return (await readResume(db, organisationId)).withheld;
}
