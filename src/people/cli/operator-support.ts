/** What the commands about operators share: who is meant, for which organisations, and how it ended. */
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import type { OperatorRow } from '../../surface/access/operator.store.ts';
import { OPERATOR_FAULTS } from '../../surface/access/operator.store.ts';
import type { OperatorChange } from '../../surface/access/people-change.ts';
import { findNamed } from '../../surface/access/right.store.ts';
import type { Role } from '../../surface/access/role.ts';
import { ROLES } from '../../surface/access/role.ts';
import { EXIT } from '../../surface/terminal/exit.ts';
import type { People } from './open-people.ts';

/** Whose name is in the audit log. */
const CHANGED_BY = 'cli';

export type Work = (people: People) => Promise<void>;

/** One or several of the installation's organisations. */
export interface Where {
  /** Names in addresses, or ids. */
  readonly organisation?: readonly string[];
  readonly all?: boolean;
}

export const WHERE_HELP =
  'where there are several: for which (its path or id); may be given several times';

/** Where an operator is entered: the home of `people`, and the row. */
export interface Place {
  readonly people: People;
  readonly row: OperatorRow;
}

/** A change by this command to the operator of that name. */
export function changeOf({ clock, home }: People, name: string): OperatorChange {
  return { organisationId: home, name, by: CHANGED_BY, now: nowDate(clock) };
}

/** @throws ConfigError for a word that is no role. */
export function roleOf(word: string): Role {
  const role = ROLES.find((one) => one === word);
  if (role === undefined) throw new ConfigError(`The role must be one of ${ROLES.join(', ')}.`);
  return role;
}

/** Ids of the organisations that an option names. */
export function idsOf({ organisations }: People, names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const found = organisations.find(({ id, path }) => name === path || name === id);
    if (found !== undefined) return found.id;
    throw new ConfigError(
      organisations.length === 0
        ? 'There is one organisation: leave --organisation out.'
        : `The installation has no organisation ${name}. "forestall organisations list" shows them.`,
    );
  });
}

/** Where an operator is entered; undefined: nowhere, which has been said. */
export async function placeOf(people: People, name: string): Promise<Place | undefined> {
  const { db, home, organisations } = people;
  const [row] = await findNamed(db, name, [home, ...organisations.map(({ id }) => id)]);
  if (row !== undefined) return { people: { ...people, home: row.organisation_id }, row };
  refuse(OPERATOR_FAULTS.not_found);
  return undefined;
}

/** Prints what was done, or that there is no such operator. */
export function report(isDone: boolean, text: string): void {
  if (isDone) console.log(text);
  else refuse(OPERATOR_FAULTS.not_found);
}

/** Ends the command with the reason and a status that says so. */
export function refuse(reason: string): void {
  console.error(reason);
  process.exitCode = EXIT.wrong;
}
