import type { Command } from 'commander';
import type { OpenDatabase } from '../../base/db/connect.ts';
import { openDatabase } from '../../base/db/connect.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { createLog } from '../../base/kernel/log.ts';
import type { StatusReport } from '../../base/kernel/status-line.ts';
import { failed, warning } from '../../base/kernel/status-line.ts';
import type { Settings } from '../../running/config.ts';
import { readInstallationPath, readSettings, readVariables } from '../../running/config.ts';
import type { ProcessorSettings } from '../../running/remote-settings.ts';
import { createBrandTokens } from '../../service/wire/brand-tokens.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import { showLines } from '../../surface/terminal/line-text.ts';
import { print } from '../../surface/terminal/print.ts';
import type { DoctorContext } from '../doctor/context.ts';
import { DOCTOR_MS_MAX, runDoctor, summarise } from '../doctor/doctor.ts';
import { DOCTOR_DATABASE } from '../doctor/reach-database.ts';
import { CHECKS_MS_MIN, closeSoon, openQuietly, surroundings } from './doctor-context.ts';
import { examineInstallation, showInstallation } from './doctor-organisations.ts';
import { runCommand } from './lifecycle.ts';
import type { RunningInstallation } from './running.ts';
import { findRunning } from './running.ts';

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .option('--json', 'print JSON')
    .action(async (flags: DoctorFlags) => {
      await runCommand(async () => {
        if (process.stderr.isTTY) console.error('Looking at everything; this takes up to 10 s.');
        const failures = isSeveral() ? await tellOfAll(flags) : await tellOfOne(flags);
        if (failures > 0) process.exitCode = EXIT.wrong;
      });
      // All is said: connections to somebody who is silent do not keep the caller waiting.
      setTimeout(() => process.exit(), LINGER_MS_MAX).unref();
    });
}

/** Time for all checks, in milliseconds from the start of the process: it ends within ten seconds. */
const SAID_MS = 9_000;
/** How long connections that still wait may keep the process, in milliseconds. */
const LINGER_MS_MAX = 300;

interface DoctorFlags {
  readonly json?: boolean;
}

async function tellOfOne(flags: DoctorFlags): Promise<number> {
  const report = await examine(SAID_MS - performance.now());
  print(flags, report, showReport(report));
  return report.failed;
}

async function tellOfAll(flags: DoctorFlags): Promise<number> {
  const report = await examineInstallation(SAID_MS - performance.now());
  print(flags, report, showInstallation(report));
  return report.failed;
}

/** Whether it is about all organisations of a file, and not about the one that a setting names. */
function isSeveral(): boolean {
  return (
    readInstallationPath() !== undefined &&
    readVariables()['FORESTALL_ORGANISATION_ID'] === undefined
  );
}

/** Looks at everything once, in this time: what the command prints and the console shows on demand. */
export async function examine(withinMs = DOCTOR_MS_MAX): Promise<StatusReport> {
  let settings: Settings;
  let running: RunningInstallation;
  try {
    settings = readSettings();
    running = await findRunning();
  } catch (error) {
    return settingsFault(error);
  }
  const database = openDatabase({
    connectionString: running.connectionString,
    schema: settings.database.schema,
    log: createLog({ level: 'silent' }),
    maxConnections: 4,
    organisation: running.organisationId,
    ...DOCTOR_DATABASE,
  });
  const startedMs = performance.now();
  try {
    const context = await contextOf(settings, running, database);
    const leftMs = Math.max(CHECKS_MS_MIN, withinMs - (performance.now() - startedMs));
    return await runDoctor(context, 'all', leftMs);
  } catch (error) {
    return settingsFault(error);
  } finally {
    await closeSoon(database);
  }
}

/** What the console shows where it was not given the secrets that most lines are about. */
export async function examineElsewhere(): Promise<StatusReport> {
  return summarise([
    warning(
      'settings',
      'this process was given no API key and no webhook secrets, so that it cannot look at the service, the endpoint and the processor',
      'Run forestall doctor with the settings of all roles.',
    ),
  ]);
}

/** Nothing else can be looked at without usable settings. */
function settingsFault(error: unknown): StatusReport {
  if (!(error instanceof ConfigError)) throw error;
  return summarise([failed('settings', error.message, 'Correct them and run the doctor again.')]);
}

async function contextOf(
  settings: Settings,
  running: RunningInstallation,
  database: OpenDatabase,
): Promise<DoctorContext> {
  const { sandbox } = running;
  const { service } = settings;
  const brandTokens = createBrandTokens(settings.brandTokens);
  const { organisationId, integrationId } = running;
  const own = { organisationId, integrationId, brandTokens };
  const shared = await surroundings(settings, database, running.connectionString);
  if (service.kind === 'remote') {
    const { url, apiKey, partnerApiKey } = service;
    return {
      ...shared,
      isSandbox: false,
      service: { ...own, url, apiKey, partnerApiKey },
      webhookSecrets: settings.webhookSecrets,
      webhookUrl: settings.webhookUrl,
      processor: await openQuietly(settings.processor),
    };
  }
  if (sandbox === undefined) {
    throw new ConfigError(
      'No service is named and no sandbox runs in this folder. Set FORESTALL_SERVICE_URL, or run "forestall start" here.',
    );
  }
  const { serviceUrl: url, apiKey, partnerApiKey, processorUrl, processorSecret } = sandbox;
  const endpoint: ProcessorSettings =
    settings.processor.kind === 'sandbox'
      ? { kind: 'http', url: processorUrl, secret: processorSecret }
      : settings.processor;
  return {
    ...shared,
    isSandbox: true,
    service: { ...own, url, apiKey, partnerApiKey },
    webhookSecrets: [sandbox.webhookSecret],
    webhookUrl: settings.webhookUrl ?? sandbox.webhookUrl,
    processor: await openQuietly(endpoint),
  };
}

/** The lines and the count. Pure. */
export function showReport(report: StatusReport, widthChars?: number): string {
  const { lines, ok, warnings, failed: wrong } = report;
  return [
    showLines(lines, widthChars),
    '',
    `${ok} ok, ${warnings} warnings, ${wrong} failed.`,
  ].join('\n');
}
