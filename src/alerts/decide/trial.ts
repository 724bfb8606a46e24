/**
 * A trial that a policy asks for (`explore:`): of what a rule would refund, a small share is accepted instead, so that it
 * is learnt what accepting costs. Pure.
 *
 * The arm belongs to the customer, else to the card, never to the alert: twins would sit in both arms. It is drawn with
 * the organisation's key, so it is stable, can be worked out again, and cannot be guessed.
 */
import { createHmac } from 'node:crypto';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { claimSourceOf } from '../cases/claim.ts';
import type { Decision } from './decision.ts';
import type { Explore, Trial } from './explore.ts';
import type { DecisionFacts } from './facts.ts';

/** 2^48: as many bits as a number holds exactly, with room. */
const DRAWN_BYTES = 6;

/** A number from 0 up to, not including, 1, the same for the same key, experiment and unit. */
export function drawOf(key: Buffer, experiment: string, unit: string): number {
  const digest = createHmac('sha256', key).update(`${experiment}\0${unit}`).digest();
  return digest.readUIntBE(0, DRAWN_BYTES) / 2 ** (8 * DRAWN_BYTES);
}

export function armOf(key: Buffer, explore: Explore, unit: string): Trial {
  const { name: experiment, share } = explore;
  return drawOf(key, experiment, unit) < share
    ? { experiment, arm: 'accept', propensity: share }
    : { experiment, arm: 'refund', propensity: 1 - share };
}

/** Whose arm it is: the customer, else the card; undefined: neither is known. */
export function unitOf({ customer, alert }: DecisionFacts): string | undefined {
  const account = customer?.accountId ?? null;
  if (account !== null) return `account ${account}`;
  const email = customer?.emailHash ?? null;
  if (email !== null) return `email ${email}`;
  const { cardBin, cardLast4 = null } = alert;
  return cardBin === null || cardLast4 === null ? undefined : `card ${cardBin} ${cardLast4}`;
}

/**
 * Why a refund that the policy decided is in no trial; undefined: it may be. Everything that is above a trial
 * comes first: guards, RDR, fraud, subscriptions that bill again, what the law owes. What is not known keeps it out.
 */
export function keptOut(
  explore: Explore,
  decision: Decision,
  facts: DecisionFacts,
): string | undefined {
  return ofDecision(decision, facts) ?? ofMoney(explore, decision, facts) ?? ofPast(explore, facts);
}

function ofDecision(decision: Decision, { mode, alert }: DecisionFacts): string | undefined {
  const { action, decidedBy, guard, rule } = decision;
  if (action !== 'REFUND' || decidedBy !== 'policy' || guard !== null || rule === null) {
    return 'no rule refunds it';
  }
  if (mode !== 'live') return 'in shadow mode nothing is tried';
  const source = claimSourceOf(alert.enrolmentType);
  return source === undefined ? undefined : 'it is a claim, not an alert';
}

function ofMoney(
  { largest }: Explore,
  { amountMinor, currency }: Decision,
  { alert }: DecisionFacts,
): string | undefined {
  if (currency !== largest.currency || alert.currency !== largest.currency) {
    return `it is not in ${largest.currency}`;
  }
  if (amountMinor === null || amountMinor <= 0 || alert.amountMinor === null) {
    return 'its amount is not known';
  }
  const most = Math.max(amountMinor, alert.amountMinor);
  return most > largest.amountMinor ? `it is above ${formatMoney(largest)}` : undefined;
}

function ofPast(
  { headroomMin }: Explore,
  { history, order, account, ratio }: DecisionFacts,
): string | undefined {
  if (account == null || account.dispute !== 'first') {
    return 'it is not plainly the first complaint';
  }
  if (history == null) return 'the past of the charge is not known';
  if (history.rdr) return 'the network resolved a dispute about the charge itself';
  if (history.fraudNotice || history.fraudWarning !== false) {
    return 'fraud was reported, or may have been';
  }
  if (order === null) return 'no order says whether a subscription bills again';
  if (order.subscription && order.subscriptionCancelled !== true) {
    return 'a subscription bills again';
  }
  if (ratio == null || ratio.headroom === null) {
    return 'the room until the next line is not known';
  }
  return ratio.headroom - 1 < headroomMin
    ? 'too little room is left until the next line'
    : undefined;
}

/** What a person reads of an accepted case. */
export function trialSentence(
  { experiment, propensity }: Trial,
  { money, rule }: { readonly money: Money; readonly rule: string },
): string {
  return `Accept the dispute of ${formatMoney(money)} as part of the trial "${experiment}": rule "${rule}" would refund it, and ${percent(propensity)} of such cases, drawn by customer, are accepted to learn what accepting costs.`;
}

/** Added to the sentence of one that is refunded. */
export function controlSentence({ experiment }: Trial): string {
  return ` It is compared in the trial "${experiment}", in which it is refunded as the rule says.`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(2))} %`;
}
