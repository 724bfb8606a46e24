/**
 * Operators: who may use the console, as what. Rows are written by functions of the tables' owner (`migrations/0053_people.sql`),
 * which look at the session of the person who acts, write the audit entry, and end the sessions of whom it concerns.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { personOf } from '../../alerts/cases/person.ts';
import type { Db } from '../../base/db/database.ts';
import { seeOrganisations } from '../../base/db/for-organisation.ts';
import { anyOf } from '../../base/db/text-array.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { ConsoleOperatorTable } from './operator.table.ts';
import type { OperatorChange } from './people-change.ts';
import { changePeople } from './people-change.ts';
import type { Guest } from './right.store.ts';
import { INSTALLATION } from './right.store.ts';
import type { Role, Verb } from './role.ts';
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
  name_taken:
    'There is an operator of this name already. Choose another: a name is one person’s in the whole database.',
  email_taken: 'Another operator has this e-mail address.',
  not_found: 'There is no operator of this name.',
} as const;
export type OperatorFault = keyof typeof OPERATOR_FAULTS;

/** How long a token holds unless somebody says otherwise, and at most, in days. */
export const TOKEN_DAYS = 365;

/** For so long a link waits for its owner, in milliseconds. */
export const LINK_MS = 3 * 86_400_000;

/** When a token ends that should hold to the end of a day, as a person writes it, in UTC; undefined: that is no such day. */
export function readTokenEnd(day: string, now: Date): Date | undefined {
  const endsAt = new Date(`${day}T23:59:59Z`);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(endsAt.getTime());
  const latest = now.getTime() + TOKEN_DAYS * 86_400_000;
  // A 30th of February is a day in March to the machine.
  if (!isDay || endsAt.toISOString().slice(0, 10) !== day) return undefined;
  return endsAt > now && endsAt.getTime() <= latest ? endsAt : undefined;
}

/** What is wrong with such a day. */
export const TOKEN_END_FAULT = `Give the last day of the token as YYYY-MM-DD, today or later and at most ${TOKEN_DAYS} days from now.`;

/**
 * How a token comes to whom it is for: by a link that its owner opens once, or shown to anyone who has the rights of the tables' owner,
 * at the command line.
 */
export interface TokenWish {
  readonly as: 'link' | 'shown';
  /** @default in {@link TOKEN_DAYS} days; later is refused */
  readonly endsAt?: Date | undefined;
}

/** What somebody gets who makes a token for another: what the link ends in, or the token. */
export interface NewToken {
  readonly link: string | undefined;
  readonly token: string | undefined;
}

export type Added = ({ readonly ok: true } & NewToken) | Refused;
interface Refused {
  readonly ok: false;
  readonly reason: OperatorFault;
}

/** Who comes in: a person with a role, or a program with verbs. */
export interface NewOperator extends OperatorChange {
  /** Null: for the installation, without a role for all of its organisations. A program is a viewer. */
  readonly role: Role | null;
  /** What a program may do. @default a person */
  readonly may?: readonly Verb[] | undefined;
  readonly email?: string | undefined;
  /** Undefined: signs in at the identity provider only. */
  readonly token: TokenWish | undefined;
}

/** The parts of an entry that say what becomes of its token, and what the maker is told. */
function tokenOf(
  wish: TokenWish | undefined,
  now: Date,
): { readonly entry: object; readonly made: NewToken } {
  if (wish === undefined) return { entry: {}, made: { link: undefined, token: undefined } };
  const secret = createSecret();
  const hash = hashSecret(secret).toString('hex');
  const endsAt = wish.endsAt ?? new Date(now.getTime() + TOKEN_DAYS * 86_400_000);
  const ends = { token_ends_at: endsAt.toISOString() };
  if (wish.as === 'shown') {
    return { entry: { ...ends, token_hash: hash }, made: { link: undefined, token: secret } };
  }
  const linkEnds = new Date(now.getTime() + LINK_MS).toISOString();
  const entry = { ...ends, link_hash: hash, link_ends_at: linkEnds };
  return { entry, made: { link: secret, token: undefined } };
}

/**
 * Adds an operator. What is returned of the token is kept as a hash only; one with an e-mail address and no token signs in
 * at the identity provider only.
 *
 * @throws {RightsError} the session may not
 */
