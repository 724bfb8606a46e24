/**
 * What a charge allows for one alert: refund, release, already covered, under way, accept, or hold and why. The one outcome
 * table (A10), read by whoever decides, refunds, answers, or offers something to a person. Pure.
 *
 * `standingOf` asks the ledger everything that the table looks at; a decision stores its answers with its facts, so that the
 * same table says later why. The order of the table is the order of the questions: has the money gone back already, is it on
 * its way, can anything be known, whose complaint is it, may money go, how much.
 */
import { isCurrencyCode, isMovableAmount } from '../../base/kernel/money.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { AcceptObjection } from './accept-objection.ts';
import { isToldSum, objectionToAccept } from './accept-objection.ts';
import type { Claim, Ledger, Movement } from './ledger.ts';
import {
  capturedMinor,
  disputeOf,
  foreignOut,
  inFlightOf,
  isAccepted,
  isAnotherAmountEnd,
  isCovered,
  isOurs,
  isRefundAhead,
  missingMinor,
  movementBehind,
  outForDispute,
  roomMinor,
  throughAnother,
  unnamedBefore,
  unsettledFor,
} from './ledger.ts';
import { isChargedBack } from './reading.ts';
import type { SamePartRule } from './same-dispute.ts';
import { whyUndecided } from './same-dispute.ts';

/** Rules for what the processor shows about a charge, where the merchant has a choice. */
export interface ChargeRules {
  /** A dispute is open already: a refund would be paid twice, so only these two remain. */
  readonly disputed: 'REVIEW' | 'ACCEPT_DISPUTE';
  /** Somebody refunded a part before: refund the rest, or ask a person. */
  readonly partlyRefunded: 'REVIEW' | 'TOP_UP';
  /** The alert is about less than the charge, in the same currency. */
  readonly smallerAmount: 'REVIEW' | 'ALLOW';
}

/** The cautious ones. */
export const CAUTIOUS_RULES: ChargeRules = {
  disputed: 'REVIEW',
  partlyRefunded: 'REVIEW',
  smallerAmount: 'REVIEW',
};

/** How much a policy has named, in its own words: what differs from the alert it must have said. */
export type NamedAmount = 'full' | 'remainder' | 'alert_amount' | 'whole_charge';

/** Who wants it. A person chooses within the rules about money; a fallback is the last chance before the deadline. */
export type Asker = 'policy' | 'fallback' | 'person';

/** What somebody wants for an alert. */
export type Intent =
  | RefundIntent
  | {
      readonly action: 'ACCEPT_DISPUTE';
      readonly by: Asker;
      /** A person was told that this much may be paid twice. */
      readonly despiteMinor?: number;
    }
  /** Nothing but a look: what would hold every answer. */
  | { readonly action: 'REVIEW'; readonly by: Asker };

/** A refund. */
export interface RefundIntent {
  readonly action: 'REFUND';
  readonly by: Asker;
  /** The policy's or the person's amount; null: the alert's. */
  readonly amountMinor: number | null;
  /** What the amount is in; null: the charge's. */
  readonly currency?: string | null;
  /** In which words the policy named it; undefined: it is judged by the number. */
  readonly named?: NamedAmount;
  /** When a person decided, in milliseconds since 1970: a doubt that was known then is looked at. */
  readonly decidedAtMs?: number;
  /** @default CAUTIOUS_RULES */
  readonly rules?: ChargeRules;
}

/** The charge as the processor shows it at this moment, as far as the table looks at it. */
export type ShownNow =
  | { readonly kind: 'unavailable' | 'absent' | 'not_offered' }
  | {
      readonly kind: 'found';
      readonly status: ProcessorCharge['status'];
      readonly amountMinor: number;
      readonly currency: string;
      readonly refundableMinor: number;
      readonly disputed: boolean;
      /** The bank has taken the money back. */
      readonly isChargedBack: boolean;
    };

/** What holds beside the ledger at this moment. */
export interface Moment {
  readonly charge: ShownNow;
  /** Whether the processor refuses a refund above the remainder. */
  readonly refusesOverRefund: boolean;
  /** Whether enough time is left before the deadline to send money. */
  readonly isTimeLeft: boolean;
}

