/** The tables of the webhook log: deliveries of a minute that were repeated or refused, with examples. */
import type { Selectable } from 'kysely';
import type { DeliveryVerdict } from '../../../alerts/receive/delivery-log.ts';
import type { DeliveryExample, DeliveryMinuteTable } from '../../../alerts/receive/inbox.table.ts';
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { moment } from '../view/time.ts';

/** A minute of one verdict. */
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

/** The verdict in words. */
export function verdictName(verdict: string): string {
  return wordsOf(verdict)[0];
}

function wordsOf(verdict: string): readonly [string, string] {
  const known = Object.entries(VERDICT_WORDS).find(([name]) => name === verdict);
  return known?.[1] ?? [verdict.replaceAll('_', ' '), ''];
}

/** The badge of a verdict. */
export function verdictBadge(verdict: string): Html {
  const tone = verdict === 'repeat' ? 'plain' : 'bad';
  const name = verdictName(verdict);
  return html`<span class="state ${tone}">${verdict === 'repeat' ? name : `refused: ${name}`}</span>`;
}

/** What a minute's row says beside its verdict: the next step, and the first ones of it. */
export function minuteNote({ verdict, examples }: DeliveryMinute): Html {
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
      html`<span class="fact">${FACT_NAMES[name] ?? name} ${name === 'eventId' ? html`<a href="/events/${encodeURIComponent(String(value))}">${value}</a>` : html`<code>${value}</code>`}</span> `,
  )}</li>`;
}
