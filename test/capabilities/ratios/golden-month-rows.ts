/**
 * Sixty months as rows of a database, each with the arithmetic written out beside it. No number here comes from the
 * code: the sources are those of `test/capabilities/ratios/golden-months.ts`.
 *
 * VAMP: (TC40 + TC15) of the month over the month's settled sales; once: without the TC15 about fraud.
 * Excessive at 2.2 % and 1,500 until March 2026, at 1.5 % and 1,500 since April; non-compliant at 0.5 % and 5.
 * ECP: chargebacks of the month over the sales of the month before; ECM at 1.5 % and 100, HECM at 3 % and 300.
 * EFM: chargebacks about fraud over the sales of the month before: 0.5 %, 1,000 sales, more than 50,000 USD.
 */

/** Rows of one kind: so many, on a day. */
export type GoldenRow =
  | {
      readonly kind: 'sale' | 'declined' | 'voided' | 'free' | 'authorised';
      readonly scheme: 'A' | 'B';
      readonly count: number;
      readonly day: string;
    }
  /** `received`: the day on which the service told of it; without it the same. */
  | {
      readonly kind: 'TC40' | 'TC15' | 'SAF';
      readonly count: number;
      readonly day: string;
      readonly received?: string;
      readonly on?: string;
    }
  /** A chargeback, by its representment. `on`: rows with the same word are about the same payments. */
  | {
      readonly kind: 'chargeback';
      readonly scheme: 'A' | 'B';
      readonly count: number;
      readonly day: string;
      readonly reason: string;
      readonly cents?: number;
      readonly on?: string;
    }
  /** An alert about the same payments that was not refunded. */
  | {
      readonly kind: 'alert';
      readonly count: number;
      readonly day: string;
      readonly reason: string;
      readonly on: string;
    };

export interface GoldenMonth {
  /** The arithmetic. */
  readonly says: string;
  readonly now: string;
  readonly region?: string;
  readonly rows?: readonly GoldenRow[];
  /** month, scheme, measure, value */
  readonly reported?: readonly (readonly [string, 'SCHEME_A' | 'SCHEME_B', string, number])[];
  readonly programme: string;
  readonly reading: string;
  /** Of this reported month; without it our own count of the month of `now`. */
  readonly month?: string;
  readonly count: number | null;
  readonly base?: number | null;
  /** Per cent to four places. */
  readonly ratio?: string | null;
  readonly crossed?: string | null;
  /** By the day of the report, where it differs. */
  readonly byReport?: number;
  readonly missing?: readonly string[];
  /** [since, clean months] */
  readonly inside?: readonly [string, number] | null;
}

const NOV = '2026-11-30T23:00:00Z';
const D = '2026-11-10';
const O = '2026-10-10';

const sale = (scheme: 'A' | 'B', count: number, day = D): GoldenRow => ({
  kind: 'sale',
  scheme,
  count,
  day,
});
const none = (
  kind: 'declined' | 'voided' | 'free' | 'authorised',
  scheme: 'A' | 'B',
  count: number,
  day = D,
): GoldenRow => ({ kind, scheme, count, day });
const tc40 = (
  count: number,
  given: Partial<{ day: string; received: string; on: string }> = {},
): GoldenRow => ({ kind: 'TC40', count, day: D, ...given });
const tc15 = (
  count: number,
  given: Partial<{ day: string; received: string; on: string }> = {},
): GoldenRow => ({ kind: 'TC15', count, day: D, ...given });
const saf = (count: number, given: Partial<{ day: string; on: string }> = {}): GoldenRow => ({
  kind: 'SAF',
  count,
  day: D,
  ...given,
});
const back = (
  scheme: 'A' | 'B',
  count: number,
  reason: string,
  given: Partial<{ day: string; cents: number; on: string }> = {},
): GoldenRow => ({ kind: 'chargeback', scheme, count, reason, day: D, ...given });
const alert = (count: number, reason: string, on: string): GoldenRow => ({
  kind: 'alert',
  count,
  reason,
  day: D,
  on,
});

const VAMP = { now: NOV, region: 'EU', programme: 'vamp-2026-04' } as const;
const ONCE = { ...VAMP, reading: 'fraud once' } as const;
const TWICE = { ...VAMP, reading: 'fraud twice' } as const;
const MARCH = {
  now: '2026-03-31T23:00:00Z',
  region: 'EU',
  programme: 'vamp-2025-06',
  reading: 'fraud once',
} as const;
const ECP = { now: NOV, region: 'EU', programme: 'ecp', reading: 'chargebacks' } as const;
const EFM = { now: NOV, region: 'EU', programme: 'efm', reading: 'fraud chargebacks' } as const;
const A = 'SCHEME_A';
const B = 'SCHEME_B';