/** What the ledger says about one alert: the answers to every question of the table. */
export interface Standing extends Pick<Claim, 'amountMinor' | 'currency'> {
  /** `REFUND` is true as it stands, with this movement behind it. */
  readonly isCovered: boolean;
  readonly coveredBy: string | null;
  /** A movement of ours for its dispute that is not settled, and whether it reaches the alert's amount. */
  readonly underWay: { readonly id: string; readonly reaches: boolean } | null;
  /** A request of ours on the charge waits for its answer (L2). */
  readonly isInFlight: boolean;
  readonly disputeId: string | null;
  /** What its dispute is about. */
  readonly disputeMinor: number;
  /** What went back for its dispute, or may have; what of it is somebody else's and pending; what is missing. */
  readonly outMinor: number;
  readonly pendingMinor: number;
  readonly missingMinor: number;
  /** What was captured of the charge, and what it has room for (L1). */
  readonly capturedMinor: number;
  readonly roomMinor: number;
  /** Money from before the complaint answers none (A1). */
  readonly isOlderUnnamed: boolean;
  /** The network refunded in another currency. */
  readonly isForeign: boolean;
  /** A person must say to which complaint it belongs. */
  readonly isUnclear: boolean;
  /** An alert of its dispute is accepted (L5). */
  readonly isAccepted: boolean;
  /** Another alert of the charge is to be refunded. */
  readonly isRefundAhead: boolean;
  /** The last refund of ours for its dispute failed after it was confirmed, or was refused for good. */
  readonly isReversed: boolean;
  readonly isRefusedForGood: boolean;
  /** Since when a doubt is known that stands, in milliseconds since 1970 (A2). */
  readonly networkInDoubtMs: number | null;
  readonly acceptanceInDoubtMs: number | null;
  /** Why it may not be accepted (L5). */
  readonly objection: AcceptObjection | null;
  /** Money went through another processor (A9). */
  readonly isThroughAnother: boolean;
  /** The movement that was made for the decision in force, where it ended: what a person chose is carried out once. */
  readonly made: 'confirmed' | 'another_amount' | null;
}

/** What is asked of the ledger beside the claim. */
export interface AskedOf {
  /** The processor's word: whether a refund of ours that is pending counts as gone back. */
  readonly pendingCounts: boolean;
  readonly samePart: SamePartRule;
  /** The name of the processor; undefined: it is not asked through which one money went. */
  readonly processor?: string;
  /** The movement that was made for the decision in force. */
  readonly movementId?: string | null;
}

/** Asks the ledger. */
export function standingOf(ledger: Ledger, claim: Claim, asked: AskedOf): Standing {
  const { disputeId, amountMinor, currency } = claim;
  const dispute = disputeOf(ledger, disputeId);
  const isBack = isCovered(ledger, claim, asked.pendingCounts);
  const own = ledger.movements.filter((each) => isOurs(each) && each.disputeId === disputeId);
  const refused = own.findLast(({ state }) => state === 'REJECTED');
  const { processor } = asked;
  return {
    ...{ amountMinor, currency, disputeId: dispute?.id ?? null },
    isCovered: isBack,
    coveredBy: isBack ? (movementBehind(ledger, claim)?.id ?? null) : null,
    underWay: underWayFor(ledger, claim),
    isInFlight: inFlightOf(ledger) !== undefined,
    disputeMinor: dispute?.amountMinor ?? 0,
    outMinor: dispute === undefined ? 0 : outForDispute(ledger, dispute.id),
    pendingMinor: dispute === undefined ? 0 : pendingElsewhere(ledger, dispute.id),
    missingMinor: dispute === undefined ? 0 : missingMinor(ledger, dispute),
    capturedMinor: capturedMinor(ledger),
    roomMinor: roomMinor(ledger),
    isOlderUnnamed: dispute !== undefined && unnamedBefore(ledger, dispute).length > 0,
    isForeign: foreignOut(ledger).length > 0,
    isUnclear: dispute === undefined && isUndecided(ledger, claim, asked.samePart),
    isAccepted: dispute !== undefined && isAccepted(ledger, dispute.id),
    isRefundAhead: isRefundAhead(ledger, claim.alertId ?? ''),
    isReversed: !isBack && own.at(-1)?.state === 'REVERSED',
    isRefusedForGood: refused?.failureClass === 'final',
    networkInDoubtMs: ledger.networkInDoubt?.knownAtMs ?? null,
    acceptanceInDoubtMs: ledger.acceptanceInDoubt?.knownAtMs ?? null,
    objection: objectionToAccept(ledger, disputeId) ?? null,
    isThroughAnother: processor !== undefined && throughAnother(ledger, processor) !== undefined,
    made: endOf(ledger.movements.find(({ id }) => id === asked.movementId)),
  };
}

