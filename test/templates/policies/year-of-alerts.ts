/** A year of alerts, the same at every run: what a shop of everything would meet, with the usual trouble. */
import type { DecisionFacts } from '../../../src/alerts/decide/facts.ts';
import type { OrderFacts } from '../../../src/alerts/decide/order-facts.ts';
import {
  chargeHistory,
  customerFacts,
  facts,
  foundCharge,
  orderFacts,
} from '../../unit/decide/fixtures.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-01-01T00:00:00Z');

/** mulberry32: small, seeded, the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An alert, and what hinders answering it; `none` for nine of ten. */
export interface YearAlert {
  readonly facts: DecisionFacts;
  readonly trouble: 'none' | 'no charge' | 'RDR' | 'dispute open' | 'refunded before';
}

/** `count` alerts, spread over 365 days. */
export function yearOfAlerts(count: number, seed = 42): YearAlert[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const nowMs = START_MS + Math.floor(((index + random()) / count) * 365 * DAY_MS);
    return anAlert(`netalrt_${index}`, nowMs, random);
  });
}

function anAlert(id: string, nowMs: number, random: () => number): YearAlert {
  const pick = <Item>(...items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const ago = (days: number): string => new Date(nowMs - days * DAY_MS).toISOString();
  const amountMinor = pick(499, 1_499, 2_999, 4_000, 4_001, 6_000, 9_900, 15_001, 25_000, 45_000);
  const currency = pick('USD', 'USD', 'EUR', 'GBP', 'CHF');
  const trouble =
    random() < 0.9
      ? ('none' as const)
      : pick('no charge', 'RDR', 'dispute open', 'refunded before');
  const refundedMinor = trouble === 'refunded before' ? amountMinor : 0;
  const found = foundCharge({
    amountMinor,
    currency,
    refundableMinor: amountMinor - refundedMinor,
    refundedMinor,
    disputed: trouble === 'dispute open',
  });
  const days = Math.floor(random() * 90);
  const noCharge = trouble === 'no charge';
  return {
    trouble,
    facts: facts({
      now: new Date(nowMs).toISOString(),
      deadlineAt: new Date(nowMs + 40 * 3_600_000).toISOString(),
      alert: {
        id,
        amountMinor,
        currency,
        reasonCode: pick('10.4', '13.1', '4837', '4853', '13.7'),
        enrolmentType: trouble === 'RDR' ? 'NETB_RDR' : 'NETA_ALERT',
        authorisedAt: ago(days),
        createdAt: ago(0.3),
      },
      match: noCharge
        ? { outcome: 'none', tier: null }
        : { outcome: 'single', tier: pick('transaction_reference', 'arn', 'card_and_amount') },
      charge: noCharge ? { kind: 'none' } : found,
      order: { ...anOrder(random), placedAt: ago(days + 0.01) },
      customer: customerFacts({
        orders: pick(0, 0, 1, 5),
        refunds: pick(0, 0, 1, 2),
        alerts: pick(0, 0, 1, 3),
        fraudNotices: pick(0, 0, 0, 0, 0, 0, 0, 0, 1),
      }),
      history: chargeHistory({
        alerts: 0,
        twin: false,
        fraudNotice: random() < 0.1,
        rdr: random() < 0.03,
      }),
    }),
  };
}

function anOrder(random: () => number): OrderFacts {
  const kind = Math.floor(random() * 3);
  const delivery = (['physical', 'digital', 'none'] as const)[kind] ?? 'none';
  const dispatched = delivery === 'physical' && random() < 0.7;
  const subscription = delivery !== 'physical' && random() < 0.4;
  return orderFacts({
    delivery,
    dispatched,
    delivered: dispatched && random() < 0.6,
    subscription,
    subscriptionCancelled: subscription && random() < 0.2,
  });
}
