/**
 * What a merchant may set about the guard rails: a YAML file of its own (`FORESTALL_GUARDS`), because
 * it is above every policy and is not changed with one.
 *
 * @example
 * caps:
 *   charge: { amount: 500.00 USD }
 *   customer: { count: 2, amount: 300.00 USD, days: 30 }
 *   hour: { count: 40 }
 *   day: { count: 200, amount: [5000.00 USD, 4500.00 EUR] }
 * approval: { above: 250.00 USD }
 * breaker: { window: 1h, usual_over: 7d, times: 5, at_least: 50 }
 * cancel_subscriptions: fraud_and_cancellation
 * fallback: { before: 2h }
 */
import { z } from 'zod';
import { readOnce, readSettingFile, readYaml } from '../../base/kernel/setting-file.ts';
import { parseAmount, parseDuration } from '../../base/kernel/units.ts';

/** Minor units by currency. A currency that is not named is not covered, and a person decides. */
export type AmountLimits = Readonly<Record<string, number>>;

/** How much may be sent in a window. Absent: no such limit. */
export interface WindowCap {
  readonly count?: number | undefined;
  readonly amountMinor?: AmountLimits | undefined;
}

/** The limits on what is sent, no matter who decided it. */
export interface Caps {
  /** `count`: keys ever used on the charge: one for each part that is refunded, and one more after each refusal. */
  readonly charge?: WindowCap | undefined;
  readonly customer?: (WindowCap & { readonly days: number }) | undefined;
  /** Any 60 minutes. */
  readonly hour?: WindowCap | undefined;
  /** Any 24 hours, so that midnight does not double them. */
  readonly day?: WindowCap | undefined;
}

/** When alerts come in so fast that automatic refunds stop. */
export interface BreakerSettings {
  readonly windowMs: number;
  /** The history that says what is usual, in milliseconds. */
  readonly usualOverMs: number;
  /** Opens above this many times the usual count of a window, */
  readonly times: number;
  /** but never below this many alerts in a window. */
  readonly atLeast: number;
  /** Opens above this many in any case, also without a history. */
  readonly above?: number | undefined;
}

/** Which alerts cancel the subscription that was charged. */
const CANCEL_CHOICES = ['fraud_and_cancellation', 'always', 'never'] as const;
export type CancelChoice = (typeof CANCEL_CHOICES)[number];

/** Everything the guards file sets. */
export interface GuardSettings {
  readonly caps: Caps;
  /** Above these amounts a refund needs two people. Absent: never. */
  readonly approvalAboveMinor?: AmountLimits | undefined;
  /** Null: switched off. */
  readonly breaker: BreakerSettings | null;
  readonly cancelSubscriptions: CancelChoice;
  /** What follows without a decision follows at least so long before the deadline. Absent: as the policy says. */
  readonly fallbackBeforeMs?: number | undefined;
}

const HOUR_MS = 3_600_000;

/** Without a file: no caps, no second person, and a breaker for what is no ordinary day. */
export const DEFAULT_GUARDS: GuardSettings = {
  caps: {},
  breaker: { windowMs: HOUR_MS, usualOverMs: 7 * 24 * HOUR_MS, times: 5, atLeast: 50 },
  cancelSubscriptions: 'fraud_and_cancellation',
};

const amount = z
  .string()
  .meta({ title: 'amount, like 50.00 USD' })
  .transform((text, context) => {
    const parsed = parseAmount(text);
    if (parsed.ok) return parsed.value;
    context.addIssue(parsed.message);
    return z.NEVER;
  });

const duration = z
  .string()
  .meta({ title: 'duration, like 30m, 6h or 2d' })
  .transform((text, context) => {
    const parsed = parseDuration(text);
    if (parsed.ok && parsed.value > 0) return parsed.value;
    context.addIssue(parsed.ok ? 'must be longer than nothing' : parsed.message);
    return z.NEVER;
  });

/** One amount or a list, one per currency. */
const amounts = z
  .union([amount.transform((one) => [one]), z.array(amount).min(1)])
  .transform((list, context): AmountLimits => {
    const limits: Record<string, number> = {};
    for (const { currency, amountMinor } of list) {
      if (Object.hasOwn(limits, currency)) context.addIssue(`names ${currency} twice`);
      limits[currency] = amountMinor;
    }
    return limits;
  });

