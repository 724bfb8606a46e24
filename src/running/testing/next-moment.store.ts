/**
 * The next moment at which something in a test's world falls due: a case, an alarm, a deadline, a
 * refund, an order to be sent, a message, or a webhook.
 */
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { Sandbox } from '../../sandbox/index.ts';

/** The earliest moment after `nowMs`, in milliseconds since 1970; undefined when nothing is planned. */
export async function nextMomentMs(
  db: Kysely<Database>,
  sandbox: Sandbox,
  nowMs: number,
): Promise<number | undefined> {
  const now = new Date(nowMs);
  const result = await sql<{ at: string | Date | null }>`
    select min(at) as at from (
      select unnest(array[next_action_at, next_alarm_at, deadline_at, lease_until]) as at
        from alert_case where is_open
      union all select unnest(array[next_action_at, lease_until]) from movement where next_action_at is not null
      union all select next_attempt_at from notification
      union all select next_attempt_at from order_push where state = 'DUE'
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
