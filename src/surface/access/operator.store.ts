/**
 * Operators: who may use the console, as what. Every change is an audit entry in the same transaction,
 * and ends the sessions of whom it concerns.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { seeOrganisations } from '../../base/db/for-organisation.ts';
import { anyOf } from '../../base/db/text-array.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { ConsoleOperatorTable } from './operator.table.ts';
import type { OperatorChange } from './operator-audit.ts';
import { auditOperator } from './operator-audit.ts';
import type { Guest } from './right.store.ts';
import { INSTALLATION, listGuests } from './right.store.ts';
import type { Role } from './role.ts';
import { isAtLeast } from './role.ts';
import { createSecret, hashSecret } from './secret.ts';

export type OperatorRow = Selectable<ConsoleOperatorTable>;

/** Names are shown, logged and typed: letters, digits and a few signs. */
const OPERATOR_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._@-]{0,59}$/;

/** The name under which the console token acts; no operator may take it. */
export const TOKEN_HOLDER = 'console';

/** Why a change was refused, as a person reads it. */
export const OPERATOR_FAULTS = {
  name_invalid: 'The name may have up to 60 letters, digits, spaces and the signs . _ @ -.',
  name_taken: 'There is an operator of this name already. Choose another.',
  email_taken: 'Another operator has this e-mail address.',
  not_found: 'There is no operator of this name.',
} as const;
export type OperatorFault = keyof typeof OPERATOR_FAULTS;

export type Added =
  | { readonly ok: true; readonly token: string | undefined }
  | { readonly ok: false; readonly reason: OperatorFault };

/**
 * Adds an operator. The token is returned once and stored only as its hash; an operator with an e-mail
 * address and `withToken: false` signs in at the identity provider only.
 */
export async function addOperator(
  db: Db,
  change: OperatorChange & {
    /** Null: for the installation, without a role for all of its organisations. */
    readonly role: Role | null;
    readonly email?: string | undefined;
    readonly withToken: boolean;
  },
): Promise<Added> {
  const { organisationId, name, role, email, by, now } = change;
  if (!OPERATOR_NAME.test(name) || name !== name.trim()) {
    return { ok: false, reason: 'name_invalid' };
  }
  if (name.toLowerCase() === TOKEN_HOLDER) return { ok: false, reason: 'name_taken' };
  const token = change.withToken ? createSecret() : undefined;
  return await inTransaction(db, async (trx): Promise<Added> => {
    const others = await listOperators(trx, organisationId);
    const isSame = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase();
    const guests = await listGuests(trx, organisationId);
    if ([...others, ...guests].some((row) => isSame(row.name, name))) {
      return { ok: false, reason: 'name_taken' };
    }
    if (email !== undefined && others.some((row) => isSame(row.email, email))) {
      return { ok: false, reason: 'email_taken' };
    }
    await trx
      .insertInto('console_operator')
      .values({
        organisation_id: organisationId,
        id: createId('opr'),
        name,
        role,
        token_hash: token === undefined ? null : hashSecret(token),
        email: email ?? null,
        created_at: now,
        created_by: by,
        changed_at: now,
      })
      .execute();
    await auditOperator(trx, change, { what: 'operator added', detail: { role } });
    return { ok: true, token };
  });
}

export async function listOperators(db: Db, organisationId: string): Promise<OperatorRow[]> {
  return await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .orderBy('name')
    .execute();
}

