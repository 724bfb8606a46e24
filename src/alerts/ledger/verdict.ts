/**
 * What a charge allows for one alert: refund, release, already covered, under way, accept, or hold and why. The one outcome
 * table (A10), read by anyone who decides, refunds, answers, or offers something to a person. Pure.
 *
 * `standingOf` asks the ledger everything that the table looks at; a decision stores its answers with its facts, so that the
 * same table says later why. The order of the table is the order of the questions: has the money gone back already, is it on
 * its way, can anything be known, whose complaint is it, may money go, how much.
 */
import { assertInvariant } from '../../base/kernel/errors.ts';
import { isCurrencyCode, isMovableAmount } from '../../base/kernel/money.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import type { AcceptObjection } from './accept-objection.ts';
import { isToldSum, objectionToAccept } from './accept-objection.ts';
import type { Claim, Dispute, Ledger, Movement } from './ledger.ts';
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
import { isChargedBack } from './reading-changes.ts';
import type { SamePartRule } from './same-dispute.ts';
import { whyUndecided } from './same-dispute.ts';

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

/** What holds besides the ledger at this moment. */
export interface Moment {
  readonly charge: ShownNow;
  /** Whether the processor refuses a refund above the remainder. */
  readonly refusesOverRefund: boolean;
  /** Whether enough time is left before the deadline to send money. */
  readonly isTimeLeft: boolean;
}

/** What the ledger says about one alert: the answers to every question of the table. */
export interface Standing {
  /** What the alert is about; null: the service did not say. */
  readonly amountMinor: number | null;
  readonly currency: string | null;
  /** `REFUND` is true already, with this movement behind it. */
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
  /** Since when a doubt is known that remains, in milliseconds since 1970 (A2). */
  readonly networkInDoubtMs: number | null;
  readonly acceptanceInDoubtMs: number | null;
  /** Why it may not be accepted (L5). */
  readonly objection: AcceptObjection | null;
  /** Money went through another processor (A9). */
  readonly isThroughAnother: boolean;
  /** The movement that was made for the decision in force, where it ended: what a person chose is carried out once. */
  readonly made: 'confirmed' | 'another_amount' | null;
}

/** What is asked of the ledger besides the claim. */
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
    ...(dispute === undefined ? OF_NO_DISPUTE : moneyFor(ledger, dispute)),
    capturedMinor: capturedMinor(ledger),
    roomMinor: roomMinor(ledger),
    isForeign: foreignOut(ledger).length > 0,
    isUnclear: dispute === undefined && isUndecided(ledger, claim, asked.samePart),
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

const OF_NO_DISPUTE = {
  ...{ disputeMinor: 0, outMinor: 0, pendingMinor: 0, missingMinor: 0 },
  ...{ isOlderUnnamed: false, isAccepted: false },
};

