/** Which organisations of an installation somebody may see, and as what. */
import { rolesIn } from '../../../surface/access/right.store.ts';
import type { Role } from '../../../surface/access/role.ts';
import type { Identity } from '../../../surface/web/auth.ts';
import type { InstallationOptions, ListedOrganisation } from '../../../surface/web/ports.ts';

export interface TheirOrganisation extends ListedOrganisation {
  readonly role: Role;
}

/** Those of the file that they may see, in its order. */
export async function theirOrganisations(
  { db, organisations }: Pick<InstallationOptions, 'db' | 'organisations'>,
  who: Identity,
): Promise<readonly TheirOrganisation[]> {
  const all = organisations();
  const { home, operatorId, ownRole, role } = who;
  if (operatorId === null) return all.map((each) => ({ ...each, role }));
  const ids = all.map(({ id }) => id);
  const roles = await rolesIn(db, { home, operatorId, ownRole }, ids);
  return all.flatMap((each) => {
    const own = roles.get(each.id);
    return own === undefined ? [] : [{ ...each, role: own }];
  });
}
