/**
 * Changes a stored order: finds the entries meant, tells repeated reports from new ones, merges, and
 * marks what must be sent to the service.
 *
 * The order's row is locked for the whole step, so changes of one order follow one another and the
 * later wins. Durable afterwards: the merged order and, when the service holds it already, a mark per
 * changed part. An order not yet created carries its changes in its creation.
 */
import { sql } from 'kysely';
import { writeAudit } from '../base/audit/audit.store.ts';
import type { Trx } from '../base/db/database.ts';
import { wake } from '../base/jobs/wake.store.ts';
import type { AppliedChange } from './apply-change.ts';
import { applyChange } from './apply-change.ts';
import { isErased } from './erased-order.ts';
import { FEED_TOPIC, FEED_UPDATE_TOPIC } from './intake-news.ts';
import { judgement } from './judgement.ts';
import type { NestedReferenceRow, OrderKey, ReferenceWish } from './nested-reference.store.ts';
import {
  addAlias,
  claimReferences,
  findReferences,
  insertingReferences,
} from './nested-reference.store.ts';
import { createFinder, renameChange } from './nested-reference.ts';
import type { LockedOrder, OrderRow } from './order.store.ts';
import { lockOrders, updatingOrder } from './order.store.ts';
import type { OrderChange } from './order-body.ts';
import { markingParts } from './order-push.store.ts';
import type { OrderState } from './order-state.ts';
import type { ProgrammePolicy } from './programme.ts';
import { recordEvidence } from './record-evidence.ts';
import { isSameDispute, isSameRefund } from './report-twin.ts';
import type { Problem } from './submission.ts';

/** A change to make, and by whom. */
export interface ChangeRequest {
  readonly order: OrderKey;
  readonly change: OrderChange;
  readonly source: 'merchant' | 'saga';
  readonly now: Date;
  /** Its row, where the caller has locked it. */
  readonly locked?: LockedOrder | undefined;
  /** Judges a held order again. Without it a held order stays held. */
  readonly programmes?: ProgrammePolicy | undefined;
}

export type ChangeResult =
  | {
      readonly kind: 'changed' | 'unchanged';
      readonly referenceId: string;
      readonly state: OrderState;
      /** Parts whose content is another now. */
      readonly parts: readonly string[];
    }
  | { readonly kind: 'unknown_order'; readonly referenceId: string }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** Applies the change, inside a transaction of the caller's. A refused change leaves nothing behind. */
export async function changeOrder(trx: Trx, request: ChangeRequest): Promise<ChangeResult> {
  const { order } = request;
  const row = request.locked?.row ?? (await lockOrders(trx, order.organisationId, [order]))[0];
  if (row === undefined) return { kind: 'unknown_order', referenceId: order.referenceId };
  const references = request.locked?.references ?? (await findReferences(trx, order));
  const reports = planReports(row, request, references);
  const find = createFinder([...references, ...reports.twins.map(nameOfTwin)]);
  const applied = applyChange(row.body, renameChange(request.change, find));
  if (!applied.ok) return { kind: 'refused', problems: applied.problems };
  for (const { row: known, given } of reports.twins) await addAlias(trx, known, given);
  const wishes = wishesFor(request, reports.fresh);
  const asGiven = await writeChange(trx, request, { row, applied, wishes });
  if (asGiven !== undefined) return changed(row, asGiven, applied.parts);
  const names = await claimReferences(trx, wishes);
  const finder = createFinder([...names, ...references, ...reports.twins.map(nameOfTwin)]);
  const renamed =
    names.length === 0 ? applied : applyChange(row.body, renameChange(request.change, finder));
  if (!renamed.ok) return { kind: 'refused', problems: renamed.problems };
  const state = await writeChange(trx, request, { row, applied: renamed, wishes: [] });
  return changed(row, state, renamed.parts);
}

/** `state`: undefined where there was nothing to write. */
function changed(
  row: OrderRow,
  state: OrderState | undefined,
  parts: readonly string[],
): ChangeResult {
  const kind = state === undefined ? 'unchanged' : 'changed';
  return { kind, state: state ?? row.state, referenceId: row.reference_id, parts };
}

interface Changing {
  readonly row: OrderRow;
  readonly applied: Extract<AppliedChange, { ok: true }>;
  /** Names that are claimed with the same statement: mostly no order has them. */
  readonly wishes: readonly ReferenceWish[];
}

