/** The match: which charge, what speaks for and against it, and which others it could have been. */

import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { AlertDetail } from '../../../books/insights/alert-detail.store.ts';
import { moment } from '../view/time.ts';

/** A candidate as it was stored with the match. */
export interface Candidate {
  readonly reference: string;
  readonly orderReference: string | null;
  readonly tier: string | null;
  readonly score: number | null;
  readonly for: readonly string[];
  readonly against: readonly string[];
}

type Match = NonNullable<AlertDetail['match']>;

/** The candidates of a match, as far as they can be read; best first. */
export function candidatesOf(match: Match | undefined): Candidate[] {
  return Array.isArray(match?.candidates) ? match.candidates.flatMap(candidateOf) : [];
}

function candidateOf(value: unknown): Candidate[] {
  const reference = textAt(value, 'reference');
  if (reference === null) return [];
  const score = memberOf(value, 'score');
  return [
    {
      reference,
      orderReference: textAt(value, 'orderReference'),
      tier: textAt(value, 'tier'),
      score: typeof score === 'number' ? score : null,
      for: textsAt(value, 'for'),
      against: textsAt(value, 'against'),
    },
  ];
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

function textAt(value: unknown, name: string): string | null {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : null;
}

function textsAt(value: unknown, name: string): string[] {
  const member = memberOf(value, name);
  return Array.isArray(member) ? member.filter((text) => typeof text === 'string') : [];
}

/** The section of the case page. */
export function matchSection({ match }: AlertDetail): Html {
  if (match === undefined) {
    return html`<p class="quiet">The charge is being looked for; this takes seconds.</p>`;
  }
  const candidates = candidatesOf(match);
  const sentence = textAt(match.evidence, 'sentence');
  const evidence = evidenceOf(match);
  return html`<p>${sentence ?? OUTCOME_WORDS[match.outcome]}${match.tier !== null && html` <span class="state">${match.tier.replaceAll('_', ' ')}</span>`} <span class="quiet">by ${match.matched_by}, ${moment(match.matched_at)}</span></p>
${evidence.length > 0 && html`<ul class="plain-list">${evidence.map(({ text, mark }) => html`<li class="${mark}">${text}</li>`)}</ul>`}
${candidates.length > 0 && candidateTable(candidates)}`;
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

function candidateTable(candidates: readonly Candidate[]): Html {
  return html`<details class="fold"${candidates.length > 1 && html` open`}><summary>${candidates.length} ${candidates.length === 1 ? 'candidate' : 'candidates'}</summary>
<div class="table" tabindex="0" role="region" aria-label="Candidates"><table><thead><tr><th scope="col">Charge</th><th scope="col">Order</th><th scope="col" class="number">Score</th><th scope="col">For</th><th scope="col">Against</th></tr></thead>
<tbody>${candidates.map(
    (
      one,
    ) => html`<tr><th scope="row"><code>${one.reference}</code>${one.tier !== null && html`<br><span class="state">${one.tier.replaceAll('_', ' ')}</span>`}</th>
<td>${one.orderReference ?? '–'}</td><td class="number">${one.score ?? '–'}</td>
<td><ul class="plain-list">${one.for.map((text) => html`<li class="for">${text}</li>`)}</ul></td>
<td><ul class="plain-list">${one.against.map((text) => html`<li class="against">${text}</li>`)}</ul></td></tr>`,
  )}</tbody></table></div></details>`;
}
