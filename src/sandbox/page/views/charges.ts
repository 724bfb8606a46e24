/** The sandbox's processor: payments, what was paid back and by whom, and what it can do. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { CARD_SCHEMES } from '../../../service/wire/alert.ts';
import { moneyOut } from '../../processor/ledger.ts';
import type { ChargeRecord, RefundRecord } from '../../state/charges.ts';
import type { Field } from '../forms.ts';
import { choices, form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import type { Row } from '../pieces.ts';
import { facts, mark, moment, money, newest, rows, section, spelled } from '../pieces.ts';

export const chargesView: View = {
  path: '/sandbox/page/charges',
  title: 'Payments',
  render: (visit) => html`${section('Make a payment', newCharge(visit))}
${section('The newest payments', chargeRows(visit), { live: true })}
${section('What the processor can do', abilities(visit))}`,
};

function newCharge({ here }: Visit): Html {
  return form(here, {
    call: 'POST /sandbox/charges',
    button: 'Make it',
    done: 'The payment is made:',
    fields: [
      { name: 'amount_in_cents:number', label: 'Amount in minor units', value: '12990' },
      { name: 'currency', label: 'Currency', value: 'USD' },
      { name: 'reference', label: 'Reference', hint: 'or a new one' },
      { name: 'card_brand', label: 'Card scheme', options: choices(CARD_SCHEMES) },
      { name: 'card_bin', label: 'First digits of the card', value: '424242' },
      { name: 'card_last4', label: 'Last four', value: '4242' },
      { name: 'acquirer_reference_number', label: 'Acquirer reference number' },
      { name: 'authorisation_code', label: 'Authorisation code' },
    ],
  });
}

function chargeRows({ here, context }: Visit): Html {
  const list = newest(context.state.charges.values()).map((charge): Row => {
    const { count, sumMinor } = moneyOut(charge);
    return {
      id: charge.reference,
      title: money(charge.amount_in_cents, charge.currency),
      state: mark(charge.status),
      aside: html`${charge.reference}${
        count === 0 ? '' : `, refunded ${money(sumMinor, charge.currency)} in ${count}`
      }`,
      body: html`${chargeDetails(charge)}${charge.refunds.map((refund) => refundOf(refund, here))}${actions(charge, here)}`,
    };
  });
  return rows(list, 'None yet.');
}

function chargeDetails(charge: ChargeRecord): Html {
  return facts([
    ['Authorised', moment(charge.authorised_at)],
    ['Card', cardOf(charge)],
    ['Acquirer reference number', charge.acquirer_reference_number],
    ['Authorisation code', charge.authorisation_code],
    ['Disputed', charge.disputed ? 'yes' : 'no'],
    ['Order', charge.order_reference],
  ]);
}

function cardOf({ card: { brand, bin, last4 } }: ChargeRecord): Html | null {
  const number = [bin, last4].filter(Boolean).join(' ');
  return brand === null && number === '' ? null : html`${spelled(brand)} ${number}`;
}

function refundOf(refund: RefundRecord, here: string): Html {
  const by = refund.idempotency_key === null ? 'by hand' : `key ${refund.idempotency_key}`;
  const settle = (status: 'succeeded' | 'failed', button: string): Html =>
    form(here, {
      call: `PATCH /sandbox/refunds/${refund.reference}`,
      button,
      done: `The refund is ${status}.`,
      fixed: { status },
      tone: 'plain',
    });
  return html`<article><h3>Refund of ${money(refund.amount_in_cents, refund.currency)} ${mark(refund.status)}</h3>
<p class="quiet">${refund.reference}, ${by}, ${moment(refund.created_at)}</p>
<div class="buttons">${refund.status === 'pending' ? settle('succeeded', 'Let it succeed') : ''}
${refund.status === 'failed' ? '' : settle('failed', 'Let it fail')}</div></article>`;
}

function actions({ reference }: ChargeRecord, here: string): Html {
  const path = `/sandbox/charges/${encodeURIComponent(reference)}`;
  const amount: Field = { name: 'amount_in_cents:number', label: 'Amount', hint: 'or all of it' };
  return html`${form(here, {
    call: `POST ${path}/refunds`,
    button: 'Refund by hand',
    done: 'Support has refunded it:',
    fields: [
      amount,
      { name: 'status', label: 'At first', options: choices(['succeeded', 'pending']) },
    ],
  })}${form(here, {
    call: `POST ${path}/chargebacks`,
    button: 'Charge back',
    done: 'The issuer has taken the money.',
    fields: [amount],
    tone: 'danger',
  })}`;
}

const SWITCHES = [
  ['refuses_over_refund', 'Refuses to pay back more than was paid'],
  ['async_refunds', 'Refunds are pending at first'],
  ['pending_counts', 'What is pending counts as paid back'],
  ['can_lookup_by_reference', 'Refunds can be found by their key'],
] as const;

function abilities({ here, context }: Visit): Html {
  const { processor } = context;
  return form(here, {
    call: 'PATCH /sandbox/processor',
    button: 'Change it',
    done: 'The processor can do that from now on.',
    fields: [
      ...SWITCHES.map(
        ([name, label]): Field => ({
          name: `${name}:json`,
          label,
          options: [
            ['true', 'yes'],
            ['false', 'no'],
          ],
          value: String(processor[name]),
        }),
      ),
      {
        name: 'lookup_lag_seconds:number',
        label: 'Seconds until a refund can be read',
        value: String(processor.lookup_lag_seconds),
      },
      {
        name: 'idempotency_ttl_hours:number',
        label: 'Hours a key is remembered',
        value: String(processor.idempotency_ttl_hours),
      },
    ],
  });
}
