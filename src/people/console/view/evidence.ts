/** What a person reads about evidence: verdicts, earlier payments with the reason for each, groups of proof. */

import type { ComparedElement, Weighed } from '../../../alerts/evidence/compare-payments.ts';
import type { Ce3Judgement, JudgedPayment } from '../../../alerts/evidence/judge-ce3.ts';
import { BASIS_WORDS, ELEMENT_WORDS } from '../../../alerts/evidence/judge-ce3.ts';
import type { FptJudgement } from '../../../alerts/evidence/judge-fpt.ts';
import type { Judgement } from '../../../alerts/evidence/judge-subject.ts';
import type { Verdict } from '../../../alerts/evidence/payment.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { table } from './table.ts';

/** The programmes, as people call them. */
export const PROGRAMME_WORDS = {
  ce3: 'Compelling evidence (CE3.0)',
  fpt: 'First-party trust',
} as const;

/** Each verdict in words; nothing depends on colour alone. */
export const VERDICT_WORDS: Readonly<Record<Verdict, readonly [text: string, tone: string]>> = {
  qualifies: ['qualifies', 'good'],
  edge: ['at the edge', 'warn'],
  not: ['does not qualify', 'bad'],
  elsewhere: ['not about it', ''],
};

/** A verdict as a badge. */
export function verdictBadge(verdict: Verdict): Html {
  const [text, tone] = VERDICT_WORDS[verdict];
  return html`<span class="state ${tone}">${text}</span>`;
}

/** Both programmes, with the reason for each earlier payment. */
export function judgementParts({ ce3, fpt }: Judgement): Html {
  return html`<div class="columns"><section><h3>${PROGRAMME_WORDS.ce3}</h3>${ce3Part(ce3)}</section>
<section><h3>${PROGRAMME_WORDS.fpt}</h3>${fptPart(fpt)}</section></div>
${ce3.payments.length > 0 && html`<h3>Earlier payments with the same credential</h3>${paymentTable(ce3.payments)}`}`;
}

function ce3Part({ verdict, why, bases, missing, rule }: Ce3Judgement): Html {
  return html`<p>${verdictBadge(verdict)} ${sentence(why)}</p>
${
  bases.length > 0 &&
  html`<ul class="plain-list">${bases.map(
    (each) =>
      html`<li>Counted from ${BASIS_WORDS[each.basis]}: ${verdictBadge(each.verdict)} <span class="quiet">${each.why}</span></li>`,
  )}</ul>`
}
${missingLine(missing)}${ruleLine(rule)}`;
}

function fptPart({ verdict, why, groups, missing, rule }: FptJudgement): Html {
  return html`<p>${verdictBadge(verdict)} ${sentence(why)}</p>
${
  groups.length > 0 &&
  html`<ul class="plain-list">${groups.map(
    ({ group, isHeld }) =>
      html`<li class="${isHeld ? 'for' : 'against'}">${group} <span class="quiet">${isHeld ? 'known' : 'nothing is known'}</span></li>`,
  )}</ul>`
}
${missingLine(missing)}${ruleLine(rule)}`;
}

function sentence(why: string): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}

function missingLine(missing: readonly string[]): Html | false {
  if (missing.length === 0) return false;
  return html`<p>It lacked ${missing.map((field, place) => html`${place > 0 && ' or '}<code>${field}</code>`)} in your orders.</p>`;
}

function ruleLine(rule: Ce3Judgement['rule']): Html | false {
  if (rule === null) return false;
  return html`<p class="quiet">Rule of ${rule.valid_from}; ${CONFIDENCE_WORDS[rule.confidence]}.</p>`;
}

const CONFIDENCE_WORDS = {
  primary: 'read in the scheme’s own text',
  secondary: 'from vendors’ pages',
  contested: 'sources contradict each other on parts of it',
} as const;

const COUNT_WORDS: Readonly<Record<Weighed['counts'], readonly [string, string]>> = {
  yes: ['counts', 'good'],
  edge: ['at the edge', 'warn'],
  no: ['does not count', ''],
};

function paymentTable(payments: readonly JudgedPayment[]): Html {
  return table({
    label: 'Earlier payments, latest first',
    columns: [
      'Payment',
      'Day',
      'From the dispute',
      'From the payment',
      'The same',
      'Not the same',
      'Remarks',
    ],
    rows: payments.map((payment) => [
      html`<a href="/charges/${encodeURIComponent(payment.reference)}"><code>${payment.reference}</code></a>`,
      payment.day,
      countBadge(payment, payment.age.dispute_date),
      countBadge(payment, payment.age.processing_date),
      listOf(payment.elements, ({ state }) => state === 'equal'),
      html`<span class="long">${listOf(payment.elements, ({ state }) => state !== 'equal' && state !== 'no login')}</span>`,
      html`<span class="long">${[...new Set([...payment.standing.reasons, ...payment.age.dispute_date.reasons, ...payment.age.processing_date.reasons])].join('; ')}</span>`,
    ]),
  });
}

function countBadge({ standing }: JudgedPayment, age: Weighed): Html {
  const both = [standing.counts, age.counts];
  const counts = (['no', 'edge', 'yes'] as const).find((each) => both.includes(each)) ?? 'no';
  const [text, tone] = COUNT_WORDS[counts];
  return html`<span class="state ${tone}">${text}</span>`;
}

function listOf(
  elements: readonly ComparedElement[],
  wanted: (element: ComparedElement) => boolean,
): string {
  const words = elements
    .filter(wanted)
    .map(({ element, state }) =>
      state === 'equal' || state === 'different'
        ? ELEMENT_WORDS[element]
        : `${ELEMENT_WORDS[element]} (${state})`,
    );
  return words.length === 0 ? '–' : words.join(', ');
}
