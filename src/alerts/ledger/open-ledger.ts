/**
 * The one way into a charge's ledger for anyone who decides about its money: lock the charge, write what
 * the processor was just seen to show, place its alerts in disputes, and hand out the result.
 *
 * A reading that is older than the last change of the ledger is refused ({@link StaleReadingError}):
 * anyone who took it takes another. Consequences (cover that was lost, money paid twice) are told in the
 * same transaction.
 */
import type { Trx } from '../../base/db/database.ts';
import { KitError } from '../../base/kernel/errors.ts';
import type { ProcessorCapabilities, ProcessorCharge } from '../../service/wire/processor.ts';
import { CAUTIOUS_CAPABILITIES } from '../../service/wire/processor.ts';
import { lockLedger } from './adopt.store.ts';
import type { ChargeKey, ShownCharge } from './ledger.store.ts';
import { readLedger } from './ledger.store.ts';
import type { Ledger } from './ledger.ts';
import { claimOfAlert, isOurs, missingMinor } from './ledger.ts';
import { findMovement, insertMovement } from './movement.store.ts';
import { movementKey, nextRound } from './movement-key.ts';
import { refreshNetwork, writeAllocation, writeObserved } from './observe.store.ts';
import { placeAlerts } from './place.store.ts';
import type { OwnShown } from './reading.ts';
import { isAnotherAmount, isShownAsStored, observedOf, readingChanges } from './reading.ts';
import type { SamePartRule } from './same-dispute.ts';
import { moneyOf } from './same-dispute.ts';
import { endedAsAnother, settleIn, settlementShown } from './settle-movement.ts';
import { tellConsequences } from './tell-consequences.ts';

/** The ledger changed between the reading and its use: nothing may rest on it. */
export class StaleReadingError extends KitError {
  readonly code = 'STALE_READING';
  readonly retryable = true;
}

/** What the processor showed of a charge, and which ledger that was compared with. */
export interface ChargeReading {
  readonly charge: ProcessorCharge;
  /** Of the ledger, read before the processor was asked. */
  readonly version: number;
  readonly atMs: number;
  /** The merchant whose own processor showed it. @default the organisation's */
  readonly sentThrough?: string | null;
}

/** How a ledger is opened. */
export interface OpenContext {
  readonly charge: ChargeKey;
  /** Undefined: the processor was not asked, or shows no such charge. */
  readonly reading?: ChargeReading | undefined;
  /** @default the most cautious */
  readonly capabilities?: Pick<ProcessorCapabilities, 'asyncRefunds' | 'pendingCounts'>;
  readonly samePart: SamePartRule;
  /** The alert that asks; a refund of ours that our rows had lost is booked for it. @default none */
  readonly alertId?: string | null;
  /** An alert without a charge whose acceptance the caller is about to store: it stays without one. */
  readonly holds?: string;
  readonly now: Date;
}

/** @throws {StaleReadingError} when the ledger has changed since the reading was taken */
export async function openLedger(trx: Trx, context: OpenContext): Promise<Ledger> {
  const { charge, reading, now } = context;
  const { version, ledger, before } = await lockLedger(trx, charge, {
    shown: shownBy(reading),
    holds: context.holds,
  });
  if (reading !== undefined && version !== reading.version) {
    throw new StaleReadingError(
      `The ledger of charge ${charge.chargeReference} changed while the processor was asked.`,
    );
  }
  const refreshed = await refreshNetwork(trx, ledger, { charge, now });
  const seen = await applyReading(trx, refreshed, context);
  const placed = await placeAlerts(trx, seen, {
    charge,
    money: moneyOf(seen),
    samePart: context.samePart,
    now,
  });
  const complete = await bookForgotten(trx, placed, context);
  const after = await writeAllocation(trx, complete, charge.organisationId);
  const { pendingCounts } = context.capabilities ?? CAUTIOUS_CAPABILITIES;
  await tellConsequences(trx, { charge, before, after, pendingCounts, now });
  return after;
}

