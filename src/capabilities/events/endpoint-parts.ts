/** What the pages of endpoints are made of: the form, states as words, attempts as a table. */
import { z } from 'zod';
import { byOperator } from '../../base/audit/audit.store.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { readPostUrl } from '../../base/notify/post.ts';
import { csrfField } from '../../surface/view/shell.ts';
import { numeric, table } from '../../surface/view/table.ts';
import { secondsMoment } from '../../surface/view/time.ts';
import type { Visit } from '../../surface/web/visit.ts';
import { fieldOf, fieldsOf } from '../../surface/web/visit.ts';
import type { DeliveryItem } from './delivery.store.ts';
import { TEST_EVENT } from './delivery.store.ts';
import type { AddRefusal, EndpointAct, EndpointItem, EndpointWish } from './endpoint.store.ts';
import { ENDPOINTS_MAX, NAME_LENGTH_MAX, URL_LENGTH_MAX } from './endpoint.store.ts';
import type { Attempt, DeliveryState } from './events.table.ts';
import { ENDPOINT_ADDRESS } from './post-event.ts';

export const ENDPOINTS_PATH = '/endpoints';

export function endpointPath(id: string): string {
  return `${ENDPOINTS_PATH}/${encodeURIComponent(id)}`;
}

export function deliveryPath(id: string, seq: number): string {
  return `${endpointPath(id)}/deliveries/${seq}`;
}

export function actOf({ options, who, now }: Visit): EndpointAct {
  return {
    organisationId: options.organisationId,
    by: byOperator(who.name).actor ?? who.name,
    now,
  };
}

export const ADD_REFUSALS: Readonly<Record<AddRefusal, string>> = {
  'name is taken': 'Another endpoint has this name. Choose another one.',
  'too many': `There are ${ENDPOINTS_MAX} endpoints already. Remove one first.`,
};

/** Kinds that an endpoint can ask for. */
export function kindsFor({ options }: Visit): readonly string[] {
  return (options.eventKinds ?? []).map(({ type }) => type).filter((type) => type !== TEST_EVENT);
}