function isUndecided(ledger: Ledger, { alertId }: Claim, samePart: SamePartRule): boolean {
  return alertId !== undefined && whyUndecided(ledger, alertId, samePart) !== undefined;
}

function underWayFor(
  ledger: Ledger,
  { disputeId, amountMinor, currency }: Claim,
): Standing['underWay'] {
  const movement = unsettledFor(ledger, disputeId);
  if (movement === undefined) return null;
  const isSameCurrency = ledger.currency === null || currency === ledger.currency;
  const outMinor = disputeId === null ? 0 : outForDispute(ledger, disputeId);
  const isEnough = amountMinor !== null && isSameCurrency && outMinor >= amountMinor;
  return { id: movement.id, reaches: movement.kind === 'void' || isEnough };
}

function pendingElsewhere({ movements }: Ledger, id: string): number {
  return movements
    .filter((each) => !isOurs(each) && each.state === 'PENDING')
    .flatMap(({ covers }) => covers)
    .filter(({ disputeId }) => disputeId === id)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

function endOf(made: Movement | undefined): Standing['made'] {
  if (made === undefined) return null;
  if (isAnotherAmountEnd(made)) return 'another_amount';
  return made.state === 'CONFIRMED' ? 'confirmed' : null;
}

/** The charge as the table looks at it. `absent` where the processor shows none. */
export function shownNow(charge: ProcessorCharge | undefined, isOffered = true): ShownNow {
  if (charge === undefined) return { kind: isOffered ? 'absent' : 'not_offered' };
  const { status, amountMinor, currency, refundableMinor, disputed } = charge;
  const shared = { status, amountMinor, currency, refundableMinor, disputed };
  return { kind: 'found', ...shared, isChargedBack: isChargedBack(charge) };
}

/** The charge as the processor showed it last, for who decides before it is asked again; undefined: it never did. */
export function shownLast(ledger: Ledger): ShownNow | undefined {
  const { status, amountMinor, currency, isDisputed } = ledger;
  if (status === null || amountMinor === null || currency === null) return undefined;
  const refundableMinor = roomMinor(ledger);
  const disputed = isDisputed ?? false;
  const isTaken = disputed && ledger.movements.some(({ kind, state }) => kind === 'chargeback' && state === 'CONFIRMED');
  return { kind: 'found', status, amountMinor, currency, refundableMinor, disputed, isChargedBack: isTaken };
}

/** What the charge allows. */
export type Verdict =
  | { readonly kind: 'refund'; readonly amountMinor: number; readonly disputeId: string }
  /** Authorised, not captured: release it. */
  | { readonly kind: 'void'; readonly disputeId: string }
  /** The money has gone back: `REFUND` is true as it stands. */
  | { readonly kind: 'covered'; readonly movementId: string | null }
  /** Our own refund for the dispute is on its way: wait for it. */
  | { readonly kind: 'under_way'; readonly movementId: string; readonly reaches: boolean }
  /** The dispute is accepted; of it `despiteMinor` may be paid twice, as a person was told. */
  | { readonly kind: 'accept'; readonly isChargedBack: boolean; readonly despite: AcceptObjection | null }
  /** A person decides. */
  | { readonly kind: 'hold'; readonly reason: HoldReason; readonly objection?: AcceptObjection }
  /** Not now; ask again. */
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly error: string }
  /** Nothing is wanted, and nothing holds what may be wanted. */
  | { readonly kind: 'open' };

