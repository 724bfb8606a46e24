/**
 * Sixty months, worked by hand from what the sources say, one line of arithmetic each. No number here comes from the
 * code.
 *
 * SOURCES names the statement that a month is worked from: the scheme's fact sheet of VAMP as read in a public copy
 * (primary), the lines of ECP in two processors' pages, a vendor's text on EFM of 2019, and vendors' pages for
 * the rest.
 */

/** What is said, and by whom. */
export const SOURCES = {
  vampOnce: 'VAMP: (TC40 + TC15 that is not fraud) / TC05, by count, per month (one reading)',
  vampTwice: 'VAMP: (TC40 + every TC15) / TC05, by count, per month (the other reading)',
  vamp2025: 'VAMP fact sheet: merchant excessive from June 2025 at 2.20 % and 1,500',
  vamp2026: 'VAMP fact sheet: from 1 April 2026 at 1.50 % and 1,500 in AP, Canada, EU, US',
  vampTier: 'vendors: non-compliant at 0.5 % and 5',
  cemea: 'sources contradict: CEMEA stays at 2.20 %, floor of 100 or of 150',
  lac: 'sources contradict: Latin America at 1.50 % or at 2.20 %',
  ecm: 'ECP: ECM at 100 chargebacks and 1.50 % of the payments of the month before',
  hecm: 'ECP: HECM at 300 chargebacks and 3.00 % of the payments of the month before',
  ecpFraud: 'ECP: fraud reports are no part of it',
  efm: 'EFM: 1,000 payments in the month before, more than 50,000 USD of fraud chargebacks, 0.50 %, 3-D Secure below 10 % (50 % where regulated)',
  gmap: 'GMAP from 1 April 2027: ECM stays; HDM at 5, 5,000 USD, 5 %; EDM at 5, 10,000 USD, 50 %',
  platform: 'a shop platform: 1 % over 90 days, counting RDR since 28 January 2026',
  processor: 'a processor: 0.75 %',
} as const;

export interface Golden {
  readonly source: keyof typeof SOURCES;
  readonly programme: string;
  /** A day of the month, and the acquirer's region. */
  readonly on: string;
  readonly region: string;
  readonly base: number | null;
  readonly fraud?: number;
  readonly dispute?: number;
  readonly ofFraud?: number;
  readonly rdr?: number;
  /** Of the disputes about fraud, or of all, in whole US dollars. */
  readonly usd?: number;
  readonly threeDSecure?: number | null;
  readonly reading: string;
  /** By hand. */
  readonly count: number;
  /** By hand, per cent to four places. */
  readonly ratio: string | null;
  /** The last line crossed. */
  readonly crossed: string | null;
}

const ONCE = 'fraud once';
const TWICE = 'fraud twice';
const APRIL = { programme: 'vamp-2026-04', on: '2026-11-30', region: 'EU' } as const;
const JUNE = { programme: 'vamp-2025-06', on: '2025-10-31', region: 'EU' } as const;
const CEMEA = { programme: 'vamp-cemea-2026-04', on: '2026-11-30', region: 'CEMEA' } as const;
const LAC = { programme: 'vamp-lac-2026-04', on: '2026-11-30', region: 'LAC' } as const;
const ECP = { programme: 'ecp', on: '2026-11-30', region: 'EU', reading: 'chargebacks' } as const;
const EFM = {
  programme: 'efm',
  on: '2026-11-30',
  region: 'EU',
  reading: 'fraud chargebacks',
} as const;
const GMAP = {
  programme: 'gmap-2027-04',
  on: '2027-04-30',
  region: 'EU',
  reading: 'chargebacks',
} as const;
const PLATFORM = {
  programme: 'shop-platform-2026-01',
  on: '2026-11-30',
  region: 'US',
  reading: 'with RDR',
} as const;
const PROCESSOR = {
  programme: 'processor-2026',
  on: '2026-11-30',
  region: 'US',
  reading: 'disputes',
} as const;

