/** How a case ended, as it is counted and exported. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/**
 * The state in which a case `c` ended, as it is counted: an alert of the network's own programme that shows no refund
 * was resolved, and not refunded.
 */
export const ENDED_AS: RawBuilder<unknown> = sql`case when c.state = 'RECONCILED_RDR' and not exists (
    select from alert a where a.organisation_id = c.organisation_id and a.id = c.alert_id
      and a.status = 'RESOLVED' and a.refund_outcome = 'REFUNDED')
  then 'CLOSED_REMOTE' else c.state end`;