const count = z.int().min(0).max(1_000_000);
const COUNT_OR_AMOUNT = { error: 'needs a count or an amount' };

const cap = z
  .strictObject({ count: count.optional(), amount: amounts.optional() })
  .refine((value) => value.count !== undefined || value.amount !== undefined, COUNT_OR_AMOUNT)
  .transform(({ count: most, amount: amountMinor }): WindowCap => ({ count: most, amountMinor }));

const customerCap = z
  .strictObject({
    count: count.optional(),
    amount: amounts.optional(),
    days: z.int().min(1).max(365).default(30),
  })
  .refine((value) => value.count !== undefined || value.amount !== undefined, COUNT_OR_AMOUNT)
  .transform(({ count: most, amount: amountMinor, days }) => ({ count: most, amountMinor, days }));

const breaker = z
  .strictObject({
    window: duration.default(HOUR_MS),
    usual_over: duration.default(7 * 24 * HOUR_MS),
    times: z.number().min(1.5).max(1_000).default(5),
    at_least: z.int().min(1).max(1_000_000).default(50),
    above: z.int().min(1).max(1_000_000).optional(),
  })
  .transform(
    (value): BreakerSettings => ({
      windowMs: value.window,
      usualOverMs: value.usual_over,
      times: value.times,
      atLeast: value.at_least,
      above: value.above,
    }),
  );

/** The guards file. Its words are in `templates/guides/reference/guards.md`. */
export const guardsFileSchema = z
  .strictObject({
    caps: z
      .strictObject({
        charge: cap.optional(),
        customer: customerCap.optional(),
        hour: cap.optional(),
        day: cap.optional(),
      })
      .default({}),
    approval: z.strictObject({ above: amounts }).optional(),
    breaker: z
      .union([z.literal('off').transform(() => null), breaker])
      .default(DEFAULT_GUARDS.breaker),
    cancel_subscriptions: z.enum(CANCEL_CHOICES).default(DEFAULT_GUARDS.cancelSubscriptions),
    fallback: z.strictObject({ before: duration }).optional(),
  })
  .transform(
    (file): GuardSettings => ({
      caps: file.caps,
      approvalAboveMinor: file.approval?.above,
      breaker: file.breaker,
      cancelSubscriptions: file.cancel_subscriptions,
      ...(file.fallback === undefined ? {} : { fallbackBeforeMs: file.fallback.before }),
    }),
  );

/** What a file says, and nothing that it leaves to others. */
export interface StatedGuards extends Omit<GuardSettings, 'breaker' | 'cancelSubscriptions'> {
  /** Undefined: nothing is said. */
  readonly breaker?: BreakerSettings | null | undefined;
  readonly cancelSubscriptions?: CancelChoice | undefined;
}

/**
 * Reads a text as one layer of several, once: an installation's files are looked at every few seconds, and hardly ever
 * change. @throws {ConfigError} naming every place that is wrong
 */
export const readStatedGuards = readOnce((text, file): StatedGuards => {
  const { breaker, cancelSubscriptions, ...stated } = readGuards(text, file);
  const words = readYaml(text, file, z.looseObject({}));
  return {
    ...stated,
    ...('breaker' in words ? { breaker } : {}),
    ...('cancel_subscriptions' in words ? { cancelSubscriptions } : {}),
  };
});

/** The guards of what was said; the rest as it is without a file. */
export function guardsOf({ breaker, cancelSubscriptions, ...stated }: StatedGuards): GuardSettings {
  return {
    ...stated,
    breaker: breaker === undefined ? DEFAULT_GUARDS.breaker : breaker,
    cancelSubscriptions: cancelSubscriptions ?? DEFAULT_GUARDS.cancelSubscriptions,
  };
}

/**
 * Reads the text of a guards file.
 *
 * @throws {ConfigError} naming every place that is wrong
 */
export function readGuards(text: string, file: string): GuardSettings {
  return readYaml(text, file, guardsFileSchema);
}

/** Reads the guards file, or gives the defaults. @throws {ConfigError} when it cannot be used */
export function openGuards(path: string | undefined): GuardSettings {
  if (path === undefined) return DEFAULT_GUARDS;
  return readGuards(readSettingFile(path, 'FORESTALL_GUARDS'), 'FORESTALL_GUARDS');
}
