/**
 * What a person can do about orders: send them again, and release those that are held.
 *
 * Replaying is always safe: an order that is there already is compared, not created twice.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../base/audit/audit.store.ts';
import { dataKeysOf } from '../base/db/carried-keys.ts';
import type { Db, Trx } from '../base/db/database.ts';
import { inTransaction } from '../base/db/transaction.ts';
import { wake } from '../base/jobs/wake.store.ts';
import { isErasedSql } from './erased-order.ts';
import { FEED_TOPIC } from './intake-news.ts';
import { judgement } from './judgement.ts';
import type { OrderRow } from './order.store.ts';
import { keyOfRow, updateOrder } from './order.store.ts';
import type { ProgrammePolicy } from './programme.ts';
import { openOrder } from './sealed-order.ts';

/** Which orders. A range is over the moment of acceptance, its end excluded. */
export type ReplaySelection =
  | { readonly kind: 'one'; readonly referenceId: string }
  | { readonly kind: 'failed' }
  | { readonly kind: 'range'; readonly from: Date; readonly to: Date };

/** What was, or would be, done. */
export interface ReplayResult {
  /** Refused or waiting orders sent now. */
  readonly sentAgain: number;
  /** Created orders read back, compared and repaired. */
  readonly readBack: number;
  /** Refused updates tried again. */
  readonly updates: number;
  /** Held orders left alone: release them. */
  readonly held: number;
  /** Orders of erased customers left alone. */
  readonly erased: number;
}

/** A replay: which orders, by whom, and whether only to count. */
export interface ReplayRequest {
  readonly organisationId: string;
  readonly selection: ReplaySelection;
  readonly now: Date;
  /** For the audit log, for example `operator:ann`. */
  readonly actor: string;
  readonly dryRun: boolean;
}

/** Sends orders again, or counts them. */
export async function replayOrders(db: Db, request: ReplayRequest): Promise<ReplayResult> {
  return await inTransaction(db, async (trx) => {
    const result = await countSelected(trx, request);
    if (request.dryRun) return result;
    await makeDue(trx, request);
    await writeAudit(trx, {
      organisationId: request.organisationId,
      at: request.now,
      subject: 'order',
      subjectId: request.selection.kind === 'one' ? request.selection.referenceId : '*',
      actor: request.actor,
      what: `orders replayed (${request.selection.kind})`,
      detail: { ...result },
    });
    await wake(trx, FEED_TOPIC);
    return result;
  });
}

/** The selection as a condition on `order_record o`. */
function isSelected({ organisationId, selection }: ReplayRequest): RawBuilder<boolean> {
  const own = sql<boolean>`o.organisation_id = ${organisationId}`;
  switch (selection.kind) {
    case 'one':
      return sql`${own} and o.reference_id = ${selection.referenceId}`;
    case 'failed':
      return sql`${own} and (o.state = 'REFUSED' or ${hasParked})`;
    case 'range':
      return sql`${own} and o.accepted_at >= ${selection.from} and o.accepted_at < ${selection.to}`;
    default:
      return selection satisfies never;
  }
}

const ofOrder = sql<boolean>`p.organisation_id = o.organisation_id
  and p.integration_id = o.integration_id and p.reference_id = o.reference_id`;
const hasParked = sql<boolean>`exists (
  select from order_push p where ${ofOrder} and p.state = 'PARKED')`;

/** Created orders are read back, except where only what failed is meant. */
function isReadBack(request: ReplayRequest): RawBuilder<boolean> {
  return request.selection.kind === 'failed'
    ? sql<boolean>`false`
    : sql<boolean>`o.state in ('CREATED', 'CHECKING')`;
}

async function countSelected(trx: Trx, request: ReplayRequest): Promise<ReplayResult> {
  const { rows } = await sql<ReplayResult>`
    select
      (count(*) filter (where o.state in ('REFUSED', 'WAITING') and not ${isErasedSql}))::int as "sentAgain",
      (count(*) filter (where ${isReadBack(request)} and not ${isErasedSql}))::int as "readBack",
      coalesce(sum((select count(*) from order_push p where ${ofOrder} and p.state = 'PARKED')), 0)::int as "updates",
      (count(*) filter (where o.state = 'HELD'))::int as "held",
      (count(*) filter (where ${isErasedSql}))::int as "erased"
    from order_record o where ${isSelected(request)}
  `.execute(trx);
  return rows[0] ?? { sentAgain: 0, readBack: 0, updates: 0, held: 0, erased: 0 };
}

