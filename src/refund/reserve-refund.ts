/**
 * Reserves a charge, or joins the reservation that exists: what a decided case does with its charge,
 * in one transaction. Two alerts on one charge meet here, and only one row comes of it.
 */
import type { Transaction } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import { oweDeclaration } from '../declare/declaration.store.ts';
import { refundNote } from '../declare/notes.ts';
import type { ChargeVerdict } from './assess-charge.ts';
import type { ProcessorCapabilities, ProcessorRefund } from './processor.ts';
import type { ChargeKey, Lease, NewRefund, RefundRow } from './refund.store.ts';
import {
  insertRefund,
  lockCharge,
  lockRefundOfCharge,
  moveRefund,
  refundKey,
} from './refund.store.ts';
import { bookExternal, settleIn } from './settle-refund.ts';

/** Verdicts that end in a refund row. */
export type ReservingVerdict = Extract<
  ChargeVerdict,
  { kind: 'refund' | 'ours' | 'external' | 'void' | 'voided' }
>;

/** What is reserved, for which case. */
export interface Reservation {
  readonly claim: CaseRow;
  readonly charge: ChargeKey;
  readonly verdict: ReservingVerdict;
  readonly currency: string;
  readonly byOperator: boolean;
  readonly capabilities: ProcessorCapabilities;
  readonly lease: Lease;
  readonly now: Date;
}

/** The charge's refund after the step, and whether this caller holds it and is to send it. */
export interface Reserved {
  readonly refund: RefundRow;
  readonly mine: boolean;
}

/**
 * Whether a case may start the charge's refused refund anew: what was never sent, by itself; what the
 * processor refused, only by a person's decision and under a new key.
 */
export function mayRestart(existing: RefundRow, byOperator: boolean): boolean {
  return existing.state === 'REJECTED' && (existing.first_sent_at === null || byOperator);
}

/** The round, and so the key, that the next request on the charge would carry. */
export function nextRound(existing: RefundRow | undefined): number {
  if (existing === undefined) return 1;
  const isBurnt = existing.state === 'REJECTED' && existing.first_sent_at !== null;
  return isBurnt ? existing.round + 1 : existing.round;
}

/** Reserves or joins, and moves the case along. Runs in the caller's transaction. */
export async function reserveCharge(
  trx: Transaction<Database>,
  reservation: Reservation,
): Promise<Reserved> {
  const { charge, claim, byOperator } = reservation;
  await lockCharge(trx, charge);
  const existing = await lockRefundOfCharge(trx, charge);
  if (existing !== undefined && !mayRestart(existing, byOperator)) {
    await attachCase(trx, claim, { refund: existing, now: reservation.now });
    return { refund: existing, mine: false };
  }
  const refund = await storeVerdict(trx, reservation, existing);
  if (refund.state === 'EXTERNAL') {
    await declareRefunded(trx, claim, { refund, now: reservation.now });
  } else {
    await attachCase(trx, claim, { refund, now: reservation.now });
  }
  return { refund, mine: refund.state === 'INTENT' };
}

/** The case waits for the refund it is attached to. */
export async function attachCase(
  trx: Transaction<Database>,
  claim: CaseRow,
  { refund, now }: { readonly refund: RefundRow; readonly now: Date },
): Promise<CaseRow> {
  const waits = refund.next_action_at !== null && refund.state === 'INTENT';
  return await moveCase(trx, claim, {
    to: 'REFUNDING',
    now,
    nextActionAt: waits ? (refund.next_action_at ?? now) : now,
    what: refund.alert_id === claim.alert_id ? 'charge reserved' : 'joined the charge’s refund',
    detail: { refund: refund.id },
    set: { refund_id: refund.id, hold_reason: null },
  });
}

/** The refund stands, so the answer is owed: stored in the same transaction. */
export async function declareRefunded(
  trx: Transaction<Database>,
  claim: CaseRow,
  { refund, now }: { readonly refund: RefundRow; readonly now: Date },
): Promise<CaseRow> {
  await oweDeclaration(trx, {
    organisationId: claim.organisation_id,
    alertId: claim.alert_id,
    action: 'REFUND',
    note: refundNote(refund),
    refundId: refund.id,
    creditClaim: false,
    now,
  });
  return await moveCase(trx, claim, {
    to: 'DECLARE_REFUND',
    now,
    nextActionAt: now,
    what: refund.state === 'EXTERNAL' ? 'refunded by somebody else' : 'refund stands',
    detail: { refund: refund.id },
    set: { refund_id: refund.id, hold_reason: null, fallback_action: null, fallback_at: null },
  });
}

