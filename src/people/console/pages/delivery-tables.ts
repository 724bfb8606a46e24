/** The tables of the webhook log: stored events, minutes of repeats and refusals, what polling found, the quarantine. */
import type { Selectable } from 'kysely';
import type { FoundByPoll } from '../../../alerts/list/found-by-poll.store.ts';
import type { DeliveryVerdict } from '../../../alerts/receive/delivery-log.ts';
import type { EventListItem, QuarantineItem } from '../../../alerts/receive/event-list.store.ts';
import type { DeliveryExample, DeliveryMinuteTable } from '../../../alerts/receive/inbox.table.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { emptyState } from '../../../surface/view/empty-state.ts';
import { alertPath } from '../../../surface/view/links.ts';
import { numeric, stackedTable, table } from '../../../surface/view/table.ts';
import { moment } from '../../../surface/view/time.ts';

export type DeliveryMinute = Selectable<DeliveryMinuteTable>;

/** What each verdict means, and what to do about it. */
const VERDICT_WORDS: Readonly<Record<DeliveryVerdict, readonly [name: string, nextStep: string]>> =
  {
    accepted: ['accepted', ''],
    repeat: ['repeat', 'The event was stored before; nothing was done twice.'],
    missing_header: ['no signature', 'Not from the service, or a proxy removes X-Signature.'],
    malformed_header: [
      'signature unreadable',
      'Not from the service, or a proxy changes X-Signature.',
    ],
    too_old: [
      'signed too long ago',
      'A late or recorded delivery; its alert is read from the service. Compare the clocks.',
    ],
    too_new: ['signed in the future', 'Compare this machine’s clock with the true time.'],
    bad_hex: ['signature unreadable', 'Not from the service: its digest is no hexadecimal number.'],
    no_match: [
      'wrong signature',
      'Another secret, or a body changed on the way. Compare FORESTALL_WEBHOOK_SECRETS with the dashboard.',
    ],
    unknown_subscription: [
      'unknown address',
      'The path names a subscription that is not set here.',
    ],
    method: ['wrong method', 'Webhooks are sent with POST.'],
    encoding: ['compressed', 'A proxy compresses bodies; switch that off for this address.'],
    too_large: ['too large', 'Larger than 256 KiB: not an event of the service.'],
    incomplete: [
      'incomplete',
      'The connection ended, or was too slow, before the body was complete.',
    ],
    busy: ['too busy', 'Too many bodies at once; the service sends it again.'],
    unavailable: [
      'could not be stored',
      'The database did not take it; the service sends it again.',
    ],
  };

export function verdictName(verdict: string): string {
  return wordsOf(verdict)[0];
}

function wordsOf(verdict: string): readonly [string, string] {
  const known = Object.entries(VERDICT_WORDS).find(([name]) => name === verdict);
  return known?.[1] ?? [verdict.replaceAll('_', ' '), ''];
}

export function verdictBadge(verdict: string): Html {
  const tone = verdict === 'repeat' ? 'plain' : 'bad';
  const name = verdictName(verdict);
  return html`<span class="state ${tone}">${verdict === 'repeat' ? name : `refused: ${name}`}</span>`;
}

/** What a minute's row says besides its verdict: the next step, and the first ones of it. */
function minuteNote({ verdict, examples }: DeliveryMinute): Html {
  const [, nextStep] = wordsOf(verdict);
  return html`<span class="long">${nextStep}</span>${
    examples.length > 0 &&
    html`<details class="fold"><summary>${examples.length === 1 ? 'Example' : `${examples.length} examples`}</summary><ul class="examples">${examples.map(exampleLine)}</ul></details>`
  }`;
}

const FACT_NAMES: Readonly<Record<string, string>> = {
  eventId: 'event',
  deliveryId: 'delivery',
  bodyBytes: 'bytes',
  bodySha256: 'SHA-256 of the body',
  ageSeconds: 'seconds since it was signed',
  secretId: 'signed with secret',
  contentEncoding: 'content encoding',
  transferEncoding: 'transfer encoding',
};

function exampleLine({ at, facts }: DeliveryExample): Html {
  const said = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined);
  return html`<li>${moment(new Date(at))} ${said.map(
    ([name, value]) =>
      html`<span class="fact">${FACT_NAMES[name] ?? name} ${name === 'eventId' ? html`<a href="${eventPath(String(value))}">${value}</a>` : html`<code>${value}</code>`}</span> `,
  )}</li>`;
}

export function eventPath(eventId: string): string {
  return `/events/${encodeURIComponent(eventId)}`;
}

export type LogRow = readonly (Html | string | number | null | false)[];

