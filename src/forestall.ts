/**
 * The whole of Forestall inside another program: its process, its pool, its logger.
 *
 * Nothing here reads the environment, opens a port or handles a signal: the program mounts the
 * receiver, starts and stops the worker, and hands orders over.
 *
 * @module
 * @example
 * const forestall = await createForestall({ database: pool, service, organisationId, webhookSecrets });
 * await forestall.migrate();
 * app.use(forestall.receiver); // before any body parser
 * await forestall.start();
 */
import type { Server } from 'node:http';
import type { Router } from 'express';
import type { Policy } from './alerts/decide/policy.ts';
import { openEvidenceRules } from './alerts/evidence/evidence-rules.ts';
import { openGuards } from './alerts/guard/guard-settings.ts';
import { openMatchSettings } from './alerts/match/settings-file.ts';
import type { FetchReceiver } from './alerts/receive/fetch-receiver.ts';
import { createFetchReceiver } from './alerts/receive/fetch-receiver.ts';
import { createReceiver } from './alerts/receive/receiver.ts';
import type { Health } from './alerts/receive/receiver-app.ts';
import { createEventRoutes } from './alerts/signals/event-routes.ts';
import type { FetchEventReceiver } from './alerts/signals/fetch-event-receiver.ts';
import { createFetchEventReceiver } from './alerts/signals/fetch-event-receiver.ts';
import { warnOfLossyDatabase } from './base/db/durability.ts';
import { sourceOfPool, sourceOfUrl } from './base/db/source.ts';
import { ConfigError } from './base/kernel/errors.ts';
import { parseDataKeys } from './base/seal/data-keys.ts';
import { openCreditWindows } from './books/credits/credit-windows.ts';
import { openCostModel } from './books/insights/economics-model.ts';
import { openMonitoring } from './books/programmes/monitoring.ts';
import { NO_PROGRAMMES } from './orders/programme.ts';
import { createConsoleRole } from './people/console/console-role.ts';
import type { ForestallAlerts } from './running/embed/alerts.ts';
import { createAlerts } from './running/embed/alerts.ts';
import type { ForestallBooks } from './running/embed/books.ts';
import { createBooks } from './running/embed/books.ts';
import type { ForestallGuards } from './running/embed/guards.ts';
import { createGuards } from './running/embed/guards.ts';
import { logThrough } from './running/embed/logger.ts';
import { migrate } from './running/embed/migrate.ts';
import type { ConsoleOptions, ForestallOptions } from './running/embed/options.ts';
import type { ForestallOrders } from './running/embed/orders.ts';
import { createOrders } from './running/embed/orders.ts';
import type { ForestallPolicies } from './running/embed/policies.ts';
import { createPolicies } from './running/embed/policies.ts';
import { refuseForeignMode } from './running/roles/open-processor.ts';
import type { OrganisationParts } from './running/roles/parts.ts';
import { openParts } from './running/roles/parts.ts';
import type { PolicySource } from './running/roles/policy-source.ts';
import { openPolicy } from './running/roles/policy-source.ts';
import { sharedReadiness } from './running/roles/readiness.ts';
import { openReception } from './running/roles/serve.ts';
import type { Work } from './running/roles/work.ts';
import { createWork } from './running/roles/work.ts';
import type { WorkOptions } from './running/roles/work-options.ts';
import type { WorkRole } from './running/roles/workers.ts';
import { startWorkRole } from './running/roles/workers.ts';
import type { ServiceClient } from './service/client/index.ts';
import { createNoProcessor } from './service/processor/no-processor.ts';
import { IDENTITY_BRAND_TOKENS } from './service/wire/brand-tokens.ts';

/** Forestall, embedded. */
export interface Forestall {
  /**
   * `POST /webhooks`, `POST /webhooks/{subscription}` and `POST /processor-events/{name}`. Mount it before
   * any body parser.
   */
  readonly receiver: Router;
  /** The same for servers that speak the Fetch API; the request's body must be unread. */
  readonly receive: FetchReceiver;
  /** `POST /processor-events/{name}` for such servers; `receiver` takes it too. */
  readonly receiveEvent: FetchEventReceiver;
  readonly orders: ForestallOrders;
  readonly alerts: ForestallAlerts;
  readonly guards: ForestallGuards;
  readonly books: ForestallBooks;
  readonly policies: ForestallPolicies;
  /** The service itself, under the request budget that the worker shares. */
  readonly client: ServiceClient;
  /** The policy in force. */
  policy(): Policy;
  /** Pages for people and the JSON API, on a server that you listen with and close. */
  createConsole(options: ConsoleOptions): Server;
  /**
   * Whether the database answers, its schema is this version's, and some worker is alive. Answers within
   * 3 s, and the same to all who ask within a moment. Tell strangers `ok` and not `checks`.
   */
  readiness(): Promise<Health>;
  /** Brings the database up to date; any number of processes may call it at once. Names what it applied. */
  migrate(): Promise<string[]>;
  /**
   * Starts the worker in this process. Other processes may run one too.
   *
   * @throws {ConfigError} when a test organisation meets a processor that states it is live, or the reverse
   */
  start(): Promise<void>;
  /**
   * One round of everything the worker does, for tests and for programs that run on a schedule.
   * Returns how much was done; 0 means that nothing is left at this moment.
   *
   * @throws {ConfigError} while the worker is started
   */
  runOnce(): Promise<number>;
  /** Lets work under way end, gives back what this process holds, and closes. Your pool stays open. */
  stop(): Promise<void>;
}

/**
 * Opens Forestall. The database must be reachable, because its time is the clock.
 *
 * @throws {ConfigError} when a secret, a path or the pool cannot be used
 * @throws {PolicyError} naming every problem of the policy file with its line and column
 */
