/**
 * What must hold in our own rows at any moment: every open case has a plan (I5), every deadline that
 * passed has an older alarm (I6), what is closed stays as it is, and the audit log only grows (I8).
 */
import type { CaseEntry } from './books.ts';
import { Violation } from './violation.ts';
import type { Wire } from './wire.ts';

/** Looks at our rows from time to time. */
export interface Watch {
  /** @throws Violation */
  look(nowMs: number): Promise<void>;
}

/** A case that was heard of this shortly before its deadline may be alarmed after it. */
const SHORT_NOTICE_MS = 10 * 60_000;

/**
 * What autovacuum would do, at moments of the simulated time: the tables that grow. Plans stay right,
 * and a run stays the same.
 */
const ANALYZE = `analyze alert, alert_case, charge, charge_account, dispute, movement, cover, match, decision, declaration, order_record,
  order_nested_reference, order_push, book_check, finding, notification, inbox_id, side_action`;

/** Makes the watch of one organisation, on a connection that belongs to nobody; one of a run analyses the tables, at these looks. */
export function createWatch(
  raw: Wire,
  organisationId: string,
  { analyseAt }: { readonly analyseAt: readonly number[] },
): Watch {
  const closed = new Map<string, string>();
  let audited = 0;
  let looks = 0;
  return {
    async look(nowMs): Promise<void> {
      looks += 1;
      if (analyseAt.includes(looks)) await raw.query(ANALYZE);
      const { rows } = await raw.query<WatchedCase>(
        `select c.alert_id, c.state, c.is_open, c.opened_at, c.deadline_at, c.alarmed_at, c.next_action_at,
           coalesce(a.status in ('RESOLVED', 'INVALID') and a.changed_at <= c.deadline_at, false) as settled
         from alert_case c left join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
         where c.organisation_id = $1`,
        [organisationId],
      );
      for (const entry of rows) {
        const before = closed.get(entry.alert_id);
        if (before !== undefined && before !== entry.state) {
          const text = `${entry.alert_id} was closed as ${before} and is ${entry.state}`;
          throw new Violation('I8', text, entry.alert_id);
        }
        if (entry.is_open) checkOpen(entry, nowMs);
        else closed.set(entry.alert_id, entry.state);
      }
      const { rows: counted } = await raw.query<{ count: number }>(
        'select count(*)::int as count from audit where organisation_id = $1',
        [organisationId],
      );
      const count = counted[0]?.count ?? 0;
      if (count < audited) throw new Violation('I8', `the audit log shrank to ${count} rows`);
      audited = count;
    },
  };
}

interface WatchedCase extends CaseEntry {
  /** The service asked for no answer any more before the deadline, so that none can be missed. */
  readonly settled: boolean;
}

function checkOpen(entry: WatchedCase, nowMs: number): void {
  const { alert_id: id, deadline_at: deadline, opened_at: opened, alarmed_at: alarmed } = entry;
  if (entry.next_action_at === null) throw new Violation('I5', `${id} has no plan`, id);
  if (entry.settled || deadline.getTime() >= nowMs) return;
  if (opened.getTime() > deadline.getTime() - SHORT_NOTICE_MS) return;
  if (alarmed !== null && alarmed <= deadline) return;
  const text = `${id} (${entry.state}) ran out at ${deadline.toISOString()} without an alarm before it`;
  throw new Violation('I6', text, id);
}
