/**
 * The doctor: looks at everything that must be right before alerts are answered by themselves, and says
 * in one line each what it found and what to do. It changes nothing and moves nothing; every question
 * that it asks the service or the processor is one whose answer has no effect.
 */
import { pendingMigrations } from '../../base/db/migrate.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { openSettings } from '../../base/kernel/setting.ts';
import type { LineStatus, StatusLine, StatusReport } from '../../base/kernel/status-line.ts';
import { failed } from '../../base/kernel/status-line.ts';
import { CAPABILITIES } from '../../capabilities/index.ts';
import type { DoctorLook } from '../../surface/capability.ts';
import type { CheckContext, DoctorCheck, DoctorContext } from './context.ts';
import { databaseLines } from './database-lines.ts';
import { endpointLines, ownCertificateLines, secretLines } from './endpoint-lines.ts';
import { diskLines, settingLines } from './machine-lines.ts';
import { operationLines } from './operation-lines.ts';
import { organisationLines } from './organisation-lines.ts';
import { actionLines, notifyLines, signInLines } from './outgoing-lines.ts';
import { policyLines } from './policy-lines.ts';
import { poolerLines } from './pooler-lines.ts';
import { merchantLines, modeLines, processorLines } from './processor-lines.ts';
import { startPulse, unlessBusy, WAIT_MS_MIN } from './pulse.ts';
import { whyUnreachable } from './reach-database.ts';
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
  'own certificate': ownCertificateLines,
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
  ...ofCapabilities(),
  'test or live': modeLines,
  policy: policyLines,
  notifications: notifyLines,
  'identity provider': signInLines,
  'actions endpoint': actionLines,
  operation: operationLines,
};

/** What capabilities look at, in rows. */
function ofCapabilities(): Checks {
  const looks = CAPABILITIES.flatMap(({ doctor = {} }) => Object.entries(doctor));
  return Object.fromEntries(
    looks.map(([name, look]): [string, DoctorCheck] => [
      name,
      async (context): Promise<readonly StatusLine[]> => {
        const asked = lookOf(context);
        return asked === undefined ? [] : await look(asked);
      },
    ]),
  );
}

function lookOf({ rows, clock, service, settings }: CheckContext): DoctorLook | undefined {
  if ('problem' in rows) return undefined;
  return {
    db: rows.value,
    organisationId: service.organisationId,
    now: nowDate(clock),
    settings: openSettings(settings.given ?? {}),
  };
}

/** Longest wait for all checks together, in milliseconds; they run side by side. */
export const DOCTOR_MS_MAX = 8_000;

/** What is looked at; of everything, in the order in which a person would look. */
const PARTS = {
  all: { ...OF_INSTALLATION, ...OF_ORGANISATION },
  installation: OF_INSTALLATION,
  organisation: OF_ORGANISATION,
} as const;

/**
 * Runs every check of a part within this time. Never throws: what a check throws is its line, and so is one that does
 * not end.
 */
export async function runDoctor(
  context: DoctorContext,
  part: keyof typeof PARTS = 'all',
  withinMs = DOCTOR_MS_MAX,
): Promise<StatusReport> {
  const startedMs = performance.now();
  const pulse = startPulse();
  const rows = await inTime(migratedDatabase(context), withinMs);
  const known = rows ?? { problem: 'no answer in time' };
  const leftMs = withinMs - (performance.now() - startedMs);
  const all = Object.entries<DoctorCheck>(PARTS[part]).map(([name, check]) =>
    checkInTime(name, check({ ...context, rows: known }), leftMs),
  );
  const ends = await Promise.all(all);
  pulse.stop();
  return summarise(linesOf(ends, pulse.isBusy()));
}

/** How a check ended. */
export interface End {
  readonly tookMs: number;
  /** Lines, or what kept the check from them. */
  readonly came:
    | { readonly lines: readonly StatusLine[] }
    | { readonly name: string; readonly problem: string; readonly nextStep: string };
}

/** The lines of all checks. Where this machine was busy, what one waited for in vain is no fault; what failed at once is. */
export function linesOf(ends: readonly End[], isBusy: boolean): StatusLine[] {
  const judged = (lines: readonly StatusLine[], tookMs: number): readonly StatusLine[] =>
    unlessBusy(lines, isBusy && tookMs >= WAIT_MS_MIN);
  const shared = ends.flatMap(({ came, tookMs }) => ('lines' in came ? [] : { ...came, tookMs }));
  return [
    ...ends.flatMap(({ came, tookMs }) => ('lines' in came ? judged(came.lines, tookMs) : [])),
    // One line for each cause, with the names of all checks that it kept from their end.
    ...[...Map.groupBy(shared, ({ problem }) => problem)].flatMap(([problem, kept]) =>
      judged(
        [failed(kept.map(({ name }) => name).join(', '), problem, kept[0]?.nextStep ?? '')],
        Math.max(...kept.map(({ tookMs }) => tookMs)),
      ),
    ),
  ];
}

async function checkInTime(
  name: string,
  lines: ReturnType<DoctorCheck>,
  withinMs: number,
): Promise<End> {
  const startedMs = performance.now();
  const came = await outcomeOf(name, lines, withinMs);
  return { came, tookMs: performance.now() - startedMs };
}

async function outcomeOf(
  name: string,
  lines: ReturnType<DoctorCheck>,
  withinMs: number,
): Promise<End['came']> {
  try {
    const found = await inTime(lines, withinMs);
    if (found !== undefined) return { lines: found };
    const nextStep = 'Something answers too slowly: look at the other lines and at the load here.';
    return { name, problem: 'not known, no end in time', nextStep };
  } catch (error) {
    return { name, ...whyUnreachable(error) };
  }
}

/** What it resolves to, or undefined when that takes longer. */
async function inTime<Value>(work: Promise<Value>, withinMs: number): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), withinMs);
  try {
    return await Promise.race([work, late.promise]);
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
    return whyUnreachable(error);
  }
}

export function summarise(lines: readonly StatusLine[]): StatusReport {
  const count = (status: LineStatus): number =>
    lines.filter((line) => line.status === status).length;
  return { ok: count('ok'), warnings: count('warning'), failed: count('failed'), lines };
}
