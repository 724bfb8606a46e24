/**
 * The rows of `fact` behind the recovery check: the last sign of life with the database it was written to, and
 * that a check is under way. Which charges are held back although it is over: `unchecked-charges.store.ts`.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db, Trx } from '../../base/db/database.ts';
import { lockOrganisation } from '../../base/db/organisation-lock.store.ts';
import { readNamedValues, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { IdentityKind } from './database-identity.store.ts';
import { identityOf, readIdentity } from './database-identity.store.ts';
import type { SeenAlive } from './recovery-check-rule.ts';
import { RECOVERY_REASON_NAMES } from './recovery-check-rule.ts';
import type { UncheckedCharges } from './unchecked-charges.store.ts';
import { UNCHECKED, uncheckedChargesOf } from './unchecked-charges.store.ts';

const ALIVE = 'last_alive';
const CHECK = 'reconcile_first';

const aliveSchema = z.object({
  kind: z.enum(['full', 'objects']),
  identity: z.string(),
  at: z.iso.datetime(),
});

const checkSchema = z.object({
  since: z.iso.datetime(),
  /** The last sign of life before; null when nothing tells. */
  alive: z.iso.datetime().nullable(),
  reason: z.enum(RECOVERY_REASON_NAMES),
  waitsFor: z.string(),
  /** Whether refunds could be sent before; a check that an older version began does not say. */
  couldRefund: z.boolean().optional(),
});

/** A look that is under way: since when, why, and what it waits for. */
export type RecoveryCheck = z.infer<typeof checkSchema>;

/** One process at a time reads and writes the sign of life; until the transaction ends. */
export async function lockAlive(trx: Trx, organisationId: string): Promise<void> {
  await lockOrganisation(trx, organisationId, ALIVE);
}

function seenAliveOf(value: unknown): SeenAlive | undefined {
  const { data } = aliveSchema.safeParse(value);
  if (data === undefined) return undefined;
  return { kind: data.kind, identity: data.identity, atMs: Date.parse(data.at) };
}

/** The last sign of life of any worker; undefined when there is none that can be read. */
export async function readAlive(db: Db, organisationId: string): Promise<SeenAlive | undefined> {
  return seenAliveOf((await readNamedValues(db, organisationId, [ALIVE])).get(ALIVE));
}

/**
 * Writes a sign of life where nothing speaks for lost time: this is the database of the last one, which is
 * no older than the last of this process. False: it has to be judged under {@link lockAlive}.
 */
