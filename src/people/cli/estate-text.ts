/** What the estate commands print. Lines fit a terminal of 80 columns where words allow it. */
import { forecastOf, forecastText } from '../../service/estate/forecast.ts';
import type { EstatePlan } from '../../service/estate/plan.ts';
import type { PlannedStep } from '../../service/estate/step.ts';
import { wrapWords } from './wrap-words.ts';

const WIDTH = 78;

/** Sentences with a sign in front: what a step does to what exists. */
function signOf({ step }: PlannedStep): string {
  if (step.kind.startsWith('create_') || step.kind === 'append_descriptors') return '+';
  return step.kind.startsWith('delete_') || step.kind === 'cancel_enrolment' ? '-' : '~';
}

/** One step: sign, sentence, and what to know about it. */
export function stepText(planned: PlannedStep): string {
  const mark = planned.mark === 'safe' ? '' : ` [${planned.mark}]`;
  const [first = '', ...more] = wrapWords(planned.sentence + mark, WIDTH - 2);
  return [`${signOf(planned)} ${first}`, ...more.map((line) => `    ${line}`)].join('\n');
}

/** A whole plan. */
export function planText({ steps, problems, notes }: EstatePlan): string {
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
