/**
 * One state of the modelled world: what is true at the processor and at the service, what our rows
 * say, and what our workers hold in their hands. Everything else in this folder reads or changes it.
 */
import type { CaseState as ProductCase } from '../../src/alerts/cases/case-state.ts';
import type { Rules } from './rules.ts';
import type { Scenario } from './scenario.ts';

/** Of one piece of money, as it is or as we last saw it. */
export type Money = 'none' | 'pending' | 'settled' | 'failed';

/** The last two say neither amount nor outcome; what happened differs, and our rows cannot know it. */
export type RdrStatus =
  | 'none'
  | 'REFUNDED'
  | 'NOT_REFUNDED'
  | 'INVALID'
  | 'UNSAID, REFUNDED'
  | 'UNSAID, LET THROUGH';

/** What our rows know of RDR: nothing, that it waits for its charge, that it was lost, or its charge. */
export type RdrRow = 'none' | 'waiting' | 'forgotten' | 'matched';

export type ServiceState = 'absent' | 'ACTION_REQUIRED' | 'REFUNDED' | 'ACCEPTED' | 'INVALID';

export type CaseState =
  | 'none'
  | Extract<
      ProductCase,
      | 'UNMATCHED'
      | 'HUMAN'
      | 'DECIDED_REFUND'
      | 'REFUNDING'
      | 'DECIDED_ACCEPT'
      | 'DECLARE_REFUND'
      | 'DECLARE_ACCEPT'
      | 'DECLARED_REFUND'
      | 'DECLARED_ACCEPT'
      | 'CLOSED_INVALID'
      | 'CLOSED_REMOTE'
      | 'CONFLICT'
    >;

export type MovementState =
  | 'none'
  | 'INTENT'
  | 'SENT'
  | 'UNKNOWN'
  | 'HUMAN'
  | 'PENDING'
  | 'CONFIRMED'
  | 'REJECTED'
  | 'REVERSED'
  | 'NOT_SENT';

export type RefusalClass = 'none' | 'retry' | 'ours' | 'final' | 'done';

/** The money of a charge before and after it is captured. */
export type Authorisation = 'authorised' | 'captured' | 'released';

export interface Alert {
  readonly index: number;
  /** The truth at the service, and the answer of ours that is on its way there. */
  service: ServiceState;
  patch: 'none' | 'REFUND' | 'ACCEPT';
  patchExcused: boolean;
  /** Our case. */
  case: CaseState;
  refusal: RefusalClass;
  /** Refused by the processor, a chargeback or an answer of its dispute: a truth, not a row. */
  refused: boolean;
  /** 0 while nobody has decided; else the number of the dispute's first alert, counted from 1. */
  dispute: number;
  /** The complaint it is really about. */
  complaint: number;
  charge: number;
  /** The amount that a person chose; 0: whatever is missing. */
  wanted: number;
  /** The sum a person was told when accepting although a part went back; 0: no such word. */
  told: number;
  secondAgreed: boolean;
  /** Refunded outside the processor for the dispute that this alert began. */
  outside: number;
  /** The same by a reference that counts already: said, and untrue. */
  saidAmiss: number;
  /** One person said that it was refunded outside, above the limit for one. */
  wordSaid: boolean;
  /** A person decided its refund. Kept where a rule asks. */
  byPerson: boolean;
  /** The service says by now that it is about another payment; and whether we have read that. */
  corrected: boolean;
  correctedRead: boolean;
  /** Accepted without a charge, and not known on the charge that it was about. */
  orphan: boolean;
  shrinkPaged: boolean;
  missedPaged: boolean;
  /** Answered by somebody in the service's dashboard. */
  elsewhere: boolean;
  /** Our rows know that it was withdrawn. */
  withdrawnKnown: boolean;
}

/** A movement of ours. The others have one of each kind at most, and live in `World`. */
export interface Movement {
  state: MovementState;
  kind: 'refund' | 'void';
  charge: number;
  dispute: number;
  complaint: number;
  amount: number;
  /** In the alert's currency instead of the charge's: never, in the design. */
  otherCurrency: boolean;
  /** Ended, and to be tried again. */
  again: boolean;
  cause: 'none' | 'cap' | 'breaker' | 'approval';
  approval: 'none' | 'asked' | 'given';
  /** What a second person has really agreed to, and has not run out. */
  agreed: number;
  /** The lifetime of its last request is over. */
  outlived: boolean;
  /** Requests on the wire, and what became of the money. */
  requests: number;
  /** The provider that it went through. */
  provider: number;
  truth: Money;
  /** A fact of somebody else came after the look on which it was sent. */
  excused: boolean;
}

/** What one look at the processor returned. Never changed. */
export interface Look {
  readonly ours: readonly Money[];
  readonly support: Money;
  readonly rdr: RdrStatus;
  readonly chargeback: Money;
  readonly authorisation: Authorisation;
  readonly disputed: boolean;
  readonly capturedMore: boolean;
}

