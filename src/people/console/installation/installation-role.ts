/** The console of several organisations, on a listener of its own. */

import type { Server } from 'node:http';
import type { ReceiveCounts } from '../../../alerts/receive/counters.ts';
import { forAllOrganisations, forOrganisations } from '../../../base/db/for-organisation.ts';
import type { PartHealth } from '../../../health/health.ts';
import type { OrganisationParts, Shared } from '../../../running/roles/parts.ts';
import { sharedByOrganisations } from '../../../running/roles/parts.ts';
import { sharedReadiness } from '../../../running/roles/readiness.ts';
import type { AskHealth } from '../../../running/roles/shared-health.ts';
import { createOidc } from '../../../surface/access/oidc.ts';
import { INSTALLATION } from '../../../surface/access/right.store.ts';
import type {
  ConsoleHealth,
  InstallationOptions,
  ListedOrganisation,
  OpenConsole,
} from '../../../surface/web/ports.ts';
import type { ConsoleRoleOptions } from '../console-role.ts';
import { consoleOptionsOf, consoleServer } from '../console-role.ts';
import { createInstallationConsole } from './installation-app.ts';

/** What the console of an organisation is opened with. */
export interface OrganisationConsole {
  readonly parts: OrganisationParts;
  readonly options: Omit<ConsoleRoleOptions, 'counters' | 'health' | 'settings' | 'token'>;
  close(): Promise<void>;
}

export interface InstallationRoleOptions {
  readonly shared: Shared;
  readonly organisations: () => readonly ListedOrganisation[];
  /** Opens the console of one, on connections that all of them share fairly. */
  readonly open: (organisation: ListedOrganisation, shared: Shared) => Promise<OrganisationConsole>;
  /** Why the file as it is now cannot be used; null: it can. @default there is no file */
  readonly fileProblem?: () => string | null;
  /** Of the process: how it is reached and entered. */
  readonly own: Pick<ConsoleRoleOptions, 'token' | 'settings' | 'tls' | 'opened'>;
  /** Of the database and the workers. */
  readonly health: AskHealth;
  /** Why some do not run in this process. @default not known here */
  readonly problems?: () => ReadonlyMap<string, string>;
  /** What the receiver of this process has counted. @default none runs here */
  readonly receiveCounts?: () => ReadonlyMap<string, ReceiveCounts>;
}

/** The server, and what closes the parts behind it once it is closed. */
export interface InstallationRole {
  readonly server: Server;
  close(): Promise<void>;
}

/** Creates the server of the console; the caller listens. */
export function createInstallationRole(options: InstallationRoleOptions): InstallationRole {
  const { own, shared } = options;
  const { app, close } = createInstallationConsole(installationOptionsOf(options));
  return { server: consoleServer(app, { ...own, log: shared.log }), close };
}

/** What is about one organisation says nothing of all of them. */
const OF_ALL: readonly string[] = ['database', 'migrations', 'worker'];

function healthOfAll(ask: AskHealth): () => Promise<ConsoleHealth> {
  const isOfAll = ({ name }: PartHealth): boolean => OF_ALL.includes(name);
  return async () => {
    const { ok, parts } = await ask();
    return { ok, parts: parts.filter(isOfAll) };
  };
}

function installationOptionsOf(options: InstallationRoleOptions): InstallationOptions {
  const { shared, organisations, own, problems, receiveCounts, health } = options;
  const { database, clock } = shared;
  // One organisation's pages leave connections to those of the others.
  const fair = { ...options, shared: sharedByOrganisations(shared) };
  const log = shared.log.child({ part: 'console' });
  const db = forAllOrganisations(database, 'people').db;
  const { oidc, secureCookies, trustedProxies, locale } = own.settings ?? {};
  const homes = (): readonly string[] => [INSTALLATION, ...organisations().map(({ id }) => id)];
  return {
    db,
    clock,
    log,
    organisationId: INSTALLATION,
    get token(): string {
      return own.token;
    },
    homes,
    health: healthOfAll(health),
    secureCookies,
    trustedProxies,
    locale,
    oidc: oidc === undefined ? undefined : createOidc(oidc),
    organisations,
    dbOf: (organisationIds) => forOrganisations(database, organisationIds, 'overview').db,
    fileProblem: options.fileProblem ?? ((): null => null),
    problems,
    receiveCounts,
    settings: own.opened,
    open: (organisation) => openOne(fair, organisation),
  };
}

async function openOne(
  { shared, organisations, open, own }: InstallationRoleOptions,
  organisation: ListedOrganisation,
): Promise<OpenConsole> {
  const { parts, options, close } = await open(organisation, shared);
  const { settings, token } = own;
  const health = sharedReadiness(parts);
  const all = { ...options, settings, token, counters: undefined, health };
  return {
    options: {
      ...consoleOptionsOf(parts, all),
      get organisation(): ListedOrganisation | undefined {
        return organisations().length > 1 ? organisation : undefined;
      },
    },
    close,
  };
}
