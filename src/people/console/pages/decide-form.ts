/** What the confirmation of each action says, and what it asks for. */
import type { Dispute, Ledger } from '../../../alerts/ledger/ledger.ts';
import { coverOf, disputeOf, missingMinor } from '../../../alerts/ledger/ledger.ts';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import type { OperatorAction } from '../../../alerts/review/operator-decision.ts';
import { answerToAccept } from '../../../alerts/review/persons-verdict.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Money } from '../../../base/kernel/money.ts';
import { formatMoney } from '../../../base/kernel/money.ts';
import type { HealthPart, PartHealth } from '../../../health/health.ts';
import { stopOf } from '../../../health/health.ts';
import { amountText, moneyText } from '../../../surface/view/money.ts';
import type { LineUp } from './candidates.ts';
import { candidateChoice, chargeByName } from './candidates.ts';

export interface Subject {
  readonly action: OperatorAction;
  readonly detail: AlertDetail;
  /** Undefined: no charge is known. */
  readonly ledger: Ledger | undefined;
  /** What keeps Forestall from carrying the action out now. */
  readonly stop: PartHealth | undefined;
  /** The charges it could mean. */
  readonly lineUp: LineUp;
}

/** The part of Forestall that carries the action out; what a person only states needs none at once. */
const NEEDED_PARTS: Readonly<Partial<Record<OperatorAction, HealthPart>>> = {
  REFUND: 'refunding',
  RETRY: 'refunding',
  ACCEPT_DISPUTE: 'declaring',
  NOT_OURS: 'declaring',
  REFUNDED_OUTSIDE: 'declaring',
  DID_EXECUTE: 'declaring',
};

/** What keeps Forestall from carrying an action out now; undefined when nothing does. */
export function stopOfAction(
  action: OperatorAction,
  health: readonly PartHealth[],
): PartHealth | undefined {
  const part = NEEDED_PARTS[action];
  return part === undefined ? undefined : stopOf(health, part);
}

export interface ActionWords {
  readonly title: string;
  readonly button: string;
  /** The button names an amount, which follows what is typed: the words before and after it. */
  readonly follows?: { readonly before: string; readonly after: string; readonly currency: string };
  readonly effect: string;
}

export function wordsOf({ action, detail, ledger, stop }: Subject): ActionWords {
  const about = `The alert is about ${amountText(detail.alert?.amount_minor ?? null, detail.alert?.currency ?? null)}.`;
  if (action === 'REFUND') {
    const dispute = ownDispute(ledger, detail);
    return refundWords({ about, dispute, ledger, detail, isStopped: stop !== undefined });
  }
  const despite = action === 'ACCEPT_DISPUTE' ? despiteOf({ detail, ledger }) : undefined;
  if (despite !== undefined) {
    return {
      title: 'Accept the dispute, although money went back?',
      button: `Accept; ${despite.text} may be paid twice`,
      effect: `${about} ${despite.text} of it has gone back to the cardholder already. The service is told that the dispute may continue, so the issuer can take the whole amount as well: ${despite.text} may then be paid twice. The answer is final.`,
    };
  }
  return { ...WORDS[action], effect: `${about} ${WORDS[action].effect}` };
}