function moneyFor(ledger: Ledger, dispute: Dispute): typeof OF_NO_DISPUTE {
  return {
    disputeMinor: dispute.amountMinor,
    outMinor: outForDispute(ledger, dispute.id),
    pendingMinor: pendingElsewhere(ledger, dispute.id),
    missingMinor: missingMinor(ledger, dispute),
    isOlderUnnamed: unnamedBefore(ledger, dispute).length > 0,
    isAccepted: isAccepted(ledger, dispute.id),
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
  const isTaken =
    disputed &&
    ledger.movements.some(({ kind, state }) => kind === 'chargeback' && state === 'CONFIRMED');
  return {
    kind: 'found',
    status,
    amountMinor,
    currency,
    refundableMinor,
    disputed,
    isChargedBack: isTaken,
  };
}

/** What the charge allows. */
export type Verdict =
  | { readonly kind: 'refund'; readonly amountMinor: number; readonly disputeId: string }
  /** Authorised, not captured: release it. */
  | { readonly kind: 'void'; readonly disputeId: string }
  /** The money has gone back: `REFUND` is true already. */
  | { readonly kind: 'covered'; readonly movementId: string | null }
  /** Our own refund for the dispute is on its way: wait for it. */
  | { readonly kind: 'under_way'; readonly movementId: string; readonly reaches: boolean }
  /** The dispute is accepted; of it `despiteMinor` may be paid twice, as a person was told. */
  | {
      readonly kind: 'accept';
      readonly isChargedBack: boolean;
      readonly despite: AcceptObjection | null;
    }
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

/** The same where the ledger was asked already: the first answer to the questions of the table. */
export function verdictOn(standing: Standing, intent: Intent, now: Moment): Verdict {
  const { isCovered: isBack, coveredBy, underWay } = standing;
  if (isBack) return { kind: 'covered', movementId: coveredBy };
  if (underWay !== null) {
    return { kind: 'under_way', movementId: underWay.id, reaches: underWay.reaches };
  }
  const asked = { standing, intent, now };
  for (const answering of questionsAbout(intent)) {
    const answer = answering(asked);
    if (answer !== undefined) return answer;
  }
  return allowedBy(asked);
}

/** Every reason of the table that speaks against it, in its order: what would hold it were the first ones not there. */
export function reasonsOn(standing: Standing, intent: Intent, now: Moment): readonly HoldReason[] {
  const reasons: HoldReason[] = [];
  for (const answering of questionsAbout(intent)) {
    const answer = answering({ standing, intent, now });
    if (answer?.kind === 'accept') break;
    if (answer?.kind === 'hold' || answer?.kind === 'wait') reasons.push(answer.reason);
  }
  return reasons;
}

interface Asked {
  readonly standing: Standing;
  readonly intent: Intent;
  readonly now: Moment;
}

/** One row of the table; undefined: it says nothing. */
type Question = (asked: Asked) => Verdict | undefined;

/** A question that is asked of any charge. */
function question(asking: Question): Question {
  return asking;
}

function questionsAbout({ action }: Intent): readonly Question[] {
  switch (action) {
    case 'REVIEW':
      return ABOUT_ANY;
    case 'ACCEPT_DISPUTE':
      return [...ABOUT_ANY, ...ABOUT_ACCEPTING];
    case 'REFUND':
      return [...ABOUT_ANY, ...ABOUT_REFUNDING];
  }
}

function hold(reason: HoldReason): Verdict {
  return { kind: 'hold', reason };
}

/** A fallback may accept, and a person may, where it is not known and no money speaks against it. */
function mayGuess({ action, by }: Intent): boolean {
  return action === 'ACCEPT_DISPUTE' && by !== 'policy';
}

const PENDING_ELSEWHERE: Verdict = {
  kind: 'wait',
  reason: 'refund_pending_elsewhere',
  error: 'a refund by somebody else is pending at the processor',
};

/** What holds every answer. */
const ABOUT_ANY: readonly Question[] = [
  question(({ now: { charge } }) => {
    const error = 'the processor could not be asked about the charge';
    return charge.kind === 'unavailable'
      ? { kind: 'wait', reason: 'processor_unavailable', error }
      : undefined;
  }),
  question(({ standing, intent }) =>
    standing.isUnclear && !mayGuess(intent) ? hold('dispute_unclear') : undefined,
  ),
  question(({ standing: { disputeId, isRefundAhead: isAhead }, intent: { action, by } }) =>
    action !== 'REFUND' && by !== 'person' && disputeId === null && isAhead
      ? hold('another_refund_ahead')
      : undefined,
  ),
  question(({ standing, intent }) =>
    standing.isReversed && !mayGuess(intent) && intent.by !== 'person'
      ? hold('refund_reversed')
      : undefined,
  ),
  question(({ intent, now: { charge } }) =>
    charge.kind === 'absent' && !mayGuess(intent) ? hold('charge_absent') : undefined,
  ),
  question(({ standing, intent }) =>
    standing.pendingMinor > 0 && intent.by !== 'person' ? PENDING_ELSEWHERE : undefined,
  ),
];

/** `ACCEPT_DISPUTE`: only without money of its dispute, or by a person who is told the sum (L5). */
const ABOUT_ACCEPTING: readonly Question[] = [
  question(({ standing, intent }) =>
    standing.networkInDoubtMs !== null && intent.by !== 'person'
      ? hold('network_refund_unclear')
      : undefined,
  ),
  question(({ standing: { objection }, intent }) =>
    objection === null || isTold(objection, intent)
      ? undefined
      : { kind: 'hold', reason: OBJECTS[objection.kind], objection },
  ),
];

function isTold(objection: AcceptObjection, intent: Intent): boolean {
  if (intent.action !== 'ACCEPT_DISPUTE' || intent.by !== 'person') return false;
  const { despiteMinor = 0 } = intent;
  return isToldSum(objection) && despiteMinor > 0 && despiteMinor >= objection.amountMinor;
}

const OBJECTS: Readonly<Record<AcceptObjection['kind'], HoldReason>> = {
  ours_under_way: 'refund_under_way',
  others_pending: 'refund_pending_elsewhere',
  network_unclear: 'refund_pending_elsewhere',
  part_went_back: 'part_went_back',
};

type Found = Extract<ShownNow, { kind: 'found' }>;

/** A refund of a charge that the processor shows. */
interface Refunding {
  readonly standing: Standing;
  readonly intent: RefundIntent;
  readonly charge: Found;
  readonly now: Moment;
  /** What the alert asks for. In another currency that cannot be compared: all of the charge. */
  readonly alertMinor: number;
  /** The alert is in another currency. */
  readonly isElsewhere: boolean;
}

function refunding(asking: (asked: Refunding) => Verdict | undefined): Question {
  return (asked) => {
    const about = refundingOf(asked);
    return about === undefined ? undefined : asking(about);
  };
}

function refundingOf({ standing, intent, now }: Asked): Refunding | undefined {
  const { charge } = now;
  if (charge.kind !== 'found' || intent.action !== 'REFUND') return undefined;
  const { amountMinor, currency, capturedMinor: all } = standing;
  const isElsewhere = currency !== charge.currency;
  const alertMinor = isElsewhere ? all : (amountMinor ?? all);
  return { standing, intent, charge, now, alertMinor, isElsewhere };
}

/** A captured charge. */
function captured(asking: (asked: Refunding) => Verdict | undefined): Question {
  return refunding((asked) => (asked.charge.status === 'captured' ? asking(asked) : undefined));
}

const ABOUT_REFUNDING: readonly Question[] = [
  question(({ now: { charge } }) =>
    charge.kind === 'found' ? undefined : hold('processor_cannot_be_asked'),
  ),
  question(({ standing: { amountMinor, currency } }) =>
    isMovableAmount(amountMinor) && isCurrencyCode(currency)
      ? undefined
      : hold('alert_amount_unreadable'),
  ),
  question(({ standing }) => (standing.disputeId === null ? hold('dispute_unclear') : undefined)),
  question(({ standing }) => (standing.isAccepted ? hold('another_alert_accepted') : undefined)),
  question(({ standing, intent }) =>
    standing.isRefusedForGood && intent.by !== 'person' ? hold('refund_rejected') : undefined,
  ),
  question(({ standing, intent }) =>
    stands(standing.networkInDoubtMs, intent) ? hold('network_refund_unclear') : undefined,
  ),
  question(({ standing, intent }) =>
    stands(standing.acceptanceInDoubtMs, intent) ? hold('acceptance_unclear') : undefined,
  ),
  question(({ standing }) => {
    const error = 'another refund of the charge waits for its answer';
    return standing.isInFlight ? { kind: 'wait', reason: 'refund_under_way', error } : undefined;
  }),
  // An amount was named in another currency than the charge's, which was not known then.
  refunding(({ intent: { amountMinor, currency }, charge }) =>
    amountMinor !== null && (currency ?? charge.currency) !== charge.currency
      ? hold('currency_differs')
      : undefined,
  ),
  refunding(({ charge: { status } }) => ofStatus(status)),
  captured(({ standing: { pendingMinor, outMinor, disputeMinor }, alertMinor }) =>
    pendingMinor > 0 && outMinor >= Math.min(alertMinor, disputeMinor)
      ? PENDING_ELSEWHERE
      : undefined,
  ),
  refunding(({ charge: { disputed, isChargedBack: isTaken } }) => {
    if (!disputed) return undefined;
    return isTaken ? { kind: 'accept', isChargedBack: true, despite: null } : hold('disputed');
  }),
  refunding((asked) => {
    if (asked.charge.status !== 'authorised') return undefined;
    if (asked.isElsewhere && !namesAll(asked)) return hold('currency_differs');
    return isAboutAllOf(asked) ? undefined : hold('amount_differs');
  }),
  captured((asked) =>
    asked.isElsewhere && !namesAll(asked) ? hold('currency_differs') : undefined,
  ),
  captured((asked) => {
    const reason = asked.intent.by === 'person' ? undefined : differenceOf(asked);
    return reason === undefined ? undefined : hold(reason);
  }),
  captured(({ standing }) => (standing.isForeign ? hold('network_currency') : undefined)),
  captured((asked) => {
    const reason = shortOf(asked);
    return reason === undefined ? undefined : hold(reason);
  }),
  // Support refunding at the same moment: only a processor that refuses what exceeds the charge
  // stops the second one, so the rest is left to a person.
  captured((asked) => {
    const isPart = amountOf(asked) < asked.standing.capturedMinor;
    return isPart && !asked.now.refusesOverRefund && asked.intent.by !== 'person'
      ? hold('partial_needs_person')
      : undefined;
  }),
  // What this processor shows of the charge may be another one's.
  question(({ standing }) => (standing.isThroughAnother ? hold('another_processor') : undefined)),
  question(({ now }) => (now.isTimeLeft ? undefined : hold('too_late'))),
  // What a person chose is carried out once: the rest is theirs to decide. A decision of theirs begins without a movement.
  captured(({ standing: { made }, intent }) => {
    if (made === null || intent.by !== 'person' || intent.amountMinor === null) return undefined;
    return hold(made === 'another_amount' ? 'part_went_back' : 'not_declarable');
  }),
];

/** A person who decided when a doubt was known has looked which payment is meant. */
function stands(knownAtMs: number | null, intent: Intent): boolean {
  if (knownAtMs === null || intent.action !== 'REFUND') return false;
  const { by, decidedAtMs } = intent;
  return !(by === 'person' && decidedAtMs !== undefined && decidedAtMs > knownAtMs);
}

function ofStatus(status: Found['status']): Verdict | undefined {
  switch (status) {
    case 'authorised':
    case 'captured':
      return undefined;
    case 'declined':
    case 'voided':
      return hold('declined');
    // A processor may say what its port does not name.
    default:
      return hold('processor_cannot_be_asked');
  }
}

/** A release gives back all of an authorisation, so it is no answer to a part, no matter who asks for one. */
function isAboutAllOf({ charge, intent, standing, isElsewhere }: Refunding): boolean {
  const { amountMinor } = intent;
  if (amountMinor !== null && amountMinor < charge.amountMinor) return false;
  return isElsewhere || (standing.amountMinor ?? 0) >= charge.amountMinor;
}

/** The whole charge was named, or a person decided: whatever the alert's own currency, or its greater amount. */
function namesAll({ intent, charge }: Refunding): boolean {
  const { by, named, amountMinor } = intent;
  if (by === 'person') return true;
  if (named !== undefined) return named === 'whole_charge';
  return amountMinor !== null && amountMinor >= charge.amountMinor;
}

/** Why this alert's amount is not simply the charge's; a person may choose what a rule does not allow. */
function differenceOf(asked: Refunding): HoldReason | undefined {
  const { standing, intent, alertMinor } = asked;
  const { capturedMinor: all, outMinor } = standing;
  const { named, amountMinor } = intent;
  // Above the charge (exchange rates): only where the policy has named the whole charge.
  if (alertMinor > all && !namesAll(asked)) return 'amount_differs';
  const isChosen = amountMinor !== null && amountMinor < all;
  const mayBeLess = named === undefined ? isChosen : named === 'alert_amount';
  if (alertMinor < all && !mayBeLess) return outMinor > 0 ? 'partly_refunded' : 'amount_differs';
  // A part may have been answered before the complaint was known: only a person can say.
  if (alertMinor < all && standing.isOlderUnnamed) return 'partly_refunded';
  const mayTopUp = named === undefined ? isChosen : named !== 'full';
  return outMinor > 0 && !mayTopUp ? 'partly_refunded' : undefined;
}

function wantedOf({
  standing: { missingMinor: missing },
  intent: { amountMinor },
}: Refunding): number {
  return Math.min(amountMinor ?? missing, missing);
}

/** How much goes: at most what is missing for the dispute (L3), what the charge has room for, and what the processor has left (L1). */
function amountOf(asked: Refunding): number {
  return Math.min(wantedOf(asked), asked.standing.roomMinor, asked.charge.refundableMinor);
}

/** Why what can go is too little. A person may send back less than the alert asks for; what is missing then stays theirs to decide. */
function shortOf(asked: Refunding): HoldReason | undefined {
  const { intent, charge, standing, alertMinor } = asked;
  const amountMinor = amountOf(asked);
  // A policy that named more than is left is not carried out in part.
  const isNamedAbove =
    intent.named !== undefined && (intent.amountMinor ?? 0) > charge.refundableMinor;
  if (!isMovableAmount(amountMinor) || isNamedAbove) return 'remainder_too_small';
  const isLess = standing.outMinor + amountMinor < Math.min(alertMinor, standing.disputeMinor);
  if (!isLess || (intent.by === 'person' && intent.amountMinor !== null)) return undefined;
  return amountMinor < wantedOf(asked) ? 'remainder_too_small' : 'amount_differs';
}

/** Nothing speaks against it. */
function allowedBy(asked: Asked): Verdict {
  const { standing, intent, now } = asked;
  if (intent.action === 'REVIEW') return { kind: 'open' };
  if (intent.action === 'ACCEPT_DISPUTE') {
    const isTaken = now.charge.kind === 'found' && now.charge.isChargedBack;
    return { kind: 'accept', isChargedBack: isTaken, despite: standing.objection };
  }
  const about = refundingOf(asked);
  const { disputeId } = standing;
  assertInvariant(about !== undefined && disputeId !== null, 'A refund was allowed of no charge.');
  return about.charge.status === 'captured'
    ? { kind: 'refund', amountMinor: amountOf(about), disputeId }
    : { kind: 'void', disputeId };
}
