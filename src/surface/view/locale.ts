/**
 * Numbers, amounts, days and months as the reader writes them: by the setting, else by the languages that
 * the browser names. The words of the pages stay English. A page is made within the formats of its reader, so that all of it
 * is written one way.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney, isCurrencyCode, minorUnitDigits } from '../../base/kernel/money.ts';
import { writingCounts } from '../../base/kernel/said-count.ts';

export interface Formats {
  readonly locale: string;
  count(value: number): string;
  /** From 0 to 100, one decimal: `12.5 %`, with the blank that every other share here has. */
  percent(value: number): string;
  money(amount: Money): string;
  /** Without the currency, for axes and columns that name it. */
  plain(amount: Money): string;
  /** A day, UTC. */
  day(at: Date): string;
  /** A month, UTC. */
  month(at: Date): string;
}

const DEFAULT = 'en';
const LOCALE = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i;

/** Locales whose formats are kept: anyone who asks names them. */
const KEPT_MAX = 50;

/** Currencies whose formats are kept of each; there are fewer, and whatever is beyond is text from outside. */
const FORMATS_MAX = 600;

const kept = new Map<string, Formats>();

/** Whether numbers and dates can be written in it. */
export function isLocale(text: string): boolean {
  return LOCALE.test(text) && Intl.NumberFormat.supportedLocalesOf([text]).length > 0;
}

const current = new AsyncLocalStorage<Formats>();

/** Makes a page in these formats. */
export async function inFormats(formats: Formats, make: () => Promise<void>): Promise<void> {
  await current.run(formats, () => writingCounts(formats.count, make));
}

/** The formats of the page that is made now; English where none is. */
export function currentFormats(): Formats {
  return current.getStore() ?? formatsFor(DEFAULT);
}

/** An amount as the reader of the page writes it; where no page is made, as files and terminals do: `41.90 USD`. */
export function saidMoney(amount: Money): string {
  return current.getStore()?.money(amount) ?? formatMoney(amount);
}

/** The formats of the person who sent the request. */
export function formatsOf(request: Pick<Request, 'get'>, setting?: string | undefined): Formats {
  return formatsFor(setting ?? preferred(request.get('accept-language') ?? ''));
}

function formatsFor(locale: string): Formats {
  const known = kept.get(locale);
  if (known !== undefined) return known;
  const made = createFormats(locale);
  if (kept.size < KEPT_MAX) kept.set(locale, made);
  return made;
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(\.\d+)?$/.test(text);
}

/** The first language that the browser prefers and that is known here. */
function preferred(header: string): string {
  const named = header.slice(0, 200).split(',').map(readChoice);
  const sorted = named.toSorted((one, other) => other.weight - one.weight);
  return sorted.find(({ tag }) => isLocale(tag))?.tag ?? DEFAULT;
}

function readChoice(choice: string): { readonly tag: string; readonly weight: number } {
  const [tag = '', ...parameters] = choice.split(';').map((part) => part.trim());
  const weight = parameters.find((each) => each.startsWith('q='))?.slice(2);
  return { tag, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

function createFormats(locale: string): Formats {
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const zone = { timeZone: 'UTC' } as const;
  const day = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: 'medium' });
  const month = new Intl.DateTimeFormat(locale, { ...zone, month: 'long', year: 'numeric' });
  // Making a format takes far longer than using it.
  const made = new Map<string, Intl.NumberFormat>();
  const formatFor = (currency: string, style: 'currency' | 'decimal'): Intl.NumberFormat => {
    const key = `${currency} ${style}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const digits = minorUnitDigits(currency);
    const format = new Intl.NumberFormat(locale, {
      style,
      ...(style === 'currency' ? { currency } : {}),
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    if (made.size < FORMATS_MAX) made.set(key, format);
    return format;
  };
  const money = (amount: Money, style: 'currency' | 'decimal'): string => {
    const text = formatMoney(amount);
    if (!isCurrencyCode(amount.currency)) return text;
    // The exact decimal text is what is formatted: no float is involved.
    const decimal = text.slice(0, text.indexOf(' '));
    return isDecimal(decimal) ? formatFor(amount.currency, style).format(decimal) : text;
  };
  return {
    locale,
    count: (value) => count.format(value),
    percent: (value) => `${percent.format(value)}\u00a0%`,
    money: (amount) => money(amount, 'currency'),
    plain: (amount) => money(amount, 'decimal'),
    day: (at) => day.format(at),
    month: (at) => month.format(at),
  };
}
