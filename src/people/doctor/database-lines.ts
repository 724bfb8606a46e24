/** The database: reachable, migrated, keeping what it stores, and telling the time that this machine tells. */
import { sql } from 'kysely';
import type { Durability } from '../../base/db/durability.ts';
import { durabilityFaults, readDurability, standbyFault } from '../../base/db/durability.ts';
import { pendingMigrations } from '../../base/db/migrate.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { failed, ok, warning } from '../../base/kernel/status-line.ts';
import type { DoctorCheck } from './context.ts';
import { rightsLines } from './rights-lines.ts';

/** Difference from which leases and logs are confusing, in milliseconds. */
const SKEW_WARNING_MS = 5_000;

/** Difference from which something is plainly broken, in milliseconds. */
const SKEW_FAILED_MS = 120_000;

const NO_DATABASE = 'Check DATABASE_URL, or start Forestall in this folder.';

export const databaseLines: DoctorCheck = async ({ database, rows: migrated, clock, service }) => {
  if ('problem' in database) {
    return [failed('database', database.problem, database.nextStep ?? NO_DATABASE)];
  }
  const db = database.value;
  const beforeMs = clock.nowMs();
  const { rows } = await sql<{ version: string; now_ms: number }>`
    select current_setting('server_version') as version,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`.execute(db);
  const oursMs = (beforeMs + clock.nowMs()) / 2;
  const { version = 'unknown', now_ms: databaseMs = oursMs } = rows[0] ?? {};
  const durability = await readDurability(db);
  return [
    ok('database', `PostgreSQL ${version} answers`),
    await migrationLine(db),
    ...('value' in migrated ? await rightsLines(db, service.organisationId) : []),
    durabilityLine(durability),
    standbyLine(durability),
    clockLine(databaseMs - oursMs),
  ];
};

async function migrationLine(db: Parameters<typeof pendingMigrations>[0]): Promise<StatusLine> {
  const pending = await pendingMigrations(db);
  return pending.length === 0
    ? ok('migrations', 'all applied')
    : failed('migrations', `${pending.join(', ')} missing`, 'Run: forestall migrate');
}

/** What a 2xx is worth: whether a commit is safe when it counts. */
export function durabilityLine(found: Durability): StatusLine {
  const name = 'durability';
  const faults = durabilityFaults(found);
  if (faults.length === 0) return ok(name, 'a commit is safe before it counts');
  const join = (texts: readonly string[]): string => texts.join('; ');
  const steps = faults.map(({ nextStep }) => nextStep);
  return warning(name, join(faults.map(({ text }) => text)), `${join(steps)}.`);
}

/** Whether what was answered 200 outlives the primary's machine. */
export function standbyLine(found: Durability): StatusLine {
  const name = 'standby';
  const fault = standbyFault(found);
  if (fault !== undefined) return warning(name, fault.text, `${fault.nextStep}.`);
  const { following, waitedFor, hidden } = found.standbys;
  if (following === 0) return ok(name, 'none is connected to this server');
  return hidden > 0
    ? ok(
        name,
        `${following} connected; for which a commit waits is shown to who has pg_read_all_stats`,
      )
    : ok(name, `each commit waits for ${waitedFor} of ${following} connected`);
}

function clockLine(skewMs: number): StatusLine {
  const name = 'clock, database';
  const seconds = Math.round(skewMs / 100) / 10;
  const detail = `the database is ${seconds} s ahead of this machine`;
  const step = 'Switch time synchronisation (NTP) on, on this machine and the database’s.';
  if (Math.abs(skewMs) >= SKEW_FAILED_MS) return failed(name, detail, step);
  return Math.abs(skewMs) >= SKEW_WARNING_MS ? warning(name, detail, step) : ok(name, detail);
}