export async function addOperator(db: Db, change: NewOperator): Promise<Added> {
  const { name, role, may, email, now } = change;
  if (!OPERATOR_NAME.test(name) || name !== name.trim()) {
    return { ok: false, reason: 'name_invalid' };
  }
  if (personOf(name) === personOf(TOKEN_HOLDER)) return { ok: false, reason: 'name_taken' };
  const { entry, made } = tokenOf(change.token, now);
  const whole = { id: createId('opr'), name, role, may, email, ...entry };
  const fault = await changePeople<OperatorFault | null>(
    db,
    (acting, home) =>
      sql`select enter_operator(${acting}, ${home}, ${JSON.stringify(whole)}::jsonb, ${now}) as value`,
    change,
  );
  return fault === null ? { ok: true, ...made } : { ok: false, reason: fault };
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

/** Anyone who may act for an organisation, and as what: entered for it, for all organisations, or elsewhere with a right here. */
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

/**
 * Gives a person another role and ends their sessions; false: there is no person of that name, or it is a program.
 *
 * @throws {RightsError} the session may not
 */
export async function setRole(
  db: Db,
  change: OperatorChange & {
    /** Null: as {@link addOperator} takes it. */
    readonly role: Role | null;
  },
): Promise<boolean> {
  const { name, role, now } = change;
  return await changePeople<boolean>(
    db,
    (acting, home) =>
      sql`select change_operator_role(${acting}, ${home}, ${name}, ${role}, ${now}) as value`,
    change,
  );
}

/**
 * Ends an operator's token with every session, and makes way for another; undefined: there is no person of that name.
 *
 * @throws {RightsError} the session may not
 */
export async function renewToken(
  db: Db,
  change: OperatorChange & { readonly token: TokenWish },
): Promise<NewToken | undefined> {
  const { name, now } = change;
  const { entry, made } = tokenOf(change.token, now);
  const isDone = await changePeople<boolean>(
    db,
    (acting, home) =>
      sql`select renew_operator_token(${acting}, ${home}, ${name}, ${JSON.stringify(entry)}::jsonb, ${now}) as value`,
    change,
  );
  return isDone ? made : undefined;
}

/** Until when links wait that were not opened yet, by operator. */
export async function listLinks(
  db: Db,
  organisationId: string,
  now: Date,
): Promise<ReadonlyMap<string, Date>> {
  const rows = await db
    .selectFrom('console_token_link')
    .select(['operator_id', 'expires_at'])
    .where('organisation_id', '=', organisationId)
    .where('expires_at', '>', now)
    .execute();
  return new Map(rows.map((row) => [row.operator_id, row.expires_at]));
}

/** What the owner of a link gets, once. */
export interface ShownToken {
  readonly name: string;
  readonly token: string;
  readonly endsAt: Date;
}

/** Makes the token of a link; undefined: it was used, is too old, or never was. */
export async function openTokenLink(
  db: Db,
  { link, now }: { readonly link: string; readonly now: Date },
): Promise<ShownToken | undefined> {
  const token = createSecret();
  const { rows } = await sql<{ value: { name: string; ends_at: string } | null }>`
    select open_token_link(${link}, ${hashSecret(token)}, ${now}) as value`.execute(db);
  const made = rows[0]?.value ?? undefined;
  return made && { name: made.name, token, endsAt: new Date(made.ends_at) };
}

/**
 * Removes an operator; their token and sessions end with them. What they did stays in the audit log.
 *
 * @throws {RightsError} the session may not
 */
export async function removeOperator(db: Db, change: OperatorChange): Promise<boolean> {
  const { name, now } = change;
  return await changePeople<boolean>(
    db,
    (acting, home) => sql`select remove_operator(${acting}, ${home}, ${name}, ${now}) as value`,
    change,
  );
}

/** A token's use is noted at most this often, in milliseconds. */
const USED_EVERY_MS = 60_000;

/** Whose token it is; or that it belongs to no person, or has ended. */
export type TokenFound =
  | { readonly ok: true; readonly row: OperatorRow }
  | { readonly ok: false; readonly reason: 'unknown' | 'ended' };

/** The operator whose token this is, entered for one of these organisations. Its use is noted, once a minute. */
export async function findByToken(
  db: Db,
  homes: readonly string[],
  { token, now }: { readonly token: string; readonly now: Date },
): Promise<TokenFound> {
  const row = await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', anyOf(homes))
    .where('token_hash', '=', hashSecret(token))
    .executeTakeFirst();
  if (row === undefined) return { ok: false, reason: 'unknown' };
  const { organisation_id: home, id, token_ends_at: endsAt, token_used_at: usedAt } = row;
  // The database sees to it that a token has an end.
  if (endsAt === null || endsAt <= now) return { ok: false, reason: 'ended' };
  if (usedAt === null || now.getTime() - usedAt.getTime() >= USED_EVERY_MS) {
    await db
      .updateTable('console_operator')
      .set({ token_used_at: now })
      .where('organisation_id', '=', home)
      .where('id', '=', id)
      .execute();
  }
  return { ok: true, row };
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
  const { organisation_id: home, id } = known;
  await sql`select bind_operator_account(${home}, ${id}, ${subject}, ${now})`.execute(db);
  return await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', home)
    .where('id', '=', id)
    .where('oidc_subject', '=', subject)
    .executeTakeFirst();
}
