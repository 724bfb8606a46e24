/**
 * As whom Forestall enters the database: never with a password that everybody knows where money moves, and
 * not as a superuser without saying so.
 */
import { sql } from 'kysely';
import pg from 'pg';
import type { Log } from '../kernel/log.ts';
import type { Db } from './database.ts';

/** What images, guides and examples set; the user's own name counts too. */
const WELL_KNOWN: ReadonlySet<string> = new Set([
  'postgres',
  'password',
  'passw0rd',
  'secret',
  'admin',
  'root',
  'test',
  'changeme',
  'change-me',
  'forestall',
  'example',
  '12345678',
]);

/**
 * Faults of addresses, by the settings that hold them. The password is not shown. An address without one is
 * none: the server may know its user by other means.
 *
 * @param isLive whether a real service is acted upon
 */
export function databaseUrlFaults(
  urls: Readonly<Record<string, string | undefined>>,
  isLive: boolean,
): string[] {
  return Object.entries(urls).flatMap(([name, url]) => {
    if (url !== undefined && !isUnderstood(url)) {
      return [`${name} cannot be understood; check it, and the files it names.`];
    }
    const address = url === undefined ? null : URL.parse(url);
    if (!isLive || address === null || address.password === '') return [];
    const password = address.password.toLowerCase();
    const isKnown = WELL_KNOWN.has(password) || password === address.username.toLowerCase();
    return isKnown
      ? [`${name} holds a default password; set one of your own before money moves.`]
      : [];
  });
}

/** Whether the driver can read the address. It connects to nothing. */
function isUnderstood(connectionString: string): boolean {
  try {
    return new pg.Client({ connectionString }) instanceof pg.Client;
  } catch {
    return false;
  }
}

/** Says in the log that the user may do more than Forestall needs. Forestall works in spite of it. */
export async function warnOfSuperuser(db: Db, log: Log): Promise<void> {
  const { rows } = await sql<{ is_super: boolean }>`
    select rolsuper as is_super from pg_roles where rolname = current_user`.execute(db);
  if (rows[0]?.is_super !== true) return;
  log.warn(
    'DATABASE_URL names a superuser. Run migrations/roles.sql and connect as a member of forestall_app or forestall_console.',
  );
}
