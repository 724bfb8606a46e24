/** How a verdict and its figures are said: the same words in the console, the command and the figures of a month. */
import { counted } from '../../base/kernel/counted.ts';
import { percentText } from '../../base/kernel/percent.ts';
import { inWords, reasonWords } from '../../service/wire/code-words.ts';
import { saidMoney } from '../../surface/view/locale.ts';
import type { Segment } from './economics.ts';
import type { Share } from './share.ts';
import type { Judged } from './verdict.ts';

/** `refund up to 31.00 USD`; where nothing was counted, that it is assumed. */
export function verdictText({ verdict, isAssumed }: Judged, currency: string): string {
  const money = (amountMinor: number): string => saidMoney({ amountMinor, currency });
  const assumed = isAssumed ? ' (assumed: nothing has been counted yet)' : '';
  switch (verdict.kind) {
    case 'refund':
      return verdict.upToMinor === null
        ? `refund at any amount${assumed}`
        : `refund up to ${money(verdict.upToMinor)}${assumed}`;
    case 'accept':
      return `accept above ${money(verdict.aboveMinor)}${assumed}`;
    case 'unknown': {
      const { fromMinor, toMinor, moreCases, months } = verdict;
      const above = fromMinor === 0 ? '' : ` above ${money(fromMinor)}`;
      const to = toMinor === null ? above : ` between ${money(fromMinor)} and ${money(toMinor)}`;
      return `not known${to}: ${tellsText(moreCases, months)}`;
    }
  }
}

function tellsText(moreCases: number | null, months: number | null): string {
  if (moreCases === null) return 'both cost about the same there, and more cases would not tell';
  const cases = `${counted(moreCases, 'more accepted case')} that ${moreCases === 1 ? 'has' : 'have'} had ${moreCases === 1 ? 'its' : 'their'} time would tell`;
  if (months === null) return `${cases}; at present none is accepted`;
  return `${cases}, about ${counted(Math.max(1, Math.ceil(months)), 'month')} at your rate`;
}

/** `64 % (52 to 76 %; 39 of 61 that have had their time, of 84)`. */
export function shareText({ value, source, interval, cases, matured, events }: Share): string {
  if (interval === null) {
    return source === 'model'
      ? `${percentText(value)} (your cost model; no case)`
      : `${percentText(value)} (assumed: no case, and nothing is set)`;
  }
  const range = `${percentText(interval.low)} to ${percentText(interval.high)}`;
  const had = `${events} so far; ${matured} of ${cases} have had their time`;
  if (source === 'observed') return `${percentText(value)} (${range}; ${had})`;
  const stands = source === 'model' ? 'your cost model' : 'assumed';
  return `${percentText(value)} (${stands}, it may be ${range}; ${had})`;
}

const DIMENSION_WORDS = {
  amount: 'amount',
  network: 'network',
  programme: 'programme',
  scheme: 'card scheme',
  reason: 'reason code',
  merchant: 'merchant',
  descriptor: 'descriptor',
} as const;

export function segmentName(
  { dimension, value }: Pick<Segment, 'dimension' | 'value'>,
  currency: string,
): string {
  if (dimension === null) return 'All complaints';
  switch (dimension) {
    case 'amount':
      return `Amount ${value} ${currency}`;
    case 'reason':
      return `Reason ${reasonWords(value)}`;
    case 'network':
      return capital(inWords(value));
    case 'programme':
    case 'scheme':
      return `${capital(DIMENSION_WORDS[dimension])} ${inWords(value)}`;
    default:
      return `${capital(DIMENSION_WORDS[dimension])} ${value}`;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The shares of a segment, each with what it is of. */
export const SHARE_WORDS = {
  dispute: 'becomes a dispute after acceptance',
  leak: 'becomes a dispute after a refund',
  second: 'comes back as a second alert or RDR after acceptance',
  contested: 'disputes contested',
  won: 'contested disputes won',
} as const;

export const SHARE_NAMES = ['dispute', 'leak', 'second', 'contested', 'won'] as const;
