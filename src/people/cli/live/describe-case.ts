/** Says in words the state of a case: the path it has come, and why. */
import type { Selectable } from 'kysely';
import type { AlertCaseTable } from '../../../alerts/cases/case.table.ts';
import type { CaseState } from '../../../alerts/cases/case-state.ts';
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import { utcWords } from '../../../base/kernel/instant.ts';
import { formatMoney } from '../../../base/kernel/money.ts';
import { wrapWords } from '../../../surface/terminal/wrap-words.ts';

/** What the description is made of: the case with the rows beside it. */
export interface CaseView
  extends Pick<
    Selectable<AlertCaseTable>,
    | 'alert_id'
    | 'state'
    | 'opened_at'
    | 'changed_at'
    | 'deadline_at'
    | 'hold_reason'
    | 'fallback_at'
    | 'missed_at'
  > {
  readonly amount_minor: number | null;
  readonly currency: string | null;
  readonly card_last4: string | null;
  readonly fallback_action: string | null;
  readonly match_outcome: string | null;
  readonly match_tier: string | null;
  readonly sentence: string | null;
  readonly refund_state: string | null;
  /** Null: somebody else's refund, or none. */
  readonly refund_key: string | null;
  readonly refund_reference: string | null;
}

/** Lines about one case, first to last, none longer than `widthChars`. */
export interface CaseLines {
  readonly lines: readonly string[];
  /** Nothing more will happen by itself for now: closed, or waiting for a person. */
  readonly settled: boolean;
}

const INDENT = ' '.repeat(10);

/** Describes a case in at most five lines. */
export function describeCase(view: CaseView, widthChars: number): CaseLines {
  const settled = isTerminal(view.state) || view.state === 'HUMAN';
  const seconds = (view.changed_at.getTime() - view.opened_at.getTime()) / 1000;
  const money =
    view.amount_minor === null || view.currency === null
      ? 'no amount'
      : formatMoney({ amountMinor: view.amount_minor, currency: view.currency });
  const card = view.card_last4 === null ? '' : `  card ····${view.card_last4}`;
  const took = isTerminal(view.state) ? `  resolved in ${seconds.toFixed(1)} s` : '';
  const head = `${view.opened_at.toISOString().slice(11, 19)}  ${shortId(view.alert_id)}  ${money}${card}${took}`;
  const lines = [head, `${INDENT}${pathOf(view).join(' → ')}`];
  lines.push(...wrap(whyOf(view), widthChars - INDENT.length).map((line) => `${INDENT}${line}`));
  return { lines: lines.map((line) => clip(line, widthChars)), settled };
}

/** The stages a case has passed, as a person reads them. */
export function pathOf(view: CaseView): string[] {
  return ['received', ...matchOf(view), ...outcomeOf(view)];
}

function matchOf(view: CaseView): string[] {
  if (view.match_outcome === 'single') return ['matched'];
  if (view.match_outcome === 'several') return ['several charges match'];
  return view.match_outcome === 'none' ? ['no charge matches'] : [];
}

const OUTCOMES: Readonly<Record<CaseState, readonly string[]>> = {
  RECEIVED: [],
  MATCHED: [],
  UNMATCHED: [],
  AMBIGUOUS: [],
  HUMAN: ['held for review'],
  DECIDED_REFUND: ['decided'],
  REFUNDING: ['decided', 'refunding'],
  DECLARE_REFUND: ['decided', 'refunded', 'declaring'],
  DECLARED_REFUND: ['decided', 'refunded', 'declared REFUND'],
  DECIDED_ACCEPT: ['decided'],
  DECLARE_ACCEPT: ['decided', 'declaring'],
  DECLARED_ACCEPT: ['decided', 'declared ACCEPT_DISPUTE'],
  CLOSED_REMOTE: ['resolved elsewhere'],
  CLOSED_INVALID: ['withdrawn'],
  RECONCILED_RDR: ['settled by the network (RDR)'],
  CONFLICT: ['CONFLICT, a person must look'],
};

function outcomeOf(view: CaseView): readonly string[] {
  const words = OUTCOMES[view.state];
  const isOthers = view.refund_state !== null && view.refund_key === null;
  return isOthers ? words.map((word) => (word === 'refunded' ? 'already refunded' : word)) : words;
}

function whyOf(view: CaseView): string {
  if (view.missed_at !== null) return 'MISSED: the deadline passed without an answer.';
  if (view.state !== 'HUMAN') return view.sentence ?? '';
  const reason = view.sentence ?? view.hold_reason ?? 'held for review';
  const { fallback_action: action, fallback_at: at } = view;
  // The sentence of a decision that asks a person says it itself.
  if (action === null || at === null || reason.includes('Without a decision')) return reason;
  return `${reason} Without a decision it becomes ${action} at ${utcWords(at)}.`;
}

/** Enough of an id to find it again: its prefix and the first characters. */
export function shortId(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 17)}…`;
}

/** Most lines that a sentence takes. */
const SENTENCE_LINES_MAX = 3;

/** Breaks a sentence between words; what does not fit into {@link SENTENCE_LINES_MAX} lines is cut. */
function wrap(text: string, widthChars: number): string[] {
  const lines = wrapWords(text, widthChars);
  if (lines.length <= SENTENCE_LINES_MAX) return lines;
  return [...lines.slice(0, SENTENCE_LINES_MAX - 1), `${lines[SENTENCE_LINES_MAX - 1]} …`];
}

/** Cuts a line at the terminal's width. */
function clip(line: string, widthChars: number): string {
  return line.length <= widthChars ? line : `${line.slice(0, widthChars - 1)}…`;
}
