/**
 * The doctor: looks at everything that must be right before alerts are answered by themselves, and says
 * in one line each what it found and what to do. It changes nothing and moves nothing; every question
 * that it asks the service or the processor is one whose answer has no effect.
 */
import { pendingMigrations } from '../../base/db/migrate.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import type { LineStatus, StatusLine, StatusReport } from '../../base/kernel/status-line.ts';
import { failed } from '../../base/kernel/status-line.ts';
import type { CheckContext, DoctorCheck, DoctorContext } from './context.ts';
import { databaseLines } from './database-lines.ts';
import { endpointLines, secretLines } from './endpoint-lines.ts';
import { eventLines } from './event-lines.ts';
import { diskLines, settingLines } from './machine-lines.ts';
import { operationLines } from './operation-lines.ts';
import { organisationLines } from './organisation-lines.ts';
import { notifyLines, policyLines } from './policy-lines.ts';
import { poolerLines } from './pooler-lines.ts';
import { merchantLines, modeLines, processorLines } from './processor-lines.ts';
import { sealLines } from './seal-lines.ts';
import { serviceLines } from './service-lines.ts';
import { installationTokenLines, tokenLines } from './token-lines.ts';
import { wallLines } from './wall-lines.ts';

type Checks = Readonly<Record<string, DoctorCheck>>;

/** Of the machine and the database, whichever organisations they serve. */
const OF_INSTALLATION: Checks = {
  settings: settingLines,
  disk: diskLines,
  database: databaseLines,
  pooler: poolerLines,
  'wall between organisations': wallLines,
  'tokens of the installation': installationTokenLines,
};

const OF_ORGANISATION: Checks = {
  'data keys': sealLines,
  'tokens of operators': tokenLines,
  service: serviceLines,
  organisation: organisationLines,
  'signing secret': secretLines,
  endpoint: endpointLines,
  processor: processorLines,
  "merchants' processors": merchantLines,
  'processor events': eventLines,
  'test or live': modeLines,
  policy: policyLines,
  notifications: notifyLines,
  operation: operationLines,
};

/** Longest wait for one check, in milliseconds; they run side by side. */
const CHECK_MS_MAX = 6_000;

/** What is looked at; of everything, in the order in which a person would look. */
const PARTS = {
  all: { ...OF_INSTALLATION, ...OF_ORGANISATION },
  installation: OF_INSTALLATION,
  organisation: OF_ORGANISATION,
} as const;

/** Runs every check of a part. Never throws: what a check throws is its line, and so is one that does not end. */
export async function runDoctor(
  context: DoctorContext,
  part: keyof typeof PARTS = 'all',
): Promise<StatusReport> {
  const rows = await migratedDatabase(context);
  const all = Object.entries<DoctorCheck>(PARTS[part]).map(([name, check]) =>
    linesInTime(name, check({ ...context, rows })),
  );
  return summarise((await Promise.all(all)).flat());
}

async function linesInTime(
  name: string,
  lines: ReturnType<DoctorCheck>,
): Promise<readonly StatusLine[]> {
  const late = Promise.withResolvers<readonly StatusLine[]>();
  const timer = setTimeout(() => {
    const detail = `not known: no end within ${CHECK_MS_MAX / 1_000} s`;
    const step = 'Something answers too slowly; correct the other lines and run the doctor again.';
    late.resolve([failed(name, detail, step)]);
  }, CHECK_MS_MAX);
  try {
    return await Promise.race([lines, late.promise]);
  } catch (error) {
    return [failed(name, messageOf(error), 'Correct the cause and run the doctor again.')];
  } finally {
    clearTimeout(timer);
  }
}

/** The database for those who read our rows: only with our schema. */
async function migratedDatabase({ database }: DoctorContext): Promise<CheckContext['rows']> {
  if ('problem' in database) return database;
  try {
    const pending = await pendingMigrations(database.value);
    return pending.length === 0 ? database : { problem: 'not migrated' };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export function summarise(lines: readonly StatusLine[]): StatusReport {
  const count = (status: LineStatus): number =>
    lines.filter((line) => line.status === status).length;
  return { ok: count('ok'), warnings: count('warning'), failed: count('failed'), lines };
}
