/** The console of one organisation, out of its settings. */
import type { Server } from 'node:http';
import { openEvidenceRules } from '../../alerts/evidence/evidence-rules.ts';
import { openMonitoring } from '../../books/programmes/monitoring.ts';
import type { OrganisationParts } from '../../running/roles/parts.ts';
import type { NowSettings } from '../../running/roles/service-access.ts';
import type { ConsoleRoleOptions } from '../console/console-role.ts';
import { createConsoleRole } from '../console/console-role.ts';
import { examine } from './doctor.ts';

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
  const settings = live.current();
  return createConsoleRole(parts, {
    ...surroundings,
    get token(): string {
      return live.current().consoleToken ?? consoleToken;
    },
    evidence: openEvidenceRules(settings.evidencePath),
    programmes: settings.programmes,
    approvalAboveMinor: settings.guard.guards.approvalAboveMinor,
    monitoring: openMonitoring(settings.monitoring, settings.guard.costsPath),
    settings: settings.console,
    costsPath: settings.guard.costsPath,
    tls: settings.tls,
    doctor: examine,
  });
}
