/**
 * Asks the processor about the charge of every open case, and books refunds with our own key that
 * our rows do not know: refunds of the time that a restored database has lost.
 *
 * Nothing is sent. What our rows know to be under way, or over, is left to the refund's own loop.
 */

import type { Trx } from '../../base/db/database.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase } from '../cases/case.store.ts';
import { holdCase } from '../cases/hold-case.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { isOurs, mayHaveExecuted } from '../ledger/ledger.ts';
import { declareIfCovered } from '../ledger/settle-movement.ts';
import type { OpenedLedger } from '../ledger/with-ledger.ts';
import { withShownLedger } from '../ledger/with-ledger.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';
import { ledgerDeps } from '../refund/saga-deps.ts';
import type { ChargedCase } from './restored-case.store.ts';
import { openCasesWithCharge } from './restored-case.store.ts';

/** How far a check has come. */
export interface CheckProgress {
  /** Alerts up to and including this one have been checked. */
  afterId: string;
  checked: number;
  booked: number;
  /** Among those: which have to be checked again, by alert. */
  readonly unanswered: Map<string, { readonly chargeReference: string; readonly reason: string }>;
  /** When every alert had been checked once, in milliseconds since 1970. */
  throughAtMs: number | undefined;
}

export function startProgress(): CheckProgress {
  return { afterId: '', checked: 0, booked: 0, unanswered: new Map(), throughAtMs: undefined };
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /**
   * Whether refunds could be sent in the lost time: then a processor that cannot be asked about charges
   * leaves it unknown whether they were.
   */
  readonly mustRead: boolean;
}

/** Cases of a page, checked together. */
const PAGE = 4;

/**
 * Goes on with the check: past every alert once, then again to those about whose charge the processor gave
 * no answer. A failed lookup blocks no other. Returns why it is not finished, or undefined.
 */
export async function bookForgottenRefunds(
  deps: SagaDeps,
  progress: CheckProgress,
  options: CheckOptions,
): Promise<string | undefined> {
  const { db, organisationId, clock } = deps;
  if (progress.throughAtMs !== undefined) return await checkAgain(deps, progress, options);
  for (;;) {
    const page = { organisationId, afterId: progress.afterId, limit: PAGE };
    const rows = await openCasesWithCharge(db, page);
    const ends = await checkCases(deps, rows, options);
    const silent = [...ends.values()].find((end) => end.kind === 'unanswered');
    // No time was left for this page: the next round begins with it.
    if (silent !== undefined && options.signal.aborted) return silent.reason;
    note(progress, rows, ends);
    progress.checked += rows.length;
    progress.afterId = rows.at(-1)?.alert_id ?? progress.afterId;
    if (rows.length < PAGE) break;
  }
  progress.throughAtMs = clock.nowMs();
  return firstReason(progress);
}

async function checkAgain(
  deps: SagaDeps,
  progress: CheckProgress,
  options: CheckOptions,
): Promise<string | undefined> {
  const { db, organisationId } = deps;
  const left = [...progress.unanswered.keys()];
  for (let place = 0; place < left.length && !options.signal.aborted; place += PAGE) {
    const alertIds = left.slice(place, place + PAGE);
    const rows = await openCasesWithCharge(db, { organisationId, alertIds, limit: PAGE });
    const ends = await checkCases(deps, rows, options);
    for (const alertId of alertIds) progress.unanswered.delete(alertId);
    note(progress, rows, ends);
  }
  return firstReason(progress);
}

function note(
  progress: CheckProgress,
  rows: readonly ChargedCase[],
  ends: ReadonlyMap<string, CheckResult>,
): void {
  for (const { alert_id: alertId, charge_reference: chargeReference } of rows) {
    const end = ends.get(alertId) ?? CLEAR;
    if (end.kind === 'booked') progress.booked += 1;
    if (end.kind !== 'unanswered') continue;
    progress.unanswered.set(alertId, { chargeReference, reason: end.reason });
  }
}

function firstReason({ unanswered }: CheckProgress): string | undefined {
  return [...unanswered.values()][0]?.reason;
}

/** Checks cases side by side; by alert, how each check ended. */
export async function checkCases(
  deps: SagaDeps,
  rows: readonly ChargedCase[],
  options: CheckOptions,
): Promise<ReadonlyMap<string, CheckResult>> {
  const ends = await Promise.all(rows.map((row) => checkCase(deps, row, options)));
  return new Map(rows.map(({ alert_id: alertId }, index) => [alertId, ends[index] ?? CLEAR]));
}

export type CheckResult =
  | { readonly kind: 'clear' }
  | { readonly kind: 'booked' }
  | { readonly kind: 'unanswered'; readonly reason: string };

const CLEAR: CheckResult = { kind: 'clear' };

/** None is configured, or it has no call for that. */
const UNREADABLE = 'no processor that can be asked about charges';

async function checkCase(
  deps: SagaDeps,
  row: ChargedCase,
  { signal, mustRead }: CheckOptions,
): Promise<CheckResult> {
  const { db, organisationId } = deps;
  const charge = { organisationId, chargeReference: row.charge_reference };
  const before = await readLedger(db, charge);
  if (isKnown(row, before)) return CLEAR;
  try {
    const asked = { charge, alertId: row.alert_id, withKey: true, signal };
    const read = await withShownLedger(ledgerDeps(deps), asked, (trx, opened) =>
      book(trx, { row, before, opened }),
    );
    if (read.kind === 'unavailable') return { kind: 'unanswered', reason: read.reason };
    if (read.kind === 'not_offered' && mustRead) return { kind: 'unanswered', reason: UNREADABLE };
    return read.kind === 'done' && read.result ? { kind: 'booked' } : CLEAR;
  } catch (error) {
    return { kind: 'unanswered', reason: messageOf(error) };
  }
}

/** What our rows know to have been sent for the case's dispute is the movement's own loop's to settle. */
function isKnown({ dispute_id: disputeId }: ChargedCase, { movements }: Ledger): boolean {
  return (
    disputeId !== null &&
    movements.some((each) => isOurs(each) && each.disputeId === disputeId && mayHaveExecuted(each))
  );
}

interface CheckedCharge {
  readonly row: CaseRow;
  readonly before: Ledger;
  /** A refund under our next key is booked as ours with it. */
  readonly opened: OpenedLedger;
}

/** Whether the reading has booked one; then the case answers with it. */
async function book(trx: Trx, { row, before, opened }: CheckedCharge): Promise<boolean> {
  const { ledger, answer, now } = opened;
  const known = new Set(before.movements.map(({ id }) => id));
  if (!ledger.movements.some((each) => isOurs(each) && !known.has(each.id))) return false;
  const { pendingCounts } = answer.capabilities;
  await answerWith(trx, row, { ledger, pendingCounts, now });
  return true;
}

/**
 * A case that waits for a person, or is about to deny what happened, answers with the refund instead;
 * all others find it by themselves.
 */
async function answerWith(
  trx: Trx,
  { organisation_id: organisationId, alert_id: alertId }: CaseRow,
  found: { readonly ledger: Ledger; readonly pendingCounts: boolean; readonly now: Date },
): Promise<void> {
  const { ledger, pendingCounts, now } = found;
  const current = await lockCase(trx, organisationId, alertId);
  if (current?.state !== 'HUMAN' && current?.state !== 'DECLARE_ACCEPT') return;
  const reason = 'refunded_before_restore';
  const held =
    current.state === 'HUMAN'
      ? current
      : await holdCase(trx, current, { reason, fallback: 'none', now });
  await declareIfCovered(trx, held, { ledger, pendingCounts, now });
}
