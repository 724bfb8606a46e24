/** Lets a loop rest while Forestall has to look before it acts. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import type { LoopSpec } from '../jobs/loop.ts';
import { mustLookFirst } from './resume.store.ts';

/** The loop, doing nothing while a look is under way or due. */
export function restWhileLooking(
  spec: LoopSpec,
  db: Kysely<Database>,
  organisationId: string,
): LoopSpec {
  return {
    ...spec,
    runOnce: async (onFree) =>
      (await mustLookFirst(db, organisationId)) ? 0 : await spec.runOnce(onFree),
  };
}