export type Doing =
  | 'nothing'
  | 'looked before sending'
  | 'reserved'
  | 'looked for a request'
  | 'looked'
  | 'looked before declaring'
  | 'looked before accepting'
  | 'writes the request'
  | 'awaits the processor'
  | 'writes the PATCH'
  | 'awaits the service';

export interface Worker {
  doing: Doing;
  /** Index of the alert, and of the movement (-1: none yet). */
  alert: number;
  movement: number;
  saw: Look | undefined;
  answer: 'none' | 'REFUND' | 'ACCEPT';
  /** Reserved before the lock: only where the lock is removed. */
  amountBefore: number;
  leaseOver: boolean;
  excused: boolean;
}

export interface World {
  readonly scenario: Scenario;
  readonly rules: Rules;
  /** What broke in the step that led here. */
  breach: string;
  /** 0 early, 1 the fallback is due, 2 the last hour, 3 over. */
  moment: number;
  trouble: number;
  people: number;
  flips: number;
  withdrawals: number;
  elsewhere: number;
  /** In the last hour somebody did not answer: what is missed then is excused, and paged. */
  unanswered: boolean;
  chargeKnown: boolean;
  /** A search is believed to have found nothing. */
  foundNothing: boolean;
  authorisation: Authorisation;
  authorisationRead: Authorisation;
  capFull: boolean;
  credentialsWrong: boolean;
  breakerOpen: boolean;
  /** Open for a whole moment after its cause had ended. */
  breakerStale: boolean;
  /** Refusals of class `ours` since the last other answer or probe. */
  oursInRow: number;
  support: Money;
  supportRead: Money;
  /** The dispute that support's money was booked for. */
  supportDispute: number;
  rdr: RdrStatus;
  rdrRead: RdrStatus;
  rdrRow: RdrRow;
  chargeback: Money;
  chargebackRead: Money;
  paidTwicePaged: boolean;
  breakerPaged: boolean;
  rdrFound: boolean;
  /** A person said that the older refund was for the first complaint. */
  olderNamed: boolean;
  /** A person said how much of the charge RDR's money in another currency is. */
  rdrSaid: boolean;
  /** Which provider is set: 0 or 1. */
  provider: number;
  /** What the page of a second person shows: a movement and its amount; -1: no page is open. */
  shownSlot: number;
  shownAmount: number;
  /** The bank disputes the charge. */
  disputed: boolean;
  disputedRead: boolean;
  disputeTold: boolean;
  capturedMore: boolean;
  capturedMoreRead: boolean;
  alerts: Alert[];
  movements: Movement[];
  workers: Worker[];
}

/** Movements of ours: a bound of the search. */
export const MOVEMENTS_MAX = 3;

export const EARLY = 0;
export const FALLBACK_DUE = 1;
export const LAST_HOUR = 2;
export const OVER = 3;

export const NO_MOVEMENT: Movement = {
  state: 'none',
  kind: 'refund',
  charge: 0,
  dispute: 0,
  complaint: 0,
  amount: 0,
  otherCurrency: false,
  again: false,
  cause: 'none',
  approval: 'none',
  agreed: 0,
  outlived: false,
  requests: 0,
  provider: 0,
  truth: 'none',
  excused: false,
};

export const IDLE: Worker = {
  doing: 'nothing',
  alert: 0,
  movement: -1,
  saw: undefined,
  answer: 'none',
  amountBefore: 0,
  leaseOver: false,
  excused: false,
};

export function clone(world: World): World {
  return {
    ...world,
    breach: '',
    alerts: world.alerts.map((alert) => ({ ...alert })),
    movements: world.movements.map((movement) => ({ ...movement })),
    workers: world.workers.map((worker) => ({ ...worker })),
  };
}

/** Notes what broke; the first break of a step counts. */
export function breaks(world: World, what: string): void {
  if (world.breach === '') world.breach = what;
}

export function alertAt(world: World, index: number): Alert {
  const alert = world.alerts[index];
  if (alert === undefined) throw new RangeError(`No alert ${index}.`);
  return alert;
}

export function movementAt(world: World, slot: number): Movement {
  const movement = world.movements[slot];
  if (movement === undefined) throw new RangeError(`No movement ${slot}.`);
  return movement;
}

export function workerAt(world: World, index: number): Worker {
  const worker = world.workers[index];
  if (worker === undefined) throw new RangeError(`No worker ${index}.`);
  return worker;
}

/** What is captured at the processor. */
export function capturedOn(world: World, charge: number): number {
  return capturedFirst(world, charge) + (world.capturedMore ? world.scenario.capturesMore : 0);
}

/** The same as our rows know it. */
export function capturedRow(world: World, charge: number): number {
  return capturedFirst(world, charge) + (world.capturedMoreRead ? world.scenario.capturesMore : 0);
}

function capturedFirst(world: World, charge: number): number {
  const captured = world.scenario.captured[charge];
  if (captured === undefined) throw new RangeError(`No charge ${charge}.`);
  return captured;
}

/** The dispute of an alert; one that nobody has decided yet counts as a dispute of its own. */
export function disputeOf(alert: Alert): number {
  return alert.dispute === 0 ? alert.index + 1 : alert.dispute;
}
