/** Webhooks: where they go, what breaks on the way, each delivery with what the receiver answered. */
import { counted } from '../../../base/kernel/counted.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { EVENT_TYPES } from '../../../service/wire/event.ts';
import type { SandboxContext } from '../../sandbox-context.ts';
import type { Subscription } from '../../state/accounts.ts';
import type { DeliveryAttempt, DeliveryRecord } from '../../state/deliveries.ts';
import { breakFields, DELIVERY_WAYS, deliveryWay, faultRows } from '../faults.ts';
import { choices, form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import type { Row } from '../pieces.ts';
import { copyable, facts, mark, moment, newest, prettyJson, rows, section } from '../pieces.ts';

export const webhooksView: View = {
  path: '/sandbox/page/webhooks',
  title: 'Webhooks',
  render: (visit) => html`${section('Endpoints', endpoints(visit))}
${section('Break delivery for a while', breaking(visit))}
${section('What is broken', faultRows(visit), { live: true })}
${section('The newest deliveries', deliveryRows(visit), { live: true })}
${section('Mails to owners', mails(visit.context), { live: true })}`,
};

function endpoints(visit: Visit): Html {
  const all = [...visit.context.state.subscriptions.values()];
  return html`${all.map((subscription) => endpoint(subscription, visit))}`;
}

function endpoint({ id, owner_id: owner, secret, status, url }: Subscription, visit: Visit): Html {
  const call = `PATCH /sandbox/subscriptions/${id}`;
  const address = form(visit.here, {
    call,
    button: 'Send there',
    done: 'Events go there from now on.',
    fields: [
      {
        name: 'url',
        label: 'Address',
        value: url ?? '',
        hint: 'HTTPS, or HTTP on this machine and in private networks',
        required: true,
        wide: true,
      },
    ],
  });
  const isOn = status === 'ENABLED';
  const toggle = form(visit.here, {
    call,
    button: isOn ? 'Disable' : 'Enable',
    done: isOn ? 'The endpoint is disabled.' : 'The endpoint is enabled.',
    fixed: { status: isOn ? 'DISABLED' : 'ENABLED' },
    tone: 'plain',
  });
  return html`<article><h3>${id} ${mark(status)}</h3><p class="quiet">of ${owner}</p>
${address}${copyable('signing secret', secret)}${toggle}</article>`;
}

function breaking({ here }: Visit): Html {
  return form(here, {
    call: 'POST /sandbox/faults',
    button: 'Break it',
    done: 'Broken:',
    fields: [
      { name: 'kind', label: 'How', options: DELIVERY_WAYS, wide: true },
      { name: 'event_type', label: 'Which events', options: choices(EVENT_TYPES, 'all of them') },
      ...breakFields(),
    ],
    fixed: { on: 'webhook' },
    tone: 'danger',
  });
}

function deliveryRows({ here, context }: Visit): Html {
  const list = newest(context.state.deliveries.values()).map((delivery): Row => {
    const last = delivery.attempts.at(-1);
    const said = last?.http_status ?? last?.error;
    return {
      id: delivery.id,
      title: html`${delivery.event_type}`,
      state: html`${mark(delivery.status)}${last === undefined ? '' : mark(last.http_status)}`,
      aside: html`${counted(delivery.attempts.length, 'attempt')}${
        typeof said === 'string' ? html`, ${said}` : ''
      }`,
      body: html`${deliveryDetails(delivery, context)}${redeliver(delivery, here)}`,
    };
  });
  return rows(list, 'None yet. Events go nowhere until an endpoint has an address.');
}

function deliveryDetails(delivery: DeliveryRecord, context: SandboxContext): Html {
  const event = context.state.events.get(delivery.event_id);
  return html`${facts([
    ['Event', delivery.event_id],
    ['Delivery', delivery.id],
    ['Endpoint', context.state.subscriptions.get(delivery.subscription_id)?.url],
    ['Next attempt', moment(delivery.next_attempt_at)],
  ])}
${delivery.attempts.map(attemptDetails)}
<h3>What is sent</h3>${prettyJson(event?.body.toString(), `Body of ${delivery.event_id}`)}`;
}

function attemptDetails(attempt: DeliveryAttempt, index: number): Html {
  const number = index + 1;
  return html`<h3>Attempt ${number} ${mark(attempt.http_status)}</h3>
${facts([
  ['At', moment(attempt.at)],
  ['Went wrong', attempt.error],
  ['Broken on purpose', deliveryWay(attempt.fault)],
])}
<p>The receiver's body:</p>${prettyJson(attempt.answer, `Answer to attempt ${number}`)}`;
}

function redeliver({ id }: DeliveryRecord, here: string): Html {
  return form(here, {
    call: `POST /sandbox/deliveries/${id}/redeliver`,
    button: 'Deliver it once more',
    done: 'It goes out once more, as',
  });
}

function mails({ state }: SandboxContext): Html {
  const list = newest(state.notices).map(
    ({ at, subject, to }) =>
      html`<li>${subject}<br><span class="quiet">${moment(at)} to ${to}</span></li>`,
  );
  return list.length === 0
    ? html`<p class="quiet">None yet.</p>`
    : html`<ul class="plain">${list}</ul>`;
}