/** The log, or what is in place of an empty one. */
export function logTable(rows: readonly LogRow[]): Html {
  if (rows.length === 0) {
    return emptyState(
      'No delivery of this kind.',
      'Point the service’s webhook at the address where Forestall listens for them; System shows whether it does.',
    );
  }
  return stackedTable({
    label: 'Deliveries, newest first',
    columns: ['Received', 'Verdict', numeric('Number'), 'Event', 'What it did'],
    rows,
  });
}

export function eventRow(item: EventListItem): LogRow {
  return [
    html`<a href="${eventPath(item.eventId)}">${moment(item.receivedAt)}</a>`,
    html`<span class="state ${STATE_TONES[item.state]}">${STATE_NAMES[item.state]}</span>`,
    1,
    html`${item.type ?? 'not readable'} ${item.objectId !== null && about(item.objectId)}`,
    effectOf(item),
  ];
}

function effectOf({ state, reason, changed }: EventListItem): Html | string {
  if (state === 'quarantined') return `kept without effect: ${reason?.replaceAll('_', ' ')}`;
  if (changed.length === 0) return state === 'waiting' ? 'not applied yet' : 'nothing new';
  return html`${changed.map(({ entity, id, accepted }) => html`${entity.replaceAll('_', ' ')} ${about(id)}${!accepted && ' (late, without effect)'} `)}`;
}

/** A minute of repeats, or of refusals for one reason. */
export function minuteRow(row: DeliveryMinute): LogRow {
  const state = row.verdict === 'repeat' ? 'repeats' : 'refused';
  return [
    html`<a href="/events?state=${state}">${moment(row.last_at)}</a>`,
    verdictBadge(row.verdict),
    row.count,
    row.count === 1 ? 'one delivery' : 'within one minute',
    minuteNote(row),
  ];
}

/** An alert that polling found first, among the deliveries. */
export function foundRow(found: FoundByPoll): LogRow {
  return [
    html`<a href="/events?state=polled">${moment(found.foundAt)}</a>`,
    deliveryBadge(found),
    null,
    html`found by polling ${about(found.alertId)}`,
    deliveryWords(found),
  ];
}

export function foundTable(items: readonly FoundByPoll[]): Html {
  if (items.length === 0) {
    return emptyState(
      'Every alert came by a webhook.',
      'An alert that polling finds first would stand here: its delivery was lost or refused, or is late.',
    );
  }
  return stackedTable({
    label: 'Alerts that polling found first, newest first',
    columns: ['Found', 'Alert', 'At the service since', 'Delivery', 'What to do'],
    rows: items.map((found) => [
      moment(found.foundAt),
      about(found.alertId),
      found.createdAt !== null && moment(found.createdAt),
      deliveryBadge(found),
      deliveryWords(found),
    ]),
  });
}

function deliveryBadge({ deliveredAt }: FoundByPoll): Html {
  return deliveredAt === null
    ? html`<span class="state warn">no delivery</span>`
    : html`<span class="state">came late</span>`;
}

function deliveryWords({ deliveredAt, eventId }: FoundByPoll): Html {
  if (deliveredAt === null) {
    return html`<span class="long">Its <code>alert.created</code> was not delivered so far. It may be among <a href="/events?state=refused">what was refused</a>; else the service’s own log of deliveries shows what became of it.</span>`;
  }
  return html`delivered ${moment(deliveredAt)}${eventId !== null && html`, <a href="${eventPath(eventId)}">its event</a>`}`;
}

const STATE_NAMES = {
  applied: 'accepted',
  waiting: 'accepted, waiting',
  quarantined: 'in quarantine',
} as const;

const STATE_TONES = { applied: 'good', waiting: '', quarantined: 'warn' } as const;

/** What an event is about, as a link where it has a page. */
export function about(id: string | null): Html | string | null {
  return id?.startsWith('netalrt_') === true ? html`<a href="${alertPath(id)}">${id}</a>` : id;
}

export function quarantineTable(items: readonly QuarantineItem[]): Html {
  if (items.length === 0) {
    return emptyState(
      'Nothing is in quarantine.',
      'Deliveries that are signed and cannot be understood would wait here for you.',
    );
  }
  return table({
    label: 'Quarantine, newest first',
    columns: ['Event', 'Since', 'Reason', 'Detail', 'State'],
    rows: items.map((item) => [
      html`<a href="${eventPath(item.eventId)}">${item.eventId}</a>`,
      moment(item.quarantinedAt),
      item.reason.replaceAll('_', ' '),
      html`<span class="long">${item.detail}</span>`,
      item.resolvedAt === null
        ? html`<span class="state warn">open</span>`
        : html`dealt with by ${item.resolvedBy}, ${moment(item.resolvedAt)}`,
    ]),
  });
}