/** Returns the order's state; undefined: nothing was to be written, or somebody has one of the names. */
async function writeChange(
  trx: Trx,
  request: ChangeRequest,
  { row, applied: { body, parts }, wishes }: Changing,
): Promise<OrderState | undefined> {
  if (parts.length === 0) return undefined;
  const { order, now, source, programmes } = request;
  const {
    state: judged,
    reason,
    ...readiness
  } = judgement(body, programmes ?? { required: [], reported: [] });
  const released = row.state === 'HELD' && programmes !== undefined && judged === 'WAITING';
  const state = released ? 'WAITING' : row.state;
  const set = {
    body: JSON.stringify(body),
    version: row.version + 1,
    ...readiness,
    changed_at: now,
    ...(released ? { state, reason: null, next_attempt_at: now } : {}),
    ...(row.state === 'HELD' && programmes !== undefined && !released ? { reason } : {}),
  };
  const only =
    wishes.length === 0
      ? sql<boolean>`true`
      : sql<boolean>`(select count(*) from claimed) = ${wishes.length}`;
  const before = [
    ...(wishes.length === 0 ? [] : [sql`claimed as (${insertingReferences(trx, wishes)})`]),
    ...(row.state === 'CREATED'
      ? [sql`marks as (${markingParts(order, { parts, source, now }, only)})`]
      : []),
  ];
  const { rows } = await sql`${before.length === 0 ? sql`` : sql`with ${sql.join(before)}`}
    ${updatingOrder(trx, order, set)} and ${only} returning version`.execute(trx);
  if (rows.length === 0) return undefined;
  await record(trx, request, { row, parts, state });
  await storeEvidence(trx, request, { ...row, body });
  return state;
}

/** Only these two parts of a change are evidence. */
async function storeEvidence(
  trx: Trx,
  { change, now }: ChangeRequest,
  row: OrderRow,
): Promise<void> {
  if (change.deliveries === undefined && change.disputes === undefined) return;
  if (isErased(row)) return;
  await recordEvidence(trx, { organisationId: row.organisation_id, orders: [row.body], now });
}

async function record(
  trx: Trx,
  request: ChangeRequest,
  change: { readonly row: OrderRow; readonly parts: readonly string[]; readonly state: OrderState },
): Promise<void> {
  const { row, parts, state } = change;
  await writeAudit(trx, {
    organisationId: row.organisation_id,
    at: request.now,
    subject: 'order',
    subjectId: row.reference_id,
    what:
      request.source === 'saga' ? 'order changed by a refund or dispute of ours' : 'order changed',
    fromState: row.state,
    toState: state,
    detail: { integration_id: row.integration_id, parts },
  });
  await wake(trx, row.state === 'CREATED' ? FEED_UPDATE_TOPIC : FEED_TOPIC);
}

/** A report of an entry that the other side has reported already. */
interface Twin {
  readonly row: NestedReferenceRow;
  readonly given: string;
}

interface Reports {
  readonly twins: readonly Twin[];
  /** Entries that were not reported yet. */
  readonly fresh: readonly { readonly kind: 'refund' | 'dispute'; readonly given: string }[];
}

/** Sorts the refunds and disputes of a change into known, known under another name, and new. */
function planReports(
  row: OrderRow,
  request: ChangeRequest,
  references: readonly NestedReferenceRow[],
): Reports {
  const twins: Twin[] = [];
  const fresh: { kind: 'refund' | 'dispute'; given: string }[] = [];
  const find = createFinder(references);
  const { body } = row;
  const known = new Set(
    references.flatMap(({ kind, given, reference, alias }) =>
      [given, reference, alias].map((name) => `${kind} ${name}`),
    ),
  );
  const free = (kind: 'refund' | 'dispute', reference: string): NestedReferenceRow | undefined =>
    references.find(
      (entry) =>
        entry.kind === kind &&
        entry.reference === reference &&
        entry.source !== request.source &&
        entry.alias === null &&
        !twins.some((twin) => twin.row === entry),
    );
  const sort = (kind: 'refund' | 'dispute', given: string, candidates: readonly string[]): void => {
    if (known.has(`${kind} ${given}`)) return;
    const twin = candidates.flatMap((reference) => free(kind, reference) ?? [])[0];
    if (twin === undefined) fresh.push({ kind, given });
    else twins.push({ row: twin, given });
  };
  for (const report of request.change.refunds ?? []) {
    const { original_transaction_reference_id: original } = report;
    const named =
      original === undefined
        ? report
        : { ...report, original_transaction_reference_id: find('transaction', original) };
    const same = (body.refunds ?? []).filter((entry) => isSameRefund(body, entry, named));
    sort(
      'refund',
      report.reference_id,
      same.map((entry) => entry.reference_id),
    );
  }
  for (const report of request.change.disputes ?? []) {
    const same = (body.disputes ?? []).filter((entry) => isSameDispute(entry, report));
    sort(
      'dispute',
      report.reference_id,
      same.map((entry) => entry.reference_id),
    );
  }
  return { twins, fresh };
}

function nameOfTwin({ row, given }: Twin): NestedReferenceRow {
  return { ...row, alias: given };
}

function wishesFor({ order, source }: ChangeRequest, fresh: Reports['fresh']): ReferenceWish[] {
  return fresh.map(({ kind, given }) => ({ kind, given, reference: given, order, source }));
}
