/**
 * What alerts and disputes cost a merchant: a YAML file (`FORESTALL_COSTS`), every term with a default
 * and a place of its own, and any of them different for one merchant.
 *
 * @example
 * currency: USD
 * alert_fee: { NETA: 25.00, NETB: 22.00 }
 * chargeback_fee: 20.00
 * win_rate: 0.3
 * ratio: { headroom: 40, fine: 8.00 }
 * rates: { EUR: 1.08 }
 * merchants: { mch_1: { chargeback_fee: 15.00 } }
 */
import { z } from 'zod';
import { isCurrencyCode, minorUnitDigits } from '../../base/kernel/money.ts';
import { readOnce, readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';

/** The terms of one merchant. Amounts are minor units of the model's currency, rates from 0 to 1. */
export interface CostTerms {
  /** The price of an alert, by network: billed whether or not it is refunded. */
  readonly alertFeeMinor: Readonly<Record<string, number>>;
  readonly chargebackFeeMinor: number;
  /** A person's time on one review or one dispute. */
  readonly handlingMinor: number;
  /** Further disputes a month before a card programme fines; then this much for each. */
  readonly ratio: { readonly headroom: number; readonly fineMinor: number };
  /** Disputes contested that are won, and the share of such an amount that comes back. */
  readonly winRate: number;
  readonly collectRate: number;
  /** Disputes that are contested. */
  readonly contestRate: number;
  /** Accepted alerts that become a dispute. */
  readonly disputeRate: number;
  /** Reviews that end in a refund. */
  readonly reviewRefundRate: number;
  /**
   * What was not set: the words of the file, with the value that is used instead. Figures that rest on
   * them are shown as assumptions.
   */
  readonly assumed: Readonly<Partial<Record<TermName, string>>>;
}

export interface CostModel {
  readonly currency: string;
  /** Units of `currency` for one unit of another. */
  readonly rates: Readonly<Record<string, number>>;
  readonly terms: CostTerms;
  /** Until when a dispute is counted, in days from the answer; by reason code where it differs. */
  readonly disputeWindow: {
    readonly days: number;
    readonly reasons: Readonly<Record<string, number>>;
  };
  /** Complete terms of merchants that differ. */
  readonly merchants: ReadonlyMap<string, CostTerms>;
}

/**
 * Where nothing is set. Alert and chargeback fees and the fine per item are the middle of published
 * prices; handling, win rate and the review share are guesses, to be replaced by one's own.
 */
export const DEFAULT_COSTS = {
  alert_fee: { NETA: 25, NETB: 25 },
  chargeback_fee: 20,
  handling: 5,
  ratio: { headroom: 0, fine: 8 },
  contest_rate: 1,
  win_rate: 0.3,
  collect_rate: 1,
  dispute_rate: 1,
  review_refund_rate: 0.5,
} as const;

/** A term, by its word in the file. */
export type TermName = keyof typeof DEFAULT_COSTS;

const TERM_NAMES: readonly TermName[] = [
  'alert_fee',
  'chargeback_fee',
  'handling',
  'ratio',
  'contest_rate',
  'win_rate',
  'collect_rate',
  'dispute_rate',
  'review_refund_rate',
];

const price = z.number().min(0).max(1_000_000);
const rate = z.number().min(0).max(1);
const days = z.int().min(7).max(730);

/** Most reason codes let a dispute come for 120 days. */
export const DISPUTE_WINDOW_DAYS = 120;

const termsShape = {
  alert_fee: z.strictObject({ NETA: price.optional(), NETB: price.optional() }).optional(),
  chargeback_fee: price.optional(),
  handling: price.optional(),
  ratio: z.strictObject({ headroom: z.int().min(0).optional(), fine: price.optional() }).optional(),
  contest_rate: rate.optional(),
  win_rate: rate.optional(),
  collect_rate: rate.optional(),
  dispute_rate: rate.optional(),
  review_refund_rate: rate.optional(),
};
const termsSchema = z.strictObject(termsShape);
type TermsFile = z.infer<typeof termsSchema>;

const currency = z
  .string()
  .meta({ title: 'currency, like USD' })
  .refine(isCurrencyCode, { error: 'is no currency code, like USD' });

/** The cost model's file. Its words are in `templates/guides/reference/costs.md`. */
export const costsFileSchema = z.strictObject({
  ...termsShape,
  dispute_window: z
    .strictObject({ days: days.optional(), reasons: z.record(z.string().min(1), days).optional() })
    .optional(),
  currency: currency.default('USD'),
  rates: z.record(currency, z.number().positive()).default({}),
  merchants: z.record(z.string().min(1), termsSchema).default({}),
});

/** Reads the text of a cost model. @throws {ConfigError} naming every place that is wrong */
export const readCostModel = readOnce((text, file): CostModel => {
  const {
    currency: base,
    rates,
    merchants,
    dispute_window: disputeWindow,
    ...own
  } = readYaml(text, file, costsFileSchema);
  const shared = termsOf(base, [own]);
  return {
    currency: base,
    rates,
    terms: shared,
    disputeWindow: {
      days: disputeWindow?.days ?? DISPUTE_WINDOW_DAYS,
      reasons: disputeWindow?.reasons ?? {},
    },
    merchants: new Map(
      Object.entries(merchants).map(([id, terms]) => [id, termsOf(base, [own, terms])]),
    ),
  };
});

/** Reads the file, or gives the defaults. @throws {ConfigError} when it cannot be used */
export function openCostModel(path: string | undefined): CostModel {
  if (path === undefined) return readCostModel('', 'the defaults');
  return readCostModel(readSettingFile(path, 'FORESTALL_COSTS'), 'FORESTALL_COSTS');
}

/** Layer on layer, each over the one before. */
function termsOf(base: string, layers: readonly TermsFile[]): CostTerms {
  const pick = <Name extends keyof TermsFile>(name: Name): TermsFile[Name] =>
    layers.findLast((layer) => layer[name] !== undefined)?.[name];
  const minor = (amount: number): number => Math.round(amount * 10 ** minorUnitDigits(base));
  const fees = layers.map((layer) => layer.alert_fee ?? {});
  const fee = (network: 'NETA' | 'NETB'): number =>
    minor(
      fees.findLast((each) => each[network] !== undefined)?.[network] ??
        DEFAULT_COSTS.alert_fee[network],
    );
  const ratios = layers.map((layer) => layer.ratio ?? {});
  const headroom = ratios.findLast((each) => each.headroom !== undefined)?.headroom;
  const fine = ratios.findLast((each) => each.fine !== undefined)?.fine;
  return {
    alertFeeMinor: { NETA: fee('NETA'), NETB: fee('NETB') },
    chargebackFeeMinor: minor(pick('chargeback_fee') ?? DEFAULT_COSTS.chargeback_fee),
    handlingMinor: minor(pick('handling') ?? DEFAULT_COSTS.handling),
    ratio: {
      headroom: headroom ?? DEFAULT_COSTS.ratio.headroom,
      fineMinor: minor(fine ?? DEFAULT_COSTS.ratio.fine),
    },
    contestRate: pick('contest_rate') ?? DEFAULT_COSTS.contest_rate,
    winRate: pick('win_rate') ?? DEFAULT_COSTS.win_rate,
    collectRate: pick('collect_rate') ?? DEFAULT_COSTS.collect_rate,
    disputeRate: pick('dispute_rate') ?? DEFAULT_COSTS.dispute_rate,
    reviewRefundRate: pick('review_refund_rate') ?? DEFAULT_COSTS.review_refund_rate,
    assumed: assumedOf(layers),
  };
}

/** The terms that no layer sets, and those set in part. */
function assumedOf(layers: readonly TermsFile[]): CostTerms['assumed'] {
  const given = (name: TermName): unknown[] =>
    layers.map((layer) => layer[name]).filter((value) => value !== undefined);
  const isWhole = (name: TermName): boolean => {
    const whole = DEFAULT_COSTS[name];
    if (typeof whole === 'number') return given(name).length > 0;
    const set = new Set(given(name).flatMap((value) => Object.keys(Object(value))));
    return Object.keys(whole).every((part) => set.has(part));
  };
  const missing = TERM_NAMES.filter((name) => !isWhole(name));
  return Object.fromEntries(missing.map((name) => [name, valueText(name)]));
}

function valueText(name: TermName): string {
  const value = DEFAULT_COSTS[name];
  if (typeof value === 'number') {
    return name.endsWith('_rate') ? `${value * 100} %` : value.toFixed(2);
  }
  return Object.entries(value)
    .map(([part, amount]) => `${part} ${amount}`)
    .join(', ');
}
