/** What the estate commands print. Lines fit a terminal of 80 columns where words allow it. */

import { wrapWords } from '../../surface/terminal/wrap-words.ts';
import type { EstateState } from './plan/estate-state.ts';
import type { EstatePlan } from './plan/plan.ts';
import { disputeText, driftSentence } from './plan/sentences.ts';
import type { PlannedStep } from './plan/step.ts';
import { forecastOf, forecastText } from './plan/step.ts';
import type { WaitingEnrolment } from './plan/waiting.ts';
import { waitingSentence } from './plan/waiting.ts';

const WIDTH = 78;

/** Sentences with a sign in front: what a step does to what exists. */
function signOf({ step }: PlannedStep): string {
  if (step.kind.startsWith('create_') || step.kind === 'append_descriptors') return '+';
  return step.kind.startsWith('delete_') || step.kind === 'cancel_enrolment' ? '-' : '~';
}

/** One step: sign, sentence, and what to know about it. */
function stepText(planned: PlannedStep): string {
  const mark = planned.mark === 'safe' ? '' : ` [${planned.mark}]`;
  const [first = '', ...more] = wrapWords(planned.sentence + mark, WIDTH - 2);
  return [`${signOf(planned)} ${first}`, ...more.map((line) => `    ${line}`)].join('\n');
}

/** What of a plan is printed. */
export type ShownPlan = Pick<EstatePlan, 'steps' | 'problems' | 'notes'>;

export function planText({ steps, problems, notes }: ShownPlan): string {
  const problemLines = problems.flatMap(({ file, line, column, message }) => [
    `${file}:${line}:${column}`,
    ...wrapWords(message, WIDTH - 2).map((text) => `  ${text}`),
  ]);
  const noteLines = notes.flatMap((note) => wrapWords(`Note: ${note}`, WIDTH));
  if (problems.length > 0) {
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`;
    return [...problemLines, '', `${count}. Nothing can be applied before they are mended.`].join(
      '\n',
    );
  }
  if (steps.length === 0) {
    return [...noteLines, 'Nothing to do: the service holds what the files say.'].join('\n');
  }
  const count = (mark: string): number => steps.filter((planned) => planned.mark === mark).length;
  const summary = `${steps.length} change${steps.length === 1 ? '' : 's'}: ${count('safe')} safe, ${count('irreversible')} irreversible, ${count('widens RDR')} widen RDR; ${forecastText(forecastOf(steps))}.`;
  const blank = noteLines.length > 0 ? [''] : [];
  return [...steps.map(stepText), '', ...noteLines, ...blank, ...wrapWords(summary, WIDTH)].join(
    '\n',
  );
}

/** Enrolments on their way, one after another. */
export function waitingText(waiting: readonly WaitingEnrolment[]): string {
  return waiting.map((enrolment) => entry(waitingSentence(enrolment))).join('\n');
}

/** What others changed, what waits, and what is not applied yet. */
export function driftText(state: EstateState, hide: (text: string) => string): string {
  const section = (title: string, sentences: readonly string[]): string =>
    sectionText(title, sentences.map(hide));
  const { isNoted, drift, wider, waiting, notApplied, plan } = state;
  const sections = [
    section(
      'Changed elsewhere',
      drift.map((change) => driftSentence(change)),
    ),
    section(
      'RDR may refund more than after the last apply',
      wider.map(
        (change) =>
          `on "${change.enrolment}", for example a dispute ${disputeText(change.example)}.`,
      ),
    ),
    section('Enrolments on their way', waiting.map(waitingSentence)),
    section(
      isNoted ? 'In the file and not applied yet' : 'Where the service differs from the file',
      notApplied.map(({ sentence }) => sentence),
    ),
    section(
      'What a plan objects to',
      drift.length > 0 ? [] : plan.problems.map(({ message }) => message),
    ),
    drift.some(({ isConflict }) => isConflict) ? sentenceText(NEXT_STEP) : '',
    isNoted ? '' : sentenceText(NO_NOTE),
  ].filter((text) => text !== '');
  return sections.length > 0
    ? sections.join('\n\n')
    : 'No drift: the service holds what the file says and what the last apply left.';
}

const NEXT_STEP =
  'Take a change into the file, or change it back with "forestall estate plan --overwrite". Nothing is overwritten without that.';
const NO_NOTE =
  'There is no note of an apply beside the file, so it is unknown who changed what. The next apply writes one.';

function sectionText(title: string, sentences: readonly string[]): string {
  return sentences.length === 0 ? '' : [`${title}:`, ...sentences.map(entry)].join('\n');
}

function entry(sentence: string): string {
  return wrapWords(sentence, WIDTH - 4)
    .map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`))
    .join('\n');
}

/** One sentence as lines. */
export function sentenceText(text: string): string {
  return wrapWords(text, WIDTH).join('\n');
}
