/**
 * What the review queue can be sorted by. Only the order of time has an index; in any other one the nearest cases are
 * sorted, so that a page stays cheap however many wait.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { DIGITS_OTHER_THAN_TWO } from '../../base/kernel/money.ts';
import { waitsForPeople } from '../cases/waits-for-people.store.ts';

/** The words that stand in an address; with a minus from the largest to the smallest. */
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

/** The order that a word stands for. */
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
      return { key: MAJOR_UNITS, text: sql`(${MAJOR_UNITS})::text`, type: sql`numeric`, direction };
    case 'who':
    case '-who':
      return { key: HOLDER, text: HOLDER, type: sql`text`, direction };
  }
}

/** Whom the review is claimed by; nobody comes first. */
const HOLDER = sql<string>`coalesce(r.operator, '')`;

/** The amount as the number that people read, whatever its currency. No amount is the least. */
const MAJOR_UNITS = sql`coalesce(a.amount_minor / power(10::numeric,
  coalesce((${JSON.stringify(Object.fromEntries(DIGITS_OTHER_THAN_TWO))}::jsonb ->> a.currency)::int, 2)), -1)`;

function timeOrder(key: RawBuilder<unknown>, direction: ReviewOrder['direction']): ReviewOrder {
  const text = sql<string>`to_char(${key} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  return { key, text, type: sql`timestamptz`, direction };
}

/** Alerts of the cases that are sorted in another order than that of time. */
export function nearest(organisationId: string, limit: number): RawBuilder<string> {
  return sql`(select c.alert_id from alert_case c where c.organisation_id = ${organisationId}
    and ${waitsForPeople(organisationId)}
    order by ${ACTS_AT} limit ${limit})`;
}