function refundWords({
  about,
  dispute,
  ledger,
  detail,
  isStopped,
}: {
  readonly about: string;
  readonly detail: AlertDetail;
  readonly dispute: Dispute | undefined;
  readonly ledger: Ledger | undefined;
  readonly isStopped: boolean;
}): ActionWords {
  const later = isStopped ? ' once refunds go' : '';
  const title = 'Refund?';
  const after = isStopped
    ? 'once refunds go again, after its usual checks, and then tells the service. No money moves before; the answer is final.'
    : 'after its usual checks, and then tells the service. Money moves and the answer is final.';
  if (dispute === undefined || ledger === undefined) {
    const { amount_minor: amountMinor = null, currency: alertCurrency = null } = detail.alert ?? {};
    const most =
      amountMinor === null || alertCurrency === null
        ? ''
        : ` up to ${amountText(amountMinor, alertCurrency)}`;
    return {
      title,
      button: `Refund${most}${later}`,
      effect: `${about} Forestall refunds at the processor what is missing, ${after}`,
    };
  }
  const { currency } = dispute;
  const gone = coverOf(ledger, dispute.id, false);
  const missing = missingMinor(ledger, dispute);
  const soFar =
    gone === 0
      ? ''
      : ` ${moneyText({ amountMinor: gone, currency })} has gone back for it already.`;
  if (missing === 0) {
    return {
      title,
      button: 'Declare the refund',
      effect: `${about}${soFar} No money moves: Forestall tells the service that it is refunded. The answer is final.`,
    };
  }
  const sum = moneyText({ amountMinor: missing, currency });
  return {
    title,
    button: `Refund ${sum}${later}`,
    follows: { before: 'Refund ', after: later, currency },
    effect: `${about}${soFar} Forestall refunds what is missing, at most ${sum}, at the processor ${after}`,
  };
}

const WORDS: Readonly<Record<Exclude<OperatorAction, 'REFUND'>, ActionWords>> = {
  ACCEPT_DISPUTE: {
    title: 'Accept the dispute?',
    button: 'Accept the dispute',
    effect:
      'No money moves; the service is told that the dispute may continue. The answer is final.',
  },
  RETRY: {
    title: 'Try again?',
    button: 'Try again',
    effect:
      'Forestall continues where it got stuck: it asks the processor and the service again and, where a refund stands, declares it. Nothing is refunded twice.',
  },
  REFUNDED_OUTSIDE: {
    title: 'Refunded outside?',
    button: 'It was refunded outside',
    effect:
      'You say that money went back by a way the processor does not show: a cheque, store credit, another payment. Forestall moves no money for what you name; once the alert is covered it is declared refunded.',
  },
  DID_EXECUTE: {
    title: 'The request did execute?',
    button: 'It did execute',
    effect:
      'A refund was requested and no answer is known. You say that the processor carried it out. Forestall counts the money as gone and declares the alert refunded.',
  },
  DID_NOT_EXECUTE: {
    title: 'The request did not execute?',
    button: 'It did not execute',
    effect:
      'A refund was requested and no answer is known. You say that the processor did not carry it out and will not. Forestall may then refund again.',
  },
  JOIN_DISPUTE: {
    title: 'The same complaint?',
    button: 'It is the same',
    effect:
      'You say that this alert and another of the same charge are one complaint. One refund then answers both.',
  },
  SEPARATE_DISPUTE: {
    title: 'Another complaint?',
    button: 'It is another one',
    effect:
      'You say that this alert is a complaint of its own about the same charge. What went back for the other does not answer it.',
  },
  NOT_OURS: {
    title: 'Not ours?',
    button: 'It is not ours',
    effect:
      'You say that this payment is not ours. The service is told that the dispute may continue, and that the price of the alert is claimed back. The answer is final.',
  },
};

/** Why a person must write a reason: what they say moves money or counts as money. */
export function needsReason(action: OperatorAction): boolean {
  return action !== 'RETRY' && action !== 'ACCEPT_DISPUTE';
}

export function fieldsOf(subject: Subject): Html {
  const { action, detail, ledger } = subject;
  switch (action) {
    case 'REFUND':
      return html`${chargeField(subject)}${amountField('Amount', subject, true)}`;
    case 'ACCEPT_DISPUTE': {
      const despite = despiteOf(subject);
      return html`${
        despite !== undefined &&
        html`<input type="hidden" name="despite_in_cents" value="${despite.amountMinor}">`
      }`;
    }
    case 'REFUNDED_OUTSIDE':
      return html`${amountField('How much went back (empty: what is missing)', subject)}${referenceField()}`;
    case 'DID_EXECUTE':
      return html`${amountInput('How much went back (empty: what was asked for)', currencyOf(subject))}${referenceField()}`;
    case 'JOIN_DISPUTE':
      return disputeField(detail, ledger);
    default:
      return html``;
  }
}

