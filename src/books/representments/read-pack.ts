/** A pack as it stands now: read anew from the rows each time, because the rows are the truth. */
import type { Kysely } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { RepresentmentRow } from '../insights/entity-list.store.ts';
import type { Pack } from './pack.ts';
import { buildPack } from './pack.ts';
import { readPackFacts } from './pack-facts.store.ts';
import type { PackRules } from './pack-rules.ts';

/** Reads the pack of a representment. */
export async function readPack(
  db: Kysely<Database>,
  of: {
    readonly organisationId: string;
    readonly representment: RepresentmentRow;
    readonly rules: PackRules;
  },
): Promise<Pack> {
  return buildPack(await readPackFacts(db, of.organisationId, of.representment), of.rules);
}