/** Why it has to wait. */
export type WaitReason = Extract<
  HoldReason,
  'processor_unavailable' | 'refund_under_way' | 'refund_pending_elsewhere'
>;

/** What is allowed for a claim on the ledger. */
export function verdict(
  { ledger, claim, ...asked }: AskedOf & { readonly ledger: Ledger; readonly claim: Claim },
  intent: Intent,
  now: Moment,
): Verdict {
  return verdictOn(standingOf(ledger, claim, asked), intent, now);
}

/** The same where the ledger was asked already. */
export function verdictOn(standing: Standing, intent: Intent, now: Moment): Verdict {
  const { isCovered: isBack, coveredBy, underWay } = standing;
  if (isBack) return { kind: 'covered', movementId: coveredBy };
  if (underWay !== null) {
    return { kind: 'under_way', movementId: underWay.id, reaches: underWay.reaches };
  }
  const stop = stopOf(standing, intent, now);
  if (stop !== undefined) return stop;
  switch (intent.action) {
    case 'REVIEW':
      return { kind: 'open' };
    case 'ACCEPT_DISPUTE':
      return acceptOn(standing, intent, now);
    case 'REFUND':
      return refundOn(standing, intent, now);
  }
}

function hold(reason: HoldReason): Verdict {
  return { kind: 'hold', reason };
}

/** What holds every answer. A fallback may accept, and a person may, where nobody knows and no money speaks against it. */
function stopOf(
  { isUnclear, disputeId, isRefundAhead: isAhead, isReversed, pendingMinor }: Standing,
  { action, by }: Intent,
  { charge }: Moment,
): Verdict | undefined {
  if (charge.kind === 'unavailable') {
    const error = 'the processor could not be asked about the charge';
    return { kind: 'wait', reason: 'processor_unavailable', error };
  }
  const mayGuess = action === 'ACCEPT_DISPUTE' && by !== 'policy';
  if (isUnclear && !mayGuess) return hold('dispute_unclear');
  if (action !== 'REFUND' && by !== 'person' && disputeId === null && isAhead) {
    return hold('another_refund_ahead');
  }
  if (isReversed && !mayGuess && by !== 'person') return hold('refund_reversed');
  if (charge.kind === 'absent' && !mayGuess) return hold('charge_absent');
  return pendingMinor > 0 && by !== 'person' ? PENDING_ELSEWHERE : undefined;
}

const PENDING_ELSEWHERE: Verdict = {
  kind: 'wait',
  reason: 'refund_pending_elsewhere',
  error: 'a refund by somebody else is pending at the processor',
};

/** `ACCEPT_DISPUTE`: only beside no money of its dispute, or by a person who is told the sum (L5). */
function acceptOn(
  { objection, networkInDoubtMs }: Standing,
  { by, despiteMinor = 0 }: Extract<Intent, { action: 'ACCEPT_DISPUTE' }>,
  { charge }: Moment,
): Verdict {
  const isTaken = charge.kind === 'found' && charge.isChargedBack;
  if (networkInDoubtMs !== null && by !== 'person') return hold('network_refund_unclear');
  if (objection === null) return { kind: 'accept', isChargedBack: isTaken, despite: null };
  const isTold = isToldSum(objection) && despiteMinor > 0 && despiteMinor >= objection.amountMinor;
  return by === 'person' && isTold
    ? { kind: 'accept', isChargedBack: isTaken, despite: objection }
    : { kind: 'hold', reason: OBJECTS[objection.kind], objection };
}

const OBJECTS: Readonly<Record<AcceptObjection['kind'], HoldReason>> = {
  ours_under_way: 'refund_under_way',
  others_pending: 'refund_pending_elsewhere',
  network_unclear: 'refund_pending_elsewhere',
  part_went_back: 'part_went_back',
};

