/** A pack as it is now: read from the rows each time, because the rows are the truth. */

import type { Db } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import type { Pack } from './pack.ts';
import { buildPack } from './pack.ts';
import { readPackFacts } from './pack-facts.store.ts';
import type { PackRules } from './pack-rules.ts';
import type { RepresentmentRow } from './representment-list.store.ts';

/** Which representments, and by which rules. */
export interface PacksWanted {
  readonly organisationId: string;
  readonly representments: readonly RepresentmentRow[];
  readonly rules: PackRules;
  /** By which pack something was sent before. @default nothing was */
  readonly recorded?: string | null;
}

/** Reads the pack of each representment, in their order. */
export async function readPacks(
  db: Db,
  { organisationId, representments, rules, recorded }: PacksWanted,
): Promise<Pack[]> {
  const facts = await readPackFacts(db, organisationId, representments);
  return facts.map((each) => buildPack(each, rules, recorded));
}

export async function readPack(
  db: Db,
  {
    representment,
    ...wanted
  }: Omit<PacksWanted, 'representments'> & { readonly representment: RepresentmentRow },
): Promise<Pack> {
  const [pack] = await readPacks(db, { ...wanted, representments: [representment] });
  assertInvariant(pack !== undefined, 'A representment has no pack.');
  return pack;
}
