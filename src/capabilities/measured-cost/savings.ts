/**
 * What a period's alerts cost and saved, from how they ended and the merchant's cost model. Pure.
 *
 * An estimate: every alert is billed; what was refunded is gone; each refund, ours or the network's, is
 * taken to have avoided a dispute as often as the model says, and with it the fee, a person's time and the
 * part of the amount that would have been lost. Fines of card programmes are left out.
 */

import type { CostModel, CostTerms } from '../../books/costs/cost-model.ts';
import type { DayOutcome } from '../../books/insights/insights.table.ts';
import { priceOf } from './economics.ts';

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
  /** Terms that nobody set, with the value that stands in. */
  readonly assumed: CostTerms['assumed'];
}

/** `again`: those of `ended` about a dispute that was refunded before. They have their price; the rest is counted once. */
export function computeSavings(
  model: CostModel,
  ended: readonly EndedAlerts[],
  again: readonly EndedAlerts[] = [],
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
    const lost = terms.disputeRate * (1 - terms.winRate * terms.collectRate);
    sum.avoided += group.count * terms.disputeRate;
    sum.avoidedFeesMinor += group.count * terms.disputeRate * terms.chargebackFeeMinor;
    sum.avoidedTimeMinor += group.count * terms.disputeRate * terms.handlingMinor;
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
  return { ...whole, currency: model.currency, balanceMinor, assumed: model.terms.assumed };
}

function takenBack(group: EndedAlerts): EndedAlerts {
  return { ...group, count: -group.count, amountMinor: -group.amountMinor };
}
