/** What an embedding program says about itself. Nothing here is read from the environment. */

import type pg from 'pg';
import type { Policy } from '../../alerts/decide/policy.ts';
import type { ActionsEndpoint } from '../../alerts/guard/guard-env.ts';
import type { TrustedProxies } from '../../base/http/caller-address.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { NotifySettings } from '../../base/notify/notify-settings.ts';
import type { CapabilityOptions } from '../../capabilities/settings.ts';
import type { ProgrammePolicy } from '../../orders/programme.ts';
import type { BrandTokenMap } from '../../service/wire/brand-tokens.ts';
import type { Processor } from '../../service/wire/processor.ts';
import type { OidcSettings } from '../../surface/access/oidc.ts';
import type { ForestallLogger } from './logger.ts';

/** Options of `createForestall`. */
export interface ForestallOptions extends CapabilityOptions {
  /**
   * Your pool, or the address of a database. A pool stays yours: it is never ended here. It needs 10
   * connections for a worker and limits of its own (`statement_timeout`, `lock_timeout`,
   * `idle_in_transaction_session_timeout`); one more connection is made with its options, to listen.
   * What it sets, its search path above all, stays as it is.
   */
  readonly database: pg.Pool | string;
  /**
   * The schema that holds all of Forestall's tables; the job queue's are in a second one, `<schema>_jobs`. `migrate()`
   * makes both. @default 'forestall'
   */
  readonly schema?: string;
  /**
   * The address of the server itself, where `database` goes through a pooler: for listening, and with an
   * address for migrations. Without it, work behind a pooler is looked for each second.
   */
  readonly directDatabase?: string;
  readonly service: {
    readonly url: string;
    /** The organisation's key. */
    readonly apiKey: string;
    /** For merchants and enrolments, which refuse organisation keys. */
    readonly partnerApiKey?: string;
  };
  /** Pins this installation to one organisation, `org_…`. */
  readonly organisationId: string;
  /** `int_…` that orders go to which name none. Without it each order must name its own. */
  readonly integrationId?: string;
  /**
   * Keys under which raw bodies and orders are sealed, `key_id:base64 of 32 bytes`, comma-separated: the
   * first seals, all open; `open` in the first place seals nothing more. @default nothing is sealed
   */
  readonly dataKeys?: string;
  /** Signing secrets of the webhook subscription, newest first; several while one is replaced. */
  readonly webhookSecrets: readonly string[];
  /** @default none: every refund waits for a person, who makes it at the processor by hand */
  readonly processor?: Processor;
  /** A policy, or the path of a policy file, which is read again when it changes. @default hold everything */
  readonly policy?: Policy | string;
  /** `shadow` decides and records, and acts on nothing. @default 'live' */
  readonly mode?: 'live' | 'shadow';
  /** The service's real names for the neutral tokens. */
  readonly brandTokens?: Partial<BrandTokenMap>;
  /** Between two polls of what webhooks may have missed, in seconds. @default 120 */
  readonly reconcileSeconds?: number;
  /** How people are notified. @default the log, and the console */
  readonly notify?: NotifySettings;
  /** Path of a guards file: caps, the breaker, approval by two people. @default no caps */
  readonly guards?: string;
  /** Where side actions go that only you can carry out: stop a shipment, block a customer. */
  readonly actions?: ActionsEndpoint;
  /** Path of a file with windows and tolerances of matching. */
  readonly matching?: string;
  /** Values that files name as `${NAME}`, the estate file above all. @default none */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** A second policy, judged with the first on the same facts, and never acted on. */
  readonly policyBeside?: Policy | string;
  /** Programmes whose fields every order must carry. */
  readonly programmes?: ProgrammePolicy;
  /** @default nothing is logged */
  readonly logger?: ForestallLogger;
  /** For tests. @default the database's */
  readonly clock?: Clock;
}

/** What is one organisation's own, where there may be several. */
export type OwnOptions = Omit<
  ForestallOptions,
  'database' | 'schema' | 'dataKeys' | 'directDatabase' | 'logger' | 'clock'
>;

/** One of several organisations. */
export interface OrganisationOptions extends OwnOptions {
  /** How people call it. */
  readonly name: string;
  /** Its part of an address in the console. @default the name in lower case */
  readonly path?: string;
}

/** Options of `createInstallation`. */
export interface InstallationOptions extends Omit<ForestallOptions, keyof OwnOptions> {
  /** No two have the same id or path. */
  readonly organisations: readonly OrganisationOptions[];
}

/** How people reach the console of an embedded Forestall. */
export interface ConsoleOptions {
  /** An administrator's, for sign-in and as the API's bearer token. */
  readonly token: string;
  /** Set it when browsers reach the console over HTTPS. @default false */
  readonly secureCookies?: boolean;
  /**
   * Proxies in front whose word about a caller's address is taken, for the limit on sign-ins: how many,
   * or their addresses and networks. @default none: everybody behind a proxy counts as one
   */
  readonly trustedProxies?: TrustedProxies;
  /** Of numbers and dates, for example `de-DE`. @default as the reader's browser asks for */
  readonly locale?: string;
  /** Sign-in at your identity provider. @default by operators' own passwords and the token */
  readonly oidc?: OidcSettings;
}
