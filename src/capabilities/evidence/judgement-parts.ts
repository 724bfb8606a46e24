/** What a person reads about evidence: verdicts, earlier payments with the reason for each, groups of proof. */
import type { ComparedElement, Weighed } from '../../alerts/evidence/compare-payments.ts';
import { BASES } from '../../alerts/evidence/evidence-rules.ts';
import type { Ce3Judgement, JudgedPayment } from '../../alerts/evidence/judge-ce3.ts';
import { BASIS_WORDS, ELEMENT_WORDS } from '../../alerts/evidence/judge-ce3.ts';
import type { FptJudgement } from '../../alerts/evidence/judge-fpt.ts';
import type { Judgement } from '../../alerts/evidence/judge-subject.ts';
import type { Verdict } from '../../alerts/evidence/payment.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { inWords } from '../../service/wire/code-words.ts';
import { pageLink } from '../../surface/view/page-link.ts';
import { stackedTable } from '../../surface/view/table.ts';

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
${basisPart(bases)}${missingLine(missing)}${ruleLine(rule)}`;
}

/** Both bases, where they differ; that they agree is said in a line. */
function basisPart(bases: Ce3Judgement['bases']): Html | false {
  const [first, ...others] = bases;
  if (first === undefined) return false;
  if (others.every(({ verdict, why }) => verdict === first.verdict && why === first.why)) {
    return html`<p class="quiet">The same whether counted ${bases.map((each, place) => html`${place > 0 && ' or '}from ${BASIS_WORDS[each.basis]}`)}.</p>`;
  }
  return html`<ul class="plain-list">${bases.map(
    (each) =>
      html`<li>${verdictBadge(each.verdict)} counted from ${BASIS_WORDS[each.basis]}: <span class="quiet">${each.why}</span></li>`,
  )}</ul>`;
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
  const said = inWords(why);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
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
  return stackedTable({
    label: 'Earlier payments, latest first',
    columns: ['Payment', 'Counts', 'Elements', 'Remarks'],
    rows: payments.map((payment) => [
      html`${pageLink('/charges/:reference', html`<code>${payment.reference}</code>`, { reference: payment.reference })}<br><span class="quiet">${unbroken(payment.day)}</span>`,
      countPart(payment),
      elementLines(payment.elements),
      html`<span class="long">${remarksOf(payment)}</span>`,
    ]),
  });
}

function unbroken(day: string): string {
  return day.replaceAll('-', '\u2011');
}

/** Whether it counts, by each basis where they differ. */
function countPart({ standing, age }: JudgedPayment): Html {
  const byBasis = BASES.map((basis) => ({ basis, counts: worseOf(standing, age[basis]) }));
  const [first] = byBasis;
  if (first === undefined || byBasis.every(({ counts }) => counts === first.counts)) {
    return countBadge(first?.counts ?? 'no');
  }
  return html`${byBasis.map(
    ({ basis, counts }) =>
      html`<div>${countBadge(counts)} <span class="quiet">from ${BASIS_WORDS[basis]}</span></div>`,
  )}`;
}

function worseOf(standing: Weighed, age: Weighed): Weighed['counts'] {
  const both = [standing.counts, age.counts];
  return (['no', 'edge', 'yes'] as const).find((each) => both.includes(each)) ?? 'no';
}

function countBadge(counts: Weighed['counts']): Html {
  const [text, tone] = COUNT_WORDS[counts];
  return html`<span class="state ${tone}">${text}</span>`;
}

/** States of elements in words, in the order in which they are shown. */
const STATE_WORDS: readonly (readonly [ComparedElement['state'], string])[] = [
  ['equal', 'The same'],
  ['different', 'Different'],
  ['too short', 'The same, but too short'],
  ['missing here', 'Missing on the disputed payment'],
  ['missing there', 'Missing on this one'],
  ['missing on both', 'Missing on both'],
];

function elementLines(elements: readonly ComparedElement[]): Html {
  return html`${STATE_WORDS.map(([state, words]) => {
    const names = elements.filter((each) => each.state === state);
    if (names.length === 0) return false;
    const list = names.map(({ element }) => ELEMENT_WORDS[element]).join(', ');
    return html`<div>${state === 'equal' ? html`<strong>${words}:</strong>` : html`<span class="quiet">${words}:</span>`} ${list}</div>`;
  })}`;
}

function remarksOf({ standing, age }: JudgedPayment): string {
  const byBasis = BASES.flatMap((basis) =>
    age[basis].reasons.map((reason) => `${reason}, from ${BASIS_WORDS[basis]}`),
  );
  return [...standing.reasons, ...byBasis].join('; ');
}
