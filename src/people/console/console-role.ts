/** The console role: pages for people and the JSON API, on a listener of its own. */
import type { Server } from 'node:http';
import type { Express } from 'express';
import type { AmountLimits } from '../../alerts/guard/guard-settings.ts';
import type { ReceiveCounters } from '../../alerts/receive/counters.ts';
import { createHttpServer } from '../../alerts/receive/http-server.ts';
import { replayEvent } from '../../alerts/receive/replay.ts';
import { applyOperatorDecision } from '../../alerts/review/apply-operator-decision.ts';
import { OPERATOR_REFUSALS } from '../../alerts/review/operator-decision.ts';
import type { TlsPaths } from '../../base/http/tls-files.ts';
import { followTls, readTls } from '../../base/http/tls-files.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import { EVENT_KINDS } from '../../capabilities/event-kinds.ts';
import { readBacklog } from '../../orders/feed-status.store.ts';
import { createOrderRoutes } from '../../orders/order-routes.ts';
import type { ProgrammePolicy } from '../../orders/programme.ts';
import type { ConsoleSettings } from '../../running/console-settings.ts';
import { intakeDeps } from '../../running/roles/intake.ts';
import type { OrganisationParts } from '../../running/roles/parts.ts';
import { sharedReadiness } from '../../running/roles/readiness.ts';
import type { AskHealth } from '../../running/roles/shared-health.ts';
import { createOidc } from '../../surface/access/oidc.ts';
import type { ConsoleOptions, DecideOutcome, OperatorDecision } from '../../surface/web/ports.ts';
import { createConsoleApp } from './console-app.ts';
import { createMadePast } from './made-past.store.ts';

export interface ConsoleRoleOptions {
  readonly token: string;
  readonly programmes: ProgrammePolicy;
  /** The receiver's counters when it runs in this process; its figures are left out otherwise. */
  readonly counters: ReceiveCounters | undefined;
  /** Where a receiver runs in this process, its own. @default the console asks for itself */
  readonly health?: AskHealth;
  /** How it is reached and entered. @default on this machine, with tokens */
  readonly settings?:
    | Pick<ConsoleSettings, 'oidc' | 'secureCookies' | 'ownTls' | 'trustedProxies' | 'locale'>
    | undefined;
  /** The settings of capabilities. @default nothing is given */
  readonly opened?: OpenSettings | undefined;
  /** Above these amounts a second person must say the same. */
  readonly approvalAboveMinor?: AmountLimits | undefined;
  /** Examines the installation on demand. */
  readonly doctor?: ConsoleOptions['doctor'];
  readonly tls?: TlsPaths | undefined;
}

const REPLAY_REFUSALS = {
  not_found: 'No event with this id is stored.',
  malformed: 'This delivery is no event and cannot be applied. It stays as evidence.',
} as const;

/** Creates the console's server; the caller listens and closes. */
export function createConsoleRole(parts: OrganisationParts, options: ConsoleRoleOptions): Server {
  const { log } = parts;
  return consoleServer(createConsoleApp(consoleOptionsOf(parts, options)), { ...options, log });
}

/** The server of a console, with our own certificate where the settings say so. */
export function consoleServer(
  app: Express,
  { settings, tls, log }: Pick<ConsoleRoleOptions, 'settings' | 'tls'> & { readonly log: Log },
): Server {
  const { ownTls = false } = settings ?? {};
  const paths = ownTls ? tls : undefined;
  const server = createHttpServer(app, paths === undefined ? {} : { tls: readTls(paths) });
  followTls(server, { paths, log });
  return server;
}

export function consoleOptionsOf(
  parts: OrganisationParts,
  options: ConsoleRoleOptions,
): ConsoleOptions {
  const { database, clock, organisationId } = parts;
  const { db } = database;
  const { counters, settings } = options;
  const { oidc, secureCookies = false, trustedProxies, locale } = settings ?? {};
  const decide = async (decision: OperatorDecision): Promise<DecideOutcome> => {
    const result = await applyOperatorDecision(db, {
      ...decision,
      note: decision.note ?? '',
      approvalAboveMinor: options.approvalAboveMinor,
      now: nowDate(clock),
    });
    if (result.ok) return { ok: true };
    const reason = result.reason === 'not_found' ? 'not_found' : 'conflict';
    return { ok: false, reason, message: OPERATOR_REFUSALS[result.reason] };
  };
  const replay = async (request: {
    organisationId: string;
    eventId: string;
    operator: string;
  }): Promise<DecideOutcome> => {
    const result = await replayEvent(db, {
      organisationId: request.organisationId,
      eventId: request.eventId,
      by: `operator:${request.operator}`,
      at: nowDate(clock),
    });
    if (result.ok) return { ok: true };
    const reason = result.reason === 'not_found' ? 'not_found' : 'refused';
    return { ok: false, reason, message: REPLAY_REFUSALS[result.reason] };
  };
  return {
    db,
    clock,
    log: parts.log.child({ part: 'console' }),
    organisationId,
    get token(): string {
      return options.token;
    },
    decide,
    replayEvent: replay,
    health: options.health ?? sharedReadiness(parts),
    madePast: createMadePast(db, organisationId),
    orderRoutes: createOrderRoutes(
      intakeDeps({
        db,
        clock,
        organisationId,
        integrationId: parts.endpoints.integrationId,
        programmes: options.programmes,
      }),
    ),
    feedBacklog: () => readBacklog(db, organisationId),
    ...(counters === undefined ? {} : { receiveCounts: () => counters.snapshot() }),
    brands: parts.endpoints.brandTokens,
    settings: options.opened,
    eventKinds: EVENT_KINDS,
    allowLoopback: isOnThisMachine(parts.endpoints.serviceUrl),
    secureCookies,
    trustedProxies,
    locale,
    doctor: options.doctor,
    oidc: oidc === undefined ? undefined : createOidc(oidc),
  };
}

/** The sandbox is: what is tried with it may be too. */
function isOnThisMachine(serviceUrl: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(serviceUrl)?.hostname ?? '');
}
