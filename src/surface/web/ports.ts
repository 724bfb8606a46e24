/** What the console needs of its neighbours: a decision to apply, an event to replay, a health report. */
import type { Router } from 'express';
import type { ReceiveCounts } from '../../alerts/receive/counters.ts';
import type { OperatorDecision as Decision } from '../../alerts/review/operator-decision.ts';
import type { Db, Installation } from '../../base/db/database.ts';
import type { TrustedProxies } from '../../base/http/caller-address.ts';
import type { OrganisationName } from '../../base/http/organisation-path.ts';
import type { OpenSettings } from '../../base/kernel/setting.ts';
import type { StatusReport } from '../../base/kernel/status-line.ts';
import type { PartHealth } from '../../health/health.ts';
import type { MetricSources } from '../../health/metrics.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import type { Oidc } from '../access/oidc.ts';
import type { EventKind } from '../event-kind.ts';

/** A person's decision, as a form or a program sends it. */
export type OperatorDecision = Omit<Decision, 'note' | 'now' | 'approvalAboveMinor'> & {
  readonly note: string | undefined;
};

/**
 * The outcome. `not_found`: no such alert. `conflict`: decided, acted upon or closed meanwhile.
 * `refused`: a guard forbids it.
 */
export type DecideOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: 'not_found' | 'conflict' | 'refused';
      /** Why, and what can be done, as a person reads it. */
      readonly message: string;
    };

export interface EventReplay {
  readonly organisationId: string;
  readonly eventId: string;
  readonly operator: string;
}

export interface ConsoleHealth {
  readonly ok: boolean;
  readonly parts: readonly PartHealth[];
}

/** The organisation of a console, where there are several. */
export interface ShownOrganisation extends OrganisationName {
  readonly id: string;
}

/** What everybody passes who comes to a console, whichever pages are behind it. */
export interface DoorOptions extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  /**
   * The console token: its holder is an administrator, as a program's bearer and at the sign-in. Asked for
   * at each request.
   */
  readonly token: string;
  /** Which of several organisations it shows. @default there is one */
  readonly organisation?: ShownOrganisation | undefined;
  /** The organisations for which people are entered who may sign in here. @default this one */
  readonly homes?: (() => readonly string[]) | undefined;
  /** Those to which the sign-in leads, where it is one for all of an installation. @default this one */
  readonly organisations?: (() => readonly ListedOrganisation[]) | undefined;
  /** @param isFresh see `AskHealth` */
  readonly health: (isFresh?: boolean) => Promise<ConsoleHealth>;
  /** Until when the rows of a demonstration were made up. @default never */
  readonly madePast?: (() => Promise<Date | undefined>) | undefined;
  /** Set when the console is served over TLS: the cookie then never travels without. @default false */
  readonly secureCookies?: boolean | undefined;
  /** Proxies whose word about the caller's address is taken, for the sign-in limit. @default none */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** The identity provider people may sign in at. */
  readonly oidc?: Oidc | undefined;
  /** The settings of capabilities. @default nothing is given */
  readonly settings?: OpenSettings | undefined;
  /** How numbers and dates are written. @default as the reader's browser asks for */
  readonly locale?: string | undefined;
}

export interface ConsoleOptions extends DoorOptions {
  readonly decide: (decision: OperatorDecision) => Promise<DecideOutcome>;
  readonly replayEvent: (replay: EventReplay) => Promise<DecideOutcome>;
  /** Mounted at `/api/orders`, behind the same authentication. */
  readonly orderRoutes?: Router | undefined;
  /** Examines the installation on demand, over the network too; left out where that is not offered. */
  readonly doctor?: (() => Promise<StatusReport>) | undefined;
  /** The service's real names: a policy may use them as well as the neutral ones. */
  readonly brands?: BrandTokenMap | undefined;
  readonly receiveCounts?: MetricSources['receiveCounts'];
  readonly feedBacklog?: MetricSources['feedBacklog'];
  /** Every kind of the stream of events. @default none */
  readonly eventKinds?: readonly EventKind[] | undefined;
  /** What is posted to may be on this machine, over plain HTTP: with the sandbox. @default false */
  readonly allowLoopback?: boolean | undefined;
}

export interface ListedOrganisation extends ShownOrganisation {
  readonly mode: 'live' | 'shadow';
}

export interface OpenConsole {
  readonly options: ConsoleOptions;
  close(): Promise<void>;
}

/** What the console of several organisations is made of; its `db` shows who may use it. */
export interface InstallationOptions extends DoorOptions {
  readonly organisations: () => readonly ListedOrganisation[];
  /** The rows of these organisations, and of no others. */
  readonly dbOf: (organisationIds: readonly string[]) => Db;
  /** Opens the console of one. */
  readonly open: (organisation: ListedOrganisation) => Promise<OpenConsole>;
  /** Why some do not run in this process, by id. @default not known here */
  readonly problems?: (() => ReadonlyMap<string, string>) | undefined;
  /** Why the file as it is now cannot be used; null: it can. */
  readonly fileProblem: () => string | null;
  /** What receivers of this process have counted, by organisation. */
  readonly receiveCounts?: (() => ReadonlyMap<string, ReceiveCounts>) | undefined;
}