export const GOLDEN_MONTHS: readonly GoldenMonth[] = [
  // ---- VAMP: what counts
  {
    ...ONCE,
    says: '3 TC40 + 1 TC15 = 4; 4 / 1,000 = 0.4 %',
    rows: [sale('A', 1_000), tc40(3), tc15(1)],
    count: 4,
    base: 1_000,
    ratio: '0.4000',
    crossed: null,
  },
  {
    ...ONCE,
    says: '3 + 2 = 5; 5 / 1,000 = 0.5 %: at the line of 0.5 % and 5',
    rows: [sale('A', 1_000), tc40(3), tc15(2)],
    count: 5,
    base: 1_000,
    ratio: '0.5000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: '5 / 1,001 = 0.49950 %: below 0.5 %',
    rows: [sale('A', 1_001), tc40(5)],
    count: 5,
    base: 1_001,
    ratio: '0.4995',
    crossed: null,
  },
  {
    ...ONCE,
    says: '4 / 100 = 4 %, and fewer than 5',
    rows: [sale('A', 100), tc40(4)],
    count: 4,
    base: 100,
    ratio: '4.0000',
    crossed: null,
  },
  {
    ...ONCE,
    says: '6 TC40 and 6 TC15 of the same payments: once 6; 6 / 2,000 = 0.3 %',
    rows: [sale('A', 2_000), tc40(6, { on: 'p' }), tc15(6, { on: 'p' })],
    count: 6,
    base: 2_000,
    ratio: '0.3000',
    crossed: null,
  },
  {
    ...TWICE,
    says: 'the same, twice 6 + 6 = 12; 12 / 2,000 = 0.6 %',
    rows: [sale('A', 2_000), tc40(6, { on: 'p' }), tc15(6, { on: 'p' })],
    count: 12,
    base: 2_000,
    ratio: '0.6000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: '5 chargebacks of 10.4 without a TC40 are about fraud: once 0',
    rows: [sale('A', 500), back('A', 5, '10.4')],
    count: 0,
    base: 500,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...TWICE,
    says: 'the same, twice 5; 5 / 500 = 1 %',
    rows: [sale('A', 500), back('A', 5, '10.4')],
    count: 5,
    base: 500,
    ratio: '1.0000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: '5 chargebacks of 13.1 are not: once 5; 5 / 500 = 1 %',
    rows: [sale('A', 500), back('A', 5, '13.1')],
    count: 5,
    base: 500,
    ratio: '1.0000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: 'TC15 whose representments say 10.4: counted by the notice, as fraud: once 0 of 500',
    rows: [sale('A', 500), tc15(5, { on: 'p' }), back('A', 5, '10.4', { on: 'p' })],
    count: 0,
    base: 500,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...TWICE,
    says: 'the same, twice: one dispute each, 5 and not 10; 1 %',
    rows: [sale('A', 500), tc15(5, { on: 'p' }), back('A', 5, '10.4', { on: 'p' })],
    count: 5,
    base: 500,
    ratio: '1.0000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: 'TC15 of payments whose alerts said 10.4: about fraud: once 0',
    rows: [sale('A', 500), alert(5, '10.4', 'p'), tc15(5, { on: 'p' })],
    count: 0,
    base: 500,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...ONCE,
    says: 'the chargeback says 13.1, the alert before said 10.4: the chargeback counts, 5 / 500 = 1 %',
    rows: [sale('A', 500), alert(5, '10.4', 'p'), back('A', 5, '13.1', { on: 'p' })],
    count: 5,
    base: 500,
    ratio: '1.0000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: '2 TC40 and 5 chargebacks of 10.4, of which 2 about the same payments: once 2; 2 / 400 = 0.5 %, fewer than 5',
    rows: [
      sale('A', 400),
      tc40(2, { on: 'p' }),
      back('A', 2, '10.4', { on: 'p' }),
      back('A', 3, '10.4'),
    ],
    count: 2,
    base: 400,
    ratio: '0.5000',
    crossed: null,
  },
  {
    ...TWICE,
    says: 'the same, twice 2 + 2 + 3 = 7; 7 / 400 = 1.75 %',
    rows: [
      sale('A', 400),
      tc40(2, { on: 'p' }),
      back('A', 2, '10.4', { on: 'p' }),
      back('A', 3, '10.4'),
    ],
    count: 7,
    base: 400,
    ratio: '1.7500',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: 'chargebacks of the other scheme are none of this one: 0 / 500',
    rows: [sale('A', 500), back('B', 9, '4853')],
    count: 0,
    base: 500,
    ratio: '0.0000',
    crossed: null,
  },
  // ---- VAMP: settled sales are the base
  {
    ...ONCE,
    says: '100 sales and 100 declined: 2 / 100 = 2 %',
    rows: [sale('A', 100), none('declined', 'A', 100), tc40(2)],
    count: 2,
    base: 100,
    ratio: '2.0000',
    crossed: null,
  },
  {
    ...ONCE,
    says: '100 sales and 50 voided: 5 / 100 = 5 %',
    rows: [sale('A', 100), none('voided', 'A', 50), tc40(5)],
    count: 5,
    base: 100,
    ratio: '5.0000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: '200 sales and 300 card checks for nothing: 1 / 200 = 0.5 %',
    rows: [sale('A', 200), none('free', 'A', 300), tc40(1)],
    count: 1,
    base: 200,
    ratio: '0.5000',
    crossed: null,
  },
  {
    ...ONCE,
    says: 'authorised and not said to have failed: they are sales to come, 5 / (900 + 100) = 0.5 %',
    rows: [sale('A', 900), none('authorised', 'A', 100), tc40(5)],
    count: 5,
    base: 1_000,
    ratio: '0.5000',
    crossed: 'non-compliant',
  },
  {
    ...ONCE,
    says: 'nothing but declined attempts: there is no base',
    rows: [none('declined', 'A', 40), tc40(6)],
    count: 6,
    base: null,
    ratio: null,
    crossed: null,
  },
  {
    ...ECP,
    says: 'October: 200 sales and 200 declined; 3 / 200 = 1.5 %, fewer than 100',
    rows: [sale('B', 200, O), none('declined', 'B', 200, O), back('B', 3, '4853')],
    count: 3,
    base: 200,
    ratio: '1.5000',
    crossed: null,
  },
  // ---- VAMP: the month of a notice is that of its receipt
  {
    ...ONCE,
    says: 'reported on 31 October, received on 2 November: of November, 5 / 1,000; by the report 0',
    rows: [sale('A', 1_000), tc40(5, { day: '2026-10-31', received: '2026-11-02' })],
    count: 5,
    base: 1_000,
    ratio: '0.5000',
    crossed: 'non-compliant',
    byReport: 0,
  },
  {
    ...ONCE,
    says: 'of October, received in October: none of November',
    rows: [sale('A', 1_000), tc40(5, { day: '2026-10-31', received: '2026-10-31' })],
    count: 0,
    base: 1_000,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...ONCE,
    says: '3 of November and 4 of October received in November: 7; by the report 3',
    rows: [sale('A', 1_000), tc40(3), tc40(4, { day: '2026-10-20', received: '2026-11-05' })],
    count: 7,
    base: 1_000,
    ratio: '0.7000',
    crossed: 'non-compliant',
    byReport: 3,
  },
  {
    ...ONCE,
    says: 'reported on 1 November, received on the 30th: both days are of November',
    rows: [sale('A', 1_000), tc40(5, { day: '2026-11-01', received: '2026-11-30' })],
    count: 5,
    base: 1_000,
    ratio: '0.5000',
    crossed: 'non-compliant',
  },
  {
    ...TWICE,
    says: 'a TC15 of October received in November, its TC40 of November: once each, 5 + 5 = 10; by the report 5',
    rows: [
      sale('A', 1_000),
      tc40(5, { on: 'p' }),
      tc15(5, { day: '2026-10-30', received: '2026-11-03', on: 'p' }),
    ],
    count: 10,
    base: 1_000,
    ratio: '1.0000',
    crossed: 'non-compliant',
    byReport: 5,
  },
  {
    now: '2026-10-31T23:00:00Z',
    region: 'EU',
    programme: 'vamp-2026-04',
    reading: 'fraud once',
    says: 'October itself: none received, so 0 of 1,000; by the report nothing was received yet',
    rows: [sale('A', 1_000, O)],
    count: 0,
    base: 1_000,
    ratio: '0.0000',
    crossed: null,
  },
  // ---- VAMP: rules of the month
  {
    ...MARCH,
    says: 'March 2026: 16 / 1,000 = 1.6 %, fewer than 1,500',
    rows: [sale('A', 1_000, '2026-03-10'), tc40(16, { day: '2026-03-10' })],
    count: 16,
    base: 1_000,
    ratio: '1.6000',
    crossed: 'non-compliant',
  },
  {
    ...VAMP,
    reading: 'fraud once',
    now: '2026-05-10T00:00:00Z',
    says: 'typed in for April: 1,600 / 100,000 = 1.6 %: beyond 1.5 % and 1,500',
    reported: [
      ['2026-04', A, 'payments', 100_000],
      ['2026-04', A, 'fraud', 1_600],
      ['2026-04', A, 'dispute', 0],
    ],
    month: '2026-04',
    count: 1_600,
    base: 100_000,
    ratio: '1.6000',
    crossed: 'excessive',
  },
  {
    ...MARCH,
    now: '2026-04-10T00:00:00Z',
    says: 'typed in for March on 10 April: 1.6 % is below 2.2 %, and beyond 0.5 % and 5',
    reported: [
      ['2026-03', A, 'payments', 100_000],
      ['2026-03', A, 'fraud', 1_600],
      ['2026-03', A, 'dispute', 0],
    ],
    month: '2026-03',
    count: 1_600,
    base: 100_000,
    ratio: '1.6000',
    crossed: 'non-compliant',
  },
  {
    ...MARCH,
    now: '2026-04-10T00:00:00Z',
    says: 'March: 2,200 / 100,000 = 2.2 %: at the line of March',
    reported: [
      ['2026-03', A, 'payments', 100_000],
      ['2026-03', A, 'fraud', 2_000],
      ['2026-03', A, 'dispute', 200],
    ],
    month: '2026-03',
    count: 2_200,
    base: 100_000,
    ratio: '2.2000',
    crossed: 'excessive',
  },
  {
    ...ECP,
    now: '2027-04-10T00:00:00Z',
    says: 'March 2027 typed in on 10 April 2027 is judged by ECP: 320 / 10,000 = 3.2 %',
    reported: [
      ['2027-02', B, 'payments', 10_000],
      ['2027-03', B, 'dispute', 320],
    ],
    month: '2027-03',
    count: 320,
    base: 10_000,
    ratio: '3.2000',
    crossed: 'HECM',
  },
  {
    now: '2027-05-10T00:00:00Z',
    region: 'EU',
    programme: 'gmap-2027-04',
    reading: 'chargebacks',
    says: 'April 2027 by GMAP: 320 / 10,000 = 3.2 %: ECM, and no 5 %',
    reported: [
      ['2027-03', B, 'payments', 10_000],
      ['2027-04', B, 'dispute', 320],
    ],
    month: '2027-04',
    count: 320,
    base: 10_000,
    ratio: '3.2000',
    crossed: 'ECM',
  },
  // ---- ECP by rows
  {
    ...ECP,
    says: '12 chargebacks of November over 400 sales of October = 3 %, fewer than 100',
    rows: [sale('B', 400, O), sale('B', 77), back('B', 12, '4853')],
    count: 12,
    base: 400,
    ratio: '3.0000',
    crossed: null,
  },
  {
    ...ECP,
    says: '100 / 6,000 = 1.66667 %: ECM',
    rows: [sale('B', 6_000, O), back('B', 100, '4853')],
    count: 100,
    base: 6_000,
    ratio: '1.6667',
    crossed: 'ECM',
  },
  {
    ...ECP,
    says: '99 / 6,000 = 1.65 %, fewer than 100',
    rows: [sale('B', 6_000, O), back('B', 99, '4853')],
    count: 99,
    base: 6_000,
    ratio: '1.6500',
    crossed: null,
  },
  {
    ...ECP,
    says: '100 / 6,700 = 1.49254 %: below 1.5 %',
    rows: [sale('B', 6_700, O), back('B', 100, '4853')],
    count: 100,
    base: 6_700,
    ratio: '1.4925',
    crossed: null,
  },
  {
    ...ECP,
    says: 'chargebacks about fraud count too: 60 + 40 = 100; 100 / 5,000 = 2 %',
    rows: [sale('B', 5_000, O), back('B', 60, '4853'), back('B', 40, '4837')],
    count: 100,
    base: 5_000,
    ratio: '2.0000',
    crossed: 'ECM',
  },
  {
    ...ECP,
    says: 'fraud reports do not: 3 chargebacks and 90 SAF; 3 / 300 = 1 %',
    rows: [sale('B', 300, O), saf(90), back('B', 3, '4853')],
    count: 3,
    base: 300,
    ratio: '1.0000',
    crossed: null,
  },
  {
    ...ECP,
    says: '300 / 9,000 = 3.33333 %: HECM',
    rows: [sale('B', 9_000, O), back('B', 300, '4853')],
    count: 300,
    base: 9_000,
    ratio: '3.3333',
    crossed: 'HECM',
  },
  {
    ...ECP,
    says: 'no sales in October: no ratio',
    rows: [sale('B', 900), back('B', 120, '4853')],
    count: 120,
    base: null,
    ratio: null,
    crossed: null,
  },
  // ---- EFM by rows
  {
    ...EFM,
    says: 'three 4837 of 20,000 USD without a SAF: 3 and 60,000; 3 / 400 = 0.75 %, and fewer than 1,000 sales',
    rows: [sale('B', 400, O), back('B', 3, '4837', { cents: 2_000_000 })],
    count: 3,
    base: 400,
    ratio: '0.7500',
    crossed: null,
  },
  {
    ...EFM,
    says: '6 of 10,000 USD: 60,000; 6 / 1,200 = 0.5 %; the share of 3-D Secure is not known and taken for low',
    rows: [sale('B', 1_200, O), back('B', 6, '4837', { cents: 1_000_000 })],
    count: 6,
    base: 1_200,
    ratio: '0.5000',
    crossed: 'EFM, regulated countries',
  },
  {
    ...EFM,
    says: '5 of 10,000 USD are 50,000, which is not more than 50,000; 5 / 1,000 = 0.5 %',
    rows: [sale('B', 1_000, O), back('B', 5, '4837', { cents: 1_000_000 })],
    count: 5,
    base: 1_000,
    ratio: '0.5000',
    crossed: null,
  },
  {
    ...EFM,
    says: '4853 is not about fraud: 0 of 1,200',
    rows: [sale('B', 1_200, O), back('B', 9, '4853', { cents: 1_000_000 })],
    count: 0,
    base: 1_200,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...EFM,
    says: '4853 about payments with a SAF: 6 of 1,200, 60,000 USD',
    rows: [
      sale('B', 1_200, O),
      saf(6, { on: 'p' }),
      back('B', 6, '4853', { cents: 1_000_000, on: 'p' }),
    ],
    count: 6,
    base: 1_200,
    ratio: '0.5000',
    crossed: 'EFM, regulated countries',
  },
  {
    ...EFM,
    says: 'SAF alone are no chargebacks: 0 of 1,200',
    rows: [sale('B', 1_200, O), saf(30)],
    count: 0,
    base: 1_200,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...EFM,
    says: '4863 and 4871 are about fraud as well: 4 + 3 = 7; 7 / 1,000 = 0.7 %, 70,000 USD',
    rows: [
      sale('B', 1_000, O),
      back('B', 4, '4863', { cents: 1_000_000 }),
      back('B', 3, ' 4871', { cents: 1_000_000 }),
    ],
    count: 7,
    base: 1_000,
    ratio: '0.7000',
    crossed: 'EFM, regulated countries',
  },
  // ---- reported: the reporter's numbers alone
  {
    ...ECP,
    says: 'October: 310 over the 10,000 of September = 3.1 %',
    reported: [
      ['2026-09', B, 'payments', 10_000],
      ['2026-09', B, 'dispute', 90],
      ['2026-10', B, 'payments', 10_000],
      ['2026-10', B, 'dispute', 310],
    ],
    month: '2026-10',
    count: 310,
    base: 10_000,
    ratio: '3.1000',
    crossed: 'HECM',
  },
  {
    ...ECP,
    says: 'the payments of October are no report of November',
    reported: [
      ['2026-10', B, 'payments', 10_000],
      ['2026-10', B, 'dispute', 310],
    ],
    month: '2026-11',
    count: null,
  },
  {
    ...ECP,
    says: 'September not reported: 310, and our 300 sales are no base for them',
    rows: [sale('B', 300, '2026-09-10')],
    reported: [['2026-10', B, 'dispute', 310]],
    month: '2026-10',
    count: 310,
    base: null,
    ratio: null,
    crossed: null,
  },
  {
    ...ONCE,
    says: 'fraud alone is reported: at least 512 of 120,000 = 0.42667 %; our 700 disputes are not added',
    rows: [sale('A', 10, O), tc15(700, { day: O })],
    reported: [
      ['2026-10', A, 'payments', 120_000],
      ['2026-10', A, 'fraud', 512],
    ],
    month: '2026-10',
    count: 512,
    base: 120_000,
    ratio: '0.4267',
    crossed: null,
    missing: ['dispute'],
  },
  {
    ...TWICE,
    says: '512 and 100 disputes of all kinds: 612 / 120,000 = 0.51 %',
    reported: [
      ['2026-10', A, 'payments', 120_000],
      ['2026-10', A, 'fraud', 512],
      ['2026-10', A, 'dispute', 100],
    ],
    month: '2026-10',
    count: 612,
    base: 120_000,
    ratio: '0.5100',
    crossed: 'non-compliant',
  },
  {
    ...EFM,
    says: 'chargebacks of all kinds say nothing about those of fraud: not judged',
    reported: [
      ['2026-09', B, 'payments', 10_000],
      ['2026-10', B, 'dispute', 310],
    ],
    month: '2026-10',
    count: null,
  },
  {
    ...EFM,
    says: '60 / 10,000 = 0.6 %, 61,000 USD, 40 % through 3-D Secure: beyond 50 %, not below 10 %',
    reported: [
      ['2026-09', B, 'payments', 10_000],
      ['2026-09', B, 'three_d_secure', 4_000],
      ['2026-10', B, 'dispute_of_fraud', 60],
      ['2026-10', B, 'fraud_dispute_usd', 61_000],
    ],
    month: '2026-10',
    count: 60,
    base: 10_000,
    ratio: '0.6000',
    crossed: 'EFM, regulated countries',
  },
  {
    ...ONCE,
    region: 'CEMEA',
    programme: 'vamp-cemea-2026-04',
    says: '120 / 5,000 = 2.4 %: beyond 2.2 % with the floor of 100, below that of 150',
    reported: [
      ['2026-10', A, 'payments', 5_000],
      ['2026-10', A, 'fraud', 100],
      ['2026-10', A, 'dispute', 20],
    ],
    month: '2026-10',
    count: 120,
    base: 5_000,
    ratio: '2.4000',
    crossed: 'excessive, floor of 100',
  },
  // ---- in a programme, and out of it after three clean months
  {
    ...ECP,
    says: 'September 120 / 6,000 = 2 %, October 10 / 6,000: in since September, one clean month; November, 0 / 300 so far, is not over',
    rows: [sale('B', 300, O)],
    reported: [
      ['2026-08', B, 'payments', 6_000],
      ['2026-09', B, 'dispute', 120],
      ['2026-09', B, 'payments', 6_000],
      ['2026-10', B, 'dispute', 10],
    ],
    month: '2026-10',
    count: 10,
    base: 6_000,
    ratio: '0.1667',
    crossed: null,
    inside: ['2026-09', 1],
  },
  {
    ...ECP,
    says: 'June 2 %, then July, August and September below: out after three',
    reported: [
      ['2026-05', B, 'payments', 6_000],
      ['2026-06', B, 'dispute', 120],
      ['2026-06', B, 'payments', 6_000],
      ['2026-07', B, 'dispute', 10],
      ['2026-07', B, 'payments', 6_000],
      ['2026-08', B, 'dispute', 10],
      ['2026-08', B, 'payments', 6_000],
      ['2026-09', B, 'dispute', 10],
    ],
    month: '2026-09',
    count: 10,
    base: 6_000,
    ratio: '0.1667',
    crossed: null,
    inside: null,
  },
  {
    ...ECP,
    says: 'June 2 %, July and August below, September 2 % again: in since June, from the start; October is not known and no clean month',
    reported: [
      ['2026-05', B, 'payments', 6_000],
      ['2026-06', B, 'dispute', 120],
      ['2026-06', B, 'payments', 6_000],
      ['2026-07', B, 'dispute', 10],
      ['2026-07', B, 'payments', 6_000],
      ['2026-08', B, 'dispute', 10],
      ['2026-08', B, 'payments', 6_000],
      ['2026-09', B, 'dispute', 120],
    ],
    month: '2026-09',
    count: 120,
    base: 6_000,
    ratio: '2.0000',
    crossed: 'ECM',
    inside: ['2026-06', 0],
  },
];