export async function createForestall(options: ForestallOptions): Promise<Forestall> {
  const parts = await openEmbeddedParts(options);
  try {
    await warnOfLossyDatabase(parts.database.db, parts.log);
    return assemble(parts, options);
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** The parts of an embedded Forestall. */
async function openEmbeddedParts(options: ForestallOptions): Promise<OrganisationParts> {
  const { database, service } = options;
  const dataKeys = options.dataKeys === undefined ? undefined : parseDataKeys(options.dataKeys);
  const { organisationId: organisation, directDatabase: directUrl } = options;
  const endpoints = {
    database:
      typeof database === 'string'
        ? sourceOfUrl(database, { dataKeys, organisation, settings: { directUrl } })
        : sourceOfPool(database, { dataKeys, organisation, directUrl }),
    organisationId: options.organisationId,
    integrationId: options.integrationId,
    serviceUrl: service.url,
    apiKey: service.apiKey,
    partnerApiKey: service.partnerApiKey,
    brandTokens: { ...IDENTITY_BRAND_TOKENS, ...options.brandTokens },
  };
  return await openParts(endpoints, logThrough(options.logger), { clock: options.clock });
}

function assemble(parts: OrganisationParts, options: ForestallOptions): Forestall {
  const { programmes = NO_PROGRAMMES } = options;
  const policy = policyOf(parts, options.policy);
  const events = options.processor?.events;
  const intake = openReception(parts, { webhookSecrets: options.webhookSecrets, events });
  const health = sharedReadiness(parts);
  const workOptions = workOptionsOf(parts, options, policy);
  const approvalAboveMinor = workOptions.guard?.guards.approvalAboveMinor;
  const worker = createWorker(parts, workOptions);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await worker.stop();
    await intake.close();
    await parts.close();
  };
  return {
    receiver: createReceiver(intake.reception).use(createEventRoutes(intake.eventReception)),
    receive: createFetchReceiver(intake.reception),
    receiveEvent: createFetchEventReceiver(intake.eventReception),
    orders: createOrders(parts, programmes),
    alerts: createAlerts(parts, approvalAboveMinor),
    guards: createGuards(parts),
    books: createBooks(parts),
    policies: createPolicies(parts, {
      current: () => policy.current(),
      open: (other) => policyOf(parts, other).current(),
      costs: openCostModel(options.costs),
    }),
    client: parts.client,
    policy: () => policy.current(),
    createConsole: ({ token, secureCookies = false, evidencePacks, ...settings }) =>
      createConsoleRole(parts, {
        token,
        programmes,
        counters: intake.counters,
        health,
        settings: {
          oidc: settings.oidc,
          secureCookies,
          ownTls: false,
          evidencePacksPath: evidencePacks,
          trustedProxies: settings.trustedProxies,
          locale: settings.locale,
        },
        evidence: workOptions.evidence,
        costsPath: options.costs,
        approvalAboveMinor,
        monitoring: workOptions.monitoring,
      }),
    readiness: health,
    migrate: () => migrate(parts),
    start: () => worker.start(),
    runOnce: () => worker.runOnce(),
    stop: (): Promise<void> => {
      closing ??= close();
      return closing;
    },
  };
}

function policyOf(parts: OrganisationParts, policy: Policy | string | undefined): PolicySource {
  if (typeof policy === 'object') return { current: () => policy, refresh: () => false };
  const { endpoints, log } = parts;
  return openPolicy({ path: policy, demonstration: false, brands: endpoints.brandTokens, log });
}

function workOptionsOf(
  parts: OrganisationParts,
  options: ForestallOptions,
  policy: PolicySource,
): WorkOptions {
  const { policyBeside, guards, actions, matching, estate } = options;
  return {
    processor: options.processor ?? createNoProcessor(),
    policy,
    mode: options.mode ?? 'live',
    reconcileSeconds: options.reconcileSeconds ?? 120,
    notify: options.notify,
    guard: { guards: openGuards(guards), actions, costsPath: options.costs },
    evidence: openEvidenceRules(options.evidence),
    creditWindows: openCreditWindows(options.creditWindows),
    estate: estate && { path: estate.path, variables: estate.variables ?? {} },
    matching: openMatchSettings(matching, parts.endpoints.brandTokens),
    monitoring: openMonitoring(options.monitoring, options.costs),
    ...(policyBeside === undefined ? {} : { policyBeside: policyOf(parts, policyBeside) }),
  };
}

type Worker = Pick<Forestall, 'start' | 'runOnce' | 'stop'>;

/** The worker: started, or driven by hand, never both. */
function createWorker(parts: OrganisationParts, options: WorkOptions): Worker {
  let role: Promise<WorkRole> | undefined;
  let byHand: Work | undefined;
  const startRole = async (): Promise<WorkRole> => {
    await refuseForeignMode(options.processor, parts);
    return await startWorkRole(parts, options);
  };
  return {
    async start(): Promise<void> {
      role ??= startRole();
      try {
        await role;
      } catch (error) {
        role = undefined;
        throw error;
      }
    },
    async runOnce(): Promise<number> {
      if (role !== undefined) {
        throw new ConfigError(
          'The worker is started and runs by itself. Call either start or runOnce.',
        );
      }
      if (byHand === undefined) await refuseForeignMode(options.processor, parts);
      byHand ??= createWork(parts, options);
      let done = 0;
      for (const loop of byHand.loops) done += await loop.runOnce();
      return done;
    },
    async stop(): Promise<void> {
      await (await role)?.stop();
      byHand?.abort();
      await byHand?.release();
    },
  };
}
