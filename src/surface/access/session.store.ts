/**
 * Sessions of people: a random id in a cookie, its hash in the database, so that every replica of the
 * console knows it and a copy of the database lets no person in.
 *
 * They begin by a function of the tables' owner, which looks at the proof itself where it can.
 *
 * A session ends after 30 minutes without a request, 12 hours in all, when its operator is removed or
 * gets another role or token, and when the console token it was opened with is another one.
 */

import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { anyOf } from '../../base/db/text-array.ts';
import { RightsError } from './people-change.ts';
import type { Role } from './role.ts';
import { createSecret, csrfTokenOf, hashSecret } from './secret.ts';

/** End of a session without requests, in milliseconds. */
const SESSION_IDLE_MS = 30 * 60_000;

/** End of a session in any case, in milliseconds. */
const SESSION_LIFE_MS = 12 * 60 * 60_000;

/** Sessions of one person at once; their oldest ends when another begins, and no other person's. */
export const SESSIONS_MAX = 50;

/** A request is noted at most this often, in milliseconds: not every page view is a write. */
const SEEN_EVERY_MS = 30_000;

export interface Session {
  readonly id: string;
  /** Every form that changes something carries it. */
  readonly csrfToken: string;
  /** The organisation for which its holder is entered. */
  readonly home: string;
  /** Null: the holder of the console token. */
  readonly operator: {
    readonly id: string;
    readonly name: string;
    readonly role: Role | null;
  } | null;
  /** When the person last proved who they are. */
  readonly authenticatedAt: Date;
}

/** Whom a session is for, and what proves it. */
export type SessionHolder =
  | {
      readonly operatorId: string;
      /** Their token; or issuer and subject of their account, as the provider said them. @default the tables' owner says so */
      readonly proof?:
        | { readonly token: string; readonly account?: never }
        | { readonly account: string; readonly token?: never };
    }
  | { readonly operatorId: null; readonly consoleToken: string };

/** As the functions of the tables' owner take it. */
function proofOf(holder: SessionHolder): { readonly way: string; readonly credential: string } {
  if (holder.operatorId === null) return { way: 'console', credential: holder.consoleToken };
  const { proof } = holder;
  if (proof === undefined) return { way: 'owner', credential: '' };
  return proof.token === undefined
    ? { way: 'provider', credential: proof.account }
    : { way: 'token', credential: proof.token };
}

/**
 * Begins a session and returns its id. Sessions that have ended are forgotten on the way.
 *
 * @throws {RightsError} what should prove it proves nothing any more
 */
export async function startSession(
  db: Db,
  organisationId: string,
  { holder, now }: { readonly holder: SessionHolder; readonly now: Date },
): Promise<string> {
  const id = createSecret();
  const { way, credential } = proofOf(holder);
  const { rows } = await sql<{ value: boolean }>`
    select begin_session(${organisationId}, ${holder.operatorId}, ${hashSecret(id)}, ${way}, ${credential}, ${now},
      ${SESSIONS_MAX}) as value`.execute(db);
  if (rows[0]?.value !== true) throw new RightsError('You cannot sign in any more with this.');
  return id;
}

export interface SessionQuery {
  /** The organisations for which people are entered who may sign in here. */
  readonly homes: readonly string[];
  readonly id: string;
  readonly consoleToken: string;
  readonly now: Date;
  /** Whether this request counts as a sign of life. @default true */
  readonly touch?: boolean;
}

/** The session of this id, kept alive; undefined when there is none or it has ended. */
export async function findSession(
  db: Db,
  { homes, id, consoleToken, now, touch = true }: SessionQuery,
): Promise<Session | undefined> {
  const idHash = hashSecret(id);
  const row = await db
    .selectFrom('console_session as s')
    .leftJoin('console_operator as o', (join) =>
      join.onRef('o.organisation_id', '=', 's.organisation_id').onRef('o.id', '=', 's.operator_id'),
    )
    .select(['s.operator_id', 's.credential_hash', 's.seen_at', 's.authenticated_at'])
    .select(['s.organisation_id as home', 'o.name', 'o.role'])
    .where('s.id_hash', '=', idHash)
    .where('s.organisation_id', '=', anyOf(homes))
    .where('s.seen_at', '>', new Date(now.getTime() - SESSION_IDLE_MS))
    .where('s.started_at', '>', new Date(now.getTime() - SESSION_LIFE_MS))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const operator =
    row.operator_id === null || row.name === null
      ? null
      : { id: row.operator_id, name: row.name, role: row.role };
  if (operator === null && row.credential_hash?.equals(hashSecret(consoleToken)) !== true) {
    return undefined;
  }
  if (touch && now.getTime() - row.seen_at.getTime() >= SEEN_EVERY_MS) {
    await db
      .updateTable('console_session')
      .set({ seen_at: now })
      .where('organisation_id', '=', row.home)
      .where('id_hash', '=', idHash)
      .execute();
  }
  const { home, authenticated_at: authenticatedAt } = row;
  return { id, csrfToken: csrfTokenOf(id), home, operator, authenticatedAt };
}

export async function endSession(db: Db, organisationId: string, id: string): Promise<void> {
  await db
    .deleteFrom('console_session')
    .where('organisation_id', '=', organisationId)
    .where('id_hash', '=', hashSecret(id))
    .execute();
}

/** Notes that the person has just proved again who they are; false: it is another's session, or no proof. */
export async function confirmSession(
  db: Db,
  { organisationId, idHash }: { readonly organisationId: string; readonly idHash: Buffer },
  { holder, now }: { readonly holder: SessionHolder; readonly now: Date },
): Promise<boolean> {
  const { way, credential } = proofOf(holder);
  const { rows } = await sql<{ value: boolean }>`
    select prove_session(${organisationId}, ${idHash}, ${holder.operatorId}, ${way}, ${credential}, ${now})
      as value`.execute(db);
  return rows[0]?.value === true;
}
