/**
 * Writes what became of a movement of ours: the move, its audit row, the next look, and the page to a
 * person, in the caller's transaction, which holds the charge's lock. Cases that wait are woken by it. Where the money
 * has gone back, `REFUND` is owed to the service: stored with the case's move, in the transaction that saw it.
 */
import type { Trx } from '../../base/db/database.ts';
import { LAST_HOUR_WAIT_MS } from '../../base/kernel/limits.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { FailureClass, ProcessorRefund } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { oweDeclaration } from '../declare/declaration.store.ts';
import { refundNote } from './answer-notes.ts';
import type { Ledger } from './ledger.ts';
import { ANOTHER_AMOUNT, claimOfAlert, isCovered, isOurs, movementBehind } from './ledger.ts';
import type { MovementMove, OurMovementRow } from './movement.store.ts';
import { moveMovement } from './movement.store.ts';

/** What became of a movement. */
export type Settlement =
  | { readonly to: 'CONFIRMED' | 'PENDING'; readonly refund: Pick<ProcessorRefund, 'reference'> }
  | {
      readonly to: 'REJECTED';
      readonly failureCode: string;
      readonly failureClass: FailureClass;
      /** What is at the processor in its place. */
      readonly reference?: string;
    }
  | { readonly to: 'NOT_SENT'; readonly failureCode: string }
  | {
      readonly to: 'UNKNOWN' | 'HUMAN';
      readonly reason: string;
      /** What the processor showed of it. */
      readonly reference?: string;
    }
  | { readonly to: 'REVERSED'; readonly failureCode: string };

/** A missing answer is asked for first after this, in milliseconds: most refunds are found at once. */
const FIRST_LOOK_MS = 2_000;

/** One that is not settled is looked at next after this; that look knows the deadlines, and plans on. */
const NEXT_LOOK_MS = LAST_HOUR_WAIT_MS;

/** One that a person must look at is still looked up, this often at first, in milliseconds. */
export const HELD_LOOKUP_MS = 60 * 60_000;

/** A confirmed refund that may still fail is watched once a day, in milliseconds. */
export const WATCH_MS = 24 * 60 * 60_000;

/** How a settlement is written. */
export interface SettleContext {
  readonly settlement: Settlement;
  readonly now: Date;
  /** Whether the processor may fail a refund after it has confirmed it. */
  readonly asyncRefunds: boolean;
  /** Who says so. @default 'processor', or 'forestall' where no answer is behind it */
  readonly actor?: string;
  /** The alert whose case continues in this very transaction, and need not be woken. */
  readonly holder?: string | undefined;
}

/** Writes it. */
export async function settleIn(
  trx: Trx,
  from: OurMovementRow,
  context: SettleContext,
): Promise<OurMovementRow> {
  const move = moveOf(from, context);
  const row = await moveMovement(trx, from, {
    ...move,
    holder: context.holder,
    ...(context.actor === undefined ? {} : { actor: context.actor }),
  });
  await pageIfNeeded(trx, from, { ...context, row });
  return row;
}

function moveOf(
  from: OurMovementRow,
  { settlement, now, asyncRefunds }: SettleContext,
): MovementMove {
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  switch (settlement.to) {
    case 'CONFIRMED':
    case 'PENDING': {
      const confirmed = settlement.to === 'CONFIRMED';
      const isWatched = confirmed && asyncRefunds && from.kind === 'refund';
      const nextMs = isWatched ? WATCH_MS : NEXT_LOOK_MS;
      return {
        to: settlement.to,
        now,
        nextActionAt: confirmed && !isWatched ? null : after(nextMs),
        what: confirmed ? 'refund confirmed' : 'refund accepted, not settled',
        actor: 'processor',
        set: {
          processor_reference: settlement.refund.reference,
          failure_code: null,
          failure_class: null,
          ...(confirmed ? { confirmed_at: now } : {}),
        },
      };
    }
    case 'REJECTED':
      return {
        to: 'REJECTED',
        now,
        nextActionAt: null,
        what: 'refund refused',
        actor: 'processor',
        detail: { code: settlement.failureCode, class: settlement.failureClass },
        set: refusedColumns(settlement),
      };
    case 'REVERSED':
      return {
        to: 'REVERSED',
        now,
        nextActionAt: null,
        what: 'refund failed after confirmation',
        actor: 'processor',
        set: { failure_code: settlement.failureCode },
      };
    case 'NOT_SENT':
      return {
        to: 'NOT_SENT',
        now,
        nextActionAt: null,
        what: 'not sent',
        detail: { reason: settlement.failureCode },
        set: { failure_code: settlement.failureCode, first_sent_at: null, sent_at: null },
      };
    case 'UNKNOWN':
    case 'HUMAN':
      return {
        to: settlement.to,
        now,
        nextActionAt: after(settlement.to === 'HUMAN' ? NEXT_LOOK_MS : FIRST_LOOK_MS),
        what: settlement.to === 'HUMAN' ? 'refund needs a person' : 'answer missing',
        detail: { reason: settlement.reason },
        set: placeOf(settlement),
      };
  }
}

function refusedColumns(
  settlement: Extract<Settlement, { to: 'REJECTED' }>,
): NonNullable<MovementMove['set']> {
  const { failureCode, failureClass } = settlement;
  return { failure_code: failureCode, failure_class: failureClass, ...placeOf(settlement) };
}

function placeOf({ reference }: { readonly reference?: string }): NonNullable<MovementMove['set']> {
  return reference === undefined ? {} : { processor_reference: reference };
}

/** Why a person must look at a movement that the processor shows otherwise than it was asked for. */
export const AMOUNT_DIFFERS = 'amount_differs';

