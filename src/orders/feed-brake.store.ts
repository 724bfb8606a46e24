/**
 * All SQL of `feed_brake`: integrations whose orders are not sent for now.
 */
import type { RawBuilder, Selectable, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Database, Db, Trx } from '../base/db/database.ts';
import { anyOf } from '../base/db/text-array.ts';
import type { OrderRow, WaitingOrder } from './order.store.ts';
import type { FeedBrakeTable } from './order.table.ts';
import type { CommonRefusal } from './refusal-window.ts';
import { openBodyOf } from './sealed-order.ts';

export type FeedBrake = Selectable<FeedBrakeTable>;

/** Whether the integration of `order_record o` is stopped. */
export const isStoppedSql: RawBuilder<boolean> = sql<boolean>`exists (
  select from feed_brake b where b.organisation_id = o.organisation_id
    and b.integration_id = o.integration_id and b.passing_until is null)`;

/** Stops an integration. Returns false when it is stopped already, or somebody has said to continue. */
export async function stopIntegration(
  trx: Trx,
  organisationId: string,
  stop: CommonRefusal & { readonly nextProbeAt: Date },
): Promise<boolean> {
  const { integrationId, code, reason, referenceId, since, at, nextProbeAt } = stop;
  const result = await sql`
    insert into feed_brake (organisation_id, integration_id, error_code, reason, example,
      refused_since, stopped_at, next_probe_at)
    values (${organisationId}, ${integrationId}, ${code}, ${reason}, ${referenceId},
      ${since}, ${at}, ${nextProbeAt})
    on conflict (organisation_id, integration_id) do update set
      error_code = excluded.error_code, reason = excluded.reason, example = excluded.example,
      refused_since = excluded.refused_since, stopped_at = excluded.stopped_at,
      next_probe_at = excluded.next_probe_at, probes = 0, probed_at = null, passing_until = null
    where feed_brake.passing_until <= excluded.stopped_at`.execute(trx);
  return (result.numAffectedRows ?? 0n) > 0n;
}

/** The integrations that are stopped. */
export async function findStopped(db: Db, organisationId: string): Promise<FeedBrake[]> {
  return (await findStoppedByOrganisation(db, [organisationId])).get(organisationId) ?? [];
}

/** The same of many organisations; those without any are left out. */
export async function findStoppedByOrganisation(
  db: Db,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, FeedBrake[]>> {
  const rows = await db
    .selectFrom('feed_brake')
    .selectAll()
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('passing_until', 'is', null)
    .orderBy('stopped_at')
    .orderBy('integration_id')
    .execute();
  return Map.groupBy(rows, (row) => row.organisation_id);
}

/** One stopped integration, locked until the transaction ends: nothing of it is tried meanwhile. */
export async function lockStopped(
  trx: Trx,
  key: { readonly organisationId: string; readonly integrationId: string },
): Promise<FeedBrake | undefined> {
  return await trx
    .selectFrom('feed_brake')
    .selectAll()
    .where('organisation_id', '=', key.organisationId)
    .where('integration_id', '=', key.integrationId)
    .where('passing_until', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** The place of the next order to be tried: another each time, because one may be bad by itself. */
export async function findProbe(db: Db, brake: FeedBrake, now: Date): Promise<number | undefined> {
  const after = async (seq: number): Promise<number | undefined> => {
    const row = await ofIntegration(db, brake)
      .select('seq')
      .where('seq', '>', seq)
      .where('next_attempt_at', '<=', now)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return row?.seq;
  };
  return (await after(brake.probe_seq)) ?? (await after(0));
}

/** The order at a place, if it still waits. */
export async function readProbe(
  db: Db,
  brake: FeedBrake,
  seq: number,
): Promise<WaitingOrder | undefined> {
  const row = await ofIntegration(db, brake)
    .select(['integration_id', 'reference_id', 'seq', 'version', 'attempts', 'body'])
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row === undefined ? undefined : openBodyOf(dataKeysOf(db), brake.organisation_id, row);
}

function ofIntegration(
  db: Db,
  { organisation_id, integration_id }: FeedBrake,
): SelectQueryBuilder<Database, 'order_record', object> {
  return db
    .selectFrom('order_record')
    .where('organisation_id', '=', organisation_id)
    .where('integration_id', '=', integration_id)
    .where('state', '=', 'WAITING');
}

/** No request of ours lives longer, in milliseconds. */
const REQUEST_MS_MAX = 120_000;

/**
 * Whether a waiting order is held back by a stop, so that the service surely holds nothing of it and it
 * may be corrected. Nothing of its integration is tried until the transaction ends.
 */
export async function isHeldBack(
  trx: Trx,
  order: Pick<OrderRow, 'organisation_id' | 'integration_id' | 'state' | 'seq'>,
  now: Date,
): Promise<boolean> {
  if (order.state !== 'WAITING') return false;
  const { organisation_id, integration_id } = order;
  const key = { organisationId: organisation_id, integrationId: integration_id };
  const brake = await lockStopped(trx, key);
  const quietSince = new Date(now.getTime() - REQUEST_MS_MAX);
  if (brake === undefined || brake.stopped_at > quietSince) return false;
  const { probe_seq, probed_at } = brake;
  return probe_seq !== order.seq || probed_at === null || probed_at <= quietSince;
}

/** Whether any order of the integration waits, now or later. */
export async function isAnyWaiting(db: Db, brake: FeedBrake): Promise<boolean> {
  const row = await ofIntegration(db, brake).select('seq').limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Notes that an order is about to be tried, before it is. */
export async function noteProbe(
  db: Db,
  { organisation_id, integration_id }: FeedBrake,
  probe: { readonly seq: number; readonly at: Date; readonly nextProbeAt: Date },
): Promise<void> {
  await sql`
    update feed_brake set probes = probes + 1, probe_seq = ${probe.seq}, probed_at = ${probe.at},
      next_probe_at = ${probe.nextProbeAt}
    where organisation_id = ${organisation_id} and integration_id = ${integration_id}`.execute(db);
}

/** Has the next order tried at once, and the intervals begin again. */
export async function hastenProbe(
  trx: Trx,
  { organisation_id, integration_id }: FeedBrake,
  now: Date,
): Promise<void> {
  await sql`
    update feed_brake set probes = 0, next_probe_at = ${now}
    where organisation_id = ${organisation_id} and integration_id = ${integration_id}`.execute(trx);
}

/** Lets an integration continue: for good, or past its refusals until a moment. */
export async function releaseIntegration(
  trx: Trx,
  { organisation_id, integration_id }: FeedBrake,
  passingUntil?: Date,
): Promise<void> {
  const own = sql`organisation_id = ${organisation_id} and integration_id = ${integration_id}`;
  await (passingUntil === undefined
    ? sql`delete from feed_brake where ${own}`
    : sql`update feed_brake set passing_until = ${passingUntil} where ${own}`
  ).execute(trx);
}

/** Has what was refused for the reason that stopped the integration wait again. */
export async function requeueRefused(trx: Trx, brake: FeedBrake, now: Date): Promise<void> {
  await sql`
    update order_record set state = 'WAITING', attempts = 0, next_attempt_at = ${now}, changed_at = ${now}
    where organisation_id = ${brake.organisation_id} and integration_id = ${brake.integration_id}
      and state = 'REFUSED' and error_code = ${brake.error_code} and erased_at is null
      and changed_at >= ${brake.refused_since}`.execute(trx);
}
