/** What a sandbox can be told at its start, and what holds otherwise. */
import type { Clock, FixedClock } from '../base/kernel/clock.ts';
import { systemClock } from '../base/kernel/clock.ts';
import { REQUESTS_PER_MINUTE_MAX } from '../base/kernel/limits.ts';
import type { Log } from '../base/kernel/log.ts';
import { createLog } from '../base/kernel/log.ts';
import type { BrandTokens } from '../service/wire/brand-tokens.ts';
import { createBrandTokens } from '../service/wire/brand-tokens.ts';
import { WEBHOOK_ANSWER_MS_MAX } from '../service/wire/limits.ts';

/** How long what the service does in the background takes, in milliseconds. */
export interface SandboxTiming {
  /** From a simulated alert to its matching with an order. @default 5 s */
  readonly alertMatchingMs: number;
  /** From an enrolment's creation to `IN_PROGRESS`. @default 1 h */
  readonly enrolmentInProgressMs: number;
  /** From a descriptor's creation to the network's verdict. @default 24 h */
  readonly descriptorValidationMs: number;
  /** From an RDR enrolment's creation to `ENABLED`. @default 48 h */
  readonly enrolmentEnabledMs: number;
  /** From a lookup's creation to its answer. @default 2 s */
  readonly lookupAnswerMs: number;
  /** From an alert's creation to its deadline. @default 48 h */
  readonly alertDeadlineMs: number;
  /** From a pending refund to its result at the sandbox's processor. @default 1 h */
  readonly refundSettlementMs: number;
}

/** What the sandbox's processor can do, and states under `/processor/capabilities`. */
export interface ProcessorSettings {
  /** How long a repeat of an idempotency key returns the first result. 0: keys do nothing. */
  readonly idempotency_ttl_hours: number;
  readonly can_lookup_by_reference: boolean;
  /** How long a new refund stays invisible to reads, in seconds. */
  readonly lookup_lag_seconds: number;
  readonly refuses_over_refund: boolean;
  readonly async_refunds: boolean;
  readonly pending_counts: boolean;
  readonly request_lifetime_seconds: number;
  /** What it says of itself; a live one would refuse to work for a test organisation. */
  readonly mode: 'test' | 'live';
  /** Where its own webhooks are sent, and what signs them. @default nothing is sent */
  readonly events?: { readonly url: string; readonly secret: string } | null;
  /** Calls answered 501 (`capabilities`: 404) when false. */
  readonly offers: {
    readonly search: boolean;
    readonly read: boolean;
    readonly voids: boolean;
    readonly cancellations: boolean;
    readonly capabilities: boolean;
    /** @default true */
    readonly disputes?: boolean;
  };
}

/** Options of `createSandbox`. Everything may be left out. */
export interface SandboxOptions {
  /** A fixed clock makes every step wait for `sandbox.advance`. @default the machine's clock */
  readonly clock?: Clock | FixedClock;
  /** Where the clock begins, in milliseconds since 1970. @default the clock's own time */
  readonly startsAtMs?: number;
  /** How fast a running clock runs: 60 is a minute per second, 0 stands still. @default 1 */
  readonly clockRate?: number;
  /** Everything random, ids included, follows from it. @default 1 */
  readonly seed?: number;
  /** @default a free port */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  /** @default silent */
  readonly log?: Log;
  /** Whether a webhook retry is signed with its own time or the first attempt's. @default 'fresh' */
  readonly retryTimestamps?: 'fresh' | 'first';
  /**
   * Whose time the signatures of webhooks carry: the machine's, as any other process expects, however
   * far the sandbox's clock was moved; or the sandbox's own.
   *
   * @default 'real'; 'sandbox' with a fixed clock, which a receiver in this process shares
   */
  readonly signatureTime?: SignatureTime;
  /** Where the seeded subscription sends events. @default nowhere, until `pointWebhooksAt` */
  readonly webhookUrl?: string;
  /** How long a receiver may take, in real milliseconds. @default 20 s */
  readonly webhookTimeoutMs?: number;
  /**
   * Most deliveries under way at once to one endpoint while the clock is advanced, once it is slow to
   * answer; one that answers within a second gets them one by one, in order. @default 32
   */
  readonly deliveriesAtOnce?: number;
  /** Deliveries that end `FAILED` in a row before a subscription is disabled. @default 3 */
  readonly disableAfterFailedDeliveries?: number;
  /** Per endpoint and organisation in any 60 s. @default 100 */
  readonly requestsPerMinute?: number;
  readonly timing?: Partial<SandboxTiming>;
  /** When given, calls to `/processor/*` must be signed with it. */
  readonly processorSecret?: string;
  readonly processor?: Partial<ProcessorSettings>;
  /** Speaks a service's real identifiers instead of the neutral tokens. */
  readonly brandTokens?: BrandTokens;
  /** Of the default organisation: two sandboxes of one seed are then the same but for it. @default made from the seed */
  readonly organisationId?: string;
  /** Starts without the default organisations, keys and enrolments. @default false */
  readonly empty?: boolean;
}

