/** The console of several organisations, on a listener of its own. */
import type { Server } from 'node:http';
import { forAllOrganisations, forOrganisations } from '../../../base/db/for-organisation.ts';
import type { PartHealth } from '../../../books/insights/health.ts';
import type { ReceiveFigures } from '../../../books/insights/metrics.ts';
import { openMonitoring } from '../../../books/programmes/monitoring.ts';
import type { Settings } from '../../../running/config.ts';
import type { InstallationKeeper } from '../../../running/installation/keeper.ts';
import type { Shared } from '../../../running/roles/parts.ts';
import { partsOf, sharedByMany } from '../../../running/roles/parts.ts';
import { sharedReadiness } from '../../../running/roles/readiness.ts';
import type { AskHealth } from '../../../running/roles/shared-health.ts';
import type { Tenant } from '../../../running/roles/tenancy.ts';
import type { DoctorReport } from '../../doctor/doctor.ts';
import { createOidc } from '../access/oidc.ts';
import { INSTALLATION, isNameTaken } from '../access/right.store.ts';
import type { ConsoleRoleOptions } from '../console-role.ts';
import { consoleOptionsOf, consoleServer } from '../console-role.ts';
import type {
  ConsoleHealth,
  InstallationOptions,
  ListedOrganisation,
  OpenConsole,
} from '../ports.ts';
import { createInstallationConsole } from './installation-app.ts';

/** What it is made of. */
export interface InstallationRoleOptions {
  readonly shared: Shared;
  readonly keeper: Pick<InstallationKeeper, 'organisations' | 'problem'>;
  /** The organisation with its places. */
  readonly tenantOf: (
    organisation: ReturnType<InstallationKeeper['organisations']>[number],
  ) => Tenant;
  /** What the settings say of an organisation's console. */
  readonly consoleOf: (
    settings: Settings,
  ) => Omit<ConsoleRoleOptions, 'counters' | 'health' | 'token'>;
  /** Looks at everything of an organisation, on demand. @default not offered */
  readonly examine?: (tenant: Tenant) => Promise<DoctorReport>;
  /** Of the process: how it is reached and entered. */
  readonly own: Pick<ConsoleRoleOptions, 'token' | 'settings' | 'tls' | 'monitoring'>;
  /** Of the database and the workers. */
  readonly health: AskHealth;
  /** Why some do not run in this process. @default not known here */
  readonly problems?: () => ReadonlyMap<string, string>;
  /** What the receiver of this process has counted. @default none runs here */
  readonly receiveCounts?: () => ReadonlyMap<string, ReceiveFigures>;
}

/** The server, and what closes the parts behind it once it is closed. */
export interface InstallationRole {
  readonly server: Server;
  close(): Promise<void>;
}

/** Makes it; the caller listens. */
export function createInstallationRole(options: InstallationRoleOptions): InstallationRole {
  const { own } = options;
  const { app, close } = createInstallationConsole(installationOptionsOf(options));
  return { server: consoleServer(app, own), close };
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

function installationOptionsOf(of: InstallationRoleOptions): InstallationOptions {
  const { shared, keeper, own, problems, receiveCounts, health } = of;
  const { database, clock } = shared;
  // One organisation's pages leave connections to those of the others.
  const fair = { ...of, shared: sharedByMany(shared) };
  const log = shared.log.child({ part: 'console' });
  const db = forAllOrganisations(database, 'people').db;
  const { oidc, secureCookies, trustedProxies, locale } = own.settings ?? {};
  const organisations = (): readonly ListedOrganisation[] => keeper.organisations().map(listed);
  const homes = (): readonly string[] => [
    INSTALLATION,
    ...keeper.organisations().map(({ id }) => id),
  ];
  const isTaken = (name: string): Promise<boolean> => isNameTaken(db, name, homes().slice(1));
  return {
    db,
    clock,
    log,
    organisationId: INSTALLATION,
    get token(): string {
      return own.token;
    },
    homes,
    isNameTaken: isTaken,
    health: healthOfAll(health),
    secureCookies,
    trustedProxies,
    locale,
    oidc: oidc === undefined ? undefined : createOidc(oidc),
    organisations,
    dbOf: (organisationIds) => forOrganisations(database, organisationIds).db,
    fileProblem: () => keeper.problem(),
    problems,
    receiveCounts,
    monitoring: own.monitoring ?? openMonitoring(),
    open: (organisation) => openOne(fair, organisation, isTaken),
  };
}

function listed(
  organisation: ReturnType<InstallationKeeper['organisations']>[number],
): ListedOrganisation {
  const { id, name, path } = organisation;
  return { id, name, path, mode: organisation.current().mode };
}

async function openOne(
  { shared, keeper, tenantOf, consoleOf, own, examine }: InstallationRoleOptions,
  { id, name, path }: ListedOrganisation,
  isTaken: (name: string) => Promise<boolean>,
): Promise<OpenConsole> {
  const organisation = keeper.organisations().find((each) => each.id === id);
  if (organisation === undefined) throw new Error(`${id} is in the file no more`);
  const tenant = tenantOf(organisation);
  const log = shared.log.child({ organisation: id });
  const parts = await partsOf({ ...shared, log }, tenant.access.endpoints);
  const options = consoleOptionsOf(parts, {
    ...consoleOf(organisation.current()),
    settings: own.settings,
    token: own.token,
    counters: undefined,
    doctor: examine === undefined ? undefined : () => examine(tenant),
    health: sharedReadiness(parts),
  });
  const shown = { id, name, path };
  return {
    options: {
      ...options,
      isNameTaken: isTaken,
      get organisation(): typeof shown | undefined {
        return keeper.organisations().length > 1 ? shown : undefined;
      },
    },
    close: () => parts.close(),
  };
}
