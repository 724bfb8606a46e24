/** Alerts: raised as a network does, answered as in the service's dashboard, withdrawn. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { ALERT_ACTIONS, CARD_SCHEMES, REFUND_OUTCOMES } from '../../../service/wire/alert.ts';
import { codeWords } from '../../../service/wire/code-words.ts';
import type { SandboxContext } from '../../sandbox-context.ts';
import type { AlertRecord } from '../../state/resources.ts';
import type { Field } from '../forms.ts';
import { choices, form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import type { Row } from '../pieces.ts';
import { coded, facts, mark, moment, money, newest, rows, section, spelled } from '../pieces.ts';

export const alertsView: View = {
  path: '/sandbox/page/alerts',
  title: 'Alerts',
  render: (visit) => html`${section('Raise an alert', raiseForms(visit))}
${section('The newest alerts', alertRows(visit), { live: true })}`,
};

function raiseForms({ here, context }: Visit): Html {
  const call = 'POST /sandbox/alerts';
  const done = 'The alert is raised:';
  const reason = { name: 'reason_code', label: 'Reason code', value: '10.4' };
  const ofCharge = form(here, {
    call,
    button: 'Raise it',
    done,
    fields: [
      { name: 'charge_reference', label: 'Payment', options: chargeChoices(context), wide: true },
      reason,
      { name: 'deadline_hours:number', label: 'Hours to the deadline', value: '48' },
    ],
  });
  const free = form(here, {
    call,
    button: 'Raise it',
    done,
    fields: [
      { name: 'enrolment_id', label: 'Through', options: enrolmentChoices(context), wide: true },
      ...TRANSACTION_FIELDS,
      reason,
      { name: 'deadline_hours:number', label: 'Hours to the deadline', value: '48' },
      { name: 'note', label: 'Note' },
    ],
  });
  const first =
    context.state.charges.size === 0
      ? html`<p class="quiet">There is no payment at the sandbox's processor yet: make one under
<a href="/sandbox/page/charges">Payments</a>, or raise one with any values.</p>`
      : ofCharge;
  return html`${first}<details class="fold" id="raise-free"${
    context.state.charges.size === 0 ? html` open` : ''
  }><summary>With values of your own</summary>${free}</details>`;
}

const TRANSACTION_FIELDS: readonly Field[] = [
  { name: 'amount_in_cents:number', label: 'Amount in minor units', value: '12990' },
  { name: 'currency_code', label: 'Currency', value: 'USD' },
  { name: 'card_scheme', label: 'Card scheme', options: choices(CARD_SCHEMES) },
  { name: 'card_bin', label: 'First digits of the card', value: '424242' },
  { name: 'card_last4', label: 'Last four', value: '4242' },
  { name: 'acquirer_reference_number', label: 'Acquirer reference number', hint: '23 digits' },
  { name: 'authorisation_code', label: 'Authorisation code', hint: '6 characters' },
  { name: 'statement_descriptor', label: 'Statement descriptor' },
];

function chargeChoices({ state }: SandboxContext): NonNullable<Field['options']> {
  return newest(state.charges.values()).map((charge) => [
    charge.reference,
    `${money(charge.amount_in_cents, charge.currency)}, ${charge.reference}`,
  ]);
}

function enrolmentChoices({ state }: SandboxContext): NonNullable<Field['options']> {
  return [...state.enrolments.values()]
    .filter(({ type }) => type === 'NETA_ALERT' || type === 'NETB_RDR')
    .map(({ id, type }) => [id, `${codeWords(type)}: ${id}`]);
}

function alertRows({ here, context }: Visit): Html {
  const list = newest(context.state.alerts.values()).map(
    (alert): Row => ({
      id: alert.id,
      title: html`${money(alert.transaction_amount_in_cents, alert.transaction_currency_code)}
<span class="quiet">${coded(alert.enrolment_type)}</span>`,
      state: mark(alert.status),
      aside: alert.id,
      body: html`${details(alert)}${actions(alert, here)}`,
    }),
  );
  return rows(list, 'None yet.');
}

function details(alert: AlertRecord): Html {
  return facts([
    ['Programme', spelled(alert.enrolment_type)],
    ['Status', spelled(alert.status)],
    ['Deadline', moment(alert.action_required_deadline)],
    ['Outcome', spelled(alert.transaction_refund_outcome)],
    ['Note', alert.note],
    ['Matched transaction', alert.integration_transaction_id ?? 'none'],
    ['Descriptor', alert.transaction_statement_descriptor],
    ['Card', cardOf(alert)],
    ['Acquirer reference number', alert.transaction_acquirer_reference_number],
    ['Authorisation code', alert.transaction_authorisation_code],
    ['Reason', spelled(alert.chargeback_reason_code)],
    ['Raised', moment(alert.created_at)],
    ['Changed', moment(alert.updated_at)],
  ]);
}

function cardOf(alert: AlertRecord): Html | null {
  const { transaction_card_scheme: scheme, transaction_card_bin: bin } = alert;
  const number = [bin, alert.transaction_card_last4].filter((part) => part !== null).join(' ');
  return scheme === null && number === '' ? null : html`${spelled(scheme)} ${number}`;
}

function actions({ id, status }: AlertRecord, here: string): Html {
  const resolve = form(here, {
    call: `POST /sandbox/alerts/${id}/resolve`,
    button: 'Answer it',
    done: 'The alert is answered.',
    fields: [
      { name: 'action', label: 'Answer', options: choices(ALERT_ACTIONS) },
      { name: 'note', label: 'Note' },
    ],
  });
  const outcome = form(here, {
    call: `PATCH /sandbox/alerts/${id}`,
    button: 'Change the outcome alone',
    done: 'The outcome is changed; the status is not.',
    fields: [
      {
        name: 'transaction_refund_outcome:json',
        label: 'Outcome',
        options: choices([...REFUND_OUTCOMES, 'null']),
      },
    ],
    tone: 'plain',
  });
  const withdraw = form(here, {
    call: `POST /sandbox/alerts/${id}/invalidate`,
    button: 'Withdraw it',
    done: 'The network has withdrawn the alert.',
    fields: [{ name: 'note', label: 'Note' }],
    tone: 'danger',
  });
  return html`${status === 'ACTION_REQUIRED' ? resolve : outcome}${status === 'INVALID' ? '' : withdraw}`;
}
