/**
 * What the review queue can be sorted by. Only the order of time has an index; in any other one the nearest cases are
 * sorted, so that a page stays cheap however many wait.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { waitsForPeople } from '../cases/waits-for-people.store.ts';

/** The words that are in an address; with a minus from the largest to the smallest. */
export const REVIEW_SORTS = [
  'acts',
  '-acts',
  'amount',
  '-amount',
  'age',
  '-age',
  'who',
  '-who',
] as const;
export type ReviewSort = (typeof REVIEW_SORTS)[number];

/** When Forestall acts by itself, or the deadline where it does not; as the index has it. */
export const ACTS_AT = sql<Date>`least(c.fallback_at, c.deadline_at)`;

/** An order of the queue. Its key is never null, so that a page can begin after any row. */
export interface ReviewOrder {
  readonly key: RawBuilder<unknown>;
  /** The key as exact text, and the type that reads it back. */
  readonly text: RawBuilder<string>;
  readonly type: RawBuilder<unknown>;
  readonly direction: 'asc' | 'desc';
}

/** The order that a word means. */
export function orderOf(sort: ReviewSort): ReviewOrder {
  const isDown = sort.startsWith('-');
  const direction = isDown ? 'desc' : 'asc';
  switch (sort) {
    case 'acts':
    case '-acts':
      return timeOrder(ACTS_AT, direction);
    case 'age':
    case '-age':
      // What was opened first is the oldest.
      return timeOrder(sql`c.opened_at`, isDown ? 'asc' : 'desc');
    case 'amount':
    case '-amount':
      return { key: MONEY, text: MONEY, type: sql`text`, direction };
    case 'who':
    case '-who':
      return { key: HOLDER, text: HOLDER, type: sql`text`, direction };
  }
}

/** Who has claimed the review; unclaimed ones come first. */
const HOLDER = sql<string>`coalesce(r.operator, '')`;

/**
 * Amounts of one currency are together, by their size: yen and dollars cannot be compared by the number alone. The text
 * is the currency and the minor units with leading zeros, so that it sorts as the amounts do. No amount is the least.
 */
const MONEY = sql<string>`case when a.amount_minor is null then ''
  else (coalesce(a.currency, '') || ' ' || lpad(a.amount_minor::text, 20, '0')) end collate "C"`;

function timeOrder(key: RawBuilder<unknown>, direction: ReviewOrder['direction']): ReviewOrder {
  const text = sql<string>`to_char(${key} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  return { key, text, type: sql`timestamptz`, direction };
}

/** The cases that Forestall acts on first, as far as they are counted, and sorted in another order than that of time. */
export function nearest(organisationId: string, limit: number): RawBuilder<unknown> {
  return sql`(select c.organisation_id, c.alert_id, c.hold_reason, c.opened_at, c.fallback_at, c.deadline_at
    from alert_case c where c.organisation_id = ${organisationId} and ${waitsForPeople(organisationId)}
    order by ${ACTS_AT} limit ${sql.lit(limit)})`;
}
