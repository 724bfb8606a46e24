/** What a person reads about a case: where it is, how much time is left, what happens next. */
import type { CaseRow } from '../../alerts/cases/case.store.ts';
import type { CaseState } from '../../alerts/cases/case-state.ts';
import { isTerminal } from '../../alerts/cases/case-state.ts';
import { holdSentence } from '../../alerts/cases/hold-reason.ts';
import type { AlertListItem } from '../../alerts/list/alert-list.store.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { amountText } from './money.ts';
import { moment, timeLeft } from './time.ts';

/** How a state is coloured: nothing depends on colour alone, the word is always there. */
export type Tone = 'good' | 'warn' | 'bad' | 'plain';

/** Each state in words, and what Forestall does next in it. */
export const STATE_WORDS = {
  RECEIVED: ['received', 'plain', 'Its charge is being looked for.'],
  MATCHED: ['matched', 'plain', 'The policy decides next.'],
  UNMATCHED: ['no charge found', 'warn', 'No charge was found; the policy decides next.'],
  AMBIGUOUS: ['several charges', 'warn', 'Several charges match; the policy decides next.'],
  HUMAN: ['needs a decision', 'warn', 'A person decides.'],
  DECIDED_REFUND: ['to be refunded', 'plain', 'The refund is made next, after a last check.'],
  DECIDED_ACCEPT: ['to be accepted', 'plain', 'The dispute is accepted next.'],
  REFUNDING: ['refunding', 'plain', 'The processor is asked until the refund is certain.'],
  DECLARE_REFUND: ['refunded, answering', 'plain', 'The money is back; the service is told next.'],
  DECLARE_ACCEPT: ['accepting, answering', 'plain', 'The service is told next.'],
  DECLARED_REFUND: ['refunded', 'good', 'Nothing more: it is refunded, and the service knows.'],
  DECLARED_ACCEPT: ['dispute accepted', 'plain', 'Nothing more; expect the dispute.'],
  CLOSED_REMOTE: ['resolved elsewhere', 'plain', 'Nothing more: somebody else resolved it.'],
  CLOSED_INVALID: ['withdrawn', 'plain', 'Nothing more: the alert was withdrawn.'],
  RECONCILED_RDR: [
    'settled by the network',
    'plain',
    'Nothing more: the network settled it (RDR). Its outcome says whether it refunded.',
  ],
  CONFLICT: ['conflict', 'bad', 'A person must look: the service and our books disagree.'],
} as const satisfies Record<CaseState, readonly [string, Tone, string]>;

export function stateBadge(state: CaseState): Html {
  const [word, tone] = STATE_WORDS[state];
  return html`<span class="state ${tone}">${word}</span>`;
}

export type NextFacts = Pick<
  AlertListItem,
  | 'state'
  | 'holdReason'
  | 'fallbackAction'
  | 'fallbackAt'
  | 'missedAt'
  | 'lastError'
  | 'nextActionAt'
>;

/** What happens next, why, and when. */
export function nextWords(facts: NextFacts): Html {
  const { state, missedAt, lastError, nextActionAt } = facts;
  const missed =
    missedAt === null ? '' : html`<strong>Missed:</strong> the deadline passed without an answer. `;
  const failed =
    lastError === null || isTerminal(state)
      ? ''
      : html` The last attempt failed: ${lastError}${nextActionAt !== null && html`; the next is at ${moment(nextActionAt)}`}.`;
  const next = state === 'HUMAN' ? heldWords(facts) : html`${STATE_WORDS[state][2]}`;
  return html`${missed}${next}${failed}`;
}

/** The same in plain text, for a hint: why it is held, or what comes next. */
export function nextText({ state, holdReason }: Pick<NextFacts, 'state' | 'holdReason'>): string {
  return state === 'HUMAN' ? holdWords(holdReason) : STATE_WORDS[state][2];
}

export type TimeFacts = Pick<NextFacts, 'fallbackAction' | 'fallbackAt'> & {
  readonly deadlineAt: Date;
};

/** What a fallback does, after `then`. */
const FALLBACK_WORDS = {
  REFUND: 'it is refunded',
  ACCEPT_DISPUTE: 'the dispute is accepted',
} as const;

/** How long a person has: until Forestall acts by itself, which is hours before the deadline, or until the deadline. */
export function timeToDecide(facts: TimeFacts, now: Date): Html {
  const { fallbackAction, fallbackAt, deadlineAt } = facts;
  if (fallbackAction === null || fallbackAt === null || fallbackAt >= deadlineAt) {
    return timeLeft(deadlineAt, now);
  }
  return html`${timeLeft(fallbackAt, now)} <span class="quiet">then ${FALLBACK_WORDS[fallbackAction]}</span>`;
}

/** The time left: to decide where a person must, else to the deadline. */
export function caseTime(row: CaseRow, now: Date): Html {
  const { state, deadline_at: deadlineAt } = row;
  if (state !== 'HUMAN') return timeLeft(deadlineAt, now);
  const { fallback_action: fallbackAction, fallback_at: fallbackAt } = row;
  return timeToDecide({ deadlineAt, fallbackAction, fallbackAt }, now);
}

/** Why a case is held, and what happens without a decision. */
export function heldWords({
  holdReason,
  fallbackAction,
  fallbackAt,
}: Pick<NextFacts, 'holdReason' | 'fallbackAction' | 'fallbackAt'>): Html {
  return html`${holdWords(holdReason)} ${unlessDecided({ fallbackAction, fallbackAt })}`;
}

export function holdWords(holdReason: string | null): string {
  return holdReason === null ? 'Held for review.' : holdSentence(holdReason);
}

/** What happens without a decision. */
export function unlessDecided(facts: Pick<NextFacts, 'fallbackAction' | 'fallbackAt'>): Html {
  const { fallbackAction, fallbackAt } = facts;
  if (fallbackAction === null || fallbackAt === null) {
    return html`Nothing happens by itself: decide before the deadline.`;
  }
  return html`If nobody decides, ${FALLBACK_WORDS[fallbackAction]} at ${moment(fallbackAt)}.`;
}

/** What a screen reader calls an alert or a review: `$84.00, Lena, card ending 9505`. */
export function spokenName(
  {
    amountMinor,
    currency,
    cardLast4,
  }: Pick<AlertListItem, 'amountMinor' | 'currency' | 'cardLast4'>,
  customer: string | undefined,
): string {
  const parts = [
    amountText(amountMinor, currency),
    customer ?? 'customer not known',
    cardLast4 === null ? 'no card' : `card ending ${cardLast4}`,
  ];
  return parts.join(', ');
}