async function storeVerdict(
  trx: Transaction<Database>,
  reservation: Reservation,
  existing: RefundRow | undefined,
): Promise<RefundRow> {
  const { verdict, now, charge, claim, currency, lease } = reservation;
  if (existing === undefined && (verdict.kind === 'external' || verdict.kind === 'voided')) {
    return await insertRefund(trx, {
      ...sumsOf(verdict),
      state: 'EXTERNAL',
      external_reference: verdict.reference,
      charge,
      alert_id: claim.alert_id,
      currency,
      next_action_at: null,
      now,
    });
  }
  if (existing !== undefined && verdict.kind === 'external') {
    return await bookExternal(trx, existing, {
      reference: verdict.reference,
      settledMinor: verdict.externalMinor,
      capturedMinor: verdict.capturedMinor,
      now,
    });
  }
  const intent = await storeIntent(trx, reservation, existing);
  if (verdict.kind === 'ours') {
    const { capabilities } = reservation;
    return await bookOurs(trx, intent, { refund: verdict.refund, now, lease, capabilities });
  }
  if (verdict.kind === 'voided') {
    return await bookExternal(trx, intent, { reference: verdict.reference, settledMinor: 0, now });
  }
  return intent;
}

type Sums = Pick<NewRefund, 'kind' | 'amount_minor' | 'captured_minor' | 'external_minor'>;

const NOTHING_CAPTURED: Required<Sums> = {
  kind: 'void',
  amount_minor: 0,
  captured_minor: 0,
  external_minor: 0,
};

function sumsOf(verdict: ReservingVerdict): Required<Sums> {
  if (verdict.kind === 'void' || verdict.kind === 'voided') return NOTHING_CAPTURED;
  return {
    kind: 'refund',
    amount_minor: ourMinor(verdict),
    captured_minor: verdict.capturedMinor,
    external_minor: verdict.externalMinor,
  };
}

function ourMinor(verdict: Exclude<ReservingVerdict, { kind: 'void' | 'voided' }>): number {
  if (verdict.kind === 'external') return 0;
  return verdict.kind === 'ours' ? verdict.refund.amountMinor : verdict.amountMinor;
}

async function storeIntent(
  trx: Transaction<Database>,
  { verdict, charge, claim, currency, lease, now }: Reservation,
  existing: RefundRow | undefined,
): Promise<RefundRow> {
  const sums = sumsOf(verdict);
  if (existing === undefined) {
    return await insertRefund(trx, {
      ...sums,
      state: 'INTENT',
      charge,
      alert_id: claim.alert_id,
      currency,
      next_action_at: lease.until,
      lease,
      now,
    });
  }
  const round = nextRound(existing);
  return await moveRefund(trx, existing, {
    to: 'INTENT',
    now,
    nextActionAt: lease.until,
    lease,
    what: round === existing.round ? 'refund started anew' : 'refund started anew, new key',
    set: {
      ...sums,
      currency,
      round,
      idempotency_key: refundKey(charge, round),
      alert_id: claim.alert_id,
      failure_code: null,
      processor_reference: null,
      first_sent_at: null,
      sent_at: null,
    },
  });
}

/** A refund of ours that stands at the processor already: booked through every state, never sent. */
export async function bookOurs(
  trx: Transaction<Database>,
  intent: RefundRow,
  found: {
    readonly refund: ProcessorRefund;
    readonly now: Date;
    readonly lease: Lease;
    readonly capabilities: ProcessorCapabilities;
  },
): Promise<RefundRow> {
  const { refund, now, lease, capabilities } = found;
  const sent = await moveRefund(trx, intent, {
    to: 'SENT',
    now,
    nextActionAt: lease.until,
    lease,
    what: 'found at the processor under our key; not sent again',
    set: { first_sent_at: now, sent_at: now },
  });
  const to = refund.status === 'pending' ? 'PENDING' : 'CONFIRMED';
  return await settleIn(trx, sent, { settlement: { to, refund }, now, capabilities });
}
