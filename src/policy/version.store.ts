/** All SQL of the policy's versions and activations. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { storePolicyVersion } from '../alerts/decide/decision.store.ts';
import type { PolicyVersionTable } from '../alerts/decide/decision.table.ts';
import type { Policy } from '../alerts/decide/policy.ts';
import type { Db, Trx } from '../base/db/database.ts';
import type { PolicyActivationTable } from './version.table.ts';

/** Woken when a policy is put in force by people. */
export const POLICY_TOPIC = 'policy';

/** A version as stored. */
export type StoredVersion = Selectable<PolicyVersionTable>;

/** A version put in force. */
export interface NewActivation {
  readonly organisationId: string;
  readonly policy: Policy;
  readonly author: string;
  readonly origin: string;
  /** The second person, where it comes from the console. */
  readonly approvedBy?: string;
  /** It comes with the program: whatever two people put in force stays. */
  readonly unlessApproved?: boolean;
  readonly now: Date;
}

/**
 * Puts a version in force, unless it is already: of several workers that read the same file one
 * writes, the others wait for it.
 *
 * @returns the version that was in force before, null when there was none, undefined when it is the same
 */
export async function insertActivation(
  trx: Trx,
  activation: NewActivation,
): Promise<string | null | undefined> {
  const { organisationId, policy, author, origin, approvedBy = null, now } = activation;
  await lockActivations(trx, organisationId);
  const latest = await findActivation(trx, organisationId);
  if (latest?.version === policy.version) return undefined;
  if (activation.unlessApproved === true && latest?.approved_by != null) return undefined;
  await storePolicyVersion(trx, organisationId, { policy, now });
  const previous = latest?.version ?? null;
  await trx
    .insertInto('policy_activation')
    .values({
      organisation_id: organisationId,
      version: policy.version,
      previous_version: previous,
      author,
      origin,
      approved_by: approvedBy,
      activated_at: now,
    })
    .execute();
  return previous;
}

/** From here to the end of the transaction no one else puts a version in force. */
export async function lockActivations(trx: Trx, organisationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`policy:${organisationId}`}, 0))`.execute(
    trx,
  );
}

/** The activation in force, or the last one from `origin`; undefined when there was none. */
export async function findActivation(
  db: Db,
  organisationId: string,
  origin?: string,
): Promise<Selectable<PolicyActivationTable> | undefined> {
  let query = db
    .selectFrom('policy_activation')
    .selectAll()
    .where('organisation_id', '=', organisationId);
  if (origin !== undefined) query = query.where('origin', '=', origin);
  return await query.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** One version by its full name or its beginning; undefined when none or several begin so. */
export async function findVersion(
  db: Db,
  organisationId: string,
  version: string,
): Promise<StoredVersion | undefined> {
  const rows = await db
    .selectFrom('policy_version')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where(sql<boolean>`starts_with(version, ${version})`)
    .orderBy('version')
    .limit(2)
    .execute();
  return rows.length === 1 ? rows[0] : rows.find((row) => row.version === version);
}

/** A version as listed, newest activation first. */
export interface ListedVersion {
  readonly version: string;
  readonly name: string;
  /** Who wrote it, or put it in force. */
  readonly author: string | null;
  readonly firstUsedAt: Date;
  /** Null: never in force, only judged with the one that was. */
  readonly activatedAt: Date | null;
  readonly inForce: boolean;
  /** Decisions it took. */
  readonly decisions: number;
}

/** Every version with its author, its last activation and how much it decided. */
export async function listVersions(
  db: Db,
  organisationId: string,
): Promise<readonly ListedVersion[]> {
  const { rows } = await sql<ListedVersion>`
    with latest as (
      select distinct on (version) version, author, activated_at, id from policy_activation
      where organisation_id = ${organisationId} order by version, id desc
    ), used as (
      select policy_version as version, count(*)::int as decisions from decision
      where organisation_id = ${organisationId} and policy_version is not null group by 1
    )
    select v.version, v.name, coalesce(v.author, a.author) as author,
      v.first_used_at as "firstUsedAt", a.activated_at as "activatedAt",
      coalesce(a.id = (select max(id) from latest), false) as "inForce",
      coalesce(u.decisions, 0) as decisions
    from policy_version v
    left join latest a on a.version = v.version
    left join used u on u.version = v.version
    where v.organisation_id = ${organisationId}
    order by a.id desc nulls last, v.first_used_at desc, v.version`.execute(db);
  return rows;
}