async function makeDue(trx: Trx, request: ReplayRequest): Promise<void> {
  const { now } = request;
  // The parts first: afterwards an order is not REFUSED any more.
  await sql`
    update order_push p set state = 'DUE', attempts = 0, version = p.version + 1,
      next_attempt_at = ${now}, changed_at = ${now}, reason = null, error_code = null
    from order_record o
    where ${ofOrder} and p.state = 'PARKED' and ${isSelected(request)}
  `.execute(trx);
  await sql`
    update order_record o set
      state = case when o.state = 'REFUSED' then 'WAITING' else o.state end,
      attempts = 0, next_attempt_at = ${now}, changed_at = ${now}
    where ${isSelected(request)} and not ${isErasedSql}
      and (o.state in ('REFUSED', 'WAITING') or ${isReadBack(request)})
  `.execute(trx);
}

/** Which held orders to release, and whether to send what is not ready. */
export interface ReleaseRequest {
  readonly organisationId: string;
  /** @default every held order */
  readonly referenceId?: string | undefined;
  readonly programmes: ProgrammePolicy;
  /** Sends orders although fields are missing; those fields can never be added. */
  readonly anyway: boolean;
  readonly now: Date;
  readonly actor: string;
}

export interface ReleaseResult {
  readonly released: number;
  /** Held still, with the reason of each, at most {@link REASONS_MAX}. */
  readonly stillHeld: readonly { readonly referenceId: string; readonly reason: string }[];
  readonly stillHeldCount: number;
}

const REASONS_MAX = 20;

/** Orders looked at in one transaction. */
const RELEASE_CHUNK = 200;

/** Releases held orders that are ready now, or all of them. */
export async function releaseOrders(db: Db, request: ReleaseRequest): Promise<ReleaseResult> {
  let released = 0;
  let stillHeldCount = 0;
  const stillHeld: { referenceId: string; reason: string }[] = [];
  let afterSeq = 0;
  for (;;) {
    const chunk = await inTransaction(db, (trx) => releaseChunk(trx, request, afterSeq));
    if (chunk.lastSeq === undefined) return { released, stillHeld, stillHeldCount };
    afterSeq = chunk.lastSeq;
    released += chunk.released;
    stillHeldCount += chunk.held.length;
    stillHeld.push(...chunk.held.slice(0, REASONS_MAX - stillHeld.length));
  }
}

interface ReleasedChunk {
  readonly released: number;
  readonly held: readonly { referenceId: string; reason: string }[];
  readonly lastSeq: number | undefined;
}

async function releaseChunk(
  trx: Trx,
  request: ReleaseRequest,
  afterSeq: number,
): Promise<ReleasedChunk> {
  let query = trx
    .selectFrom('order_record')
    .selectAll()
    .where('organisation_id', '=', request.organisationId)
    .where('state', '=', 'HELD')
    .where('seq', '>', afterSeq);
  if (request.referenceId !== undefined) {
    query = query.where('reference_id', '=', request.referenceId);
  }
  const stored = await query.orderBy('seq').limit(RELEASE_CHUNK).forUpdate().execute();
  const rows = stored.map((row) => openOrder(dataKeysOf(trx), row));
  const held: { referenceId: string; reason: string }[] = [];
  for (const row of rows) {
    const reason = await releaseOne(trx, request, row);
    if (reason !== null) held.push({ referenceId: row.reference_id, reason });
  }
  if (rows.length > held.length) await wake(trx, FEED_TOPIC);
  return { released: rows.length - held.length, held, lastSeq: rows.at(-1)?.seq };
}

/** Releases one order, or returns why not. */
async function releaseOne(
  trx: Trx,
  request: ReleaseRequest,
  row: OrderRow,
): Promise<string | null> {
  const { state, reason, ...readiness } = judgement(row.body, request.programmes);
  if (state === 'HELD' && !request.anyway) return reason;
  await updateOrder(trx, keyOfRow(row), {
    ...readiness,
    state: 'WAITING',
    reason: null,
    attempts: 0,
    next_attempt_at: request.now,
    changed_at: request.now,
  });
  await writeAudit(trx, {
    organisationId: request.organisationId,
    at: request.now,
    subject: 'order',
    subjectId: row.reference_id,
    actor: request.actor,
    what: state === 'HELD' ? 'order released although not ready' : 'order released',
    fromState: 'HELD',
    toState: 'WAITING',
    detail: { integration_id: row.integration_id },
  });
  return null;
}