function refundOn(standing: Standing, intent: RefundIntent, now: Moment): Verdict {
  const { charge } = now;
  if (charge.kind !== 'found') return hold('processor_cannot_be_asked');
  if (!isMovableAmount(standing.amountMinor) || !isCurrencyCode(standing.currency)) {
    return hold('alert_amount_unreadable');
  }
  const { disputeId } = standing;
  if (disputeId === null) return hold('dispute_unclear');
  const objection = objectionToRefund(standing, intent);
  if (objection !== undefined) return objection;
  const asked: Captured = { standing, intent, charge, now, disputeId };
  const moving = onStatus(asked);
  if (moving.kind !== 'refund' && moving.kind !== 'void') return moving;
  // What this processor shows of the charge may be another one's.
  if (standing.isThroughAnother) return hold('another_processor');
  return now.isTimeLeft ? onceOnly(asked, moving) : hold('too_late');
}

type Found = Extract<ShownNow, { kind: 'found' }>;

interface Captured {
  readonly standing: Standing;
  readonly intent: RefundIntent;
  readonly charge: Found;
  readonly now: Moment;
  readonly disputeId: string;
}

/** What stands against any refund, whatever the charge shows. */
function objectionToRefund(
  standing: Standing,
  { by, decidedAtMs }: RefundIntent,
): Verdict | undefined {
  if (standing.isAccepted) return hold('another_alert_accepted');
  if (standing.isRefusedForGood && by !== 'person') return hold('refund_rejected');
  // A person who decided when a doubt was known has looked which payment is meant.
  const stands = (knownAtMs: number | null): boolean =>
    knownAtMs !== null && !(by === 'person' && decidedAtMs !== undefined && decidedAtMs > knownAtMs);
  if (stands(standing.networkInDoubtMs)) return hold('network_refund_unclear');
  if (stands(standing.acceptanceInDoubtMs)) return hold('acceptance_unclear');
  if (!standing.isInFlight) return undefined;
  const error = 'another refund of the charge waits for its answer';
  return { kind: 'wait', reason: 'refund_under_way', error };
}

function onStatus(asked: Captured): Verdict {
  const { charge, intent, standing, disputeId } = asked;
  const { amountMinor, currency } = intent;
  // An amount was named in another currency than the charge's, which was not known then.
  if (amountMinor !== null && (currency ?? charge.currency) !== charge.currency) return hold('currency_differs');
  switch (charge.status) {
    case 'declined':
    case 'voided':
      return hold('declined');
    case 'authorised':
      if (standing.currency !== charge.currency && !namesAll(asked)) return hold('currency_differs');
      return isAboutAllOf(asked) ? { kind: 'void', disputeId } : hold('amount_differs');
    case 'captured':
      return onCaptured(asked);
    default:
      return hold('processor_cannot_be_asked');
  }
}

/** A release gives back all of an authorisation, so it is no answer to a part, whoever asks for one. */
function isAboutAllOf({ charge, intent, standing }: Captured): boolean {
  const { amountMinor } = intent;
  if (amountMinor !== null && amountMinor < charge.amountMinor) return false;
  const isForeign = standing.currency !== charge.currency;
  return isForeign || (standing.amountMinor ?? 0) >= charge.amountMinor;
}

/** The whole charge was named, or a person decided: whatever the alert's own currency, or its greater amount. */
function namesAll({ intent, charge }: Captured): boolean {
  const { by, named, amountMinor } = intent;
  if (by === 'person') return true;
  if (named !== undefined) return named === 'whole_charge';
  return amountMinor !== null && amountMinor >= charge.amountMinor;
}

