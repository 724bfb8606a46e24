/**
 * Whether an alert speaks of a dispute that is known already: the rule, with its reasons. Pure.
 *
 * The same complaint reaches the merchant through two alert networks, through RDR and more than once;
 * two complaints about two items of one charge look almost alike. Where the amounts do not tell, a
 * person (or the policy, by name) says so: money of one dispute never answers another.
 */
import type { Money } from '../../base/kernel/money.ts';
import type { Dispute, DisputedAlert, Ledger } from './ledger.ts';
import { mayHaveExecuted } from './ledger.ts';

/** What the merchant says about the same part of a charge, reported twice by one network. */
export type SamePartRule = 'REVIEW' | 'AGAIN' | 'ANOTHER';

/** Where an alert belongs. */
export type Placement =
  | {
      readonly kind: 'same';
      readonly disputeId: string;
      readonly duplicate: boolean;
      readonly reason: string;
    }
  | { readonly kind: 'new'; readonly reason: string }
  | { readonly kind: 'undecided'; readonly reason: string };

/** Where `alert` belongs among the disputes of its charge. */
export function placeAlert(
  ledger: Pick<Ledger, 'disputes' | 'movements'>,
  alert: DisputedAlert,
  { charge, samePart }: { readonly charge: Money; readonly samePart: SamePartRule },
): Placement {
  const disputes = ledger.disputes.filter((dispute) => isStanding(ledger, dispute));
  if (disputes.length === 0) return { kind: 'new', reason: 'the first complaint about the charge' };
  const isWhole = isAboutWhole(alert, charge);
  for (const dispute of disputes) {
    const same = sameAs(dispute, alert, { charge, isWhole });
    if (same !== undefined) return same;
  }
  if (isWhole)
    return undecided('it is about the whole charge, and a part of it is disputed already');
  const twice = disputes.find((dispute) => hasPart(dispute, alert));
  if (twice !== undefined && samePart === 'AGAIN') {
    const reason = 'the same part again, which the policy takes for the same complaint';
    return { kind: 'same', disputeId: twice.id, duplicate: true, reason };
  }
  if (twice !== undefined && samePart === 'REVIEW') {
    return undecided('the same network reports the same part again: again, or another item?');
  }
  const disputedMinor = disputes.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const fits = disputedMinor + (alert.amountMinor ?? 0) <= charge.amountMinor;
  if (!fits) return undecided('it does not fit beside what is disputed already');
  return { kind: 'new', reason: 'another part of the charge, which fits beside what is disputed' };
}

/** Why an unplaced alert is left to a person. */
export function whyUndecided(
  ledger: Ledger,
  alertId: string,
  samePart: SamePartRule,
): string | undefined {
  const alert = ledger.unplaced.find((each) => each.alertId === alertId);
  const charge = moneyOf(ledger);
  if (alert === undefined || charge === undefined) return undefined;
  const placement = placeAlert(ledger, alert, { charge, samePart });
  return placement.kind === 'undecided' ? placement.reason : undefined;
}

/** The charge's money as the ledger knows it. */
export function moneyOf({ amountMinor, currency }: Ledger): Money | undefined {
  return amountMinor === null || currency === null ? undefined : { amountMinor, currency };
}

/** What the alert claims of the charge, in the charge's currency: all of it where that cannot be told. */
export function claimedMinor(
  { amountMinor, currency }: Pick<DisputedAlert, 'amountMinor' | 'currency'>,
  charge: Money,
): number {
  if (amountMinor === null || amountMinor <= 0 || currency !== charge.currency) {
    return charge.amountMinor;
  }
  return Math.min(amountMinor, charge.amountMinor);
}

/** What the dispute is about, by what its alerts say today; those that were withdrawn say nothing. */
export function amountOf({ amountMinor, alerts }: Dispute, charge: Money): number {
  const standing = alerts.filter(({ status }) => status !== 'INVALID');
  const claims = standing.map((alert) => claimedMinor(alert, charge));
  return claims.length === 0 ? amountMinor : Math.max(...claims);
}

/** Whether the alert is about all of the charge. In another currency it is taken so. */
export function isAboutWhole(
  alert: Pick<DisputedAlert, 'amountMinor' | 'currency'>,
  charge: Money,
): boolean {
  return claimedMinor(alert, charge) >= charge.amountMinor;
}

/** A dispute whose alerts were all withdrawn and for which nothing moved is in no other's way. */
function isStanding({ movements }: Pick<Ledger, 'movements'>, { id, alerts }: Dispute): boolean {
  const isCovered = movements.some(
    (each) => mayHaveExecuted(each) && each.covers.some(({ disputeId }) => disputeId === id),
  );
  return isCovered || alerts.some(({ status }) => status !== 'INVALID');
}

function sameAs(
  { id: disputeId, amountMinor, alerts }: Dispute,
  alert: DisputedAlert,
  { charge, isWhole }: { readonly charge: Money; readonly isWhole: boolean },
): Placement | undefined {
  const members = alerts.filter(({ status }) => status !== 'INVALID');
  const isKnownNetwork = members.some((each) => each.enrolmentType === alert.enrolmentType);
  const isSameAmount = members.some((each) => isEqual(each, alert));
  const isDisputedWhole = amountMinor >= charge.amountMinor;
  if (!isKnownNetwork && (isSameAmount || isWhole || isDisputedWhole)) {
    const how = isSameAmount ? 'the same amount' : 'the whole charge';
    return { kind: 'same', disputeId, duplicate: false, reason: `${how}, through another network` };
  }
  if (isKnownNetwork && isWhole && isDisputedWhole) {
    const reason = 'the whole charge, reported again by the same network';
    return { kind: 'same', disputeId, duplicate: true, reason };
  }
  return undefined;
}

function hasPart({ alerts }: Dispute, alert: DisputedAlert): boolean {
  return alerts.some(
    (each) =>
      each.enrolmentType === alert.enrolmentType &&
      each.status !== 'INVALID' &&
      isEqual(each, alert),
  );
}

function isEqual(a: DisputedAlert, b: DisputedAlert): boolean {
  return a.amountMinor !== null && a.amountMinor === b.amountMinor && a.currency === b.currency;
}

function undecided(reason: string): Placement {
  return { kind: 'undecided', reason };
}
