/** Both breakers, as the guards ask about them, and which database this is: one statement, under the caps' lock. */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import type { BreakerRow } from './breaker.store.ts';
import type { IdentityKind } from './database-identity.store.ts';
import { identityOf } from './database-identity.store.ts';
import { BREAKER_COLUMNS } from './guard.table.ts';
import type { ProcessorBreaker } from './processor-breaker.store.ts';
import { PROCESSOR_BREAKER, processorBreakerOf } from './processor-breaker.store.ts';

/** Their state; undefined: not known yet, or nothing was refused. */
export interface Breakers {
  readonly processor: ProcessorBreaker | undefined;
  readonly refund: BreakerRow | undefined;
  /** Of the database that answers; undefined: not asked for. */
  readonly identity: string | undefined;
}

/** Reads them, with the identity of a kind. */
export async function readBreakers(
  trx: Trx,
  organisationId: string,
  kind: IdentityKind | undefined,
): Promise<Breakers> {
  const identity = kind === undefined ? sql<null>`null::text` : identityOf(kind);
  const { rows } = await sql<
    BreakerRow & { processor_breaker: unknown; database_identity: string | null }
  >`
    select ${BREAKER_COLUMNS.of('b')}, ${identity} as database_identity, (select value from fact
      where organisation_id = ${organisationId} and name = ${PROCESSOR_BREAKER}) as processor_breaker
    from (select 1) as one left join refund_breaker b on b.organisation_id = ${organisationId}`.execute(
    trx,
  );
  const [row] = rows;
  if (row === undefined) return { processor: undefined, refund: undefined, identity: undefined };
  const { processor_breaker, database_identity, ...refund } = row;
  return {
    identity: database_identity ?? undefined,
    processor: processorBreakerOf(processor_breaker),
    refund: refund.organisation_id === null ? undefined : refund,
  };
}
