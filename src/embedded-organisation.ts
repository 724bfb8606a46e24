/** One organisation inside another program: put together, before anything works for it. */
import type { Policy } from './alerts/decide/policy.ts';
import { openGuards } from './alerts/guard/guard-settings.ts';
import { openMatchSettings } from './alerts/match/settings-file.ts';
import type { FetchReceiver } from './alerts/receive/fetch-receiver.ts';
import { createFetchReceiver } from './alerts/receive/fetch-receiver.ts';
import type { Health } from './alerts/receive/receiver.ts';
import { createReceiver } from './alerts/receive/receiver.ts';
import { DEFAULT_SCHEMA, schemaFault } from './base/db/schemas.ts';
import type { DatabaseSource } from './base/db/source.ts';
import { sourceOfPool, sourceOfUrl } from './base/db/source.ts';
import type { Middleware } from './base/http/middleware.ts';
import { middlewareOf } from './base/http/middleware.ts';
import { parseDataKeys } from './base/kernel/data-keys.ts';
import { ConfigError } from './base/kernel/errors.ts';
import { openSettings, tryAll } from './base/kernel/setting.ts';
import type { DoorFunctions } from './capabilities/doors.ts';
import { doorFunctions } from './capabilities/doors.ts';
import type { OnEvent } from './capabilities/event-types.ts';
import { CAPABILITY_SETTINGS, givenInOptions } from './capabilities/settings.ts';
import { NO_PROGRAMMES } from './orders/programme.ts';
import type { ConsoleRoleOptions } from './people/console/console-role.ts';
import type { PolicySource } from './policy/policy-watcher.ts';
import type { ForestallAlerts } from './running/embed/alerts.ts';
import { createAlerts } from './running/embed/alerts.ts';
import type { ForestallBooks } from './running/embed/books.ts';
import { createBooks } from './running/embed/books.ts';
import type { ForestallGuards } from './running/embed/guards.ts';
import { createGuards } from './running/embed/guards.ts';
import { createOnEvent } from './running/embed/on-event.ts';
import type { ConsoleOptions, ForestallOptions, OwnOptions } from './running/embed/options.ts';
import type { ForestallOrders } from './running/embed/orders.ts';
import { createOrders } from './running/embed/orders.ts';
import type { ForestallPolicies } from './running/embed/policies.ts';
import { createPolicies } from './running/embed/policies.ts';
import { refusingCards } from './running/embed/refuse-cards.ts';
import { doorRoutes } from './running/roles/open-doors.ts';
import type { Endpoints, OrganisationParts } from './running/roles/parts.ts';
import { openPolicy } from './running/roles/policy-source.ts';
import { sharedReadiness } from './running/roles/readiness.ts';
import { openReception } from './running/roles/serve.ts';
import type { AskHealth } from './running/roles/shared-health.ts';
import type { WorkOptions } from './running/roles/work-options.ts';
import type { ServiceClient } from './service/client/index.ts';
import { createNoProcessor } from './service/processor/no-processor.ts';
import { IDENTITY_BRAND_TOKENS } from './service/wire/brand-tokens.ts';
import { createEventHandlers } from './surface/event-handlers.ts';

/** What a program may do with an organisation; what works for it, and its console, are its own or shared with others. */
export interface EmbeddedOrganisation extends DoorFunctions {
  /**
   * `POST /webhooks`, `POST /webhooks/{subscription}` and `POST /processor-events/{name}`, for Express 4 and 5. Mount it
   * before any body parser. Every other path, and those that name nothing of Forestall's, go on to your own routes.
   */
  readonly receiver: Middleware;
  /** The same for servers that speak the Fetch API; the request's body must be unread. */
  readonly receive: FetchReceiver;
  readonly orders: ForestallOrders;
  readonly alerts: ForestallAlerts;
  readonly guards: ForestallGuards;
  readonly books: ForestallBooks;
  readonly policies: ForestallPolicies;
  /** Calls a handler for each event of some types, in order, at least once, also across restarts. */
  readonly on: OnEvent;
  /** The service itself, under the request budget that the worker shares. */
  readonly client: ServiceClient;
  /** The policy in force. */
  policy(): Policy;
  /**
   * Whether the database answers, its schema is this version's, and some worker is alive. Answers within
   * 3 s, and the same to all who ask within a moment. Tell strangers `ok` and not `checks`.
   */
  readiness(): Promise<Health>;
}

