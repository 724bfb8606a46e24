/**
 * The rules of the charge ledger, one switch each. The table says what the rule demands, what a
 * design without it does, and where that is seen: the scenario, and the invariant that then breaks.
 */
import { FURTHER_RULES } from './rules-further.ts';
import { RIM_RULES } from './rules-rim.ts';
import type { ScenarioName } from './scenarios.ts';

export interface Rule {
  readonly says: string;
  readonly without: string;
  readonly scenario: ScenarioName;
  /** L1 to L9 of the ledger, P: a promise of the policy, G: a guard above it. */
  readonly breaks: string;
}

const LEDGER_RULES = {
  movementsPerDispute: {
    says: 'a charge has as many movements as its disputes need',
    without: 'one refund row per charge, for ever',
    scenario: 'parts 1, 2',
    breaks: 'L7',
  },
  ownCover: {
    says: 'money covers one dispute',
    without: 'what one dispute got back covers the other one too',
    scenario: 'parts 3, 2',
    breaks: 'L4',
  },
  rdrAmount: {
    says: 'RDR moves its amount when RESOLVED/REFUNDED, else nothing',
    without: 'RESOLVED/NOT_REFUNDED is booked as a refund',
    scenario: 'RDR',
    breaks: 'L4',
  },
  rdrRecomputed: {
    says: 'RDR is a reading, computed anew at every change',
    without: 'the first status of RDR stays',
    scenario: 'RDR',
    breaks: 'L4',
  },
  rdrWaits: {
    says: 'RDR of no known charge waits for it',
    without: 'RDR that comes before its order is forgotten',
    scenario: 'RDR',
    breaks: 'L8',
  },
  waitForFallback: {
    says: 'what follows a refusal follows at the moment of the fallback',
    without: 'a refusal is conceded at once',
    scenario: 'twins',
    breaks: 'P1',
  },
  notSentIsNoRefusal: {
    says: 'a movement never sent is tried again when its cause ends',
    without: 'never sent counts as refused',
    scenario: 'twins',
    breaks: 'P2',
  },
  unansweredIsUnknown: {
    says: 'a look that nobody answered says nothing',
    without: 'not answered means absent',
    scenario: 'twins',
    breaks: 'L3',
  },
  acceptSeesOthers: {
    says: 'accepting looks at the money of others too',
    without: "support's refund does not stop ACCEPT_DISPUTE",
    scenario: 'twins + support, trouble',
    breaks: 'L5',
  },
  humanExit: {
    says: 'a movement in HUMAN is looked for again, and a person can end it',
    without: 'HUMAN is final',
    scenario: 'twins',
    breaks: 'L7',
  },
  provenAbsent: {
    says: 'a new key only when the old request is proven never to execute',
    without: 'absent now is taken for absent for ever',
    scenario: 'twins',
    breaks: 'L3',
  },
  lockedSend: {
    says: "what a refund rests on is checked under the charge's lock",
    without: 'no lock between the look and the reservation',
    scenario: 'twins',
    breaks: 'L3',
  },
  lastHourLooks: {
    says: 'in the last hour a look every 30 s',
    without: 'in the last hour a look every 60 min',
    scenario: 'twins',
    breaks: 'L7',
  },
  shrinkPaged: {
    says: 'cover that shrinks under an answer is paged',
    without: 'nobody hears of it',
    scenario: 'twins',
    breaks: 'L6',
  },
  oneInFlight: {
    says: 'one movement of ours in flight on a charge',
    without: 'no unique index',
    scenario: 'parts 1, 2',
    breaks: 'L2',
  },
  leaseRead: {
    says: 'the lease is read again before every write',
    without: 'a worker that was paused goes on',
    scenario: 'twins',
    breaks: 'L3',
  },
  deadlineSweep: {
    says: 'an alert that runs out is paged as missed',
    without: 'no sweep at the deadline',
    scenario: 'twins',
    breaks: 'L7',
  },
  paidTwicePaged: {
    says: 'more money than the claim is paged once our rows know it',
    without: 'it stays in the rows',
    scenario: 'twins + support',
    breaks: 'L1',
  },
  joinGuard: {
    says: 'alerts are joined and separated until money or an answer rests on them',
    without: 'at any time',
    scenario: 'twins',
    breaks: 'L',
  },
  acceptSeesSettled: {
    says: 'ACCEPT_DISPUTE not on top of settled money either',
    without: 'only money in flight or pending stops it',
    scenario: 'twins + a part',
    breaks: 'L5',
  },
  noRefundBesideAccept: {
    says: 'no refund begins or is sent again beside an ACCEPT_DISPUTE',
    without: 'only what is already in flight is looked at',
    scenario: 'twins',
    breaks: 'L5',
  },
  shrinkSeesDeclaring: {
    says: 'shrinking finds what is being declared, not only what was',
    without: 'only what was declared',
    scenario: 'twins',
    breaks: 'L6',
  },
  freshBeforeDeclare: {
    says: 'the processor is looked at anew before declaring',
    without: 'declared from the rows',
    scenario: 'twins',
    breaks: 'L4',
  },
  newerReadingWins: {
    says: 'any change of the rows since a look voids it (L9)',
    without: 'an older reading overwrites a newer one',
    scenario: 'twins',
    breaks: 'L4',
  },
  refusalIsProof: {
    says: 'only a refusal that proves that nothing executed is one',
    without: '"provider down" and lock time-outs count as refusals',
    scenario: 'twins',
    breaks: 'L3',
  },
  declareSticks: {
    says: 'an answer on its way is not changed by a person',
    without: 'a person may decide anew meanwhile',
    scenario: 'twins',
    breaks: 'L5',
  },
  personWaitsLifetime: {
    says: '"it did not execute" is offered after the lifetime of the request',
    without: 'offered at once',
    scenario: 'twins',
    breaks: 'L3',
  },
  pendingFreesCharge: {
    says: 'a pending refund does not hold up another dispute',
    without: 'PENDING counts as in flight',
    scenario: 'parts 1, 2',
    breaks: 'L7',
  },
  joinRedecides: {
    says: 'joining or separating decides both alerts anew',
    without: "an alert keeps the other dispute's refusal",
    scenario: 'twins',
    breaks: 'P2',
  },
  declareReopens: {
    says: 'an answer that may not be repeated is reopened once its PATCH cannot arrive',
    without: 'it stays on its way for ever',
    scenario: 'RDR',
    breaks: 'L7',
  },
  retryReservesAnew: {
    says: 'a retry reserves anew, and another amount is another movement',
    without: 'a retry repeats the old amount',
    scenario: 'twins + a part',
    breaks: 'L3',
  },
} as const satisfies Record<string, Rule>;

export const RULES = { ...LEDGER_RULES, ...FURTHER_RULES, ...RIM_RULES };

export type RuleName = keyof typeof RULES;

/** A design: which rules it keeps. */
export type Rules = Readonly<Record<RuleName, boolean>>;

export const RULE_NAMES = Object.keys(RULES).filter(isRuleName);

export function isRuleName(name: string): name is RuleName {
  return Object.hasOwn(RULES, name);
}

/** The demanded design, or the one without one of its rules. */
export function design(removed?: RuleName): Rules {
  const rules = Object.fromEntries(RULE_NAMES.map((name) => [name, name !== removed]));
  return rules as Record<RuleName, boolean>;
}
