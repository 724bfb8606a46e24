/** Both breakers, as the guards ask about them: one statement, under the caps' lock. */
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { BreakerRow } from './breaker.store.ts';
import type { ProcessorBreaker } from './processor-breaker.store.ts';
import { PROCESSOR_BREAKER, processorBreakerOf } from './processor-breaker.store.ts';

/** Where they stand; undefined: not known yet, or nothing was refused. */
export interface Breakers {
  readonly processor: ProcessorBreaker | undefined;
  readonly refund: BreakerRow | undefined;
}

/** Reads them. */
export async function readBreakers(
  trx: Transaction<Database>,
  organisationId: string,
): Promise<Breakers> {
  const { rows } = await sql<BreakerRow & { processor_breaker: unknown }>`
    select b.*, (select value from fact
      where organisation_id = ${organisationId} and name = ${PROCESSOR_BREAKER}) as processor_breaker
    from (select 1) as one left join refund_breaker b on b.organisation_id = ${organisationId}`.execute(
    trx,
  );
  const [row] = rows;
  if (row === undefined) return { processor: undefined, refund: undefined };
  const { processor_breaker, ...refund } = row;
  return {
    processor: processorBreakerOf(processor_breaker),
    refund: refund.organisation_id === null ? undefined : refund,
  };
}
