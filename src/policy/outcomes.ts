/**
 * Compiles the `then:` of a rule, `otherwise:` and `held:`.
 */

import type { PolicyAnswer, PolicyFallback, PolicyOutcome } from '../alerts/decide/policy.ts';
import { REFUND_AMOUNTS } from '../alerts/decide/policy.ts';
import { GUARD_MS } from '../alerts/guard/refund-settings.ts';
import { formatDuration, parseDuration } from '../base/kernel/units.ts';
import type { Place, Problems, SourceNode } from './source.ts';
import { knownEntries } from './source.ts';
import { suggestion } from './suggestion.ts';

export const OUTCOME_WORDS = ['REFUND', 'ACCEPT_DISPUTE', 'REVIEW'] as const;
const ANSWER_WORDS = ['REFUND', 'ACCEPT_DISPUTE'] as const;

/** What can stand in the braces after `REFUND:`. */
const REFUND_WORDS = ['amount', 'when_refused'] as const;

/** Actions of the interface that a `CUSTOM_ORDERS` integration may not use (specification, Alerts). */
const PROCESSOR_ACTIONS: readonly string[] = ['CANCEL', 'REFUND_AND_CANCEL'];

/** An `ACCEPT_DISPUTE` moves no money; it needs time for its declaration only. */
export const ACCEPT_GUARD_MS = 5 * 60_000;

/** Compiles an outcome: `REFUND`, `{REFUND: remainder}`, `{REFUND: {…}}`, `ACCEPT_DISPUTE`, `REVIEW`, `{REVIEW: {…}}`. */
export function compileOutcome(node: SourceNode, problems: Problems): PolicyOutcome | undefined {
  const named = readNamed(node, OUTCOME_WORDS, problems);
  if (named === undefined) return undefined;
  if (named.word !== 'REVIEW') return compileAnswer(node, problems);
  if (named.detail === undefined) return { action: 'REVIEW', fallback: null };
  const fallback = compileFallback(named.detail, problems);
  return fallback === undefined ? undefined : { action: 'REVIEW', fallback };
}

/** Compiles `{fallback: …, at: 6h before deadline}`. */
export function compileFallback(node: SourceNode, problems: Problems): PolicyFallback | undefined {
  if (node.kind !== 'map') {
    return problems.add(
      node.at,
      'write "fallback:" and "at:" here, for example at: 6h before deadline.',
    );
  }
  const entries = knownEntries(node, { words: ['fallback', 'at'], problems });
  if (entries === undefined) return undefined;
  const { fallback, at } = entries;
  if (fallback === undefined) return problems.add(node.at, '"fallback" is missing.');
  if (at === undefined)
    return problems.add(node.at, '"at" is missing, for example at: 6h before deadline.');
  const answer = compileAnswer(fallback, problems);
  const beforeDeadlineMs = readMoment(at, problems);
  if (answer === undefined || beforeDeadlineMs === undefined) return undefined;
  const leastMs = leastBeforeDeadlineMs(answer);
  if (beforeDeadlineMs < leastMs) {
    const minutes = leastMs / 60_000;
    return problems.add(
      at.at,
      `${answer.action} needs ${minutes} minutes before the deadline. Give it more time.`,
    );
  }
  return { answer, beforeDeadlineMs };
}

/** How long before the deadline a fallback must begin, in milliseconds. */
export function leastBeforeDeadlineMs({ action }: PolicyAnswer): number {
  return action === 'REFUND' ? GUARD_MS : ACCEPT_GUARD_MS;
}

function compileAnswer(node: SourceNode, problems: Problems): PolicyAnswer | undefined {
  const named = readNamed(node, ANSWER_WORDS, problems);
  if (named === undefined) return undefined;
  const { word, detail } = named;
  if (word === 'ACCEPT_DISPUTE') {
    return detail === undefined
      ? { action: 'ACCEPT_DISPUTE' }
      : problems.add(detail.at, 'ACCEPT_DISPUTE takes nothing after it.');
  }
  return compileRefund(detail, problems);
}

