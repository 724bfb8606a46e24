/**
 * What one run is like, drawn from its seed: what the processor can do, how often calls, connections
 * and webhooks fail, which sides are away for hours, how often processes are killed or stopped.
 */
import type { CrashPoint } from '../../src/base/kernel/crash-point.ts';
import type { Random } from '../../src/sandbox/ids.ts';
import { streamOf } from './simulated-time.ts';

/**
 * What the processor can do: the three kinds of the model check, one that can do nothing, one that
 * refuses what is too much, one that settles later. Where a key lives for an hour, every alert lives
 * longer.
 */
const ADAPTERS = {
  'key and look-up': { idempotency_ttl_hours: 1, refuses_over_refund: false },
  'key only': {
    idempotency_ttl_hours: 1,
    can_lookup_by_reference: false,
    refuses_over_refund: false,
  },
  'look-up only': {
    idempotency_ttl_hours: 0,
    lookup_lag_seconds: 120,
    refuses_over_refund: false,
  },
  'neither key nor look-up': {
    idempotency_ttl_hours: 0,
    can_lookup_by_reference: false,
    refuses_over_refund: false,
  },
  'refuses above the charge': { idempotency_ttl_hours: 24, refuses_over_refund: true },
  asynchronous: {
    idempotency_ttl_hours: 24,
    refuses_over_refund: true,
    async_refunds: true,
    pending_counts: true,
  },
} as const;
export type AdapterName = keyof typeof ADAPTERS;

/** Sides of the world that can be away; `refunds`: the processor's refund call alone. */
export type Side = 'service' | 'processor' | 'refunds' | 'webhook';

/** A time in which a side answers nobody, in milliseconds from the start. */
export interface Outage {
  readonly side: Side;
  readonly fromMs: number;
  readonly toMs: number;
  /** How: refused at once, or executed and never answered. */
  readonly manner: 'refused' | 'mute';
}

/** See the file's opening. Shares are from 0 to 1. */
export interface Weather {
  readonly adapter: AdapterName;
  readonly processor: (typeof ADAPTERS)[AdapterName];
  /** The processor never shows a refund that came through its interface: only keys protect. */
  readonly hidesOurRefunds: boolean;
  /** Support may refund while the saga runs: only where the processor refuses totals above the charge. */
  readonly supportRaces: boolean;
  readonly callFaults: number;
  readonly refundFaults: number;
  readonly webhookFaults: number;
  readonly lostConnections: number;
  readonly kills: number;
  readonly stops: number;
  /** For how long a process is stopped: one of these, in milliseconds. A lease lasts 30 s. */
  readonly stopsForMs: readonly number[];
  /** Processes are stopped at this crash point only. */
  readonly stopPoint?: CrashPoint;
  readonly outages: readonly Outage[];
  /** How often an operator errs about money. */
  readonly peopleErr: number;
  /** From the start until the merchant is with another payment provider, in milliseconds; null: never. */
  readonly changesProviderAfterMs: number | null;
  readonly pollSeconds: number;
  /** How finely the moments are distinguished at which rows are due and nothing is under way. */
  readonly grainMs: number;
}

const HOUR_MS = 3_600_000;

/** Draws one of a list. */
export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('Nothing to choose from.');
  return item;
}

/** What may be asked for, instead of what the seed says. */
export type WeatherWishes = Partial<
  Omit<Weather, 'processor' | 'hidesOurRefunds' | 'supportRaces'>
>;

/** How long a side is away, in hours. */
const AWAY_HOURS = { short: [0.1, 0.4, 1.5], long: [0.2, 0.5, 0.5, 3] } as const;

/** Rows that fall due within so long are seen together, in milliseconds: a loop at rest looks now and then. */
const GRAINS_MS = { short: [1_000], long: [1_000, 5_000, 15_000, 15_000] } as const;

/** Draws the weather of a run. `hours`: how long alerts keep coming. */
export function drawWeather(
  seed: number,
  scale: { readonly hours: number; readonly length: 'short' | 'long' },
  wishes: WeatherWishes = {},
): Weather {
  const random = streamOf(seed, 'weather');
  const drawn = oneOf(random, Object.keys(ADAPTERS) as AdapterName[]);
  const adapter = wishes.adapter ?? drawn;
  const processor = ADAPTERS[adapter];
  const outages = Array.from({ length: oneOf(random, [0, 1, 1, 2]) }, (): Outage => {
    const fromMs = random() * scale.hours * HOUR_MS;
    return {
      side: oneOf(random, ['service', 'processor', 'refunds', 'webhook'] as const),
      fromMs,
      toMs: fromMs + oneOf(random, AWAY_HOURS[scale.length]) * HOUR_MS,
      manner: oneOf(random, ['refused', 'mute']),
    };
  });
  return {
    adapter,
    processor,
    hidesOurRefunds: adapter === 'key only' || adapter === 'neither key nor look-up',
    supportRaces: processor.refuses_over_refund,
    callFaults: oneOf(random, [0, 0.02, 0.05, 0.15]),
    refundFaults: oneOf(random, [0.1, 0.4, 0.8]),
    webhookFaults: oneOf(random, [0, 0.05, 0.2]),
    lostConnections: oneOf(random, [0, 0.0005, 0.003]),
    kills: oneOf(random, [0, 0.004, 0.02]),
    stops: oneOf(random, [0, 0.003, 0.02]),
    stopsForMs: [15_000, 45_000, 4 * 60_000, 30 * 60_000],
    outages,
    pollSeconds: oneOf(random, [3_600, 5_400]),
    grainMs: oneOf(random, GRAINS_MS[scale.length]),
    // While alerts keep coming: requests are in doubt then.
    changesProviderAfterMs: oneOf(random, [
      null,
      null,
      (0.2 + random() * 0.7) * scale.hours * HOUR_MS,
    ]),
    peopleErr: oneOf(random, [0.1, 0.1, 0.3]),
    ...wishes,
  };
}
