/**
 * What a period's alerts cost and saved, from how they ended and the merchant's cost model. Pure.
 *
 * An estimate: every alert is billed; what was refunded is gone; each refund, ours or the network's, is
 * taken to have avoided a dispute as often as one comes after accepting (counted, or the model's word), and with it the fee, a person's time and the
 * part of the amount that would have been lost. Fines of card programmes are left out.
 */

import type { CostModel, CostTerms } from '../../alerts/costs/cost-model.ts';
import type { DayOutcome } from '../../surface/of-month.ts';
import { priceOf } from './economics.ts';
import type { Share } from './share.ts';
import type { Shares } from './verdict.ts';

/** Alerts of one merchant and network that ended in one way. */
export interface EndedAlerts {
  readonly merchantId: string;
  /** `NETA` or `NETB`. */
  readonly network: string;
  readonly outcome: DayOutcome;
  readonly currency: string;
  readonly count: number;
  readonly amountMinor: number;
}

/** Amounts are minor units of the model's currency. */
export interface Savings {
  readonly currency: string;
  readonly alerts: number;
  readonly alertFeesMinor: number;
  readonly refundedMinor: number;
  /** Disputes that did not come, by the model. */
  readonly avoided: number;
  readonly avoidedFeesMinor: number;
  readonly avoidedTimeMinor: number;
  /** The part of the amounts that would have been lost with the disputes. */
  readonly avoidedLossMinor: number;
  /** Avoided less spent; below zero where answering cost more. */
  readonly balanceMinor: number;
  /** Alerts whose currency the model has no rate for: their amounts are not in here. */
  readonly unconverted: number;
  /** Terms that were not set, with the value that is taken instead. */
  readonly assumed: CostTerms['assumed'];
}

/** What savings rest on besides. */
export interface SavingsFrom {
  readonly again?: readonly EndedAlerts[];
  /** As the verdict reads them; where nothing was counted, those of the model. @default those of the model */
  readonly shares?: Shares | undefined;
}

/** `again`: those of `ended` about a dispute that was refunded before. They have their price; the rest is counted once. */
export function computeSavings(
  model: CostModel,
  ended: readonly EndedAlerts[],
  { again = [], shares }: SavingsFrom = {},
): Savings {
  const sum = {
    alerts: 0,
    alertFeesMinor: 0,
    refundedMinor: 0,
    avoided: 0,
    avoidedFeesMinor: 0,
    avoidedTimeMinor: 0,
    avoidedLossMinor: 0,
    unconverted: 0,
  };
  for (const group of ended) {
    const terms = model.merchants.get(group.merchantId) ?? model.terms;
    sum.alerts += group.count;
    sum.alertFeesMinor += group.count * (terms.alertFeeMinor[group.network] ?? 0);
  }
  for (const group of [...ended, ...again.map(takenBack)]) {
    const terms = model.merchants.get(group.merchantId) ?? model.terms;
    if (group.outcome !== 'refunded' && group.outcome !== 'network') continue;
    const amountMinor = priceOf(model, group);
    if (amountMinor === undefined) sum.unconverted += group.count;
    const avoided = avoidedBy(terms, shares);
    const lost = avoided * (1 - wonBackBy(terms, shares));
    sum.avoided += group.count * avoided;
    sum.avoidedFeesMinor += group.count * avoided * terms.chargebackFeeMinor;
    sum.avoidedTimeMinor += group.count * avoided * terms.handlingMinor;
    sum.refundedMinor += amountMinor ?? 0;
    sum.avoidedLossMinor += (amountMinor ?? 0) * lost;
  }
  const whole = {
    ...sum,
    avoided: Math.round(sum.avoided),
    avoidedFeesMinor: Math.round(sum.avoidedFeesMinor),
    avoidedTimeMinor: Math.round(sum.avoidedTimeMinor),
    avoidedLossMinor: Math.round(sum.avoidedLossMinor),
  };
  const { avoidedFeesMinor, avoidedTimeMinor, avoidedLossMinor } = whole;
  const gained = avoidedFeesMinor + avoidedTimeMinor + avoidedLossMinor;
  const balanceMinor = gained - whole.alertFeesMinor - whole.refundedMinor;
  return { ...whole, currency: model.currency, balanceMinor, assumed: assumedIn(model, shares) };
}

/** The model's gaps, but for what was counted. */
function assumedIn({ terms }: CostModel, shares: Shares | undefined): CostTerms['assumed'] {
  const by: Readonly<Record<string, Share | undefined>> = {
    dispute_rate: shares?.dispute,
    contest_rate: shares?.contested,
    win_rate: shares?.won,
  };
  const left = Object.entries(terms.assumed).filter(([name]) => counted(by[name]) === undefined);
  return Object.fromEntries(left);
}

/** How often a refund kept a dispute away: as often as one comes after accepting, less those that come anyway. */
function avoidedBy({ disputeRate }: CostTerms, shares: Shares | undefined): number {
  const dispute = counted(shares?.dispute) ?? disputeRate;
  return Math.max(0, dispute - (counted(shares?.leak) ?? 0));
}

function wonBackBy(terms: CostTerms, shares: Shares | undefined): number {
  const contested = counted(shares?.contested) ?? terms.contestRate;
  return contested * (counted(shares?.won) ?? terms.winRate) * terms.collectRate;
}

function counted(share: Share | undefined): number | undefined {
  return share === undefined || share.source !== 'observed' ? undefined : share.value;
}

function takenBack(group: EndedAlerts): EndedAlerts {
  return { ...group, count: -group.count, amountMinor: -group.amountMinor };
}
