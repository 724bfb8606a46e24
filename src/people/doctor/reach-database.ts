/** Why the database cannot be used, and what to do: by the code that PostgreSQL or the network gives. */
import type { OpenDatabase } from '../../base/db/connect.ts';
import type { Db } from '../../base/db/database.ts';
import { sqlStateOf } from '../../base/db/transaction.ts';
import { isReadOnlyError, READ_ONLY_STEP } from '../../base/db/writable.ts';
import { codeOf, messageOf, reasonOf } from '../../base/kernel/errors.ts';
import type { Opened } from './context.ts';

/** Longest waits of the doctor's own connections, in milliseconds. */
export const DOCTOR_DATABASE = { connectTimeoutMs: 2_500, statementTimeoutMs: 4_000 } as const;

const WRONG_USER =
  'Correct user and password in DATABASE_URL; the server may also refuse this user in pg_hba.conf.';

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
  if (known !== undefined) return { problem: known[0], nextStep: known[1] };
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

/** The database, or why it cannot be used and what to do. */
export async function reachDatabase(database: OpenDatabase): Promise<Opened<Db>> {
  try {
    await database.pool.query('select 1');
    return { value: database.db };
  } catch (error) {
    return whyUnreachable(error);
  }
}