export async function extendAlive(
  db: Db,
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
 * @returns those that it holds for; each of the others has to be judged
 */
export async function extendEachAlive(
  db: Db,
  signs: ReadonlyMap<string, LastSign>,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const kinds = new Set([...signs.values()].map(({ kind }) => kind));
  const [kind] = kinds;
  // Every organisation's kind is that of the one server; where it has just changed, each judges for itself.
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
  trx: Trx,
  organisationId: string,
  { kind, identity, atMs }: SeenAlive,
): Promise<void> {
  const now = new Date(atMs);
  const value = { kind, identity, at: now.toISOString() };
  await writeNamedValue(trx, { organisationId, name: ALIVE, value, at: now });
}

/** The recovery check under way, or undefined. */
export async function readRecoveryCheck(
  db: Db,
  organisationId: string,
): Promise<RecoveryCheck | undefined> {
  return (await readRecoveryState(db, organisationId)).check;
}

/** What a worker has to continue with. */
export interface RecoveryState {
  readonly check: RecoveryCheck | undefined;
  readonly unchecked: UncheckedCharges;
}

/** The recovery check under way, and what is held back after one. */
export async function readRecoveryState(db: Db, organisationId: string): Promise<RecoveryState> {
  return recoveryStateOf(await readNamedValues(db, organisationId, RECOVERY_FACTS));
}

/** Names of the facts that {@link recoveryStateOf} reads. */
export const RECOVERY_FACTS = [CHECK, UNCHECKED] as const;

/** What the facts say. */
export function recoveryStateOf(facts: ReadonlyMap<string, unknown>): RecoveryState {
  return {
    check: checkSchema.safeParse(facts.get(CHECK)).data,
    unchecked: uncheckedChargesOf(facts.get(UNCHECKED)),
  };
}

/** Begins a check, or says again what it waits for. */
export async function writeRecoveryCheck(
  db: Db,
  organisationId: string,
  { check, now }: { readonly check: RecoveryCheck; readonly now: Date },
): Promise<void> {
  await writeNamedValue(db, { organisationId, name: CHECK, value: check, at: now });
}

/** Ends the check that began at `since`. False when it has ended, or another began. */
export async function endRecoveryCheck(
  trx: Trx,
  organisationId: string,
  { since }: RecoveryCheck,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', CHECK)
    .where(sql<string>`value->>'since'`, '=', since)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether a case was opened before that moment. */
export async function hasCaseBefore(
  db: Db,
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
 * Whether a recovery check is needed: one is under way, or this is not the database that the
 * workers wrote to last, and none has noticed yet. `kind`: how much this server tells about itself; the
 * statement fails where it tells less.
 */
export function recoveryCheckNeeded(
  organisationId: string | RawBuilder<string>,
  kind: IdentityKind,
): RawBuilder<boolean> {
  const identity =
    kind === 'full'
      ? sql`case value ->> 'kind' when 'objects' then ${identityOf('objects')} else ${identityOf('full')} end`
      : sql`case value ->> 'kind' when 'objects' then ${identityOf('objects')} end`;
  return sql<boolean>`exists (select from fact where organisation_id = ${organisationId}
    and (name = ${CHECK} or name = ${ALIVE} and value ->> 'identity' is distinct from ${identity}))`;
}

/** Whether the loop of the recovery check has anything to do. */
export function hasRecoveryWork(
  organisationId: RawBuilder<string>,
  kind: IdentityKind,
): RawBuilder<boolean> {
  return sql<boolean>`(${recoveryCheckNeeded(organisationId, kind)} or exists (
    select from fact where organisation_id = ${organisationId} and name = ${UNCHECKED}))`;
}

/** Why the charge of an `alert_case c` is held back; null where it is not. */
export const HELD_BACK: RawBuilder<string | null> = sql<string | null>`(
  select f.value ->> c.charge_reference from fact f
  where f.organisation_id = c.organisation_id and f.name = ${UNCHECKED})`;

/** Whether a refund of this charge has to wait: for the check of all charges, or of this one. */
export async function awaitsRecoveryCheck(
  db: Db,
  { organisationId, chargeReference }: ChargeKey,
): Promise<boolean> {
  const { rows } = await sql<{ facts: RecoveryFacts }>`
    select ${recoveryFacts(organisationId)} as facts`.execute(db);
  const facts = rows[0]?.facts ?? null;
  const kind = identityKindOf(facts);
  const identity = kind === undefined ? undefined : await readIdentity(db, kind);
  return chargeAwaitsRecoveryCheck(chargeReference, facts, identity);
}

/** What is asked about it, by name; null: nothing. */
export type RecoveryFacts = Readonly<Record<string, unknown>> | null;

/** The same as a part of another statement. */
export function recoveryFacts(organisationId: string): RawBuilder<RecoveryFacts> {
  return sql<RecoveryFacts>`(select json_object_agg(name, value) from fact
    where organisation_id = ${organisationId} and name in (${ALIVE}, ${CHECK}, ${UNCHECKED}))`;
}

/** Which identity they must be compared with; undefined: none was written. */
export function identityKindOf(facts: RecoveryFacts): IdentityKind | undefined {
  return facts === null ? undefined : seenAliveOf(facts[ALIVE])?.kind;
}

/** What they say about a charge. `identity`: of the database that answers now, as {@link identityKindOf} says. */
export function chargeAwaitsRecoveryCheck(
  chargeReference: string,
  facts: RecoveryFacts,
  identity: string | undefined,
): boolean {
  if (facts === null) return false;
  if (Object.hasOwn(facts, CHECK) || uncheckedChargesOf(facts[UNCHECKED]).has(chargeReference))
    return true;
  const alive = seenAliveOf(facts[ALIVE]);
  return alive !== undefined && alive.identity !== identity;
}

/** The charges held back. */
export async function readUncheckedCharges(
  db: Db,
  organisationId: string,
): Promise<UncheckedCharges> {
  return (await readRecoveryState(db, organisationId)).unchecked;
}
