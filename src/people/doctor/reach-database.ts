/** Why the database cannot be used, and what to do: by the code that PostgreSQL or the network gives. */
import { setTimeout as wait } from 'node:timers/promises';
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { Db } from '../../base/db/database.ts';
import { sqlStateOf } from '../../base/db/transaction.ts';
import { isReadOnlyError, READ_ONLY_STEP } from '../../base/db/writable.ts';
import { codeOf, messageOf, reasonOf } from '../../base/kernel/errors.ts';
import type { Opened } from './context.ts';

/**
 * Longest waits of the doctor's own connections, in milliseconds. A check waits for a free connection as long as it may
 * run: on a busy machine the checks before it take their time, and that is no fault of the database. Whether it answers
 * at all is asked first, within {@link REACH_MS_MAX}.
 */
export const DOCTOR_DATABASE = {
  connectTimeoutMs: 8_000,
  statementTimeoutMs: 4_000,
  lockTimeoutMs: 1_500,
} as const;
const REACH_MS_MAX = 2_500;

const WRONG_USER =
  'Correct user and password in DATABASE_URL; the server may also refuse this user in pg_hba.conf.';

const RIGHTS = 'Run migrations/roles.sql, and make this user a member of forestall_app.';
const LOCKED =
  "See who holds a lock: select pid, state, query from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 or state like 'idle in transaction%'. A migration, a backup or a forgotten session is a usual cause.";

/** By SQLSTATE, and by the system's code. */
const STEPS: Readonly<Record<string, readonly [problem: string, nextStep: string]>> = {
  '28P01': ['it refuses the user or the password', WRONG_USER],
  '28000': ['it refuses the user', WRONG_USER],
  '3D000': [
    'it has no database of this name',
    'Create it (createdb), or correct the name at the end of DATABASE_URL.',
  ],
  '53300': [
    'it has no connection left',
    'Raise max_connections of the server, put a pooler before it, or lower FORESTALL_DATABASE_CONNECTIONS.',
  ],
  '57P03': [
    'it is starting or stopping',
    'Wait a moment; if it stays so, read the server\u2019s log.',
  ],
  '42501': ['this user lacks a right', RIGHTS],
  '55P03': ['a lock is held on what is read', LOCKED],
  '57014': ['a question to it takes longer than 4 s', LOCKED],
  '53100': [
    'its disk is full: nothing can be stored',
    'Make room on the database server; old log files are a usual cause.',
  ],
  '53200': ['it is out of memory', 'Look at the memory of the database server.'],
  '42P01': ['a table is missing', 'Run: forestall migrate'],
  ECONNREFUSED: [
    'nothing listens at its address',
    'Start the server, or correct host and port in DATABASE_URL.',
  ],
  ENOTFOUND: ['its host name is not known', 'Correct the host in DATABASE_URL, or its DNS entry.'],
  EAI_AGAIN: ['its host name cannot be looked up now', 'Check DNS on this machine.'],
  ETIMEDOUT: [
    'it does not answer',
    'Look for a firewall between here and there; check host and port.',
  ],
};

/** Rejects after the longest wait. */
async function noAnswer(): Promise<never> {
  await wait(REACH_MS_MAX, undefined, { ref: false });
  throw new Error('timeout');
}

const SLOW = /timeout|terminated due to connection timeout/i;
const TLS = /SSL|self.signed|certificate/i;

/** The failure of a connection in words, without the address. */
export function whyUnreachable(error: unknown): {
  readonly problem: string;
  readonly nextStep: string;
} {
  if (isReadOnlyError(error)) {
    return { problem: 'it answers and is read-only', nextStep: READ_ONLY_STEP };
  }
  const known = STEPS[sqlStateOf(error) ?? codeOf(error) ?? ''];
  if (known !== undefined) return { problem: known[0] + whichOf(error), nextStep: known[1] };
  const text = messageOf(error);
  if (SLOW.test(text)) {
    const [problem, nextStep] = STEPS['ETIMEDOUT'] ?? ['', ''];
    return { problem, nextStep };
  }
  if (TLS.test(text)) {
    const nextStep =
      'Set sslmode in DATABASE_URL to what the server offers, and trust its certificate.';
    return { problem: `no encrypted connection: ${reasonOf(error)}`, nextStep };
  }
  const nextStep = 'Check DATABASE_URL, that the server runs, and that it lets this user in.';
  return { problem: `not reached: ${reasonOf(error)}`, nextStep };
}

/** What PostgreSQL's text names, without its words: `permission denied for table alert`. */
function whichOf(error: unknown): string {
  if (sqlStateOf(error) !== '42501') return '';
  const [, kind, name] = /(table|sequence|schema|function) "?([\w.]+)/.exec(messageOf(error)) ?? [];
  return name === undefined ? '' : ` on the ${kind} ${name}`;
}

/** The database, or why it cannot be used and what to do. */
export async function reachDatabase(database: OpenDatabase): Promise<Opened<Db>> {
  try {
    const asked = database.pool.query('select 1');
    // After the wait it is not listened to any more.
    asked.catch(() => undefined);
    await Promise.race([asked, noAnswer()]);
    return { value: database.db };
  } catch (error) {
    return whyUnreachable(error);
  }
}