function onCaptured(asked: Captured): Verdict {
  const { standing, intent, charge } = asked;
  const { pendingMinor, outMinor, disputeMinor } = standing;
  const alertMinor = alertMinorOf(asked);
  if (pendingMinor > 0 && outMinor >= Math.min(alertMinor, disputeMinor)) return PENDING_ELSEWHERE;
  if (charge.disputed) {
    const { isChargedBack: isTaken } = charge;
    const { disputed } = intent.rules ?? CAUTIOUS_RULES;
    return isTaken || disputed === 'ACCEPT_DISPUTE'
      ? { kind: 'accept', isChargedBack: isTaken, despite: null }
      : hold('disputed');
  }
  if (standing.currency !== charge.currency && !namesAll(asked)) return hold('currency_differs');
  const differs = intent.by === 'person' ? undefined : differenceOf(asked, alertMinor);
  return differs === undefined ? amountOn(asked, alertMinor) : hold(differs);
}

/** What the alert asks for. In another currency that cannot be compared: all of the charge. */
function alertMinorOf({ standing: { amountMinor, currency, capturedMinor: all }, charge }: Captured): number {
  return currency === charge.currency ? (amountMinor ?? all) : all;
}

/** Why this alert's amount is not simply the charge's; a person may choose what a rule does not allow. */
function differenceOf(asked: Captured, alertMinor: number): HoldReason | undefined {
  const { standing, intent } = asked;
  const { capturedMinor: captured, outMinor } = standing;
  const { named, amountMinor, rules = CAUTIOUS_RULES } = intent;
  // Above the charge (exchange rates): only where the policy has named the whole charge.
  if (alertMinor > captured && !namesAll(asked)) return 'amount_differs';
  const isChosen = amountMinor !== null && amountMinor < captured;
  const mayBeLess =
    named === undefined ? isChosen || rules.smallerAmount === 'ALLOW' : named === 'alert_amount';
  if (alertMinor < captured && !mayBeLess) {
    return outMinor > 0 ? 'partly_refunded' : 'amount_differs';
  }
  // A part may have been answered before the complaint was known: only a person can say.
  if (alertMinor < captured && standing.isOlderUnnamed) return 'partly_refunded';
  const mayTopUp =
    named === undefined ? isChosen || rules.partlyRefunded === 'TOP_UP' : named !== 'full';
  return outMinor > 0 && !mayTopUp ? 'partly_refunded' : undefined;
}

/** How much goes: at most what is missing for the dispute, what the charge has room for, and what the processor has left (L1). */
function amountOn({ standing, intent, charge, now, disputeId }: Captured, alertMinor: number): Verdict {
  const { missingMinor: missing, roomMinor: room, outMinor, disputeMinor } = standing;
  if (standing.isForeign) return hold('network_currency');
  const wantedMinor = Math.min(intent.amountMinor ?? missing, missing);
  const amountMinor = Math.min(wantedMinor, room, charge.refundableMinor);
  if (!isMovableAmount(amountMinor)) return hold('remainder_too_small');
  // A policy that named more than is left is not carried out in part.
  const isNamedAbove = intent.named !== undefined && (intent.amountMinor ?? 0) > charge.refundableMinor;
  if (isNamedAbove) return hold('remainder_too_small');
  // A person may send back less than the alert asks for; what is missing then stays theirs to decide.
  const isLess = outMinor + amountMinor < Math.min(alertMinor, disputeMinor);
  const isByPerson = intent.by === 'person';
  if (isLess && !(isByPerson && intent.amountMinor !== null)) {
    return hold(amountMinor < wantedMinor ? 'remainder_too_small' : 'amount_differs');
  }
  // Support refunding at the same moment: only a processor that refuses what exceeds the charge
  // stops the second one, so the rest is left to a person.
  if (amountMinor < standing.capturedMinor && !now.refusesOverRefund && !isByPerson) {
    return hold('partial_needs_person');
  }
  return { kind: 'refund', amountMinor, disputeId };
}

/** What a person chose is carried out once: the rest is theirs to decide. A decision of theirs begins without a movement. */
function onceOnly({ standing: { made }, intent }: Captured, moving: Verdict): Verdict {
  if (moving.kind !== 'refund' || intent.by !== 'person' || intent.amountMinor === null) {
    return moving;
  }
  if (made === null) return moving;
  return hold(made === 'another_amount' ? 'part_went_back' : 'not_declarable');
}
