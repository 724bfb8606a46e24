/**
 * Guards in layers: the installation's, the organisation's, a merchant's. A lower layer can only tighten. What
 * "tighter" is, one table says: from it layers are put together and a loosening is told. Pure.
 */
import type { AmountLimits, BreakerSettings, Caps, StatedGuards } from './guard-settings.ts';

/** How two values of one word compare. */
interface Direction<Value> {
  /** In words, for people. */
  readonly tighter: string;
  /** The one that holds where both are said. */
  readonly stricter: (outer: Value, inner: Value) => Value;
}

const SMALLER: Direction<number> = {
  tighter: 'the smaller',
  stricter: (outer, inner) => Math.min(outer, inner),
};

const LONGER: Direction<number> = {
  tighter: 'the longer',
  stricter: (outer, inner) => Math.max(outer, inner),
};

/** Two lengths of time that are measured cannot be compared by their bounds. */
const OUTER: Direction<number> = { tighter: "the outer layer's", stricter: (outer) => outer };

/** A currency that one of them does not name is not covered by it. */
const SMALLER_AMOUNTS: Direction<AmountLimits> = {
  tighter: 'the smaller, in the currencies that both name',
  stricter: (outer, inner) =>
    Object.fromEntries(
      Object.entries(outer).flatMap(([currency, minor]) => {
        const own = inner[currency];
        return own === undefined ? [] : [[currency, Math.min(minor, own)]];
      }),
    ),
};

/** A word of the guards file that can be tightened. */
interface Bound<Value> extends Direction<Value> {
  /** As the file names it. */
  readonly word: string;
  readonly read: (guards: StatedGuards) => Value | undefined;
  readonly write: (guards: StatedGuards, value: Value) => StatedGuards;
}

type CapName = keyof Caps;

function withCap(guards: StatedGuards, name: CapName, cap: object): StatedGuards {
  const days = guards.caps.customer?.days ?? 0;
  const before = name === 'customer' ? { days, ...guards.caps.customer } : guards.caps[name];
  return { ...guards, caps: { ...guards.caps, [name]: { ...before, ...cap } } };
}

function capBounds(name: CapName): readonly [Bound<number>, Bound<AmountLimits>] {
  return [
    {
      word: `caps.${name}.count`,
      ...SMALLER,
      read: ({ caps }) => caps[name]?.count,
      write: (guards, count) => withCap(guards, name, { count }),
    },
    {
      word: `caps.${name}.amount`,
      ...SMALLER_AMOUNTS,
      read: ({ caps }) => caps[name]?.amountMinor,
      write: (guards, amountMinor) => withCap(guards, name, { amountMinor }),
    },
  ];
}

function breakerBound(
  word: string,
  key: Exclude<keyof BreakerSettings, symbol>,
  direction: Direction<number>,
): Bound<number> {
  return {
    word: `breaker.${word}`,
    ...direction,
    read: ({ breaker }) => breaker?.[key],
    write: (guards, value) =>
      guards.breaker == null ? guards : { ...guards, breaker: { ...guards.breaker, [key]: value } },
  };
}

const [CHARGE, CUSTOMER, HOUR, DAY] = [
  capBounds('charge'),
  capBounds('customer'),
  capBounds('hour'),
  capBounds('day'),
];

const NUMBERS: readonly Bound<number>[] = [
  CHARGE[0],
  CUSTOMER[0],
  {
    word: 'caps.customer.days',
    ...LONGER,
    read: ({ caps }) => caps.customer?.days,
    write: (guards, days) => withCap(guards, 'customer', { days }),
  },
  HOUR[0],
  DAY[0],
  breakerBound('window', 'windowMs', OUTER),
  breakerBound('usual_over', 'usualOverMs', OUTER),
  breakerBound('times', 'times', SMALLER),
  breakerBound('at_least', 'atLeast', SMALLER),
  breakerBound('above', 'above', SMALLER),
  {
    word: 'fallback.before',
    ...LONGER,
    read: ({ fallbackBeforeMs }) => fallbackBeforeMs,
    write: (guards, fallbackBeforeMs) => ({ ...guards, fallbackBeforeMs }),
  },
];

const AMOUNTS: readonly Bound<AmountLimits>[] = [
  CHARGE[1],
  CUSTOMER[1],
  HOUR[1],
  DAY[1],
  {
    word: 'approval.above',
    ...SMALLER_AMOUNTS,
    read: ({ approvalAboveMinor }) => approvalAboveMinor,
    write: (guards, approvalAboveMinor) => ({ ...guards, approvalAboveMinor }),
  },
];

/** The table: every word that can be tightened, and what holds where two layers say it. */
export const BOUNDS: readonly { readonly word: string; readonly tighter: string }[] = [
  ...NUMBERS,
  ...AMOUNTS,
].map(({ word, tighter }) => ({ word, tighter }));

/** Both layers as one: each word as the stricter of them has it. */
export function tightest(outer: StatedGuards, inner: StatedGuards): StatedGuards {
  const cancelSubscriptions = inner.cancelSubscriptions ?? outer.cancelSubscriptions;
  // A breaker that one of them wants is not switched off by the other.
  const breaker = outer.breaker ?? inner.breaker ?? (outer.breaker === null ? null : inner.breaker);
  const start: StatedGuards = {
    caps: {},
    ...(breaker === undefined ? {} : { breaker }),
    ...(cancelSubscriptions === undefined ? {} : { cancelSubscriptions }),
  };
  const withNumbers = NUMBERS.reduce(
    (sum, bound) => tightened(bound, { sum, outer, inner }),
    start,
  );
  return AMOUNTS.reduce((sum, bound) => tightened(bound, { sum, outer, inner }), withNumbers);
}

interface Merging {
  readonly sum: StatedGuards;
  readonly outer: StatedGuards;
  readonly inner: StatedGuards;
}

function tightened<Value>(bound: Bound<Value>, { sum, outer, inner }: Merging): StatedGuards {
  const [outside, inside] = [bound.read(outer), bound.read(inner)];
  if (outside === undefined) return inside === undefined ? sum : bound.write(sum, inside);
  return bound.write(sum, inside === undefined ? outside : bound.stricter(outside, inside));
}

/** The words with which an inner layer tries to loosen an outer one; what the outer one says stays in force. */
export function loosened(outer: StatedGuards, inner: StatedGuards): readonly string[] {
  const isOff = outer.breaker != null && inner.breaker === null;
  return [
    ...(isOff ? ['breaker'] : []),
    ...NUMBERS.filter((bound) => isLooser(bound, outer, inner)).map(({ word }) => word),
    ...AMOUNTS.filter((bound) => isLooser(bound, outer, inner)).map(({ word }) => word),
  ];
}

/** Whether something of the inner value would hold, were it alone, that does not hold with the outer one. */
function isLooser<Value>(bound: Bound<Value>, outer: StatedGuards, inner: StatedGuards): boolean {
  const [outside, inside] = [bound.read(outer), bound.read(inner)];
  if (outside === undefined || inside === undefined) return false;
  return !isSame(bound.stricter(outside, inside), inside);
}

function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? JSON.stringify(Object.entries(value).sort())
      : JSON.stringify(value);
  return text(one) === text(other);
}