/** Whose time signatures carry. */
export const SIGNATURE_TIMES = ['real', 'sandbox'] as const;
export type SignatureTime = (typeof SIGNATURE_TIMES)[number];

/** {@link SandboxOptions} with every default filled in. */
export interface Settings
  extends Required<
    Omit<
      SandboxOptions,
      'startsAtMs' | 'webhookUrl' | 'timing' | 'processorSecret' | 'processor' | 'organisationId'
    >
  > {
  readonly startsAtMs: number | undefined;
  readonly webhookUrl: string | null;
  readonly timing: SandboxTiming;
  readonly processorSecret: string | null;
  readonly processor: ProcessorSettings;
  readonly organisationId: string | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const DEFAULT_TIMING: SandboxTiming = {
  alertMatchingMs: 5_000,
  enrolmentInProgressMs: HOUR_MS,
  descriptorValidationMs: 24 * HOUR_MS,
  enrolmentEnabledMs: 48 * HOUR_MS,
  lookupAnswerMs: 2_000,
  alertDeadlineMs: 48 * HOUR_MS,
  refundSettlementMs: HOUR_MS,
};

const DEFAULT_PROCESSOR: ProcessorSettings = {
  idempotency_ttl_hours: 24,
  can_lookup_by_reference: true,
  lookup_lag_seconds: 0,
  refuses_over_refund: true,
  async_refunds: false,
  pending_counts: false,
  request_lifetime_seconds: 60,
  mode: 'test',
  offers: { search: true, read: true, voids: true, cancellations: true, capabilities: true },
};

/** Three deliveries are about two days of a dead endpoint; the service's own figure is not shown. */
const DISABLE_AFTER_FAILED_DELIVERIES = 3;

/** So that two hundred deliveries to an endpoint that hangs take seven times the time limit, not two hundred. */
const DELIVERIES_AT_ONCE = 32;

const DEFAULTS = {
  clock: systemClock,
  startsAtMs: undefined,
  clockRate: 1,
  seed: 1,
  port: 0,
  host: '127.0.0.1',
  retryTimestamps: 'fresh',
  webhookUrl: null,
  webhookTimeoutMs: WEBHOOK_ANSWER_MS_MAX,
  deliveriesAtOnce: DELIVERIES_AT_ONCE,
  disableAfterFailedDeliveries: DISABLE_AFTER_FAILED_DELIVERIES,
  requestsPerMinute: REQUESTS_PER_MINUTE_MAX,
  processorSecret: null,
  organisationId: undefined,
  empty: false,
} as const;

export function resolveOptions(options: SandboxOptions): Settings {
  const sharesClock = options.clock !== undefined && 'setMs' in options.clock;
  return {
    ...DEFAULTS,
    signatureTime: sharesClock ? 'sandbox' : 'real',
    ...options,
    log: options.log ?? createLog({ level: 'silent' }),
    timing: { ...DEFAULT_TIMING, ...options.timing },
    processor: { ...DEFAULT_PROCESSOR, ...options.processor },
    brandTokens: options.brandTokens ?? createBrandTokens(),
  };
}
