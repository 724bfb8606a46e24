/**
 * A seeded world of cards and payments, for alerts with known truth: what a processor knows of a
 * charge, what of it our index knows, and how a network tells of it.
 */
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';
import { alertFacts, chargeRecord, DAY } from './fixtures.ts';

export const MS_PER_DAY = 86_400_000;

/** What a unit of each currency is worth in USD: round, so that sums can be done by hand. */
export const RATES = { USD: 1, EUR: 1.1, GBP: 1.25, JPY: 0.0065, KWD: 3.25 } as const;
type Currency = keyof typeof RATES;
const CURRENCIES: readonly Currency[] = ['USD', 'EUR', 'JPY', 'KWD'];
/** Digits of the minor unit (ISO 4217). */
const DIGITS: Readonly<Record<Currency, number>> = { USD: 2, EUR: 2, GBP: 2, JPY: 0, KWD: 3 };

/** A small generator of reproducible numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class LabelledWorld {
  readonly #random: () => number;
  readonly #prefix: string;
  #count = 0;

  constructor(seed: number, prefix = 'ch') {
    this.#random = randomFrom(seed);
    this.#prefix = prefix;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.int(0, values.length - 1)] as Value;
  }

  digits(length: number): string {
    return Array.from({ length }, () => this.int(0, 9)).join('');
  }

  code(): string {
    return Array.from({ length: 6 }, () => this.pick([...'0123456789ABCDEFGHJKLMNP'])).join('');
  }

  arn(): string {
    return `7${this.digits(22)}`;
  }

  /** A charge with everything a processor knows about it, on a day of some two years. */
  charge(over: Partial<ChargeRecord> = {}): ChargeRecord {
    this.#count += 1;
    return chargeRecord({
      reference: `${this.#prefix}_${this.#count}`,
      orderReference: `order-${this.#prefix}-${this.#count}`,
      // Price points: what real shops have, and where equal amounts come from.
      amountMinor: this.chance(0.7)
        ? this.pick([499, 990, 999, 1290, 1999, 2490, 2900, 4900])
        : this.int(100, 50_000),
      currency: this.pick(CURRENCIES),
      authorisedAt: this.moment(DAY - this.int(0, 700)),
      acquirerReferenceNumber: this.arn(),
      authorisationCode: this.code(),
      cardBin: this.pick(['411111', '42424242', '555555', '476173', '51051051']),
      cardLast4: this.digits(4),
      cardBrand: this.pick(['SCHEME_A', 'SCHEME_B']),
      descriptor: this.pick(['SHOP*FONTS', 'SHOP*MAGAZINE', 'SHOP*COURSE']),
      ...over,
    });
  }

  moment(day: number): string {
    return new Date(day * MS_PER_DAY + this.int(0, MS_PER_DAY - 1)).toISOString();
  }

  /** Another payment with the same card, amount and currency, `days` later. */
  again(charge: ChargeRecord, days: number, over: Partial<ChargeRecord> = {}): ChargeRecord {
    const { cardBin, cardLast4, cardBrand, amountMinor, currency, descriptor } = charge;
    return this.charge({
      ...{ cardBin, cardLast4, cardBrand, amountMinor, currency, descriptor },
      authorisedAt: this.moment(dayOf(charge) + days),
      ...over,
    });
  }

  /** As our order feed knows it: often without ARN, sometimes without a code or a BIN. */
  asKnown(charge: ChargeRecord): ChargeRecord {
    return {
      ...charge,
      acquirerReferenceNumber: this.chance(0.4) ? charge.acquirerReferenceNumber : null,
      authorisationCode: this.chance(0.8) ? charge.authorisationCode : null,
      cardBin: this.chance(0.9) ? charge.cardBin : null,
    };
  }

  /** As a network tells it: any identifier may be missing, the day may be shifted. */
  asAlert(charge: ChargeRecord, shiftDays = 0): AlertFacts {
    return alertFacts({
      alertId: `alert-of-${charge.reference}`,
      arn: this.chance(0.6) ? charge.acquirerReferenceNumber : null,
      authorisationCode: this.chance(0.6) ? charge.authorisationCode : null,
      cardBin: this.chance(0.9) ? (charge.cardBin?.slice(0, 6) ?? null) : null,
      cardLast4: this.chance(0.95) ? charge.cardLast4 : null,
      cardBrand: this.chance(0.9) ? charge.cardBrand : null,
      amountMinor: charge.amountMinor,
      currency: charge.currency,
      day: this.chance(0.95) ? dayOf(charge) + shiftDays : null,
      descriptor: this.chance(0.5) ? charge.descriptor : null,
    });
  }

  /** The alert without anything that names one payment. */
  withoutKeys(alert: AlertFacts): AlertFacts {
    return { ...alert, arn: null, authorisationCode: null, reference: null };
  }

  /** What the issuer booked in pounds, the rate off by up to `offPercent`. */
  inPounds(charge: ChargeRecord, offPercent: number): Pick<AlertFacts, 'amountMinor' | 'currency'> {
    const from = charge.currency as Currency;
    const units = (charge.amountMinor / 10 ** DIGITS[from]) * (RATES[from] / RATES.GBP);
    const off = 1 + (this.#random() * 2 - 1) * (offPercent / 100);
    return { amountMinor: Math.round(units * off * 100), currency: 'GBP' };
  }

  /** Four other digits. */
  otherLast4(charge: ChargeRecord): string {
    return String((Number(charge.cardLast4) + this.int(1, 9_999)) % 10_000).padStart(4, '0');
  }
}

/** The UTC calendar day of a charge, counted from 1970-01-01. */
export function dayOf(charge: ChargeRecord): number {
  return Math.floor(Date.parse(charge.authorisedAt ?? '') / MS_PER_DAY);
}
