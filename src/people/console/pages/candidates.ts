/** The match of an alert: which charge, what speaks for and against it, and the charges that it could mean, side by side. */

import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import { readCandidateOrders } from '../../../alerts/match/candidate-orders.store.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { utcWords } from '../../../base/kernel/instant.ts';
import type { KnownOrder } from '../../../orders/find-order.ts';
import { schemeWords } from '../../../service/wire/code-words.ts';
import { amountText } from '../../../surface/view/money.ts';
import { moment } from '../../../surface/view/time.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { memberOf, textAt, textsAt } from './stored-json.ts';

/** A candidate as it was stored with the match. What an older version did not store is null. */
export interface Candidate {
  readonly reference: string;
  readonly orderReference: string | null;
  readonly tier: string | null;
  readonly score: number | null;
  readonly for: readonly string[];
  readonly against: readonly string[];
  readonly authorisedAt: string | null;
  readonly amount: string | null;
  readonly card: string | null;
  readonly descriptor: string | null;
}

type Match = NonNullable<AlertDetail['match']>;
type LabelledValue = readonly [label: string, value: string];

/** The candidates, best first. */
export interface LineUp {
  readonly placed: readonly {
    readonly candidate: Candidate;
    readonly differs: readonly LabelledValue[];
  }[];
  /** What is the same for all of them, and so tells nothing. */
  readonly shared: readonly LabelledValue[];
  /** What speaks for, and against, each of them alike. */
  readonly sharedSigns: ReadonlySet<string>;
}

/** Items named at most. */
const ITEMS_MAX = 3;

/** Reads the candidates of a match and the orders behind them. */
export async function readLineUp({ options }: Visit, match: Match | undefined): Promise<LineUp> {
  const candidates = candidatesOf(match);
  const references = candidates.map(({ orderReference }) => orderReference);
  const { db, organisationId } = options;
  return lineUp(candidates, await readCandidateOrders(db, organisationId, references));
}

export function lineUp(
  candidates: readonly Candidate[],
  orders: ReadonlyMap<string, KnownOrder>,
): LineUp {
  const rows = candidates.map((candidate) => ({
    candidate,
    labelled: labelledValuesOf(candidate, orders.get(candidate.orderReference ?? '')),
  }));
  const labels = [...new Set(rows.flatMap(({ labelled }) => labelled.map(([label]) => label)))];
  const isShared = (label: string): boolean => {
    const values = rows.map(({ labelled }) => labelled.find(([one]) => one === label)?.[1]);
    return rows.length > 1 && values.every((value) => value === values[0]);
  };
  const shared = new Set(labels.filter(isShared));
  return {
    placed: rows.map(({ candidate, labelled }) => ({
      candidate,
      differs: labelled.filter(([label]) => !shared.has(label)),
    })),
    shared: rows[0]?.labelled.filter(([label]) => shared.has(label)) ?? [],
    sharedSigns: sharedSignsOf(candidates),
  };
}

/** Of one alone every sign counts. */
function sharedSignsOf(candidates: readonly Candidate[]): ReadonlySet<string> {
  const [first, ...others] = candidates;
  if (first === undefined || others.length === 0) return new Set();
  return new Set([
    ...first.for.filter((text) => others.every((other) => other.for.includes(text))),
    ...first.against.filter((text) => others.every((other) => other.against.includes(text))),
  ]);
}

/** `card_and_amount` in words. */
function tierWords(tier: string): string {
  return tier.replaceAll('_', ' ').replace(/\barn\b/, 'ARN');
}

/** The candidates of a match, as far as they can be read; best first. */
export function candidatesOf(match: Match | undefined): Candidate[] {
  return Array.isArray(match?.candidates) ? match.candidates.flatMap(candidateOf) : [];
}

function candidateOf(value: unknown): Candidate[] {
  const reference = textAt(value, 'reference');
  if (reference === null) return [];
  const score = memberOf(value, 'score');
  const minor = memberOf(value, 'amountMinor');
  const last4 = textAt(value, 'cardLast4');
  return [
    {
      reference,
      orderReference: textAt(value, 'orderReference'),
      tier: textAt(value, 'tier'),
      score: typeof score === 'number' ? score : null,
      for: textsAt(value, 'for'),
      against: textsAt(value, 'against'),
      authorisedAt: textAt(value, 'authorisedAt'),
      amount: typeof minor === 'number' ? amountText(minor, textAt(value, 'currency')) : null,
      card:
        last4 === null
          ? null
          : `${schemeWords(textAt(value, 'cardBrand') ?? '')} ···· ${last4}`.trim(),
      descriptor: textAt(value, 'descriptor'),
    },
  ];
}

