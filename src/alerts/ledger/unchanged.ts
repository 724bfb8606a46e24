/** Whether a reading of a charge is news to its ledger. Pure. */
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import { allocate } from './allocate.ts';
import type { ChargeKey } from './ledger.store.ts';
import type { Ledger } from './ledger.ts';
import { isAnotherAmountEnd, isOurs } from './ledger.ts';
import { movementKey, nextRound } from './movement-key.ts';
import { paidTooOften } from './paid-too-often.ts';
import { isShownAsStored, readingChanges } from './reading-changes.ts';
import type { SamePartRule } from './same-dispute.ts';
import { amountOf, moneyOf, placeAlert } from './same-dispute.ts';

/** What the ledger of a charge is compared with. */
export interface Compared {
  readonly charge: ChargeKey;
  readonly shown: ProcessorCharge;
  readonly samePart: SamePartRule;
}

/**
 * Whether `openLedger` would write nothing with this reading but that it was taken. Where people may have to
 * be told of something (money paid twice, another amount), or the network's money follows its alerts, the
 * answer is no: the ledger is opened.
 */
export function changesNothing(ledger: Ledger, compared: Compared): boolean {
  return (
    isShownAlike(ledger, compared) &&
    isListedAlike(ledger, compared) &&
    isPlaced(ledger, compared) &&
    allocate(ledger).changed.length === 0 &&
    paidTooOften(ledger) === undefined &&
    !ledger.movements.some(isAnotherAmountEnd)
  );
}

function isShownAlike(
  { status, amountMinor, currency, isDisputed }: Ledger,
  { shown }: Compared,
): boolean {
  return (
    shown.status === status &&
    shown.amountMinor === amountMinor &&
    shown.currency === currency &&
    shown.disputed === isDisputed
  );
}

function isListedAlike(ledger: Ledger, { charge, shown }: Compared): boolean {
  const nextKey = movementKey(charge, nextRound(ledger.movements.filter(isOurs)));
  const { own, observed, forgotten } = readingChanges(ledger, shown, nextKey);
  return observed.length === 0 && forgotten === undefined && own.every(isShownAsStored);
}

/** Every alert is in its dispute, or left to a person, and every dispute is about what its alerts say. */
function isPlaced(ledger: Ledger, { samePart }: Compared): boolean {
  const money = moneyOf(ledger);
  if (money === undefined) return false;
  const alerts = [...ledger.disputes.flatMap((dispute) => dispute.alerts), ...ledger.unplaced];
  return (
    !alerts.some(({ enrolmentType }) => enrolmentType === 'NETB_RDR') &&
    ledger.disputes.every(
      (dispute) =>
        dispute.currency === money.currency && dispute.amountMinor === amountOf(dispute, money),
    ) &&
    ledger.unplaced.every(
      (alert) =>
        alert.status === 'INVALID' ||
        placeAlert(ledger, alert, { charge: money, samePart }).kind === 'undecided',
    )
  );
}
