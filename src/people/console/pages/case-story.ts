/**
 * A case told in five to seven steps, as one person would tell it to another: bought, delivered, disputed, decided, paid
 * back, answered, and what comes next. Every single step is in the full log (`case-timeline.ts`).
 */
import { isTerminal } from '../../../alerts/cases/case-state.ts';
import { holdSentence } from '../../../alerts/cases/hold-reason.ts';
import type { DecisionAction } from '../../../alerts/decide/decision.table.ts';
import { customerName } from '../../../alerts/review/review-customers.store.ts';
import type { Html, HtmlValue } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { reasonWords } from '../../../service/wire/code-words.ts';
import { amountText, money } from '../../../surface/view/money.ts';
import { moment } from '../../../surface/view/time.ts';
import { nextWords, STATE_WORDS, unlessDecided } from '../../../surface/view/words.ts';
import { itemWords } from './candidates.ts';
import { nextFactsOf, reasonOf } from './case-description.ts';
import type { CaseView } from './case-view.ts';

/** A step: when, what kind it is (its dot on the line), and its sentence. */
export interface StoryStep {
  /** Null: it has not happened yet. */
  readonly at: Date | null;
  readonly kind: 'told' | 'step' | 'money-step' | 'decision-step' | 'person-step' | 'next-step';
  readonly body: HtmlValue;
}

type Decision = CaseView['detail']['decisions'][number];

/** The steps, in the order in which they happened. */
function storyOf(view: CaseView): StoryStep[] {
  const { detail } = view;
  const real = detail.decisions.filter(({ shadow }) => !shadow);
  const ours = real.findLast(({ decided_by: by }) => !by.startsWith('operator:'));
  const person = real.findLast(({ decided_by: by }) => by.startsWith('operator:'));
  const steps = [
    paid(view),
    delivered(view),
    disputed(view),
    ours !== undefined && decidedByUs(view, ours),
    person !== undefined && decidedByPerson(person),
    moneyBack(view),
    answered(view),
  ].filter((step) => step !== false && step !== undefined);
  const happened = steps.toSorted((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0));
  return [...happened, ...next(view)];
}

export function story(view: CaseView): Html {
  const steps = storyOf(view);
  return html`<ol class="timeline story">${steps.map(
    ({ at, kind, body }) =>
      html`<li class="${kind}"><p class="when">${at === null ? 'Next' : moment(at)}</p><p>${body}</p></li>`,
  )}</ol>`;
}

function paid({ order, charge, detail }: CaseView): StoryStep | false {
  const at = charge?.authorisedAt ?? order?.orderDatetime ?? detail.alert?.authorised_at ?? null;
  if (at === null) return false;
  const { amountMinor = null, currency = null } = charge ?? {};
  const sum =
    amountMinor === null
      ? amountText(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null)
      : amountText(amountMinor, currency);
  const who = order === undefined ? null : customerName(order.body);
  const what = order === undefined ? null : itemWords(order);
  const body =
    who === null && what === null
      ? html`A card ending ${detail.alert?.card_last4 ?? '????'} was charged ${sum}.`
      : html`<strong>${who ?? 'The customer'}</strong> bought ${what ?? 'something'} for ${sum}.`;
  return { at: new Date(at), kind: 'step', body };
}

function delivered({ order }: CaseView): StoryStep | false {
  const at = order?.deliveries[0]?.physical_shipping_datetime_delivered;
  if (at === undefined) return false;
  const carrier = order?.deliveries[0]?.physical_shipping_carrier;
  const body = html`It was delivered${carrier !== undefined && html` by ${carrier}`}.`;
  return { at: new Date(at), kind: 'step', body };
}

function disputed({ detail: { alert, case: row } }: CaseView): StoryStep | false {
  if (row === undefined) return false;
  const sum = amountText(alert?.amount_minor ?? null, alert?.currency ?? null);
  const code = alert?.reason_code ?? null;
  const body = html`${alert?.card_issuer ?? 'The cardholder’s bank'} raised a complaint about ${sum}${code !== null && html`: ${reasonWords(code)}`}.`;
  return { at: row.opened_at, kind: 'told', body };
}

const DECIDED: Readonly<Record<DecisionAction, string>> = {
  REFUND: 'to refund',
  ACCEPT_DISPUTE: 'to accept the dispute',
  REVIEW: 'to ask a person',
  NONE: 'that nothing is to be done',
};

const BY: Readonly<Record<string, string>> = {
  policy: 'The policy',
  guard: 'A safeguard',
  fallback: 'Nobody had decided in time: the fallback',
};

function decidedByUs({ detail }: CaseView, decision: Decision): StoryStep {
  const { action, decided_by: by, decided_at: at } = decision;
  const hold = detail.case?.hold_reason ?? null;
  const why = action === 'REVIEW' && hold !== null ? holdSentence(hold) : decision.sentence;
  const body = html`${BY[by] ?? by} decided <strong>${DECIDED[action]}</strong>. ${why}`;
  return { at, kind: 'decision-step', body };
}

function decidedByPerson(decision: Decision): StoryStep {
  const { action, decided_by: by, decided_at: at } = decision;
  const reason = reasonOf(decision);
  const who = by.slice('operator:'.length);
  const body = html`<strong>${who}</strong> decided <strong>${DECIDED[action]}</strong>${reason !== null && html`: ${reason}`}`;
  return { at, kind: 'person-step', body };
}

function moneyBack({ detail: { movements } }: CaseView): StoryStep | undefined {
  const movement = movements.findLast(({ state }) => state === 'CONFIRMED');
  if (movement === undefined) return undefined;
  const { amount_minor: amountMinor, currency, idempotency_key: key, kind } = movement;
  const others = kind === 'network' ? ', by the network' : ', not by us';
  const who = key === null ? others : '';
  const body = html`${money({ amountMinor, currency })} went back to the cardholder${who}.`;
  return { at: movement.confirmed_at ?? movement.created_at, kind: 'money-step', body };
}

function answered({ detail: { declaration } }: CaseView): StoryStep | undefined {
  if (declaration?.settled_at == null || declaration.state !== 'DONE') return undefined;
  const what =
    declaration.action === 'REFUND' ? 'that it is refunded' : 'that the dispute may continue';
  const body = html`The service was told <strong>${what}</strong>.`;
  return { at: declaration.settled_at, kind: 'money-step', body };
}

function next({ detail: { case: row } }: CaseView): StoryStep[] {
  if (row === undefined) return [];
  if (!isTerminal(row.state)) {
    const facts = nextFactsOf(row);
    const body = row.state === 'HUMAN' ? unlessDecided(facts) : nextWords(facts);
    return [{ at: null, kind: 'next-step', body }];
  }
  if (row.state === 'DECLARED_REFUND' || row.state === 'DECLARED_ACCEPT') return [];
  const body = html`It is over: ${STATE_WORDS[row.state][0]}.`;
  return row.closed_at === null ? [] : [{ at: row.closed_at, kind: 'step', body }];
}