/** Why a person must look at a movement that went through a processor which is not set any more. */
export const ANOTHER_PROCESSOR = 'another_processor';

/** How a movement ends in whose place another amount went back: not as sent, and not to be sent again. */
export function endedAsAnother(reference: string): Settlement {
  return { to: 'REJECTED', failureCode: ANOTHER_AMOUNT, failureClass: 'done', reference };
}

/** What the processor shows of a movement of ours, as a settlement; undefined where nothing is new. */
export function settlementShown(
  row: OurMovementRow,
  shown: ProcessorRefund,
): Settlement | undefined {
  const isSame = shown.amountMinor === row.amount_minor && shown.currency === row.currency;
  switch (shown.status) {
    case 'failed':
      return failedShown(row, shown);
    case 'pending':
    case 'succeeded': {
      const to = shown.status === 'pending' ? 'PENDING' : 'CONFIRMED';
      if (row.state === to || !isSame) return undefined;
      // Pending for so long that a person has it.
      if (to === 'PENDING' && row.state === 'HUMAN' && row.processor_reference !== null) {
        return undefined;
      }
      const isDone = row.state === 'CONFIRMED' || row.state === 'REVERSED';
      // A request under way is settled by the one who holds it.
      return isDone || row.state === 'SENT' ? undefined : { to, refund: shown };
    }
  }
}

function failedShown(row: OurMovementRow, shown: ProcessorRefund): Settlement | undefined {
  const failureCode = shown.failureCode ?? 'failed';
  switch (row.state) {
    case 'CONFIRMED':
      return { to: 'REVERSED', failureCode };
    case 'PENDING':
    case 'UNKNOWN':
    case 'HUMAN':
      return { to: 'REJECTED', failureCode, failureClass: shown.failureClass ?? 'retry' };
    default:
      return undefined;
  }
}

/** Pages a person when the movement has become one's business, in the transaction that moved it. */
async function pageIfNeeded(
  trx: Trx,
  from: OurMovementRow,
  { row, settlement, now }: SettleContext & { readonly row: OurMovementRow },
): Promise<void> {
  const hasFailedLate = row.state === 'REJECTED' && from.state === 'PENDING';
  if (row.state !== 'HUMAN' && row.state !== 'REVERSED' && !hasFailedLate) return;
  const isOpen = row.state === 'HUMAN';
  await notify(trx, {
    organisationId: row.organisation_id,
    dedupeKey: `movement:${row.id}:${row.state}:${row.round}`,
    kind: isOpen ? 'refund_unresolved' : 'refund_reversed',
    severity: 'error',
    alertId: row.alert_id,
    text: isOpen ? unresolvedText(row, settlement) : failedText(row),
    at: now,
  });
}

function subjectOf(row: OurMovementRow): string {
  const money = formatMoney({ amountMinor: row.amount_minor, currency: row.currency });
  return `Refund ${row.id} of ${money} on charge ${row.charge_reference}`;
}

function unresolvedText(row: OurMovementRow, settlement: Settlement): string {
  if (settlement.to === 'HUMAN' && settlement.reason === AMOUNT_DIFFERS) {
    return `${subjectOf(row)}: the processor shows it with another amount or currency. Look at the charge there, then say in the console that it did execute, and how much went back; nothing is sent again before that.`;
  }
  if (settlement.to === 'HUMAN' && settlement.reason === ANOTHER_PROCESSOR) {
    return `${subjectOf(row)} was sent through processor ${row.processor ?? ''}, which is not set any more, and its outcome is not known. Look at the charge there, then say in the console that it did, or did not, execute; nothing is sent again before that.`;
  }
  return `${subjectOf(row)}: whether it was executed could not be found out. Look at the charge at the processor, then say in the console that it did, or did not, execute; nothing is sent again before that.`;
}

function failedText(row: OurMovementRow): string {
  const code = row.failure_code === null ? '' : ` (${row.failure_code})`;
  return `${subjectOf(row)} failed at the processor${code}. The customer does not have this money. Decide the alert again, or refund the customer another way.`;
}

/** Owes `REFUND` where it is true of the alert already (L4). Undefined: it is not. */
export async function declareIfCovered(
  trx: Trx,
  claim: CaseRow,
  about: { readonly ledger: Ledger; readonly pendingCounts: boolean; readonly now: Date },
): Promise<CaseRow | undefined> {
  const { ledger, pendingCounts, now } = about;
  const own = claimOfAlert(ledger, claim.alert_id);
  if (!isCovered(ledger, own, pendingCounts)) return undefined;
  const movementId = movementBehind(ledger, own)?.id ?? null;
  return await declareCovered(trx, claim, { ledger, movementId, now });
}

/** Owes `REFUND`. */
export async function declareCovered(
  trx: Trx,
  claim: CaseRow,
  covered: { readonly ledger: Ledger; readonly movementId: string | null; readonly now: Date },
): Promise<CaseRow> {
  const { ledger, movementId, now } = covered;
  const movement = ledger.movements.find(({ id }) => id === movementId);
  await oweDeclaration(trx, {
    organisationId: claim.organisation_id,
    alertId: claim.alert_id,
    action: 'REFUND',
    note: refundNote(movement, ledger.chargeReference),
    movementId,
    despiteMinor: 0,
    now,
  });
  const isOwn = movement !== undefined && isOurs(movement);
  return await moveCase(trx, claim, {
    to: 'DECLARE_REFUND',
    now,
    nextActionAt: now,
    what: isOwn ? 'refund stands' : 'refunded by somebody else',
    detail: { movement: movementId },
    set: {
      movement_id: movementId,
      hold_reason: null,
      fallback_action: null,
      fallback_at: null,
    },
  });
}
