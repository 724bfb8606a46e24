/** The match: which charge, what speaks for and against it, and which others it could have been. */

import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { AlertDetail } from '../../../books/insights/alert-detail.store.ts';
import { moment } from '../view/time.ts';
import type { LineUp } from './candidates.ts';
import { candidateCards } from './candidates.ts';
import { memberOf, textAt } from './stored-json.ts';

type Match = NonNullable<AlertDetail['match']>;

/** The section of the case page. */
export function matchSection({ match }: AlertDetail, lineUp: LineUp): Html {
  if (match === undefined) {
    return html`<p class="quiet">The charge is being looked for; this takes seconds.</p>`;
  }
  const sentence = textAt(match.evidence, 'sentence');
  const evidence = evidenceOf(match);
  return html`<p>${sentence ?? OUTCOME_WORDS[match.outcome]}${match.tier !== null && html` <span class="state">${match.tier.replaceAll('_', ' ')}</span>`} <span class="quiet">by ${match.matched_by}, ${moment(match.matched_at)}</span></p>
${evidence.length > 0 && html`<ul class="plain-list">${evidence.map(({ text, mark }) => html`<li class="${mark}">${text}</li>`)}</ul>`}
${candidateCards(lineUp)}`;
}

const OUTCOME_WORDS: Readonly<Record<Match['outcome'], string>> = {
  single: 'One charge is meant.',
  none: 'No charge was found.',
  several: 'Several charges could be meant.',
};

const MARKS: Readonly<Record<string, string>> = { agrees: 'for', differs: 'against' };

function evidenceOf(match: Match): { text: string; mark: string }[] {
  const list = memberOf(match.evidence, 'facts');
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown) => {
    const text = textAt(entry, 'text');
    const verdict = textAt(entry, 'verdict') ?? '';
    return text === null ? [] : [{ text, mark: MARKS[verdict] ?? 'unknown' }];
  });
}