/** The operator of this name, entered for an organisation. */
export async function findOperator(
  db: Db,
  organisationId: string,
  name: string,
): Promise<OperatorRow | undefined> {
  return await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Whoever may act for an organisation, and as what: entered for it, for all organisations, or elsewhere with a right here. */
export async function listPeople(db: Db, organisationId: string): Promise<readonly Guest[]> {
  const { rows } = await inTransaction(db, async (trx) => {
    const organisationIds = [organisationId, INSTALLATION];
    await seeOrganisations(trx, { reason: 'people', organisationIds });
    return await sql<Guest>`
      select name, role from console_operator
      where organisation_id = ${anyOf(organisationIds)} and role is not null
      union select name, role from console_right where organisation_id = ${organisationId}
      order by name`.execute(trx);
  });
  return rows;
}

/** Names of the others who may decide about alerts: to them a review can be handed over. */
export async function listColleagues(
  db: Db,
  organisationId: string,
  name: string,
): Promise<string[]> {
  const others = (await listPeople(db, organisationId)).filter(
    (person) => isAtLeast(person.role, 'reviewer') && person.name !== name,
  );
  return [...new Set(others.map((person) => person.name))];
}

/** Gives an operator another role and ends their sessions. */
export async function setRole(
  db: Db,
  change: OperatorChange & {
    /** Null: as {@link addOperator} takes it. */
    readonly role: Role | null;
  },
): Promise<boolean> {
  const { organisationId, name, role, now } = change;
  return await inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('console_operator')
      .set({ role, changed_at: now })
      .where('organisation_id', '=', organisationId)
      .where('name', '=', name)
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) return false;
    await endSessionsOf(trx, organisationId, row.id);
    await auditOperator(trx, change, { what: 'operator role changed', detail: { role } });
    return true;
  });
}

/** Gives an operator a new token; the old one and every session end. */
export async function renewToken(db: Db, change: OperatorChange): Promise<string | undefined> {
  const { organisationId, name, now } = change;
  const token = createSecret();
  return await inTransaction(db, async (trx) => {
    const row = await trx
      .updateTable('console_operator')
      .set({ token_hash: hashSecret(token), changed_at: now })
      .where('organisation_id', '=', organisationId)
      .where('name', '=', name)
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) return undefined;
    await endSessionsOf(trx, organisationId, row.id);
    await auditOperator(trx, change, { what: 'operator token renewed' });
    return token;
  });
}

/** Removes an operator; their token and sessions end with them. What they did stays in the audit log. */
export async function removeOperator(db: Db, change: OperatorChange): Promise<boolean> {
  const { organisationId, name } = change;
  return await inTransaction(db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('console_operator')
      .where('organisation_id', '=', organisationId)
      .where('name', '=', name)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await auditOperator(trx, change, { what: 'operator removed' });
    return true;
  });
}

async function endSessionsOf(trx: Trx, organisationId: string, operatorId: string): Promise<void> {
  await trx
    .deleteFrom('console_session')
    .where('organisation_id', '=', organisationId)
    .where('operator_id', '=', operatorId)
    .execute();
}

/** The operator whose token this is, entered for one of these organisations. */
export async function findByToken(
  db: Db,
  homes: readonly string[],
  token: string,
): Promise<OperatorRow | undefined> {
  return await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', anyOf(homes))
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst();
}

export interface Account {
  /** The organisations for which people are entered who may sign in here. */
  readonly homes: readonly string[];
  /** Issuer and subject: what stays the same when an address changes hands. */
  readonly subject: string;
  /** Set only when the provider vouches for it. */
  readonly verifiedEmail: string | undefined;
  readonly now: Date;
}

/**
 * The operator of an account: the one bound to it, or else the one who has its verified e-mail address
 * and is bound to no account yet, who then is bound to this one.
 */
export async function findByAccount(
  db: Db,
  { homes, subject, verifiedEmail, now }: Account,
): Promise<OperatorRow | undefined> {
  const bound = await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', anyOf(homes))
    .where('oidc_subject', '=', subject)
    .orderBy('organisation_id')
    .executeTakeFirst();
  if (bound !== undefined || verifiedEmail === undefined) return bound;
  const known = await db
    .selectFrom('console_operator')
    .select(['organisation_id', 'id'])
    .where('organisation_id', '=', anyOf(homes))
    .where(sql`lower(email)`, '=', verifiedEmail.toLowerCase())
    .where('oidc_subject', 'is', null)
    .orderBy('organisation_id')
    .executeTakeFirst();
  if (known === undefined) return undefined;
  return await db
    .updateTable('console_operator')
    .set({ oidc_subject: subject, changed_at: now })
    .where('organisation_id', '=', known.organisation_id)
    .where('id', '=', known.id)
    .where('oidc_subject', 'is', null)
    .returningAll()
    .executeTakeFirst();
}
