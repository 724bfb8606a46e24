/**
 * Whether the database keeps what it said it stored. A delivery is answered 200 once its row is
 * committed; settings of the server, of the database, of the user or of the connection can make a commit
 * count before it is safe, and then a crash loses a webhook that the service never sends again.
 */
import { sql } from 'kysely';
import type { Log } from '../kernel/log.ts';
import type { Db } from './database.ts';

/** A setting as this connection has it. */
export interface DurabilitySetting {
  readonly name: string;
  readonly value: string;
  /** Where it was set, in PostgreSQL's words (`pg_settings.source`). */
  readonly source: string;
}

/** The settings, with whom they hold for; names are quoted as SQL wants them. */
export interface Durability {
  readonly settings: readonly DurabilitySetting[];
  readonly database: string;
  readonly user: string;
}

/** A setting under which a 2xx can be lost. */
export interface DurabilityFault {
  /** Which, where it was set, and what can be lost. */
  readonly text: string;
  readonly nextStep: string;
}

/** Reads what holds for this connection. */
export async function readDurability(db: Db): Promise<Durability> {
  const { rows: settings } = await sql<DurabilitySetting>`
    select name, setting as value, source from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names')
    order by name`.execute(db);
  const { rows } = await sql<{ database: string; user: string }>`
    select quote_ident(current_database()) as database, quote_ident(session_user) as user`.execute(
    db,
  );
  const { database, user } = rows[0] ?? { database: '…', user: '…' };
  return { settings, database, user };
}

/** What can be lost under a setting's value; undefined when nothing can. */
function lossOf(
  { name, value }: DurabilitySetting,
  hasSynchronousStandby: boolean,
): string | undefined {
  if (name === 'fsync' && value === 'off') {
    return 'a power cut can lose what was answered 200, or break the database';
  }
  if (name === 'full_page_writes' && value === 'off') {
    return 'a power cut can break pages of the database, unless its file system writes whole pages';
  }
  if (name !== 'synchronous_commit') return undefined;
  if (value === 'off') return 'a crash of the server can lose what was answered 200';
  return value === 'local' && hasSynchronousStandby
    ? 'a takeover by the synchronous standby can lose what was answered 200'
    : undefined;
}

/** Every setting under which a 2xx can be lost. Pure. */
export function durabilityFaults({ settings, database, user }: Durability): DurabilityFault[] {
  const hasStandby = settings.some(
    ({ name, value }) => name === 'synchronous_standby_names' && value.trim() !== '',
  );
  return settings.flatMap((setting) => {
    const loss = lossOf(setting, hasStandby);
    if (loss === undefined) return [];
    const { where, nextStep } = placeOf(setting, { database, user });
    return [{ text: `${setting.name} is ${setting.value} ${where}: ${loss}`, nextStep }];
  });
}

/** Where it was set, and what sets it right there. */
function placeOf(
  { name, source }: DurabilitySetting,
  { database, user }: Pick<Durability, 'database' | 'user'>,
): { readonly where: string; readonly nextStep: string } {
  const run = (target: string): string => `Run: ALTER ${target} SET ${name} = on`;
  switch (source) {
    case 'database':
      return { where: 'for this database', nextStep: run(`DATABASE ${database}`) };
    case 'user':
      return { where: 'for this user', nextStep: run(`ROLE ${user}`) };
    case 'database user':
      return {
        where: 'for this user in this database',
        nextStep: run(`ROLE ${user} IN DATABASE ${database}`),
      };
    case 'client':
    case 'session':
    case 'environment variable':
      return {
        where: 'on this connection',
        nextStep: `Take ${name} out of the connection’s options (DATABASE_URL, PGOPTIONS)`,
      };
    case 'command line':
      return {
        where: 'on the server’s command line',
        nextStep: `Start the server without ${name}=off`,
      };
    default:
      return {
        where: 'on the server',
        nextStep: `Set ${name} = on in the server’s configuration and reload it`,
      };
  }
}

/** Says in the log, at a start, under which settings a 2xx can be lost. It works all the same. */
export async function warnOfLossyDatabase(db: Db, log: Log): Promise<void> {
  for (const { text, nextStep } of durabilityFaults(await readDurability(db))) {
    log.warn(`The database may lose what it says it stored: ${text}. ${nextStep}.`);
  }
}
