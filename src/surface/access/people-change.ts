/** A change of who may do what: carried out by a function of the tables' owner, for the session of the person who asks for it. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { codeOf, KitError } from '../../base/kernel/errors.ts';

/** Who changes what, and when. */
export interface OperatorChange {
  readonly organisationId: string;
  readonly name: string;
  /** Name of who does it, as the audit log shows it where there is no session: of a session the database knows it. */
  readonly by: string;
  /**
   * The id of the session that does it: of an administrator, proved within the last quarter of an hour. @default none, for
   * members of the role that owns the tables
   */
  readonly session?: string | undefined;
  readonly now: Date;
}

/** What the database says of a session that may not, and the next step. */
const REFUSALS = {
  FA001: 'You have to prove again who you are.',
  FA002: 'This takes an administrator.',
  FA003:
    'The database has to see by itself what proves who you are, before rights change. Confirm with your own token. For the console token or your identity provider to suffice, somebody with the rights of the tables’ owner runs "forestall operators trust".',
  '42501':
    'This database user may not change who may do what. Do it in the console as an administrator, or run the command as the user that runs "forestall migrate".',
} as const;
type Refusal = keyof typeof REFUSALS;

/** The database does not let this session, or this user, change rights. */
export class RightsError extends KitError {
  readonly code = 'RIGHTS';
  readonly retryable = false;
}

/**
 * Asks a function for a change.
 *
 * @param ask the statement, with the value as `value`; it is given whose session acts, as two arguments, and the organisation
 * @throws {RightsError} who acts may not
 */
export async function changePeople<Value>(
  db: Db,
  ask: (acting: RawBuilder<unknown>, home: string) => RawBuilder<{ value: Value }>,
  { session, by, organisationId }: Pick<OperatorChange, 'session' | 'by' | 'organisationId'>,
): Promise<Value> {
  return await sayingRights(async () => {
    const { rows } = await ask(sql`${session ?? null}, ${by}`, organisationId).execute(db);
    const [row] = rows;
    if (row === undefined) throw new TypeError('A function answered nothing.');
    return row.value;
  });
}

/** What the database refuses, with the next step. @throws {RightsError} who acts may not */
export async function sayingRights<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    if (!isRefusal(code)) throw error;
    throw new RightsError(REFUSALS[code], { cause: error });
  }
}

function isRefusal(code: string | undefined): code is Refusal {
  return code !== undefined && Object.hasOwn(REFUSALS, code);
}
