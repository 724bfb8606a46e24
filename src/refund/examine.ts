/**
 * Everything that is asked before money moves, in the order the design demands: the alert at the
 * service, the time left, whether we may declare at all, and the charge at the processor.
 *
 * It reads and answers; it changes nothing of ours but the alert's snapshot. The last two questions,
 * the daily limits and the lease, are asked by `send-refund.ts` in the transaction that sends.
 */
import type { CaseRow } from '../cases/case.store.ts';
import type { CaseDecision } from '../cases/case-decision.store.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { AlertRead, RemoteAlert } from '../declare/alert-service.ts';
import {
  readKeyStanding,
  recordKeyAccepted,
  recordKeyRefused,
} from '../declare/declare-health.store.ts';
import { nowDate } from '../kernel/clock.ts';
import type { ChargeVerdict } from './assess-charge.ts';
import { assessCharge } from './assess-charge.ts';
import type { Answer, ProcessorCapabilities, ProcessorRefund, RefundRequest } from './processor.ts';
import { CAUTIOUS_CAPABILITIES } from './processor.ts';
import type { SagaDeps } from './saga-deps.ts';
import { readAlert } from './saga-deps.ts';

/** What {@link examine} found. */
export type Examination =
  /** The alert is no longer open at the service. */
  | { readonly kind: 'closed'; readonly alert: RemoteAlert }
  /** It was refunded by the network: no call, ever (I4). */
  | { readonly kind: 'rdr' }
  | { readonly kind: 'hold'; readonly reason: HoldReason }
  /** Something could not be asked; nothing is decided. */
  | { readonly kind: 'later'; readonly reason: string }
  | { readonly kind: 'verdict'; readonly verdict: ChargeVerdict; readonly alert: RemoteAlert };

/** What is examined. */
export interface Examined {
  readonly owner: CaseRow;
  readonly decision: CaseDecision;
  readonly chargeReference: string;
  /** The key a refund would carry. */
  readonly idempotencyKey: string;
}

/** Asks everything that must be known before a refund. */
export async function examine(
  deps: SagaDeps,
  subject: Examined,
  signal: AbortSignal,
): Promise<Examination> {
  const { owner } = subject;
  const read = await readAlert(deps, owner, signal);
  if (read.kind !== 'found') return await withoutAlert(deps, read);
  const { alert } = read;
  if (alert.enrolmentType === 'NETB_RDR') return { kind: 'rdr' };
  if (alert.status === 'RESOLVED' || alert.status === 'INVALID') return { kind: 'closed', alert };
  if (alert.status !== 'ACTION_REQUIRED') return { kind: 'hold', reason: 'alert_status_unknown' };
  if (!hasTimeLeft(deps, owner, alert)) return { kind: 'hold', reason: 'too_late' };
  const undeclarable = await whyUndeclarable(deps, signal);
  if (undeclarable !== undefined) return { kind: 'later', reason: undeclarable };
  const verdict = await askProcessor(deps, { ...subject, alert }, signal);
  return verdict.kind === 'wait'
    ? { kind: 'later', reason: verdict.reason }
    : { kind: 'verdict', verdict, alert };
}

async function withoutAlert(
  deps: SagaDeps,
  read: Exclude<AlertRead, { kind: 'found' }>,
): Promise<Examination> {
  if (read.kind === 'not_found') return { kind: 'hold', reason: 'alert_missing' };
  if (read.kind === 'unavailable') return { kind: 'later', reason: read.reason };
  const { organisationId, clock } = deps;
  await recordKeyRefused(deps.db, { organisationId, code: read.code, now: nowDate(clock) });
  return { kind: 'later', reason: `the service refuses the API key (${read.code})` };
}

