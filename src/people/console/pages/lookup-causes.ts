/** The parts of the page Lookups that say why: causes with what they cost, and the feed's delay. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { CAUSES } from '../../../books/lookups/cause.ts';
import type { FeedDelay } from '../../../books/lookups/feed-delay.ts';
import { feedDelayText } from '../../../books/lookups/feed-delay.ts';
import type { CauseCount, JudgedLookup } from '../../../books/lookups/lookup-cause.store.ts';
import { sumCauses } from '../../../books/lookups/sum-causes.ts';
import { sums } from '../view/money.ts';
import { numeric, table } from '../view/table.ts';

export function causeTable(counts: readonly CauseCount[]): Html {
  const causes = sumCauses(counts);
  if (causes.length === 0) {
    return html`<p class="quiet">No lookup of this period failed, or none is judged yet: a worker judges them every five minutes.</p>`;
  }
  return table({
    label: 'Why lookups were not answered or did not deflect',
    columns: [
      'Cause',
      numeric('Lookups'),
      numeric('Disputed afterwards'),
      numeric('Refunded'),
      numeric('Alert open'),
      numeric('What it cost'),
      'Next step',
    ],
    rows: causes.map(({ cause, lookups, disputed, refunded, open, money }) => [
      CAUSES[cause].title,
      lookups,
      disputed,
      refunded,
      open,
      money.length === 0 ? '–' : sums(money),
      CAUSES[cause].next,
    ]),
  });
}

export function causeCell(judged: JudgedLookup | undefined): Html | string {
  if (judged === undefined) return '–';
  return html`${CAUSES[judged.cause].title} <span class="quiet">${judged.detail}</span>`;
}

const BOUND_WORDS: Readonly<Record<number, string>> = {
  10: '10 s',
  60: '60 s',
  300: '5 min',
  3600: '1 h',
  86400: '1 day',
};

/** The feed's delay as a service level. */
export function delayPart(delay: FeedDelay): Html {
  return html`<p><strong>${feedDelayText(delay)}</strong></p>${
    delay.known > 0 &&
    table({
      label: 'Orders by the time until the service knew them',
      columns: ['Known within', numeric('Orders'), numeric('Share')],
      rows: delay.within.map(({ seconds, orders }) => [
        BOUND_WORDS[seconds] ?? `${seconds} s`,
        orders,
        `${(Math.floor((orders * 1_000) / delay.known) / 10).toFixed(1)} %`,
      ]),
    })
  }`;
}
