/**
 * The tables "exits" of src/alerts/ledger/README.md, as text: how each state of a case and of a movement ends,
 * by time and by a person (L7).
 *
 * Moves and states come from the state tables, the actions from what a person is really offered in each
 * of the situations below. How a state ends by time is written down here; the types demand a sentence
 * for every state that is not final, and for no other.
 */
import type { CASE_TRANSITIONS, CaseState } from '../../../src/alerts/cases/case-state.ts';
import { CASE_STATES, isTerminal, mayCaseBecome } from '../../../src/alerts/cases/case-state.ts';
import type { Ledger } from '../../../src/alerts/ledger/ledger.ts';
import type { MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import {
  MOVEMENT_TRANSITIONS,
  mayMovementBecome,
} from '../../../src/alerts/ledger/movement-state.ts';
import { offeredActions } from '../../../src/alerts/review/offered-actions.ts';
import type { OperatorAction } from '../../../src/alerts/review/operator-decision.ts';
import { OPERATOR_ACTIONS } from '../../../src/alerts/review/operator-decision.ts';
import { alertOf, disputeOfId, ledgerOf, movementOf, oursOf } from './fixtures.ts';

/** The states of a table that may become another. */
type NotFinal<Table extends Readonly<Record<string, readonly string[]>>> = {
  [State in keyof Table]: Table[State] extends readonly [] ? never : State;
}[keyof Table];

export type OpenCaseState = NotFinal<typeof CASE_TRANSITIONS>;
export type OpenMovementState = NotFinal<typeof MOVEMENT_TRANSITIONS>;

/** Which step moves a case on without a person, and when at the latest. */
const CASE_BY_TIME: Readonly<Record<OpenCaseState, string>> = {
  RECEIVED:
    '`match`, at once; a search that is not answered is asked again for about two minutes, then the case continues without it',
  MATCHED: '`decide`, at once',
  UNMATCHED: '`decide`, at once',
  AMBIGUOUS: '`decide`, at once',
  HUMAN:
    '`decide`, at the fallback or at another try (`retry_at`); hourly, and every 30 s in the last hour, where a guard or the policy held it; at the deadline, and daily after it, until the service shows the alert as over',
  DECIDED_REFUND:
    '`refund`, at once; held after five vain questions or at the guard time; behind a request in flight for another dispute of the charge it asks every 30 s until that one ends',
  REFUNDING:
    '`refund`, at each move of its movement; by itself every 10 minutes, every 30 s in the last hour',
  DECIDED_ACCEPT:
    '`declare`, at once; the processor is asked again within 2 minutes, within 30 s in the last hour; held at the deadline',
  DECLARE_REFUND:
    '`declare`, at once; again within a minute, until the alert shows an answer; held where its cover is gone or the service refuses it',
  DECLARE_ACCEPT:
    '`declare`, at once; again within a minute, until the alert shows an answer; held where the service refuses it',
};

/** Which look moves a movement of ours on without a person, and when at the latest. */
const MOVEMENT_BY_TIME: Readonly<Record<OpenMovementState, string>> = {
  SENT: 'its answer; without one `UNKNOWN` when the lease is over, 30 s after the sending',
  UNKNOWN:
    'asked for after 2 s, later every hour at least; `HUMAN` when the key ends, when nothing can prove it, or at the guard time of the last alert that waits; asked on while the processor does not say what it offers',
  PENDING:
    'looked at every hour at least, every 30 s in the last hour; `HUMAN` ten days after the sending',
  CONFIRMED:
    'nothing is open; where the processor may still fail it, watched daily for ten days every five days until the 35th and every fifteen until the 180th, and each reading of the charge follows what is shown',
  REJECTED:
    'its case tries it again under a new key (classes `retry` and `ours`), until the fallback is due; the classes `final` and `done` wait for the fallback',
  NOT_SENT:
    'its case tries it again every 5 minutes (caps, breakers), or when its cause ends (kill switch, second person), until the fallback is due',
  HUMAN:
    'looked up every hour, after ten days daily; found, it is settled; absent after its lifetime, and never shown, it is `REJECTED`',
};

/** A case whose person looks at it. */
export interface Situation {
  readonly title: string;
  readonly ledger: Ledger | undefined;
  readonly isBeforeDeadline: boolean;
}

const ALERT = 'netalrt_1';
const TWIN = alertOf({ alertId: 'netalrt_2' });

/** The alert's dispute, over all of the charge or a part of it. */
function disputed(over: Partial<Ledger> = {}, amountMinor = 5000): Ledger {
  const alerts = [alertOf({ amountMinor })];
  return ledgerOf({ disputes: [disputeOfId('d1', { amountMinor, alerts })], ...over });
}

/** Our refund for the alert's dispute in that state. */
export function withMovement(state: MovementState, amountMinor = 5000): Ledger {
  const wasSent = state !== 'NOT_SENT';
  return disputed({ movements: [oursOf('d1', { state, amountMinor, wasSent })] });
}

/** Somebody else's money for the alert's dispute. */
function withOthers(state: 'PENDING' | 'CONFIRMED', amountMinor: number): Ledger {
  const covers = [{ disputeId: 'd1', amountMinor }];
  return disputed({ movements: [movementOf({ state, amountMinor, covers })] });
}

const MOVEMENT_STATES = Object.keys(MOVEMENT_TRANSITIONS).filter(isMovementState);

function isMovementState(value: string): value is MovementState {
  return Object.hasOwn(MOVEMENT_TRANSITIONS, value);
}

const LEDGERS: Readonly<Record<string, Ledger | undefined>> = {
  'no charge is known': undefined,
  'the charge was never read': disputed({ status: null, amountMinor: null, currency: null }),
  'nothing moved': disputed(),
  'nothing was captured': disputed({ status: 'authorised' }),
  'two alerts speak of the dispute': disputed({
    disputes: [disputeOfId('d1', { alerts: [alertOf(), TWIN] })],
  }),
  'beside the dispute of another part': ledgerOf({
    disputes: [
      disputeOfId('d1', { amountMinor: 2500, alerts: [alertOf({ amountMinor: 2500 })] }),
      disputeOfId('d2', { amountMinor: 2000 }),
    ],
  }),
  'a request for another dispute is in doubt': ledgerOf({
    movements: [oursOf('d2', { state: 'HUMAN', amountMinor: 2000 })],
    disputes: [
      disputeOfId('d1', { amountMinor: 2500, alerts: [alertOf({ amountMinor: 2500 })] }),
      disputeOfId('d2', { amountMinor: 2000 }),
    ],
  }),
  'nobody knows whether it is the same complaint': ledgerOf({
    disputes: [disputeOfId('d2', { amountMinor: 2000 })],
    unplaced: [alertOf()],
    networkInDoubt: null,
  }),
  'its twin was accepted': disputed({
    disputes: [disputeOfId('d1', { alerts: [alertOf(), { ...TWIN, isAccepted: true }] })],
  }),
  'support refunded a part': withOthers('CONFIRMED', 2000),
  'support refunded all of it': withOthers('CONFIRMED', 5000),
  'support’s refund is pending': withOthers('PENDING', 2000),
  ...Object.fromEntries(
    MOVEMENT_STATES.flatMap((state) => [
      [`our refund is ${state}`, withMovement(state)],
      [`our refund of a part is ${state}`, withMovement(state, 2000)],
    ]),
  ),
};

/** Everything that a person may look at. */
export const SITUATIONS: readonly Situation[] = Object.entries(LEDGERS).flatMap(([title, ledger]) =>
  [true, false].map((isBeforeDeadline) => ({
    title: `${title}, ${isBeforeDeadline ? 'before' : 'after'} the deadline`,
    ledger,
    isBeforeDeadline,
  })),
);

/** What a person is offered there. */
export function offeredIn(
  state: CaseState,
  { ledger, isBeforeDeadline }: Omit<Situation, 'title'>,
) {
  return offeredActions({ state, alertId: ALERT, ledger, isBeforeDeadline });
}

/** States in which a case with a movement can stand while a person looks at it. */
const CASES_WITH_MOVEMENT: readonly CaseState[] = ['REFUNDING', 'HUMAN'];

function movementOffers(state: MovementState): readonly OperatorAction[] {
  return CASES_WITH_MOVEMENT.flatMap((caseState) =>
    [withMovement(state), withMovement(state, 2000)].flatMap((ledger) =>
      [true, false].flatMap((isBeforeDeadline) => [
        ...offeredIn(caseState, { ledger, isBeforeDeadline }),
      ]),
    ),
  );
}

const FINAL = 'final';

function row(state: string, cells: readonly string[]): string {
  return `| \`${state}\` | ${cells.join(' | ')} |`;
}

function words(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function actionWords(offered: readonly OperatorAction[]): string {
  return words(OPERATOR_ACTIONS.filter((action) => offered.includes(action)));
}

function isOpenCase(state: CaseState): state is OpenCaseState {
  return !isTerminal(state);
}

function isOpenMovement(state: MovementState): state is OpenMovementState {
  return MOVEMENT_TRANSITIONS[state].length > 0;
}

/** The rows of the cases' table. */
export function caseRows(): string[] {
  return CASE_STATES.map((state) => {
    if (!isOpenCase(state)) return row(state, [FINAL, FINAL, FINAL]);
    const next = CASE_STATES.filter((to) => to !== state && mayCaseBecome(state, to));
    const offered = SITUATIONS.flatMap((situation) => [...offeredIn(state, situation)]);
    return row(state, [words(next), CASE_BY_TIME[state], actionWords(offered)]);
  });
}

/** The rows of the movements' table. */
export function movementRows(): string[] {
  return MOVEMENT_STATES.map((state) => {
    if (!isOpenMovement(state)) return row(state, [FINAL, FINAL, FINAL]);
    const next = MOVEMENT_STATES.filter((to) => mayMovementBecome(state, to));
    return row(state, [words(next), MOVEMENT_BY_TIME[state], actionWords(movementOffers(state))]);
  });
}
