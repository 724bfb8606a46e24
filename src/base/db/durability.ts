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

/** Standbys that are connected now, as many as this user may see. */
export interface Standbys {
  readonly following: number;
  /** Those that a commit waits for. */
  readonly waitedFor: number;
  /** Those of which it is hidden from this user. */
  readonly hidden: number;
}

/** The settings, with whom they hold for; names are quoted as SQL wants them. */
export interface Durability {
  readonly settings: readonly DurabilitySetting[];
  readonly standbys: Standbys;
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
  return { settings, standbys: await readStandbys(db), database, user };
}

/** Anyone who copies the whole server; not backups, nor subscribers to some tables. */
async function readStandbys(db: Db): Promise<Standbys> {
  const { rows } = await sql<Standbys>`
    select count(*)::int as following,
      count(*) filter (where sync_state in ('sync', 'quorum'))::int as "waitedFor",
      count(*) filter (where sync_state is null)::int as hidden
    from pg_stat_replication
    where state is distinct from 'backup'
      and coalesce(application_name, '') not in ('pg_basebackup', 'pg_receivewal')
      and pid not in (select active_pid from pg_replication_slots
        where slot_type = 'logical' and active_pid is not null)`.execute(db);
  return rows[0] ?? { following: 0, waitedFor: 0, hidden: 0 };
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

/** Whom commits wait for, as the server's setting names them; empty: for none. */
function standbyNames(settings: readonly DurabilitySetting[]): string {
  return settings.find(({ name }) => name === 'synchronous_standby_names')?.value.trim() ?? '';
}

/** What is wrong between a database and its standbys; undefined when nothing is. Pure. */
export function standbyFault({ settings, standbys }: Durability): DurabilityFault | undefined {
  const { following, waitedFor, hidden } = standbys;
  const names = standbyNames(settings);
  if (names === '' && following > 0) {
    const [which, whom] =
      following === 1 ? ['1 standby follows', 'it'] : [`${following} standbys follow`, 'any'];
    return {
      text: `${which}, and no commit waits for ${whom}: a takeover can lose what was answered 200`,
      nextStep:
        'If one may take over: synchronous_mode: true (Patroni), or synchronous_standby_names on the server',
    };
  }
  if (names !== '' && waitedFor + hidden === 0) {
    return {
      text: `commits wait for ${names}, and no such standby is connected: webhooks are answered 503`,
      nextStep:
        'Start the standby that synchronous_standby_names names, or a second one that replaces it',
    };
  }
  return undefined;
}

/** Every setting under which a 2xx can be lost. Pure. */
export function durabilityFaults({ settings, database, user }: Durability): DurabilityFault[] {
  const hasStandby = standbyNames(settings) !== '';
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

/** Says in the log, at a start, under which settings a 2xx can be lost. Forestall works in spite of it. */
export async function warnOfLossyDatabase(db: Db, log: Log): Promise<void> {
  for (const { text, nextStep } of durabilityFaults(await readDurability(db))) {
    log.warn(`The database may lose what it says it stored: ${text}. ${nextStep}.`);
  }
}