/** The currency that a person's amount is in: the charge's. */
export function currencyOf({ ledger, detail }: Pick<Subject, 'ledger' | 'detail'>): string | null {
  return ledger?.currency ?? detail.alert?.currency ?? null;
}

/** What would still go out for a dispute; undefined where it is not on the charge's account. */
export function missingOf(
  ledger: Ledger | undefined,
  disputeId: string | null | undefined,
): Money | undefined {
  const dispute = ledger === undefined ? undefined : disputeOf(ledger, disputeId ?? null);
  if (ledger === undefined || dispute === undefined) return undefined;
  return { amountMinor: missingMinor(ledger, dispute), currency: dispute.currency };
}

/** @param isFilled what is missing is in the field; else it is only hinted at */
function amountField(label: string, subject: Subject, isFilled = false): Html {
  const currency = currencyOf(subject);
  const missing = missingOf(subject.ledger, subject.detail.case?.dispute_id);
  if (currency === null || missing?.amountMinor === 0) return html``;
  const hint = missing === undefined ? '' : formatMoney(missing).split(' ')[0];
  if (isFilled && missing === undefined) {
    return amountInput(`${label} (empty: what is missing)`, currency);
  }
  return amountInput(label, currency, isFilled ? { value: hint } : { hint });
}

function amountInput(
  label: string,
  currency: string | null,
  {
    hint = '',
    value = '',
  }: { readonly hint?: string | undefined; readonly value?: string | undefined } = {},
): Html {
  if (currency === null) return html``;
  return html`<label for="amount">${label}, ${currency}</label>
<input id="amount" name="amount" inputmode="decimal" autocomplete="off" placeholder="${hint}" value="${value}">`;
}

function referenceField(): Html {
  return html`<label for="reference">Where the money can be found (reference)</label>
<input id="reference" name="reference" required maxlength="300" autocomplete="off">`;
}

function disputeField(detail: AlertDetail, ledger: Ledger | undefined): Html {
  const others = ledger?.disputes.filter(({ id }) => id !== detail.case?.dispute_id) ?? [];
  return html`<fieldset><legend>The same complaint as which?</legend>${others.map(
    ({ id, alerts, ...sum }) =>
      html`<label class="inline"><input type="radio" name="dispute_id" value="${id}" required><span>${moneyText(sum)}, ${alerts.map(({ alertId }) => alertId).join(', ')}</span></label>`,
  )}</fieldset>`;
}

/** Which charge: the one on record, or the one the person chooses or names. */
function chargeField({ detail: { case: row }, lineUp }: Subject): Html {
  if (row?.charge_reference != null) {
    return html`<p>Charge <code>${row.charge_reference}</code>.</p>`;
  }
  if (lineUp.placed.length > 0) return candidateChoice(lineUp);
  return chargeByName('charge');
}

/** What went back although the dispute is to be accepted; undefined when nothing did. */
function despiteOf({
  ledger,
  detail,
}: Pick<Subject, 'ledger' | 'detail'>): { amountMinor: number; text: string } | undefined {
  if (ledger === undefined || detail.case === undefined) return undefined;
  const answer = answerToAccept({ ledger, alertId: detail.case.alert_id });
  if (answer.kind !== 'tell') return undefined;
  const { objection } = answer;
  const { amountMinor, currency } = objection;
  return { amountMinor, text: amountText(amountMinor, currency) };
}

function ownDispute(ledger: Ledger | undefined, { case: row }: AlertDetail): Dispute | undefined {
  return ledger === undefined ? undefined : disputeOf(ledger, row?.dispute_id ?? null);
}
