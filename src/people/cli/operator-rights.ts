/** `forestall operators grant|revoke`: rights for single organisations of an installation. */
import type { Command } from 'commander';
import { OPERATOR_FAULTS } from '../../surface/access/operator.store.ts';
import type { RightChange } from '../../surface/access/right.store.ts';
import { grantRight, revokeRight } from '../../surface/access/right.store.ts';
import type { Role } from '../../surface/access/role.ts';
import type { People } from './open-people.ts';
import type { Place, Where, Work } from './operator-support.ts';
import { changeOf, idsOf, placeOf, refuse, roleOf, WHERE_HELP } from './operator-support.ts';

export function registerRights(operators: Command, run: (work: Work) => Promise<void>): void {
  operators
    .command('grant <name> <role>')
    .description('gives an operator a right for an organisation, where there are several')
    .requiredOption('--organisation <name...>', WHERE_HELP)
    .action(
      async (name: string, role: string, { organisation = [] }: Where) =>
        await run((people) => grant(people, name, { role: roleOf(role), organisation })),
    );
  operators
    .command('revoke <name>')
    .description('takes such a right away')
    .requiredOption('--organisation <name...>', WHERE_HELP)
    .action(
      async (name: string, { organisation = [] }: Where) =>
        await run((people) => revoke(people, name, organisation)),
    );
}

/** Gives the rights; false: not all, which has been said. */
export async function grantAll(
  people: People,
  name: string,
  { role, ids }: { role: Role; ids: readonly string[] },
): Promise<boolean> {
  const place = await placeOf(people, name);
  if (place === undefined) return false;
  let isAll = true;
  for (const id of ids) {
    if (await grantRight(people.db, { ...rightChangeOf(place, id), role })) continue;
    refuse(OPERATOR_FAULTS.name_taken);
    isAll = false;
  }
  return isAll;
}

function rightChangeOf({ people, row }: Place, organisationId: string): RightChange {
  return { ...changeOf(people, row.name), home: people.home, operatorId: row.id, organisationId };
}

async function grant(
  people: People,
  name: string,
  { role, organisation }: { readonly role: Role; readonly organisation: readonly string[] },
): Promise<void> {
  const isDone = await grantAll(people, name, { role, ids: idsOf(people, organisation) });
  if (isDone) console.log(`${name} is ${role} of ${organisation.join(', ')}.`);
}

async function revoke(
  people: People,
  name: string,
  organisation: readonly string[],
): Promise<void> {
  const place = await placeOf(people, name);
  if (place === undefined) return;
  for (const id of idsOf(people, organisation)) {
    const isDone = await revokeRight(people.db, rightChangeOf(place, id));
    if (isDone) console.log(`${name} has no right for ${id} any more.`);
    else refuse(`${name} has no such right for ${id}.`);
  }
}
