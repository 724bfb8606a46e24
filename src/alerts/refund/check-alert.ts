/**
 * What is asked of the service before money moves: the alert as it is now, the time left, and whether
 * an answer of ours would be taken at all.
 */

import { nowDate } from '../../base/kernel/clock.ts';
import type { AlertRead, RemoteAlert } from '../cases/alert-service.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { deadlineMsOf, isClaimId } from '../cases/claim.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { MoneyGrounds } from '../cases/money-grounds.store.ts';
import { moneyGroundsOf, selectingMoneyGrounds } from '../cases/money-grounds.store.ts';
import {
  keyStandingOf,
  recordKeyAccepted,
  recordKeyRefused,
} from '../guard/declare-health.store.ts';
import type { Lifetime } from '../guard/refund-guard.ts';
import { refundGuardMs } from '../guard/refund-guard.ts';
import type { LedgerMark } from '../ledger/ledger.store.ts';
import type { SagaDeps } from './saga-deps.ts';
import { readAlert, readAlertAnd } from './saga-deps.ts';

/** What {@link checkAlert} found. */
export type AlertCheck =
  | { readonly kind: 'open'; readonly alert: RemoteAlert; readonly grounds: MoneyGrounds }
  | NoOpenAlert;

/** Why no money moves for the alert now. */
export type NoOpenAlert =
  /** The alert is no longer open at the service. */
  | { readonly kind: 'closed'; readonly alert: RemoteAlert }
  /** It was refunded by the network: no call, ever. */
  | { readonly kind: 'rdr' }
  | { readonly kind: 'hold'; readonly reason: HoldReason }
  /** Something could not be asked; nothing is decided. */
  | { readonly kind: 'later'; readonly reason: string };

/** Asks everything about the alert that must be known before money moves for it. */
export async function checkAlert(
  deps: SagaDeps,
  owner: CaseRow,
  signal: AbortSignal,
): Promise<AlertCheck> {
  const about = { owner, reads: selectingMoneyGrounds(owner) };
  const { read, row } = await readAlertAnd(deps, about, signal);
  if (read.kind !== 'found') return await withoutAlert(deps, read);
  const { alert } = read;
  if (alert.enrolmentType === 'NETB_RDR') return { kind: 'rdr' };
  if (alert.status === 'RESOLVED' || alert.status === 'INVALID') return { kind: 'closed', alert };
  if (alert.status !== 'ACTION_REQUIRED') return { kind: 'hold', reason: 'alert_status_unknown' };
  const grounds = moneyGroundsOf(row);
  // No one is told how a claim of our own ends.
  const undeclarable = isClaimId(alert.id)
    ? undefined
    : await whyUndeclarable(deps, grounds.keyRefusedAt, signal);
  return undeclarable === undefined
    ? { kind: 'open', alert, grounds }
    : { kind: 'later', reason: undeclarable };
}

async function withoutAlert(
  deps: SagaDeps,
  read: Exclude<AlertRead, { kind: 'found' }>,
): Promise<AlertCheck> {
  if (read.kind === 'not_found') return { kind: 'hold', reason: 'alert_missing' };
  if (read.kind === 'unavailable') return { kind: 'later', reason: read.reason };
  const { organisationId, clock } = deps;
  await recordKeyRefused(deps.db, { organisationId, code: read.code, now: nowDate(clock) });
  return { kind: 'later', reason: `the service refuses the API key (${read.code})` };
}

/**
 * Why no answer of ours would be taken now, given when our key was refused last; undefined when nothing
 * speaks against it. A refusal that is a minute old is asked about again.
 */
export async function whyUndeclarable(
  deps: SagaDeps,
  keyRefusedAt: Date | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { db, organisationId, clock, alerts } = deps;
  const standing = keyStandingOf(keyRefusedAt, nowDate(clock));
  if (standing === 'accepted') return undefined;
  const reason = 'the service refuses our answers, so nothing is refunded';
  if (standing === 'refused') return reason;
  const asked = await alerts.mayAnswer(signal);
  if (asked.kind === 'unavailable') return `${reason}; asked again: ${asked.reason}`;
  if (asked.kind === 'unauthorised') {
    await recordKeyRefused(db, { organisationId, code: asked.code, now: nowDate(clock) });
    return reason;
  }
  await recordKeyAccepted(db, { organisationId, now: nowDate(clock) });
  return undefined;
}

/** What came of reading the other alerts of the charge. */
export interface SiblingsRead {
  /** Why one could not be read. */
  readonly unread: string | undefined;
  /** Of the charge's ledger, where it was read after everything else. */
  readonly mark: LedgerMark | undefined;
}

/**
 * Reads the other open alerts of the charge, so that an answer given in the service's dashboard is known
 * before money moves as well (L5).
 */
export async function readSiblings(
  deps: SagaDeps,
  { siblings, mark }: MoneyGrounds,
  signal: AbortSignal,
): Promise<SiblingsRead> {
  for (const sibling of siblings) {
    const read = await readAlert(deps, sibling, signal);
    if (read.kind === 'found' || read.kind === 'not_found') continue;
    const why = read.kind === 'unavailable' ? read.reason : read.code;
    return { unread: `alert ${sibling.alert_id}: ${why}`, mark: undefined };
  }
  return { unread: undefined, mark: siblings.length === 0 ? mark : undefined };
}

/** The last moment for money: the deadline, as the service states it now, less the guard time. */
export function guardAtMs(deadlineMs: number, guardMs: number): number {
  return deadlineMs - guardMs;
}

/** Whether money may still be sent for the alert. A claim of our own is only late after its day. */
export function hasTimeLeft(
  deps: SagaDeps,
  owner: CaseRow,
  { alert, capabilities }: { readonly alert: RemoteAlert; readonly capabilities?: Lifetime },
): boolean {
  if (isClaimId(alert.id)) return true;
  const guardMs = refundGuardMs(deps.settings.guardMs, capabilities);
  return deps.clock.nowMs() < guardAtMs(deadlineMsOf(alert, owner), guardMs);
}