/** Why no answer of ours would be taken now; undefined when nothing speaks against it. */
async function whyUndeclarable(deps: SagaDeps, signal: AbortSignal): Promise<string | undefined> {
  const { db, organisationId, clock, alerts } = deps;
  const standing = await readKeyStanding(db, organisationId, nowDate(clock));
  if (standing === 'accepted') return undefined;
  const reason = 'the service refuses our answers, so nothing is refunded';
  if (standing === 'refused') return reason;
  const asked = await alerts.mayAnswer(signal);
  if (asked.kind === 'unavailable') return `${reason}; asked again: ${asked.reason}`;
  if (asked.kind === 'unauthorised') {
    await recordKeyRefused(db, { organisationId, code: asked.code, now: nowDate(clock) });
    return reason;
  }
  await recordKeyAccepted(db, organisationId);
  return undefined;
}

/** The last moment for money: the deadline, as the service states it now, less the guard time. */
export function guardAtMs(deadlineMs: number, guardMs: number): number {
  return deadlineMs - guardMs;
}

function hasTimeLeft(deps: SagaDeps, owner: CaseRow, alert: RemoteAlert): boolean {
  const stated = alert.deadlineAt === null ? Number.NaN : Date.parse(alert.deadlineAt);
  const deadlineMs = Number.isFinite(stated) ? stated : owner.deadline_at.getTime();
  return deps.clock.nowMs() < guardAtMs(deadlineMs, deps.settings.guardMs);
}

async function askProcessor(
  deps: SagaDeps,
  subject: Examined & { readonly alert: RemoteAlert },
  signal: AbortSignal,
): Promise<ChargeVerdict> {
  const { processor, settings } = deps;
  const { alert, decision, chargeReference, idempotencyKey } = subject;
  const capabilities = await processor.capabilities(signal);
  const request: RefundRequest = {
    idempotencyKey,
    chargeReference,
    alertId: subject.owner.alert_id,
    reason: REASON,
    amountMinor: decision.amountMinor ?? alert.amountMinor ?? 0,
    currency: alert.currency ?? '',
  };
  const [charge, own] = await Promise.all([
    processor.readCharge(chargeReference, signal),
    findOwnRefund(deps, request, { signal, capabilities }),
  ]);
  return assessCharge({
    alert: { amountMinor: alert.amountMinor, currency: alert.currency },
    decision: { amountMinor: decision.amountMinor, byOperator: decision.byOperator },
    charge,
    own: own.kind === 'found' ? own : ownAmong(charge, idempotencyKey, own),
    capabilities: capabilities ?? CAUTIOUS_CAPABILITIES,
    rules: settings.rules,
  });
}

/** Why the merchant's processor is asked for the refund; shown on its side. */
export const REASON = 'chargeback_alert';

async function findOwnRefund(
  { processor }: SagaDeps,
  request: RefundRequest,
  {
    signal,
    capabilities,
  }: {
    readonly signal: AbortSignal;
    readonly capabilities: ProcessorCapabilities | undefined;
  },
): Promise<Answer<ProcessorRefund>> {
  if (capabilities === undefined) {
    return { kind: 'unavailable', reason: 'the processor did not say what it offers' };
  }
  if (!capabilities.canLookupByReference) return { kind: 'not_offered' };
  return await processor.findRefund(request, signal);
}

/** Our refund among those the charge lists; otherwise what the look-up by key said. */
export function ownAmong(
  charge: Awaited<ReturnType<SagaDeps['processor']['readCharge']>>,
  idempotencyKey: string,
  otherwise: Answer<ProcessorRefund>,
): Answer<ProcessorRefund> {
  if (charge.kind !== 'found') return otherwise;
  const own = charge.value.refunds.find((refund) => refund.idempotencyKey === idempotencyKey);
  return own === undefined ? otherwise : { kind: 'found', value: own };
}

/**
 * Looks for our refund: by key where the processor can, among the charge's refunds where it cannot.
 * Only a look-up by key can answer `absent`.
 */
export async function lookUpOwnRefund(
  deps: SagaDeps,
  request: RefundRequest,
  signal: AbortSignal,
): Promise<Answer<ProcessorRefund>> {
  const capabilities = await deps.processor.capabilities(signal);
  const own = await findOwnRefund(deps, request, { signal, capabilities });
  if (capabilities?.canLookupByReference !== false) return own;
  const charge = await deps.processor.readCharge(request.chargeReference, signal);
  return ownAmong(charge, request.idempotencyKey, own);
}
