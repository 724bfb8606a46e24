/** Simulated merchants whose true share of disputes is known: complaints arrive day by day, disputes with a delay. */
import type { CostModel } from '../../../src/alerts/costs/cost-model.ts';
import { openCostModel } from '../../../src/alerts/costs/cost-model.ts';
import { computeEconomics } from '../../../src/capabilities/measured-cost/economics.ts';
import type { Unit } from '../../../src/capabilities/measured-cost/unit.ts';
import { DAY_MS } from '../../../src/capabilities/measured-cost/unit.ts';
import { createRandom } from '../../../src/sandbox/ids.ts';

export const BEGIN = new Date('2026-01-01T00:00:00Z');
const WINDOW_DAYS = 120;

export interface Portfolio {
  readonly seed: number;
  /** Of accepted complaints, those that become a dispute within the window. */
  readonly share: number;
  readonly medianDays: number;
  readonly perDay: number;
  readonly days: number;
}

/** 20 of them: medians of 10 to 60 days, shares from rare to nearly all. */
export function portfolios(): Portfolio[] {
  const medians = [10, 20, 30, 45, 60];
  const shares = [0.1, 0.35, 0.65, 0.9];
  return medians.flatMap((medianDays, row) =>
    shares.map((share, column) => ({
      ...{ seed: 100 * row + column + 1, share, medianDays },
      perDay: 1 + ((row + column) % 3) * 2,
      days: 400,
    })),
  );
}

export interface Simulated {
  readonly id: string;
  readonly answeredAt: Date;
  /** Null: none comes. */
  readonly disputeAt: Date | null;
}

/** Delays are lognormal (sigma 0.6), cut at the window: the share is of those within it. */
export function simulate({ seed, share, medianDays, perDay, days }: Portfolio): Simulated[] {
  const random = createRandom(seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const delayDays = (): number => {
    for (;;) {
      const delay = medianDays * Math.exp(0.6 * normal());
      if (delay < WINDOW_DAYS) return delay;
    }
  };
  return Array.from({ length: perDay * days }, (_, index) => {
    const answeredAt = new Date(BEGIN.getTime() + (index / perDay) * DAY_MS);
    const disputeAt =
      random() < share ? new Date(answeredAt.getTime() + delayDays() * DAY_MS) : null;
    return { id: `u${index}`, answeredAt, disputeAt };
  });
}

/** What is known of it at a moment. */
export function unitsAt(all: readonly Simulated[], now: Date, amountMinor = 60_00): Unit[] {
  return all
    .filter(({ answeredAt }) => answeredAt <= now)
    .map(({ id, answeredAt, disputeAt }) => unit({ id, answeredAt, amountMinor }, disputeAt, now));
}

export function unit(
  given: {
    readonly id: string;
    readonly answeredAt: Date;
    readonly amountMinor?: number;
    readonly change?: Partial<Unit> | undefined;
  },
  disputeAt: Date | null = null,
  now: Date = new Date(8.64e15),
): Unit {
  return {
    id: given.id,
    alertIds: [given.id],
    answer: 'accepted',
    reviewed: false,
    answeredAt: given.answeredAt,
    money: { amountMinor: given.amountMinor ?? 60_00, currency: 'USD' },
    merchantId: null,
    network: 'NETA',
    programme: 'NETA_ALERT',
    scheme: 'SCHEME_A',
    reasonCode: '10.4',
    descriptor: 'SHOP',
    outcomes:
      disputeAt === null || disputeAt > now
        ? []
        : [{ kind: 'dispute', source: 'representment', at: disputeAt }],
    contest: null,
    ...given.change,
  };
}

const MODEL = openCostModel(undefined);

export interface Looked {
  readonly looks: number;
  readonly covered: number;
  /** Once 200 complaints have had their time: by how much the chosen threshold costs more than the best, at worst. */
  readonly worstRegret: number;
  /** Looks at which the interval straddles the threshold and something else than "not known" was said. */
  readonly sureWhereStraddling: number;
}

/** Looks at a portfolio every so many days. */
export function lookAt(portfolio: Portfolio, everyDays = 1, model: CostModel = MODEL): Looked {
  const all = simulate(portfolio);
  const best = breakEven(model, portfolio.share);
  let [looks, covered, worstRegret, sure] = [0, 0, 0, 0];
  for (let day = 1; day <= portfolio.days; day += everyDays) {
    const now = new Date(BEGIN.getTime() + day * DAY_MS);
    const { whole } = computeEconomics({ model, units: unitsAt(all, now), now });
    if (whole === null || whole.dispute.interval === null) continue;
    const { low, high } = whole.dispute.interval;
    looks += 1;
    if (low <= portfolio.share && portfolio.share <= high) covered += 1;
    const [least, most] = [breakEven(model, low), breakEven(model, high)];
    const straddles =
      (least ?? Infinity) < whole.averageMinor && (most ?? Infinity) > whole.averageMinor;
    if (straddles && whole.verdict.kind !== 'unknown') sure += 1;
    const elapsed = all.filter(
      ({ answeredAt }) => now.getTime() - answeredAt.getTime() >= WINDOW_DAYS * DAY_MS,
    ).length;
    if (elapsed >= 200) {
      const regret = regretOf(model, portfolio.share, { chosen: whole.breakEvenMinor, best });
      worstRegret = Math.max(worstRegret, regret);
    }
  }
  return { looks, covered, worstRegret, sureWhereStraddling: sure };
}

/** By hand: `a = p × (33.00 + 0.7 a)`, so `a = 33.00 p / (1 − 0.7 p)`; with the defaults of the model. */
export function breakEven(_model: CostModel, share: number): number | null {
  const slope = 1 - 0.7 * share;
  return slope <= 0 ? null : (33_00 * share) / slope;
}

/** Expected cost of a threshold over amounts of 1 to 300 USD, compared with the best one. */
function regretOf(
  _model: CostModel,
  share: number,
  { chosen, best }: { readonly chosen: number | null; readonly best: number | null },
): number {
  const costAt = (threshold: number | null): number => {
    let sum = 0;
    for (let amount = 1_00; amount <= 300_00; amount += 1_00) {
      const accept = 25_00 + share * (33_00 + 0.7 * amount);
      sum += threshold === null || amount <= threshold ? 25_00 + amount : accept;
    }
    return sum;
  };
  return costAt(chosen) / costAt(best) - 1;
}
