/** The console, out of settings: of one organisation, or of several. */
import type { Server } from 'node:http';
import { openEvidenceRules } from '../../alerts/evidence/evidence-rules.ts';
import { openMonitoring } from '../../books/programmes/monitoring.ts';
import type { Settings } from '../../running/config.ts';
import type { OrganisationParts } from '../../running/roles/parts.ts';
import type { NowSettings } from '../../running/roles/service-access.ts';
import type { ConsoleRoleOptions } from '../console/console-role.ts';
import { createConsoleRole } from '../console/console-role.ts';
import type {
  InstallationRole,
  InstallationRoleOptions,
} from '../console/installation/installation-role.ts';
import { createInstallationRole } from '../console/installation/installation-role.ts';
import { examine } from './doctor.ts';
import { examineTenant } from './doctor-organisations.ts';

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
    doctor: examine,
    get token(): string {
      return live.current().consoleToken ?? consoleToken;
    },
  });
}

/** What several organisations need beside. */
export interface SeveralOptions
  extends Omit<InstallationRoleOptions, 'own' | 'consoleOf' | 'examine'>,
    Pick<ConsoleSurroundings, 'live' | 'consoleToken'> {
  /** Of their database. */
  readonly connectionString: string;
}

/** The same for several organisations. */
export function openInstallationConsole({
  live,
  consoleToken,
  connectionString,
  ...surroundings
}: SeveralOptions): InstallationRole {
  const own = consoleOf(live.current());
  return createInstallationRole({
    ...surroundings,
    consoleOf,
    examine: (tenant) => examineTenant(tenant, connectionString),
    own: {
      ...own,
      get token(): string {
        return live.current().consoleToken ?? consoleToken;
      },
    },
  });
}

function consoleOf(settings: Settings): Omit<ConsoleRoleOptions, 'counters' | 'health' | 'token'> {
  const { guard } = settings;
  return {
    evidence: openEvidenceRules(settings.evidencePath),
    programmes: settings.programmes,
    approvalAboveMinor: guard.guards.approvalAboveMinor,
    monitoring: openMonitoring(settings.monitoring, guard.costsPath),
    settings: settings.console,
    costsPath: guard.costsPath,
    tls: settings.tls,
  };
}