/** The database of an embedding program, for an organisation; undefined: for several. */
export function sourceOf(
  options: Pick<ForestallOptions, 'database' | 'dataKeys' | 'directDatabase' | 'schema'>,
  organisation: string | undefined,
): DatabaseSource {
  const { database, directDatabase: directUrl } = options;
  const dataKeys = options.dataKeys === undefined ? undefined : parseDataKeys(options.dataKeys);
  const { schema = DEFAULT_SCHEMA } = options;
  const fault = schemaFault(schema);
  if (fault !== undefined) throw new ConfigError(`The option schema ("${schema}") ${fault}.`);
  return typeof database === 'string'
    ? sourceOfUrl(database, { dataKeys, organisation, settings: { directUrl, schema } })
    : sourceOfPool(database, { dataKeys, organisation, directUrl, schema });
}

/** Where everything of an organisation is. */
export function endpointsOf(options: OwnOptions, database: DatabaseSource): Endpoints {
  const { service } = options;
  return {
    database,
    organisationId: options.organisationId,
    integrationId: options.integrationId,
    serviceUrl: service.url,
    apiKey: service.apiKey,
    partnerApiKey: service.partnerApiKey,
    brandTokens: { ...IDENTITY_BRAND_TOKENS, ...options.brandTokens },
  };
}

/** An organisation, before anything works for it. */
export interface AssembledOrganisation {
  readonly organisation: EmbeddedOrganisation;
  readonly health: AskHealth;
  readonly workOptions: WorkOptions;
  /** What its console is opened with. */
  readonly consoleOptions: Omit<ConsoleRoleOptions, 'health' | 'settings' | 'token'>;
  /** Ends taking in. */
  close(): Promise<void>;
}

/** How people reach a console that another program puts on its port. */
export function consoleSettings({
  secureCookies = false,
  ...entry
}: Omit<ConsoleOptions, 'token'>): NonNullable<ConsoleRoleOptions['settings']> {
  return {
    oidc: entry.oidc,
    secureCookies,
    ownTls: false,
    trustedProxies: entry.trustedProxies,
    locale: entry.locale,
  };
}

/** The doors for a program that has routes of its own. */
function receiverOf(intake: ReturnType<typeof openReception>): Middleware {
  const place = { isGuest: true };
  const router = createReceiver(intake.reception, place);
  return middlewareOf(router.use(doorRoutes(intake.doors, place)));
}

/** Puts an organisation together. */
export function assembleOrganisation(
  parts: OrganisationParts,
  options: OwnOptions,
): AssembledOrganisation {
  const { programmes = NO_PROGRAMMES } = options;
  const policy = policyOf(parts, options.policy);
  const events = options.processor?.events;
  const intake = openReception(parts, { webhookSecrets: options.webhookSecrets, events });
  const eventHandlers = createEventHandlers();
  const workOptions = { ...workOptionsOf(parts, options, policy), eventHandlers };
  const approvalAboveMinor = workOptions.guard?.guards.approvalAboveMinor;
  const { settings: opened } = workOptions;
  const health = sharedReadiness(parts);
  return {
    organisation: {
      receiver: receiverOf(intake),
      receive: createFetchReceiver(intake.reception),
      ...doorFunctions(intake.doors),
      orders: createOrders(parts, programmes),
      alerts: refusingCards(createAlerts(parts, approvalAboveMinor)),
      guards: refusingCards(createGuards(parts)),
      books: refusingCards(createBooks(parts)),
      policies: refusingCards(
        createPolicies(parts, {
          current: () => policy.current(),
          open: (other) => policyOf(parts, other).current(),
          settings: opened ?? openSettings({}),
        }),
      ),
      on: createOnEvent(eventHandlers),
      client: parts.client,
      policy: () => policy.current(),
      readiness: health,
    },
    health,
    workOptions,
    consoleOptions: {
      programmes,
      counters: intake.counters,
      opened,
      approvalAboveMinor,
    },
    close: () => intake.close(),
  };
}

function policyOf(parts: OrganisationParts, policy: Policy | string | undefined): PolicySource {
  if (typeof policy === 'object') return { current: () => policy, refresh: () => false };
  const { endpoints, log } = parts;
  return openPolicy({ path: policy, demonstration: false, brands: endpoints.brandTokens, log });
}

function workOptionsOf(
  parts: OrganisationParts,
  options: OwnOptions,
  policy: PolicySource,
): WorkOptions {
  const { policyBeside, guards, actions, matching, variables } = options;
  const settings = openSettings(givenInOptions(options));
  tryAll(CAPABILITY_SETTINGS, settings);
  return {
    processor: options.processor ?? createNoProcessor(),
    policy,
    mode: options.mode ?? 'live',
    reconcileSeconds: options.reconcileSeconds ?? 120,
    notify: options.notify,
    guard: { guards: openGuards(guards), actions },
    settings,
    variables,
    matching: openMatchSettings(matching, parts.endpoints.brandTokens),
    ...(policyBeside === undefined ? {} : { policyBeside: policyOf(parts, policyBeside) }),
  };
}
