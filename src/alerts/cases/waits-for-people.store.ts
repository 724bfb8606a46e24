/** Which held cases wait for people. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** The fact in which a worker that starts notes how it is set, its mode among it. */
export const WORKER_SETTINGS = 'worker_settings';

/**
 * Whether the case `c` waits for people. What shadow mode holds does not wait, because somebody else answers it. Once
 * a worker is live perhaps it is not answered elsewhere: what is still open then waits for people, and nothing is done about it by itself.
 */
export function waitsForPeople(organisationId: string): RawBuilder<boolean> {
  return sql<boolean>`c.state = 'HUMAN' and (c.hold_reason is distinct from 'shadow_mode' or (
    select value ->> 'mode' = 'live' from fact
    where organisation_id = ${organisationId} and name = ${WORKER_SETTINGS}))`;
}
