/**
 * Writes what became of a refund: the move, its audit row, the next look, the cases that waited for
 * it and the page to a person, all in one transaction.
 */
import type { Transaction } from 'kysely';
import { moveCase } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { oweDeclaration } from '../declare/declaration.store.ts';
import { refundNote } from '../declare/notes.ts';
import { nowDate } from '../kernel/clock.ts';
import { crashPoint } from '../kernel/crash-point.ts';
import type { Refunded } from './assess-charge.ts';
import { pageIfNeeded } from './page-refund.ts';
import type { ProcessorCapabilities, ProcessorRefund } from './processor.ts';
import { CAUTIOUS_CAPABILITIES } from './processor.ts';
import type { RefundMove, RefundRow } from './refund.store.ts';
import { lockCharge, moveRefund } from './refund.store.ts';
import { lockHeldCasesOfRefund } from './refund-cases.store.ts';
import { coversAlert, isDeclarable } from './refund-cover.ts';
import type { SagaDeps } from './saga-deps.ts';

/** A refund by somebody else, as it is booked on our row. */
export interface ExternalRefund extends Pick<Refunded, 'reference' | 'settledMinor'> {
  /** What the charge was captured for; absent when it was never captured, or is booked already. */
  readonly capturedMinor?: number;
}

/** What became of a refund. */
export type Settlement =
  | { readonly to: 'CONFIRMED' | 'PENDING'; readonly refund: ProcessorRefund }
  /** `external`: somebody else had refunded, and enough. */
  | {
      readonly to: 'REJECTED';
      readonly failureCode: string;
      readonly external?: ExternalRefund;
    }
  | { readonly to: 'UNKNOWN'; readonly reason: string }
  | { readonly to: 'HUMAN'; readonly reason: string }
  | { readonly to: 'REVERSED'; readonly failureCode: string };

/** A refund that a person must look at is still looked up, this often, in milliseconds. */
export const HELD_LOOKUP_MS = 60 * 60_000;

/** A missing answer is asked for first after this, in milliseconds: most refunds are found at once. */
const FIRST_LOOK_MS = 2_000;

/** A pending refund is asked for first after this, in milliseconds. */
const PENDING_FIRST_LOOK_MS = 60_000;

/** A confirmed refund that may still fail is watched once a day, in milliseconds. */
export const WATCH_MS = 24 * 60 * 60_000;

/** Commits what became of the refund. A row that moved meanwhile throws `StaleClaimError`. */
export async function settleRefund(
  deps: SagaDeps,
  from: RefundRow,
  settlement: Settlement,
): Promise<RefundRow> {
  const capabilities = (await deps.processor.capabilities()) ?? CAUTIOUS_CAPABILITIES;
  const settled = await inTransaction(deps.db, (trx) =>
    settleIn(trx, from, { settlement, now: nowDate(deps.clock), capabilities }),
  );
  await crashPoint('K15');
  // The answer is owed in the same database already: the cases were woken by the same commit.
  if (settled.state === 'CONFIRMED') await crashPoint('K11');
  deps.log.info(
    { refundId: settled.id, alertId: settled.alert_id, state: settled.state },
    `refund ${settled.state.toLowerCase()}`,
  );
  return settled;
}

interface SettleContext {
  readonly settlement: Settlement;
  readonly now: Date;
  readonly capabilities: ProcessorCapabilities;
}

/** The same inside the caller's transaction, which holds the charge's lock or takes it here. */
export async function settleIn(
  trx: Transaction<Database>,
  from: RefundRow,
  context: SettleContext,
): Promise<RefundRow> {
  const { settlement, now, capabilities } = context;
  await lockCharge(trx, {
    organisationId: from.organisation_id,
    chargeReference: from.charge_reference,
  });
  let row = await moveRefund(trx, from, moveOf(from, context));
  if (settlement.to === 'REJECTED' && settlement.external !== undefined) {
    row = await bookExternal(trx, row, { ...settlement.external, now });
  }
  if (isDeclarable(row, capabilities.pendingCounts)) await resumeHeldCases(trx, row, now);
  await pageIfNeeded(trx, from, { row, now });
  return row;
}

function moveOf(from: RefundRow, context: SettleContext): RefundMove {
  const { settlement, now } = context;
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  switch (settlement.to) {
    case 'CONFIRMED':
    case 'PENDING':
      return acceptedMove(from, { ...context, settlement });
    case 'REJECTED':
    case 'REVERSED':
      return {
        to: settlement.to,
        now,
        nextActionAt: null,
        what: settlement.to === 'REJECTED' ? 'refund refused' : 'refund failed after confirmation',
        actor: 'processor',
        set: { failure_code: settlement.failureCode },
      };
    case 'UNKNOWN':
    case 'HUMAN':
      return {
        to: settlement.to,
        now,
        nextActionAt: after(settlement.to === 'HUMAN' ? HELD_LOOKUP_MS : FIRST_LOOK_MS),
        what: settlement.to === 'HUMAN' ? 'refund needs a person' : 'answer missing',
        detail: { reason: settlement.reason },
      };
  }
}

function acceptedMove(
  from: RefundRow,
  context: SettleContext & {
    readonly settlement: Extract<Settlement, { to: 'CONFIRMED' | 'PENDING' }>;
  },
): RefundMove {
  const { settlement, now, capabilities } = context;
  const confirmed = settlement.to === 'CONFIRMED';
  const isWatched = confirmed && capabilities.asyncRefunds && from.kind === 'refund';
  const waitMs = isWatched ? WATCH_MS : PENDING_FIRST_LOOK_MS;
  return {
    to: settlement.to,
    now,
    nextActionAt: confirmed && !isWatched ? null : new Date(now.getTime() + waitMs),
    what: confirmed ? 'refund confirmed' : 'refund accepted, not settled',
    actor: 'processor',
    set: {
      processor_reference: settlement.refund.reference,
      failure_code: null,
      ...(confirmed ? { confirmed_at: now } : {}),
    },
  };
}

/** Books that somebody else refunded: the row stays the charge's reservation and moves nothing. */
export async function bookExternal(
  trx: Transaction<Database>,
  from: RefundRow,
  external: ExternalRefund & { readonly now: Date },
): Promise<RefundRow> {
  const capturedMinor = external.capturedMinor ?? from.captured_minor;
  return await moveRefund(trx, from, {
    to: 'EXTERNAL',
    now: external.now,
    nextActionAt: null,
    what: 'refunded by somebody else',
    detail: { reference: external.reference, external_minor: external.settledMinor },
    set: {
      ...(external.capturedMinor === undefined ? {} : { kind: 'refund' }),
      amount_minor: 0,
      captured_minor: capturedMinor,
      external_minor: Math.min(external.settledMinor, capturedMinor),
      external_reference: external.reference,
    },
  });
}

/** Cases that were held while the refund was in doubt go on to declare it. */
async function resumeHeldCases(
  trx: Transaction<Database>,
  refund: RefundRow,
  now: Date,
): Promise<void> {
  for (const { held, alertMinor } of await lockHeldCasesOfRefund(trx, refund)) {
    if (!coversAlert(refund, alertMinor)) continue;
    await oweDeclaration(trx, {
      organisationId: held.organisation_id,
      alertId: held.alert_id,
      action: 'REFUND',
      note: refundNote(refund),
      refundId: refund.id,
      creditClaim: false,
      now,
    });
    await moveCase(trx, held, {
      to: 'DECLARE_REFUND',
      now,
      nextActionAt: now,
      what: 'refund found',
      set: { hold_reason: null, fallback_action: null, fallback_at: null },
    });
  }
}