export const GOLDEN: readonly Golden[] = [
  // 900 + 600 = 1,500 of 100,000 are 1.5 %: at both bounds, so excessive.
  {
    ...APRIL,
    source: 'vamp2026',
    base: 100_000,
    fraud: 900,
    dispute: 600,
    reading: ONCE,
    count: 1_500,
    ratio: '1.5000',
    crossed: 'excessive',
  },
  // One less: 1,499 is below the count.
  {
    ...APRIL,
    source: 'vamp2026',
    base: 99_000,
    fraud: 900,
    dispute: 599,
    reading: ONCE,
    count: 1_499,
    ratio: '1.5141',
    crossed: 'non-compliant',
  },
  // One payment more: 150,000 / 100,001 is 1.49998 %.
  {
    ...APRIL,
    source: 'vamp2026',
    base: 100_001,
    fraud: 900,
    dispute: 600,
    reading: ONCE,
    count: 1_500,
    ratio: '1.5000',
    crossed: 'non-compliant',
  },
  // 300 disputes about fraud count once only: 900 + 300 = 1,200.
  {
    ...APRIL,
    source: 'vampOnce',
    base: 80_000,
    fraud: 900,
    dispute: 300,
    ofFraud: 300,
    reading: ONCE,
    count: 1_200,
    ratio: '1.5000',
    crossed: 'non-compliant',
  },
  // The same month, twice: 900 + 300 + 300 = 1,500; 1.875 %.
  {
    ...APRIL,
    source: 'vampTwice',
    base: 80_000,
    fraud: 900,
    dispute: 300,
    ofFraud: 300,
    reading: TWICE,
    count: 1_500,
    ratio: '1.8750',
    crossed: 'excessive',
  },
  // 3 + 2 = 5 of 1,000: 0.5 % and five, the first line.
  {
    ...APRIL,
    source: 'vampTier',
    base: 1_000,
    fraud: 3,
    dispute: 2,
    reading: ONCE,
    count: 5,
    ratio: '0.5000',
    crossed: 'non-compliant',
  },
  // Four of 100 are 4 %, and fewer than five.
  {
    ...APRIL,
    source: 'vampTier',
    base: 100,
    fraud: 2,
    dispute: 2,
    reading: ONCE,
    count: 4,
    ratio: '4.0000',
    crossed: null,
  },
  // Five of 1,001 are 0.4995 %.
  {
    ...APRIL,
    source: 'vampTier',
    base: 1_001,
    fraud: 5,
    reading: ONCE,
    count: 5,
    ratio: '0.4995',
    crossed: null,
  },
  // Six of 1,200 are 0.5 %.
  {
    ...APRIL,
    source: 'vampTier',
    base: 1_200,
    fraud: 2,
    dispute: 4,
    reading: ONCE,
    count: 6,
    ratio: '0.5000',
    crossed: 'non-compliant',
  },
  // A large shop: 5,000 of 2,000,000 are 0.25 %.
  {
    ...APRIL,
    source: 'vampTier',
    base: 2_000_000,
    fraud: 3_000,
    dispute: 2_000,
    reading: ONCE,
    count: 5_000,
    ratio: '0.2500',
    crossed: null,
  },
  // 0.25 % once; with 5,000 about fraud twice 10,000, 0.5 %.
  {
    ...APRIL,
    source: 'vampTwice',
    base: 2_000_000,
    fraud: 5_000,
    ofFraud: 5_000,
    reading: TWICE,
    count: 10_000,
    ratio: '0.5000',
    crossed: 'non-compliant',
  },
  {
    ...APRIL,
    source: 'vampOnce',
    base: 2_000_000,
    fraud: 5_000,
    ofFraud: 5_000,
    reading: ONCE,
    count: 5_000,
    ratio: '0.2500',
    crossed: null,
  },
  // A fraud dispute without its report: none once, all twice.
  {
    ...APRIL,
    source: 'vampOnce',
    base: 1_000,
    ofFraud: 20,
    reading: ONCE,
    count: 0,
    ratio: '0.0000',
    crossed: null,
  },
  {
    ...APRIL,
    source: 'vampTwice',
    base: 1_000,
    ofFraud: 20,
    reading: TWICE,
    count: 20,
    ratio: '2.0000',
    crossed: 'non-compliant',
  },
  // RDR took 400 disputes out: they are no part of the count.
  {
    ...APRIL,
    source: 'vampOnce',
    base: 50_000,
    fraud: 100,
    dispute: 100,
    rdr: 400,
    reading: ONCE,
    count: 200,
    ratio: '0.4000',
    crossed: null,
  },
  // Nothing sold, nothing to divide by.
  {
    ...APRIL,
    source: 'vampOnce',
    base: null,
    fraud: 7,
    dispute: 3,
    reading: ONCE,
    count: 10,
    ratio: null,
    crossed: null,
  },
  {
    ...APRIL,
    source: 'vampOnce',
    base: 0,
    fraud: 7,
    dispute: 3,
    reading: ONCE,
    count: 10,
    ratio: null,
    crossed: null,
  },
  // 10,000 / 666,666 is 1.500002 %.
  {
    ...APRIL,
    source: 'vamp2026',
    base: 666_666,
    fraud: 10_000,
    reading: ONCE,
    count: 10_000,
    ratio: '1.5000',
    crossed: 'excessive',
  },
  // 10,000 / 666,667 is 1.499999 %.
  {
    ...APRIL,
    source: 'vamp2026',
    base: 666_667,
    fraud: 10_000,
    reading: ONCE,
    count: 10_000,
    ratio: '1.5000',
    crossed: 'non-compliant',
  },
  {
    ...APRIL,
    source: 'vamp2026',
    on: '2026-04-01',
    base: 100_000,
    fraud: 1_600,
    reading: ONCE,
    count: 1_600,
    ratio: '1.6000',
    crossed: 'excessive',
  },
  {
    ...APRIL,
    source: 'vamp2026',
    region: 'US',
    base: 100_000,
    fraud: 1_600,
    reading: ONCE,
    count: 1_600,
    ratio: '1.6000',
    crossed: 'excessive',
  },
  {
    ...APRIL,
    source: 'vamp2026',
    region: 'CA',
    base: 100_000,
    fraud: 1_600,
    reading: ONCE,
    count: 1_600,
    ratio: '1.6000',
    crossed: 'excessive',
  },
  {
    ...APRIL,
    source: 'vamp2026',
    region: 'AP',
    base: 100_000,
    fraud: 1_600,
    reading: ONCE,
    count: 1_600,
    ratio: '1.6000',
    crossed: 'excessive',
  },

  // Before April 2026 the same month was below 2.20 %.
  {
    ...JUNE,
    source: 'vamp2025',
    base: 100_000,
    fraud: 1_600,
    reading: ONCE,
    count: 1_600,
    ratio: '1.6000',
    crossed: 'non-compliant',
  },
  {
    ...JUNE,
    source: 'vamp2025',
    base: 100_000,
    fraud: 1_200,
    dispute: 1_000,
    reading: ONCE,
    count: 2_200,
    ratio: '2.2000',
    crossed: 'excessive',
  },
  // 2,199 of 100,000 are 2.199 %.
  {
    ...JUNE,
    source: 'vamp2025',
    base: 100_000,
    fraud: 1_199,
    dispute: 1_000,
    reading: ONCE,
    count: 2_199,
    ratio: '2.1990',
    crossed: 'non-compliant',
  },
  // 1,499 of 50,000 are 2.998 %, and fewer than 1,500.
  {
    ...JUNE,
    source: 'vamp2025',
    base: 50_000,
    fraud: 1_499,
    reading: ONCE,
    count: 1_499,
    ratio: '2.9980',
    crossed: 'non-compliant',
  },
  {
    ...JUNE,
    source: 'vamp2025',
    on: '2026-03-31',
    base: 60_000,
    fraud: 1_500,
    reading: ONCE,
    count: 1_500,
    ratio: '2.5000',
    crossed: 'excessive',
  },
  {
    ...JUNE,
    source: 'vampTwice',
    base: 100_000,
    fraud: 1_100,
    ofFraud: 1_100,
    reading: TWICE,
    count: 2_200,
    ratio: '2.2000',
    crossed: 'excessive',
  },

  // 120 of 5,000 are 2.4 %: above a floor of 100, below one of 150.
  {
    ...CEMEA,
    source: 'cemea',
    base: 5_000,
    fraud: 70,
    dispute: 50,
    reading: ONCE,
    count: 120,
    ratio: '2.4000',
    crossed: 'excessive, floor of 100',
  },
  {
    ...CEMEA,
    source: 'cemea',
    base: 5_000,
    fraud: 100,
    dispute: 50,
    reading: ONCE,
    count: 150,
    ratio: '3.0000',
    crossed: 'excessive, floor of 150',
  },
  {
    ...CEMEA,
    source: 'cemea',
    base: 5_000,
    fraud: 60,
    dispute: 39,
    reading: ONCE,
    count: 99,
    ratio: '1.9800',
    crossed: null,
  },
  // 165 of 7,500 are 2.2 %.
  {
    ...CEMEA,
    source: 'cemea',
    base: 7_500,
    fraud: 165,
    reading: ONCE,
    count: 165,
    ratio: '2.2000',
    crossed: 'excessive, floor of 150',
  },

  {
    ...LAC,
    source: 'lac',
    base: 100_000,
    fraud: 1_800,
    reading: ONCE,
    count: 1_800,
    ratio: '1.8000',
    crossed: 'excessive, as elsewhere since April',
  },
  {
    ...LAC,
    source: 'lac',
    base: 100_000,
    fraud: 2_300,
    reading: ONCE,
    count: 2_300,
    ratio: '2.3000',
    crossed: 'excessive, as before April',
  },

  // 100 of 6,666 are 1.50015 %; of 6,667 they are 1.49993 %.
  {
    ...ECP,
    source: 'ecm',
    base: 6_666,
    dispute: 100,
    reading: 'chargebacks',
    count: 100,
    ratio: '1.5002',
    crossed: 'ECM',
  },
  {
    ...ECP,
    source: 'ecm',
    base: 6_667,
    dispute: 100,
    reading: 'chargebacks',
    count: 100,
    ratio: '1.4999',
    crossed: null,
  },
  {
    ...ECP,
    source: 'ecm',
    base: 3_000,
    dispute: 99,
    reading: 'chargebacks',
    count: 99,
    ratio: '3.3000',
    crossed: null,
  },
  // 299 of 9,000 are 3.32 %: below 300, so ECM.
  {
    ...ECP,
    source: 'ecm',
    base: 9_000,
    dispute: 299,
    reading: 'chargebacks',
    count: 299,
    ratio: '3.3222',
    crossed: 'ECM',
  },
  {
    ...ECP,
    source: 'hecm',
    base: 10_000,
    dispute: 300,
    reading: 'chargebacks',
    count: 300,
    ratio: '3.0000',
    crossed: 'HECM',
  },
  // 300 of 10,001 are 2.9997 %.
  {
    ...ECP,
    source: 'hecm',
    base: 10_001,
    dispute: 300,
    reading: 'chargebacks',
    count: 300,
    ratio: '2.9997',
    crossed: 'ECM',
  },
  {
    ...ECP,
    source: 'hecm',
    base: 40_000,
    dispute: 1_200,
    reading: 'chargebacks',
    count: 1_200,
    ratio: '3.0000',
    crossed: 'HECM',
  },
  // 5,000 fraud reports change nothing.
  {
    ...ECP,
    source: 'ecpFraud',
    base: 10_000,
    fraud: 5_000,
    dispute: 20,
    reading: 'chargebacks',
    count: 20,
    ratio: '0.2000',
    crossed: null,
  },
  // Chargebacks about fraud are chargebacks.
  {
    ...ECP,
    source: 'ecm',
    base: 10_000,
    fraud: 90,
    dispute: 60,
    ofFraud: 90,
    reading: 'chargebacks',
    count: 150,
    ratio: '1.5000',
    crossed: 'ECM',
  },
  {
    ...ECP,
    source: 'ecm',
    base: null,
    dispute: 150,
    reading: 'chargebacks',
    count: 150,
    ratio: null,
    crossed: null,
  },

  // 50 of 10,000 are 0.5 %; 50,001 USD; 500 of 10,000 are 5 %, below 10 and below 50.
  {
    ...EFM,
    source: 'efm',
    base: 10_000,
    ofFraud: 50,
    usd: 50_001,
    threeDSecure: 500,
    count: 50,
    ratio: '0.5000',
    crossed: 'EFM, regulated countries',
  },
  // 50,000 USD is not more than 50,000.
  {
    ...EFM,
    source: 'efm',
    base: 10_000,
    ofFraud: 50,
    usd: 50_000,
    threeDSecure: 500,
    count: 50,
    ratio: '0.5000',
    crossed: null,
  },
  // 10 % through 3-D Secure: not below 10, and below 50.
  {
    ...EFM,
    source: 'efm',
    base: 10_000,
    ofFraud: 60,
    usd: 70_000,
    threeDSecure: 1_000,
    count: 60,
    ratio: '0.6000',
    crossed: 'EFM, regulated countries',
  },
  {
    ...EFM,
    source: 'efm',
    base: 10_000,
    ofFraud: 60,
    usd: 70_000,
    threeDSecure: 5_000,
    count: 60,
    ratio: '0.6000',
    crossed: null,
  },
  // 999 payments are too few.
  {
    ...EFM,
    source: 'efm',
    base: 999,
    ofFraud: 60,
    usd: 70_000,
    threeDSecure: 0,
    count: 60,
    ratio: '6.0060',
    crossed: null,
  },
  // 49 of 10,000 are 0.49 %.
  {
    ...EFM,
    source: 'efm',
    base: 10_000,
    ofFraud: 49,
    usd: 70_000,
    threeDSecure: 0,
    count: 49,
    ratio: '0.4900',
    crossed: null,
  },
  // Other disputes are no part of it.
  {
    ...EFM,
    source: 'efm',
    base: 10_000,
    dispute: 500,
    ofFraud: 10,
    usd: 70_000,
    threeDSecure: 0,
    count: 10,
    ratio: '0.1000',
    crossed: null,
  },

  {
    ...GMAP,
    source: 'gmap',
    base: 10_000,
    dispute: 150,
    usd: 1_000,
    count: 150,
    ratio: '1.5000',
    crossed: 'ECM',
  },
  // 5 of 100 are 5 %, 5,000 USD.
  {
    ...GMAP,
    source: 'gmap',
    base: 100,
    ofFraud: 5,
    usd: 5_000,
    count: 5,
    ratio: '5.0000',
    crossed: 'HDM',
  },
  {
    ...GMAP,
    source: 'gmap',
    base: 100,
    ofFraud: 5,
    usd: 4_999,
    count: 5,
    ratio: '5.0000',
    crossed: null,
  },
  // 5 of 10 are 50 %, 10,000 USD.
  {
    ...GMAP,
    source: 'gmap',
    base: 10,
    ofFraud: 5,
    usd: 10_000,
    count: 5,
    ratio: '50.0000',
    crossed: 'EDM',
  },
  {
    ...GMAP,
    source: 'gmap',
    base: 4,
    ofFraud: 4,
    usd: 20_000,
    count: 4,
    ratio: '100.0000',
    crossed: null,
  },

  // 60 disputes and 40 RDR of 10,000: 1 %.
  {
    ...PLATFORM,
    source: 'platform',
    base: 10_000,
    dispute: 60,
    rdr: 40,
    count: 100,
    ratio: '1.0000',
    crossed: "platform's line",
  },
  {
    ...PLATFORM,
    source: 'platform',
    base: 10_000,
    dispute: 60,
    rdr: 39,
    count: 99,
    ratio: '0.9900',
    crossed: null,
  },
  // 3 of 400 are 0.75 %.
  {
    ...PROCESSOR,
    source: 'processor',
    base: 400,
    fraud: 9,
    dispute: 2,
    ofFraud: 1,
    count: 3,
    ratio: '0.7500',
    crossed: "processor's line",
  },
];