/** What is known of one, in the order in which a person would ask. */
function labelledValuesOf(candidate: Candidate, order: KnownOrder | undefined): LabelledValue[] {
  const { authorisedAt, amount, card, descriptor, orderReference, score } = candidate;
  const all: readonly (readonly [string, string | null | undefined])[] = [
    ['Paid', authorisedAt === null ? null : utcWords(new Date(authorisedAt))],
    ['Amount', amount],
    ['Bought', order === undefined ? null : itemWords(order)],
    ['Customer', order === undefined ? null : customerWords(order)],
    ['Delivered', order === undefined ? null : deliveryWords(order)],
    ['Card', card],
    ['Descriptor', descriptor],
    ['Order', orderReference],
    ['Score', score?.toString()],
  ];
  return all.flatMap(([label, value]): LabelledValue[] => (value == null ? [] : [[label, value]]));
}

/** What was bought, in a line; null when the order names nothing. */
export function itemWords({ items }: KnownOrder): string | null {
  if (items.length === 0) return null;
  const names = items
    .slice(0, ITEMS_MAX)
    .map(
      ({ name, sku, quantity = 1 }) =>
        `${quantity === 1 ? '' : `${quantity} × `}${name ?? sku ?? 'an item'}`,
    );
  const more = items.length > ITEMS_MAX ? ` and ${items.length - ITEMS_MAX} more` : '';
  return names.join(', ') + more;
}

function customerWords({ body, customerEmail, customerAccountId }: KnownOrder): string | null {
  const { customer_first_name: first, customer_last_name: last } = body;
  const name = [first, last].filter((part) => part !== undefined).join(' ');
  const parts = [name, customerEmail ?? customerAccountId].filter(
    (part) => part !== null && part !== '',
  );
  return parts.length === 0 ? null : parts.join(', ');
}

function deliveryWords({ deliveries }: KnownOrder): string | null {
  const [delivery] = deliveries;
  if (delivery === undefined) return null;
  const { physical_shipping_datetime_delivered: at, physical_shipping_status: state } = delivery;
  if (at !== undefined) return utcWords(new Date(at));
  return state ?? null;
}

/** The cards, one beside the other; one below the other on a phone. */
export function candidateCards({ placed, shared, sharedSigns }: LineUp): Html | false {
  if (placed.length === 0) return false;
  const count = `${placed.length} ${placed.length === 1 ? 'candidate' : 'candidates'}`;
  return html`<details class="fold"${placed.length > 1 && html` open`}><summary>${count}${placed.length > 1 && ', by what differs'}</summary>
${shared.length > 0 && html`<p class="quiet small-text">The same for all: ${labelledWords(shared)}.${sharedSigns.size > 0 && ` ${[...sharedSigns].join(', ')}.`}</p>`}
<ul class="candidates">${placed.map(
    ({
      candidate,
      differs,
    }) => html`<li class="card"><h3><code>${candidate.reference}</code>${candidate.tier !== null && html` <span class="state">${tierWords(candidate.tier)}</span>`}</h3>
<dl class="facts">${differs.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
${signs(candidate, sharedSigns)}</li>`,
  )}</ul></details>`;
}

function signs({ for: agrees, against: differs }: Candidate, shared: ReadonlySet<string>): Html {
  const speaksFor = agrees.filter((text) => !shared.has(text));
  const against = differs.filter((text) => !shared.has(text));
  return html`<ul class="plain-list">${speaksFor.map((text) => html`<li class="for">${text}</li>`)}${against.map((text) => html`<li class="against">${text}</li>`)}</ul>`;
}

/** A choice between them, each with what tells it from the others. */
export function candidateChoice({ placed }: LineUp): Html {
  return html`<fieldset><legend>Which charge is meant?</legend>${placed.map(
    ({ candidate, differs }) =>
      html`<label class="inline"><input type="radio" name="charge_reference" value="${candidate.reference}" required>
<span><code>${candidate.reference}</code>${differs.length > 0 && html`<br>${labelledWords(differs)}`}${candidate.against.length > 0 && html`<br><span class="against">${candidate.against.join(', ')}</span>`}</span></label>`,
  )}</fieldset>`;
}

/** The charge by its name, where none is laid before the person. */
export function chargeByName(id: string): Html {
  return html`<label for="${id}">Charge (the processor's reference)</label>
<input id="${id}" name="charge_reference" required autocomplete="off">
<label class="inline"><input type="checkbox" name="other_card" value="yes"><span>It was paid with other card digits than the alert says (a wallet, a renewed card)</span></label>`;
}

function labelledWords(labelled: readonly LabelledValue[]): string {
  return labelled.map(([label, value]) => `${label.toLowerCase()} ${value}`).join(' · ');
}

export function matchSection({ match }: AlertDetail, lineUp: LineUp): Html {
  if (match === undefined) {
    return html`<p class="quiet">The charge is being looked for; this takes seconds.</p>`;
  }
  const sentence = textAt(match.evidence, 'sentence');
  const evidence = evidenceOf(match);
  return html`<p>${sentence ?? OUTCOME_WORDS[match.outcome]}${match.tier !== null && html` <span class="state">${tierWords(match.tier)}</span>`} <span class="quiet">by ${match.matched_by}, ${moment(match.matched_at)}</span></p>
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
