/** Judges lookups that failed, as they change; and again while an order or a dispute may still come. */
import { z } from 'zod';
import type { Db } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { storeCauses } from './lookup-cause.store.ts';
import { LOOKUP_BATCH, readLookupsToJudge } from './lookup-facts.store.ts';

/** The fact that says until when changes of lookups were judged. */
const JUDGED_UNTIL = 'lookup_causes_until';

/** A change counts from so long before, because its transaction may have ended only afterwards, in milliseconds. */
const SETTLING_MS = 10 * 60_000;

/** How often it is noted how far it came, in milliseconds; what lies between is read again, and passed over. */
const MARK_EVERY_MS = 10 * 60_000;

/** How far back an installation judges that never did, in days. */
const FIRST_DAYS = 60;

/** Creates the step. Returns how many lookups it judged. */
export function createLookupJudge({
  db,
  clock,
  organisationId,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly organisationId: string;
}): () => Promise<number> {
  return async () => {
    const now = nowDate(clock);
    const until = await readUntil(db, organisationId);
    const since = new Date((until ?? now.getTime() - FIRST_DAYS * 86_400_000) - SETTLING_MS);
    const judged = await readLookupsToJudge(db, { organisationId, since, now });
    await inTransaction(db, async (trx) => {
      await storeCauses(trx, { organisationId, judged, now });
      const isMarked = until !== undefined && now.getTime() - until < MARK_EVERY_MS;
      if (judged.length >= LOOKUP_BATCH || isMarked) return;
      const fact = { organisationId, name: JUDGED_UNTIL, value: now.getTime(), at: now };
      await writeNamedValue(trx, fact);
    });
    return judged.length;
  };
}

async function readUntil(db: Db, organisationId: string): Promise<number | undefined> {
  return z.number().safeParse(await readNamedValue(db, organisationId, JUDGED_UNTIL)).data;
}
