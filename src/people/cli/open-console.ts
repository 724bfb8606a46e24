/** The console, out of settings: of one organisation, or of several. */
import type { Server } from 'node:http';
import { openSettings } from '../../base/kernel/setting.ts';
import type { Settings } from '../../running/config.ts';
import type {
  InstallationWatcher,
  Organisation,
} from '../../running/installation/installation-watcher.ts';
import { NO_KEY } from '../../running/remote-settings.ts';
import type { OrganisationParts, Shared } from '../../running/roles/parts.ts';
import { partsToShow } from '../../running/roles/parts.ts';
import type { ServedOrganisation } from '../../running/roles/running-organisations.ts';
import type { NowSettings } from '../../running/roles/service-access.ts';
import type { ListedOrganisation } from '../../surface/web/ports.ts';
import type { ConsoleRoleOptions } from '../console/console-role.ts';
import { createConsoleRole } from '../console/console-role.ts';
import type {
  InstallationRole,
  InstallationRoleOptions,
  OrganisationConsole,
} from '../console/installation/installation-role.ts';
import { createInstallationRole } from '../console/installation/installation-role.ts';
import { examine, examineElsewhere } from './doctor.ts';
import { examineOrganisation } from './doctor-organisations.ts';

/** What the settings do not say. */
interface ConsoleSurroundings extends Pick<ConsoleRoleOptions, 'counters' | 'health'> {
  readonly live: NowSettings;
  /** Where the settings name none. */
  readonly consoleToken: string;
}

/** Creates the console's server; the caller listens and closes. */
export function openConsole(
  parts: OrganisationParts,
  { live, consoleToken, ...surroundings }: ConsoleSurroundings,
): Server {
  return createConsoleRole(parts, {
    ...surroundings,
    ...consoleOf(live.current()),
    doctor: isKeyless(live.current()) ? examineElsewhere : examine,
    get token(): string {
      return live.current().consoleToken ?? consoleToken;
    },
  });
}

/** What several organisations need besides. */
export interface InstallationConsoleOptions
  extends Pick<InstallationRoleOptions, 'shared' | 'health' | 'problems' | 'receiveCounts'>,
    Pick<ConsoleSurroundings, 'live' | 'consoleToken'> {
  readonly keeper: Pick<InstallationWatcher, 'organisations' | 'problem'>;
  /** The organisation with its access to the service. */
  readonly servedOrganisation: (organisation: Organisation) => ServedOrganisation;
  /** Of their database. */
  readonly connectionString: string;
}

/** The same for several organisations. */
export function openInstallationConsole(options: InstallationConsoleOptions): InstallationRole {
  const { live, consoleToken, keeper, ...surroundings } = options;
  const own = consoleOf(live.current());
  return createInstallationRole({
    ...surroundings,
    organisations: () => keeper.organisations().map(listed),
    fileProblem: () => keeper.problem(),
    open: (organisation, shared) => openOne(options, organisation, shared),
    own: {
      ...own,
      get token(): string {
        return live.current().consoleToken ?? consoleToken;
      },
    },
  });
}

function listed({ id, name, path, current }: Organisation): ListedOrganisation {
  return { id, name, path, mode: current().mode };
}

async function openOne(
  { keeper, servedOrganisation, connectionString }: InstallationConsoleOptions,
  { id }: ListedOrganisation,
  shared: Shared,
): Promise<OrganisationConsole> {
  const organisation = keeper.organisations().find((each) => each.id === id);
  if (organisation === undefined) throw new Error(`${id} is in the file no more`);
  const served = servedOrganisation(organisation);
  const log = shared.log.child({ organisation: id });
  const parts = await partsToShow({ ...shared, log }, served.access.endpoints, true);
  const doctor = (): ReturnType<typeof examineOrganisation> =>
    examineOrganisation(served, connectionString);
  const options = { ...consoleOf(organisation.current()), doctor };
  return { parts, options, close: () => parts.close() };
}

/** Whether it lacks a secret of the service, which the doctor asks for. */
function isKeyless({ service, webhookSecrets }: Settings): boolean {
  return service.kind === 'remote' && (service.apiKey === NO_KEY || webhookSecrets.length === 0);
}

function consoleOf(settings: Settings): Omit<ConsoleRoleOptions, 'counters' | 'health' | 'token'> {
  const { guard } = settings;
  const opened = openSettings(settings.given);
  return {
    opened,
    programmes: settings.programmes,
    approvalAboveMinor: guard.guards.approvalAboveMinor,
    settings: settings.console,
    tls: settings.tls,
  };
}
