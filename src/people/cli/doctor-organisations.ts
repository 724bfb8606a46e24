/**
 * `forestall doctor` for several organisations: first what they share, then a block for each, those with trouble first.
 */
import type { OpenDatabase } from '../../base/db/connect.ts';
import { forOrganisation } from '../../base/db/for-organisation.ts';
import type { DatabaseSource } from '../../base/db/source.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { StatusLine, StatusReport } from '../../base/kernel/status-line.ts';
import { failed, warning } from '../../base/kernel/status-line.ts';
import { readInstallationPath, readSettings, readVariables } from '../../running/config.ts';
import { readOrganisations } from '../../running/installation/installation-watcher.ts';
import { servedOrganisation } from '../../running/roles/installation-roles.ts';
import type { ServedOrganisation } from '../../running/roles/running-organisations.ts';
import { databaseAt } from '../../running/roles/service-access.ts';
import { showLines } from '../../surface/terminal/line-text.ts';
import { DOCTOR_MS_MAX, runDoctor, summarise } from '../doctor/doctor.ts';
import { DOCTOR_DATABASE } from '../doctor/reach-database.ts';
import { CHECKS_MS_MIN, closeSoon, contextOfOrganisation } from './doctor-context.ts';
import { findRunning } from './running.ts';

/** Organisations looked at side by side: each asks its service and its processor a few questions. */
const AT_ONCE = 8;

/** With less than this left, in milliseconds, no organisation is begun. */
const TURN_MS_MIN = 2_000;

export interface OrganisationReport extends StatusReport {
  readonly id: string;
  readonly name: string;
}

export interface InstallationReport extends StatusReport {
  readonly organisations: readonly OrganisationReport[];
}

/** Looks at everything once, in this time; an organisation whose turn does not come says so. */
export async function examineInstallation(withinMs = DOCTOR_MS_MAX): Promise<InstallationReport> {
  const startedMs = performance.now();
  try {
    const { connectionString } = await findRunning();
    const source = databaseAt(connectionString, { current: readSettings });
    const file = readInstallationPath() ?? '';
    const served = readOrganisations(file, readVariables()).map(servedOrganisation(source));
    const database = openFor(source);
    const leftMs = (): number =>
      Math.max(CHECKS_MS_MIN, withinMs) - (performance.now() - startedMs);
    try {
      return await examineOrganisations(served, { database, connectionString, leftMs });
    } finally {
      await closeSoon(database);
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const line = failed('settings', error.message, 'Correct them and run the doctor again.');
    return { ...summarise([line]), organisations: [] };
  }
}

function openFor(source: DatabaseSource): OpenDatabase {
  const log = createLog({ level: 'silent' });
  return source.open({ log, maxConnections: AT_ONCE, ...DOCTOR_DATABASE });
}

interface Place {
  /** Opened for no organisation. */
  readonly database: OpenDatabase;
  readonly connectionString: string;
  readonly leftMs: () => number;
}

async function examineOrganisations(
  served: readonly ServedOrganisation[],
  { database, connectionString, leftMs }: Place,
): Promise<InstallationReport> {
  const contextOf = (organisation: ServedOrganisation): ReturnType<typeof contextOfOrganisation> =>
    contextOfOrganisation(
      organisation,
      forOrganisation(database, organisation.id),
      connectionString,
    );
  const shared = linesOfInstallation(served[0], contextOf, leftMs);
  const line = [...served];
  const organisations: OrganisationReport[] = [];
  const takeNext = async (): Promise<void> => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) {
      const { id, name } = next;
      const report =
        leftMs() < TURN_MS_MIN
          ? summarise([notLookedAt(id)])
          : await runDoctor(await contextOf(next), 'organisation', leftMs());
      organisations.push({ id, name, ...report });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
  const lines = await shared;
  const all = [...lines, ...organisations.flatMap((report) => report.lines)];
  return { ...summarise(all), lines, organisations: organisations.toSorted(byTrouble) };
}

async function linesOfInstallation(
  first: ServedOrganisation | undefined,
  contextOf: (served: ServedOrganisation) => ReturnType<typeof contextOfOrganisation>,
  leftMs: () => number,
): Promise<StatusReport['lines']> {
  if (first === undefined) return [];
  return (await runDoctor(await contextOf(first), 'installation', leftMs())).lines;
}

/** Of very many, some are silent or slow, and the others wait for their turn: that is no fault of theirs. */
function notLookedAt(id: string): StatusLine {
  return warning(
    'all',
    'not looked at: the time was over before its turn',
    `Look at it alone: FORESTALL_ORGANISATION_ID=${id} forestall doctor`,
  );
}

/** Looks at one of several organisations: what its console shows on demand. */
export async function examineOrganisation(
  served: ServedOrganisation,
  connectionString: string,
): Promise<StatusReport> {
  const database = openFor(served.access.endpoints.database);
  try {
    const own = forOrganisation(database, served.id);
    return await runDoctor(await contextOfOrganisation(served, own, connectionString));
  } finally {
    await closeSoon(database);
  }
}

function byTrouble(one: OrganisationReport, other: OrganisationReport): number {
  return (
    other.failed - one.failed || other.warnings - one.warnings || one.name.localeCompare(other.name)
  );
}

/** The lines and the counts, what is wrong last. Of an organisation that is well, one line; pure, but for the width. */
export function showInstallation(report: InstallationReport, widthChars?: number): string {
  const { lines, organisations, ok, warnings, failed: wrong } = report;
  return [
    showLines(lines, widthChars),
    ...organisations.toReversed().map((each) => `\n${blockOf(each, widthChars)}`),
    '',
    `${ok} ok, ${warnings} warnings, ${wrong} failed, of ${organisations.length} organisations.`,
  ].join('\n');
}

function blockOf({ id, name, ...report }: OrganisationReport, widthChars?: number): string {
  const { ok, warnings, failed: wrong } = report;
  const title = `${name} (${id})`;
  const troubles = report.lines.filter(({ status }) => status !== 'ok');
  if (troubles.length === 0) return `${title}: ${ok} ok`;
  return `${title}: ${ok} ok, ${warnings} warnings, ${wrong} failed\n${showLines(troubles, widthChars)}`;
}
