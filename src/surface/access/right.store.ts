/**
 * People of an installation of several organisations: for which of them each may act, and as what.
 *
 * Anyone who is entered for the installation has a role for all of its organisations, or rights, one for each. Anyone who is
 * entered for one organisation has a role there; rights elsewhere may be added. Every change is an audit entry of the
 * organisation that it is about.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import { ENTERED_FOR_ALL } from '../../base/db/for-organisation.ts';
import { anyOf } from '../../base/db/text-array.ts';
import type { ConsoleOperatorTable } from './operator.table.ts';
import type { OperatorChange } from './people-change.ts';
import { changePeople } from './people-change.ts';
import type { Role } from './role.ts';
import { isAtLeast } from './role.ts';

/** Where people are entered who act for several organisations: in the place of an organisation's id. */
export const INSTALLATION = ENTERED_FOR_ALL;

/** An operator, wherever they are entered. */
export interface OperatorKey {
  /** The organisation, or {@link INSTALLATION}. */
  readonly home: string;
  readonly operatorId: string;
}

/** What an operator may do by where they are entered, besides their rights. */
export interface OwnRole extends OperatorKey {
  readonly ownRole: Role | null;
}

/** A right, given or taken. */
export interface RightChange extends OperatorKey, OperatorChange {}

/**
 * Gives a right, or another role in the place of the one before.
 *
 * @returns false where somebody of the same name is entered for the organisation itself
 * @throws {RightsError} the session may not
 */
export async function grantRight(
  db: Db,
  { role, ...change }: RightChange & { readonly role: Role },
): Promise<boolean> {
  const { home, operatorId, now } = change;
  return await changePeople<boolean>(
    db,
    (acting, organisation) =>
      sql`select give_right(${acting}, ${organisation}, ${home}, ${operatorId}, ${role}, ${now}) as value`,
    change,
  );
}

/**
 * Takes a right away; false where there was none.
 *
 * @throws {RightsError} the session may not
 */
export async function revokeRight(db: Db, change: RightChange): Promise<boolean> {
  const { home, operatorId, now } = change;
  return await changePeople<boolean>(
    db,
    (acting, organisation) =>
      sql`select take_right(${acting}, ${organisation}, ${home}, ${operatorId}, ${now}) as value`,
    change,
  );
}

function higher(one: Role | undefined, other: Role | undefined): Role | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return isAtLeast(one, other) ? one : other;
}

/** The organisations, of those that there are, for which an operator may act, with their role. */
export async function rolesIn(
  db: Db,
  { home, operatorId, ownRole }: OwnRole,
  organisationIds: readonly string[],
): Promise<ReadonlyMap<string, Role>> {
  const own = (id: string): Role | undefined =>
    ownRole !== null && (home === INSTALLATION || home === id) ? ownRole : undefined;
  const given = await db
    .selectFrom('console_right')
    .select(['organisation_id', 'role'])
    .where('organisation_id', '=', anyOf(organisationIds))
    .where('home', '=', home)
    .where('operator_id', '=', operatorId)
    .execute();
  const rights = new Map(given.map((row) => [row.organisation_id, row.role]));
  return new Map(
    organisationIds.flatMap((id): [string, Role][] => {
      const role = higher(own(id), rights.get(id));
      return role === undefined ? [] : [[id, role]];
    }),
  );
}

/** Somebody entered elsewhere who may act for an organisation. */
export interface Guest {
  readonly name: string;
  readonly role: Role;
}

/** Those who may act for an organisation and are entered elsewhere, by name. */
export async function listGuests(db: Db, organisationId: string): Promise<readonly Guest[]> {
  return await db
    .selectFrom('console_right')
    .select(['name', 'role'])
    .where('organisation_id', '=', organisationId)
    .orderBy('name')
    .execute();
}

export interface GivenRight {
  /** Where they are entered. */
  readonly home: string;
  readonly operatorId: string;
  readonly organisationId: string;
  readonly role: Role;
}

export async function listRights(
  db: Db,
  organisationIds: readonly string[],
): Promise<readonly GivenRight[]> {
  return await db
    .selectFrom('console_right')
    .select(['home', 'operator_id as operatorId', 'organisation_id as organisationId', 'role'])
    .where('organisation_id', '=', anyOf(organisationIds))
    .execute();
}

/** Operators of this name, whatever its capitals, entered for one of these organisations. */
export async function findNamed(
  db: Db,
  name: string,
  homes: readonly string[],
): Promise<readonly Selectable<ConsoleOperatorTable>[]> {
  return await db
    .selectFrom('console_operator')
    .selectAll()
    .where('organisation_id', '=', anyOf(homes))
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .execute();
}
