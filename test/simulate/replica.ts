/**
 * Our own processes inside the simulation: receivers and workers, put together as `serve` and `work`
 * put them together, on a simulated database and the moved clock.
 */
import type { RequestListener } from 'node:http';
import type { DatabaseSource } from '../../src/base/db/source.ts';
import type { LoopSpec } from '../../src/base/jobs/loop.ts';
import type { Clock } from '../../src/base/kernel/clock.ts';
import type { Log } from '../../src/base/kernel/log.ts';
import { createKeyKeeper } from '../../src/base/seal/keep-keys.ts';
import { openCreditWindows } from '../../src/books/credits/credit-windows.ts';
import { openMonitoring } from '../../src/books/programmes/monitoring.ts';
import type { OrganisationParts } from '../../src/running/roles/parts.ts';
import type { PolicySource } from '../../src/running/roles/policy-source.ts';
import { createServeRole } from '../../src/running/roles/serve.ts';
import { createWork } from '../../src/running/roles/work.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { createStoreBudget } from '../../src/service/budget/budget.store.ts';
import { createServiceClient } from '../../src/service/client/index.ts';
import { createHttpProcessor } from '../../src/service/processor/http-processor.ts';
import { createBrandTokens, IDENTITY_BRAND_TOKENS } from '../../src/service/wire/brand-tokens.ts';
import type { Actor } from './actor.ts';

export const PROCESSOR_SECRET = 'processor-secret-for-simulations';

/** What every process is given. */
export interface ReplicaOptions {
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy: PolicySource;
  readonly pollSeconds: number;
}

/** A worker and its loops. */
export interface Worker {
  readonly actor: Actor;
  readonly loops: readonly LoopSpec[];
  /** Loops with a round under way. */
  readonly busy: Set<string>;
  /** When a loop may be started again after a failed round, in milliseconds. */
  readonly restsUntilMs: Map<string, number>;
}

function partsOf(options: ReplicaOptions, actor: Actor, source: DatabaseSource): OrganisationParts {
  const { sandbox, clock, log } = options;
  const { accounts } = sandbox;
  const { organisationId } = accounts;
  const database = source.open({ log });
  const brandTokens = createBrandTokens(IDENTITY_BRAND_TOKENS);
  const budget = createStoreBudget({ db: database.db, organisationId, clock });
  const endpoints = {
    database: source,
    organisationId,
    integrationId: accounts.integrationId,
    serviceUrl: sandbox.url,
    apiKey: accounts.organisationKey,
    partnerApiKey: accounts.partnerKey,
    brandTokens: IDENTITY_BRAND_TOKENS,
  };
  const client = createServiceClient({
    baseUrl: sandbox.url,
    apiKey: endpoints.apiKey,
    partnerApiKey: endpoints.partnerApiKey,
    brandTokens,
    clock,
    budget,
  });
  return {
    endpoints,
    organisationId,
    database,
    clock,
    log,
    workerId: actor.name,
    client,
    clockSkewMs: () => undefined,
    brandTokens,
    budget,
    wakeBus: {
      on: () => () => undefined,
      serve: () => () => undefined,
      isServed: () => false,
      emit: () => undefined,
      stop: () => Promise.resolve(),
    },
    moves: {
      away: () => undefined,
      follow: () => () => undefined,
      refresh: () => Promise.resolve(),
      stop: () => undefined,
    },
    keyKeeper: createKeyKeeper({ db: database.db, organisationId, log }),
    close: () => database.close(),
  };
}

/** What each process reads from the files of this version, and would at every start. */
const FILES = { creditWindows: openCreditWindows(undefined), monitoring: openMonitoring() };

/** Makes a worker. */
export function createWorker(
  options: ReplicaOptions,
  actor: Actor,
  source: DatabaseSource,
): Worker {
  const { sandbox, clock, policy, pollSeconds } = options;
  const { loops } = createWork(partsOf(options, actor, source), {
    ...FILES,
    processor: createHttpProcessor({
      baseUrl: sandbox.processorUrl,
      secret: PROCESSOR_SECRET,
      clock,
    }),
    policy,
    mode: 'live',
    reconcileSeconds: pollSeconds,
  });
  return { actor, loops, busy: new Set(), restsUntilMs: new Map() };
}

/** Makes a receiver of webhooks. */
export function createReceiver(
  options: ReplicaOptions,
  actor: Actor,
  source: DatabaseSource,
): { readonly actor: Actor; readonly listener: RequestListener } {
  const { server } = createServeRole(partsOf(options, actor, source), {
    webhookSecrets: [options.sandbox.accounts.webhookSecret],
    tls: undefined,
  });
  return { actor, listener: (request, response) => void server.emit('request', request, response) };
}
