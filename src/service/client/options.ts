/** Options of the client, and the settings made from them once. */
import type { Clock } from '../../base/kernel/clock.ts';
import { systemClock } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { REMOTE_TIMEOUT_MS } from '../../base/kernel/limits.ts';
import type { BrandTokens } from '../wire/brand-tokens.ts';
import { createBrandTokens } from '../wire/brand-tokens.ts';
import { createMemoryBudget } from './budget.ts';
import type { RequestBudget, Wait } from './budget-queue.ts';
import { waitOnTimer } from './budget-queue.ts';
import type { ServiceErrorCode } from './service-error.ts';

/** For people, where what is asked for is shown to partners alone. */
export const NO_PARTNER_KEY =
  'Merchants and enrolments need a partner key. Set FORESTALL_PARTNER_API_KEY.';

/** One request, as a hook sees it: no id, no query, no body, no key. */
export interface RequestInfo {
  readonly method: string;
  /** The path template, for example `/v1/alerts/{alert_id}`. */
  readonly path: string;
  /** From 1; above 1 only for reads. */
  readonly attempt: number;
}

/** How one request ended. */
export interface ResponseInfo extends RequestInfo {
  readonly durationMs: number;
  /** Absent when no answer came. */
  readonly httpStatus: number | undefined;
  /** Absent on success. */
  readonly errorCode: ServiceErrorCode | undefined;
  /** The service's own time as its header `Date` gave it, in milliseconds, to the second. */
  readonly serviceDateMs: number | undefined;
}

/** A request that is sent, although something in it may be a slip. Names only, never a value. */
export interface RequestWarning {
  /** `UNLISTED_FIELD`: the specification does not list this field; the service may refuse or drop it. */
  readonly type: 'UNLISTED_FIELD';
  readonly method: string;
  /** The path template, for example `/v1/orders/{order_id}`. */
  readonly path: string;
  /** Without positions, for example `deliveries.carier`. */
  readonly field: string;
  /** The listed field that it resembles. */
  readonly nearest: string | undefined;
  /** All of it as a sentence. */
  readonly message: string;
}

/** For tracing and metrics. What a hook throws is ignored: telemetry must not fail a declaration. */
export interface ClientHooks {
  readonly onRequest?: (info: RequestInfo) => void;
  readonly onResponse?: (info: ResponseInfo) => void;
  /** @default a warning of the process, named `ForestallRequestWarning`, once per field */
  readonly onWarning?: (warning: RequestWarning) => void;
}

/** Options of `createServiceClient`. */
export interface ServiceClientOptions {
  /** `{base_url}` of the service. HTTPS, except on loopback. */
  readonly baseUrl: string;
  /** Organisation key. One of the two keys is needed. */
  readonly apiKey?: string | undefined;
  /** Partner key: needed for merchants and enrolments, which refuse organisation keys. */
  readonly partnerApiKey?: string | undefined;
  /** @default the neutral tokens of the specification */
  readonly brandTokens?: BrandTokens | undefined;
  /** @default a budget of this client alone */
  readonly budget?: RequestBudget | undefined;
  /** For durations and the default budget. @default systemClock */
  readonly clock?: Clock | undefined;
  /** One request with its whole answer, in milliseconds. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly hooks?: ClientHooks | undefined;
  /** @default 'forestall' */
  readonly userAgent?: string | undefined;
  /** Allows plain HTTP to other machines. The key then travels readable. @default false */
  readonly allowInsecure?: boolean | undefined;
  /** How a read waits before its next attempt. @default real timers */
  readonly wait?: Wait | undefined;
  /** From 0 up to, not including, 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** Options of every single call. */
export interface CallOptions {
  /** Ends the call, also while it waits for the budget. */
  readonly signal?: AbortSignal | undefined;
  /** Smaller goes first in the budget's queue, for example a deadline in milliseconds. */
  readonly priority?: number | undefined;
  /** Attempts of a read, the first included. Writes are sent once, always. @default 3 */
  readonly attemptsMax?: number | undefined;
  /** @default the client's */
  readonly timeoutMs?: number | undefined;
}

/** The options, checked and completed. */
export interface ClientSettings {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly partnerApiKey: string | undefined;
  readonly brandTokens: BrandTokens;
  readonly budget: RequestBudget;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly hooks: ClientHooks;
  readonly userAgent: string;
  readonly wait: Wait;
  readonly random: () => number;
}

/** Longest timeout accepted, in milliseconds: a call that may take longer is no call. */
const TIMEOUT_MS_MAX = 120_000;
const HEADER_TOKEN = /^[\x21-\x7e]+$/;

/** @throws {ConfigError} naming the option that is wrong, without its value */
export function readOptions(options: ServiceClientOptions): ClientSettings {
  const clock = options.clock ?? systemClock;
  const timeoutMs = options.timeoutMs ?? REMOTE_TIMEOUT_MS;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX) {
    throw new ConfigError(`timeoutMs must be a whole number from 1 to ${TIMEOUT_MS_MAX}.`);
  }
  const apiKey = checkKey('apiKey', options.apiKey);
  const partnerApiKey = checkKey('partnerApiKey', options.partnerApiKey);
  if (apiKey === undefined && partnerApiKey === undefined) {
    throw new ConfigError('The service needs an API key. Give apiKey or partnerApiKey.');
  }
  return {
    baseUrl: readBaseUrl(options.baseUrl, options.allowInsecure === true),
    // Asked for at each call: anyone who gives them may exchange them.
    get apiKey(): string | undefined {
      return options.apiKey;
    },
    get partnerApiKey(): string | undefined {
      return options.partnerApiKey;
    },
    brandTokens: options.brandTokens ?? createBrandTokens(),
    budget: options.budget ?? createMemoryBudget({ clock }),
    clock,
    timeoutMs,
    fetch: options.fetch,
    hooks: options.hooks ?? {},
    userAgent: options.userAgent ?? 'forestall',
    wait: options.wait ?? waitOnTimer,
    random: options.random ?? Math.random,
  };
}

function checkKey(name: string, key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (!HEADER_TOKEN.test(key)) {
    throw new ConfigError(
      `${name} is empty, or holds white space or other characters that no key has. Copy it again.`,
    );
  }
  return key;
}

function readBaseUrl(text: string, allowInsecure: boolean): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ConfigError('baseUrl must be an https URL, for example https://api.example.com.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ConfigError('baseUrl must not hold a user, a query or a fragment. Remove it.');
  }
  if (url.protocol === 'http:' && !allowInsecure && !isLoopback(url.hostname)) {
    throw new ConfigError('baseUrl must be https: over http the API key could be read by others.');
  }
  return url.href.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}