/** Compiles what stands after `REFUND:`, an amount or `{amount: …, when_refused: accept}`. */
function compileRefund(
  detail: SourceNode | undefined,
  problems: Problems,
): PolicyAnswer | undefined {
  if (detail?.kind !== 'map') return compileAmount(detail, problems);
  const entries = knownEntries(detail, { words: REFUND_WORDS, problems });
  if (entries === undefined) return undefined;
  const answer = compileAmount(entries.amount, problems);
  const refused = entries.when_refused;
  if (answer === undefined || refused === undefined) return answer;
  return refused.kind === 'text' && refused.text === 'accept'
    ? { ...answer, whenRefused: 'ACCEPT_DISPUTE' }
    : problems.add(
        refused.at,
        '"when_refused" takes accept. Without it the alert waits for "held" or a person.',
      );
}

type RefundAnswer = Extract<PolicyAnswer, { action: 'REFUND' }>;

function compileAmount(node: SourceNode | undefined, problems: Problems): RefundAnswer | undefined {
  if (node === undefined) return { action: 'REFUND', amount: 'full' };
  const written = node.kind === 'text' ? node.text : '';
  const amount = REFUND_AMOUNTS.find((candidate) => candidate === written);
  return amount === undefined
    ? problems.add(
        node.at,
        `"${written}" is no refund amount. ${suggestion(written, REFUND_AMOUNTS)}`,
      )
    : { action: 'REFUND', amount };
}

interface Named {
  readonly word: string;
  readonly detail: SourceNode | undefined;
}

/** Reads `WORD` or `{WORD: detail}`. */
function readNamed(
  node: SourceNode,
  words: readonly string[],
  problems: Problems,
): Named | undefined {
  const [entry, second] = node.kind === 'map' ? node.entries : [];
  if (second !== undefined) return problems.add(second.at, 'one outcome only. Remove the others.');
  const word = node.kind === 'text' ? node.text : (entry?.key ?? '');
  const at: Place = entry?.at ?? node.at;
  if (words.includes(word)) return { word, detail: entry?.value };
  if (PROCESSOR_ACTIONS.includes(word)) {
    return problems.add(
      at,
      `${word} is not for CUSTOM_ORDERS integrations. Use REFUND, and cancel with your own system.`,
    );
  }
  const shown = word === '' ? 'an outcome is missing' : `unknown outcome "${word}"`;
  return problems.add(at, `${shown}. ${suggestion(word, words)}`);
}

const MOMENT = /^(.+?) before deadline$/;

function readMoment(node: SourceNode, problems: Problems): number | undefined {
  const text = node.kind === 'text' ? node.text : '';
  const [, span] = MOMENT.exec(text) ?? [];
  if (span === undefined) {
    return problems.add(node.at, `"${text}" is no moment. Write it like 6h before deadline.`);
  }
  const parsed = parseDuration(span);
  return parsed.ok ? parsed.value : problems.add(node.at, parsed.message);
}

/** An outcome in a few words: `REFUND`, `REFUND the remainder`, `REVIEW, then ACCEPT_DISPUTE 6h before the deadline`. */
export function outcomeText(outcome: PolicyOutcome): string {
  if (outcome.action !== 'REVIEW') return answerText(outcome);
  const { fallback } = outcome;
  if (fallback === null) return 'REVIEW without a fallback';
  const before = formatDuration(fallback.beforeDeadlineMs);
  return `REVIEW, then ${answerText(fallback.answer)} ${before} before the deadline`;
}

const AMOUNT_TEXT = {
  full: '',
  remainder: ' the remainder',
  alert_amount: ' the alert’s amount',
  whole_charge: ' the whole charge',
};

function answerText(answer: PolicyAnswer): string {
  if (answer.action !== 'REFUND') return answer.action;
  const refused = answer.whenRefused === undefined ? '' : ', accepted when refused for good';
  return `REFUND${AMOUNT_TEXT[answer.amount]}${refused}`;
}