/** What a form says, or what is wrong with it. */
export function readWish(visit: Visit): EndpointWish | string {
  const { request, options } = visit;
  const shape = z.object({
    name: z.string().trim().min(1, 'The endpoint needs a name.').max(NAME_LENGTH_MAX),
    url: z.string().trim().min(1, 'The endpoint needs an address.').max(URL_LENGTH_MAX),
    types: z.array(z.enum(['', ...kindsFor(visit)])),
    merchants: z.array(z.string().regex(/^[\w-]{1,100}$/, 'A merchant is an id of the service.')),
  });
  const given = shape.safeParse({
    name: fieldOf(request, 'name') ?? '',
    url: fieldOf(request, 'url') ?? '',
    types: fieldsOf(request, 'type'),
    merchants: (fieldOf(request, 'merchants') ?? '').split(/[\s,]+/).filter((id) => id !== ''),
  });
  if (!given.success) return given.error.issues.map(({ message }) => message).join(' ');
  try {
    const { allowLoopback = false } = options;
    readPostUrl(given.data.url, { allowLoopback, setting: ENDPOINT_ADDRESS });
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
  const types = given.data.types.filter((type) => type !== '');
  return { ...given.data, types, withEmail: fieldOf(request, 'with_email') === 'yes' };
}

/** The form of a new endpoint, or of one that is there. */
export function endpointForm(
  visit: Visit,
  {
    path,
    wish,
    button,
  }: { readonly path: string; readonly wish?: EndpointWish; readonly button: string },
): Html {
  const { name = '', url = '', types = [], merchants = [], withEmail = false } = wish ?? {};
  return html`<form method="post" action="${path}" class="card">${csrfField(visit.csrfToken)}
<label for="name">Name</label><input id="name" name="name" required maxlength="${NAME_LENGTH_MAX}" value="${name}" autocomplete="off">
<label for="url">Address</label><input id="url" name="url" type="url" required maxlength="${URL_LENGTH_MAX}" value="${url}" placeholder="https://shop.example/hooks/forestall" autocomplete="off">
<fieldset><legend>Events (none chosen: all)</legend>${kindsFor(visit).map((type) => html`<label class="inline"><input type="checkbox" name="type" value="${type}"${types.includes(type) && html` checked`}><span><code>${type}</code></span></label>`)}</fieldset>
<label for="merchants">Merchants</label><input id="merchants" name="merchants" value="${merchants.join(', ')}" placeholder="all" autocomplete="off"><p class="quiet">Ids of merchants, with commas between them. Left empty: all.</p>
<label class="inline"><input type="checkbox" name="with_email" value="yes"${withEmail && html` checked`}><span>Send the customer’s e-mail address too</span></label>
<p class="actions"><button>${button}</button></p></form>`;
}

export function wishOf(item: EndpointItem): EndpointWish {
  const { name, url, types, merchants, with_email: withEmail } = item;
  return { name, url, types, merchants, withEmail };
}

/** What an endpoint is sent, in words. */
export function askedFor({ types, merchants }: EndpointItem): string {
  const kinds = types.length === 0 ? 'all events' : types.join(', ');
  return merchants.length === 0 ? kinds : `${kinds}; of ${merchants.join(', ')}`;
}

export function endpointState({
  state,
  failing_since: since,
  off_reason: reason,
}: EndpointItem): Html {
  if (state === 'OFF')
    return html`<span class="state bad">off</span>${reason !== null && html` <span class="quiet">${reason}</span>`}`;
  if (since === null) return html`<span class="state good">on</span>`;
  return html`<span class="state warn">fails</span> <span class="quiet">since ${secondsMoment(since)}</span>`;
}

const DELIVERY_TONES: Readonly<Record<DeliveryState, readonly [tone: string, word: string]>> = {
  PENDING: ['warn', 'waits'],
  DELIVERED: ['good', 'taken'],
  GIVEN_UP: ['bad', 'given up'],
};

export function deliveryState({ state }: Pick<DeliveryItem, 'state'>): Html {
  const [tone, word] = DELIVERY_TONES[state];
  return html`<span class="state ${tone}">${word}</span>`;
}

/** When it is tried next, or why it is not. */
export function nextTry(
  item: DeliveryItem,
  { endpoint, now }: { readonly endpoint: EndpointItem; readonly now: Date },
): Html | string {
  if (item.state !== 'PENDING') return '';
  if (endpoint.state === 'OFF') return 'when the endpoint is switched on';
  if (item.waits_for !== null)
    return html`after <a href="${deliveryPath(endpoint.id, item.waits_for)}">event ${item.waits_for}</a> of the same alert`;
  if (item.lease_until !== null && item.lease_until > now) return 'under way';
  const at = [item.next_at, endpoint.quiet_until ?? item.next_at].toSorted(
    (a, b) => Number(b) - Number(a),
  )[0];
  return at === undefined || at <= now ? 'at once' : secondsMoment(at);
}

/** How an attempt ended. */
export function attemptEnd({ status, fault }: Attempt): string {
  return fault ?? `HTTP ${status ?? ''}`;
}

export function attemptsTable(attempts: readonly Attempt[]): Html {
  return table({
    label: 'Attempts',
    columns: ['When', 'How it ended', numeric('Took'), 'Answer'],
    rows: attempts
      .toReversed()
      .map((attempt) => [
        secondsMoment(new Date(attempt.at)),
        html`<span class="state ${attempt.fault === null ? 'good' : 'bad'}">${attemptEnd(attempt)}</span>`,
        `${attempt.duration_ms} ms`,
        attempt.answer === ''
          ? html`<span class="quiet">empty</span>`
          : html`<details class="fold"><summary>${attempt.answer.length} characters</summary><pre tabindex="0">${attempt.answer}</pre></details>`,
      ]),
  });
}

/** What was tried in vain, and what is still to be looked at. */
export function waiting({ retrying, behind }: EndpointItem): number {
  return retrying + behind;
}

export function secretBanner(secret: string, path: string): Html {
  return html`<div class="banner done" role="status"><p>The secret, shown only now. Put it where your endpoint verifies what comes; any library of Standard Webhooks does that.</p><pre tabindex="0">${secret}</pre><p><a href="${path}">To the endpoint</a>, where you can send a test event.</p></div>`;
}
