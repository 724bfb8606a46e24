/**
 * Amounts as their currency and the reader write them: `$129.90`, `¥5,000`, `129,90 €`. The digits after the point are
 * those of the minor unit, and no float is involved: the exact decimal text is what is formatted.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { currentFormats } from './locale.ts';

/** The amount in words for a sentence. A currency that is none is shown as it came. */
export function moneyText(money: Money): string {
  return currentFormats().money(money);
}

/** The amount, with the ISO form on hover. */
export function money(value: Money): Html {
  return html`<span class="money" title="${formatMoney(value)}">${moneyText(value)}</span>`;
}

/** The amount, or that there is none. */
export function amount(amountMinor: number | null, currency: string | null): Html {
  if (amountMinor === null || currency === null) return html`<span class="quiet">no amount</span>`;
  return money({ amountMinor, currency });
}

/** Several sums, one per currency. */
export function sums(list: readonly Money[]): Html {
  if (list.length === 0) return html`<span class="quiet">none</span>`;
  return html`${list.map((one, index) => html`${index > 0 && html`<br>`}${money(one)}`)}`;
}

/** The amount in words, or that there is none. */
export function amountText(amountMinor: number | null, currency: string | null): string {
  if (amountMinor === null || currency === null) return 'no amount';
  return moneyText({ amountMinor, currency });
}
