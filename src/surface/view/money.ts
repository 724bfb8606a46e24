/**
 * Amounts as their currency writes them: `$129.90`, `¥5,000`, `KWD 5.000`. The digits after the point
 * are those of the minor unit, and no float is involved: the exact decimal text is what is formatted.
 */
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney, minorUnitDigits } from '../../base/kernel/money.ts';

const FORMATS_MAX = 300;
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known !== undefined) return known;
  const digits = minorUnitDigits(currency);
  const made = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // There are fewer than 300 currencies; whatever is beyond is text from outside.
  if (formats.size < FORMATS_MAX) formats.set(currency, made);
  return made;
}

/** The amount in words for a sentence. A currency that is none is shown as it came. */
export function moneyText(money: Money): string {
  const plain = formatMoney(money);
  if (!/^[A-Z]{3}$/.test(money.currency)) return plain;
  const decimal = plain.slice(0, plain.indexOf(' '));
  return isDecimal(decimal) ? formatOf(money.currency).format(decimal) : plain;
}

export function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** The amount, with the ISO form on hover. */
export function money(of: Money): Html {
  return html`<span class="money" title="${formatMoney(of)}">${moneyText(of)}</span>`;
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