function shownBy(reading: ChargeReading | undefined): Partial<ShownCharge> {
  if (reading === undefined) return {};
  const { status, amountMinor, currency, disputed } = reading.charge;
  return { status, amount_minor: amountMinor, currency, disputed, read_at: new Date(reading.atMs) };
}

async function applyReading(trx: Trx, ledger: Ledger, context: OpenContext): Promise<Ledger> {
  const { charge, reading, now } = context;
  if (reading === undefined) return ledger;
  const nextKey = movementKey(charge, nextRound(ledger.movements.filter(isOurs)));
  const changes = readingChanges(ledger, reading.charge, nextKey);
  let current = ledger;
  for (const shown of changes.own) current = await settleShown(trx, current, { ...context, shown });
  return await writeObserved(trx, current, { observed: changes.observed, charge, now });
}

async function settleShown(
  trx: Trx,
  ledger: Ledger,
  {
    shown,
    charge,
    capabilities = CAUTIOUS_CAPABILITIES,
    now,
  }: OpenContext & { readonly shown: OwnShown },
): Promise<Ledger> {
  if (isShownAsStored(shown)) return ledger;
  const { movement, refund } = shown;
  const row = await findMovement(trx, charge.organisationId, movement.id);
  if (row === undefined) return ledger;
  const settlement = isAnotherAmount(movement, refund)
    ? endedAsAnother(refund.reference)
    : settlementShown(row, refund);
  if (settlement === undefined) return ledger;
  const { asyncRefunds } = capabilities;
  const settled = await settleIn(trx, row, { settlement, now, asyncRefunds });
  const movements = ledger.movements.map((each) =>
    each.id === settled.id
      ? {
          ...each,
          state: settled.state,
          version: settled.version,
          reference: settled.processor_reference,
          failureCode: settled.failure_code,
          failureClass: settled.failure_class,
        }
      : each,
  );
  return { ...ledger, movements };
}

/**
 * A refund under our next key stands at the processor: made in time that this database has lost. For which
 * alert nobody knows, so it is booked for the alert that asks, or for another one, where it fits what is
 * missing there; else as somebody else's, which answers what is still missing.
 */
async function bookForgotten(
  trx: Trx,
  ledger: Ledger,
  { charge, reading, alertId = null, capabilities = CAUTIOUS_CAPABILITIES, now }: OpenContext,
): Promise<Ledger> {
  if (reading === undefined || alertId === null) return ledger;
  const round = nextRound(ledger.movements.filter(isOurs));
  const { forgotten } = readingChanges(ledger, reading.charge, movementKey(charge, round));
  const { disputeId: own } = claimOfAlert(ledger, alertId);
  if (forgotten === undefined || own === null) return ledger;
  const disputeId = disputeLacking(ledger, forgotten.amountMinor, own);
  if (disputeId === undefined) {
    const observed = [observedOf(ledger, forgotten)];
    return await writeObserved(trx, ledger, { observed, charge, now });
  }
  const isPending = forgotten.status === 'pending';
  const isWatched = isPending || capabilities.asyncRefunds;
  await insertMovement(trx, {
    charge,
    kind: 'refund',
    state: isPending ? 'PENDING' : 'CONFIRMED',
    disputeId,
    alertId,
    round,
    amountMinor: forgotten.amountMinor,
    currency: forgotten.currency,
    processorReference: forgotten.reference,
    sentThrough: reading.sentThrough ?? null,
    nextActionAt: isWatched ? now : null,
    what: 'found at the processor under our key; not sent again',
    now,
  });
  return await readLedger(trx, charge);
}

/** The dispute that lacks as much: the one that asks, before any other. */
function disputeLacking(ledger: Ledger, amountMinor: number, own: string): string | undefined {
  const fits = ledger.disputes.filter((each) => missingMinor(ledger, each) >= amountMinor);
  return (fits.find(({ id }) => id === own) ?? fits[0])?.id;
}
