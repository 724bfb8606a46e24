/**
 * The next moment at which something in a test's world falls due: a case, an alarm, a deadline, a
 * refund, an order to be sent, a message, or a webhook.
 */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { Sandbox } from '../../sandbox/index.ts';

/** The organisation's earliest moment from now on, in milliseconds since 1970; undefined when nothing is planned. */
export async function nextMomentMs(
  db: Db,
  organisationId: string,
  sandbox: Sandbox,
): Promise<number | undefined> {
  const nowMs = sandbox.clock.nowMs();
  const now = new Date(nowMs);
  const result = await sql<{ at: string | Date | null }>`
    select min(at) as at from (
      select unnest(array[next_action_at, next_alarm_at, deadline_at, lease_until]) as at
        from alert_case where organisation_id = ${organisationId} and is_open
      union all select unnest(array[next_action_at, lease_until])
        from movement where organisation_id = ${organisationId} and next_action_at is not null
      union all select next_attempt_at from notification where organisation_id = ${organisationId}
      union all select next_attempt_at from order_push where organisation_id = ${organisationId} and state = 'DUE'
    ) as planned where at > ${now}::timestamptz`.execute(db);
  const at = result.rows[0]?.at ?? null;
  const ours = at === null ? [] : [new Date(at).getTime()];
  const theirs = sandbox
    .deliveries()
    .map(({ next_attempt_at: next }) => (next === null ? Number.NaN : Date.parse(next)))
    .filter((next) => next > nowMs);
  const moments = [...ours, ...theirs];
  return moments.length === 0 ? undefined : Math.min(...moments);
}
