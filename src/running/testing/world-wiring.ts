/**
 * What the parts of a test world are given, so that they meet each other, the sandbox and one clock,
 * and nothing else.
 */

import type { Policy } from '../../alerts/decide/policy.ts';
import type { GuardEnvironment } from '../../alerts/guard/guard-env.ts';
import { openMatchSettings } from '../../alerts/match/settings-file.ts';
import { sourceOfUrl } from '../../base/db/source.ts';
import type { FixedClock } from '../../base/kernel/clock.ts';
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import { REMOTE_TIMEOUT_MS } from '../../base/kernel/limits.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { ProgrammePolicy } from '../../orders/programme.ts';
import type { PolicySource } from '../../policy/policy-watcher.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/index.ts';
import { createHttpProcessor } from '../../service/processor/http-processor.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import { IDENTITY_BRAND_TOKENS } from '../../service/wire/brand-tokens.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { Endpoints, SharedOptions } from '../roles/parts.ts';
import { openPolicy } from '../roles/policy-source.ts';
import type { WorkOptions } from '../roles/work-options.ts';

/** Options of {@link createTestWorld}. */
export interface TestWorldOptions {
  /** Address of a migrated database that nothing else uses: `startTestDatabase()` makes one. */
  readonly database: string;
  /** A policy, or the path of a policy file. @default the demonstration policy */
  readonly policy?: Policy | string;
  /** @default the sandbox's own, over HTTP */
  readonly processor?: Processor;
  readonly mode?: 'live' | 'shadow';
  /** Path of a file with windows and tolerances of matching. @default the published ones */
  readonly matching?: string;
  /** What comes before the policy. @default no caps */
  readonly guard?: GuardEnvironment;
  readonly sandbox?: SandboxOptions;
  /** How many workers there are, each with its own connections and identity. @default 1 */
  readonly workers?: number;
  /** Longest call to the service or the processor, in real milliseconds. @default 10000 */
  readonly callTimeoutMs?: number;
  /** Is between the worker and the service. @default the global fetch */
  readonly serviceFetch?: typeof fetch;
  readonly brandTokens?: BrandTokenMap;
  readonly programmes?: ProgrammePolicy;
  /** Keys under which raw bodies and orders are sealed. @default nothing is sealed */
  readonly dataKeys?: DataKeys;
  /** Signing secrets of ours besides the sandbox's, newest first. */
  readonly furtherSecrets?: readonly string[];
  /** @default 2026-11-20T00:00:00Z */
  readonly startsAt?: string;
  /** @default silent */
  readonly log?: Log;
}

/** How long a round waits for a connection, in milliseconds: run by hand, nothing repeats one that fails on a busy machine. */
const CONNECT_MS = 60_000;

/** The same with what an installation file may say besides. */
export interface LayeredWorldOptions extends TestWorldOptions {
  /** Merchants with something of their own, and guards besides the organisation's. */
  readonly layers?: Pick<WorkOptions, 'merchants' | 'layers' | 'policyLayer' | 'sharesAccountWith'>;
  /** Seconds between two polls. @default 120 */
  readonly reconcileSeconds?: number;
}

export const PROCESSOR_SECRET = 'processor-secret-for-tests';

/** Signs events to `POST /processor-events/http`, unless the processor brings `events` of its own. */
export const PROCESSOR_EVENT_SECRET = 'processor-events-secret-for-tests';

export function endpointsOf(sandbox: Sandbox, options: TestWorldOptions): Endpoints {
  const { accounts } = sandbox;
  return {
    database: sourceOfUrl(options.database, {
      dataKeys: options.dataKeys,
      organisation: accounts.organisationId,
      settings: { connectTimeoutMs: CONNECT_MS },
    }),
    organisationId: accounts.organisationId,
    integrationId: accounts.integrationId,
    serviceUrl: sandbox.url,
    // A snapshot that is restored brings keys of its own.
    get apiKey(): string {
      return sandbox.accounts.organisationKey;
    },
    get partnerApiKey(): string {
      return sandbox.accounts.partnerKey;
    },
    brandTokens: options.brandTokens ?? IDENTITY_BRAND_TOKENS,
  };
}

interface Surroundings {
  readonly sandbox: Sandbox;
  readonly clock: FixedClock;
  readonly log: Log;
}

export function workOptionsOf(options: LayeredWorldOptions, around: Surroundings): WorkOptions {
  const { sandbox, clock } = around;
  return {
    processor:
      options.processor ??
      createHttpProcessor({
        baseUrl: sandbox.processorUrl,
        secret: PROCESSOR_SECRET,
        clock,
        timeoutMs: options.callTimeoutMs ?? REMOTE_TIMEOUT_MS,
      }),
    policy: policyOf(options, around.log),
    mode: options.mode ?? 'live',
    reconcileSeconds: options.reconcileSeconds ?? 120,
    guard: options.guard,
    ...options.layers,
    matching: openMatchSettings(options.matching, options.brandTokens ?? IDENTITY_BRAND_TOKENS),
  };
}

function policyOf({ policy, brandTokens }: TestWorldOptions, log: Log): PolicySource {
  if (typeof policy === 'object') return { current: () => policy, refresh: () => false };
  return openPolicy({
    path: policy,
    demonstration: true,
    brands: brandTokens ?? IDENTITY_BRAND_TOKENS,
    log,
  });
}

/** Calls that neither wait nor time out on the machine's clock. */
export function callsOf(
  sandbox: Sandbox,
  { callTimeoutMs = REMOTE_TIMEOUT_MS, serviceFetch }: TestWorldOptions,
): SharedOptions['calls'] {
  return {
    timeoutMs: callTimeoutMs,
    fetch: serviceFetch,
    // Answers carry the machine's time, which says nothing about a clock that is moved.
    hooks: {},
    wait: () => Promise.resolve(),
    waitForBudget: (durationMs) => sandbox.advance(durationMs),
  };
}
