/** The address of the queue: which reviews, which one is open, and what is being done with it. */
import { z } from 'zod';
import type { ReviewSort } from '../../alerts/review/review-order.store.ts';
import { REVIEW_SORTS } from '../../alerts/review/review-order.store.ts';
import type { ReviewFilter } from '../../alerts/review/review-queue.store.ts';
import type { Html } from '../../base/kernel/html.ts';
import { html } from '../../base/kernel/html.ts';
import { isRemoteId } from '../../base/kernel/ids.ts';
import { ID_PREFIXES } from '../../service/wire/id-prefixes.ts';
import { cursorOf, makeCursor, microsecondMoment, plainText } from './query.ts';
import type { Visit } from './visit.ts';

const word = z.string().regex(/^[A-Za-z0-9_.-]{1,60}$/);
const alertId = z.string().refine((id) => isRemoteId(id) && id.startsWith(ID_PREFIXES.alert));

/** Everything that may follow `/reviews?`. */
export const reviewQuery = z
  .strictObject({
    show: z.enum(['all', 'mine', 'unclaimed']).default('all'),
    /** Only what Forestall acts on within the hour. */
    due: z.enum(['hour']).optional(),
    held: word.optional(),
    reason: word.optional(),
    sort: z.enum(REVIEW_SORTS).default('acts'),
    cursor: cursorOf(z.tuple([z.string().max(300), plainText])).optional(),
    /** The review that is open next to the list. */
    open: alertId.optional(),
    /** What its form is about to do. */
    action: z.enum(['REFUND', 'ACCEPT_DISPUTE']).optional(),
    /** The review that was decided a moment ago. */
    decided: alertId.optional(),
    /** How many were dealt with at once a moment ago. */
    count: z
      .string()
      .regex(/^[1-9]\d{0,2}$/)
      .optional(),
  })
  .refine(
    ({ sort, cursor }) => cursor === undefined || placeOf(sort).safeParse(cursor[0]).success,
    { path: ['cursor'] },
  );
export type ReviewQuery = z.infer<typeof reviewQuery>;

/** Where a page can begin in this order. */
function placeOf(sort: ReviewSort): z.ZodType {
  if (sort.endsWith('amount')) return z.string().regex(/^([A-Z]{0,3} \d{20})?$/);
  return sort.endsWith('who') ? plainText.or(z.literal('')) : microsecondMoment;
}

/** "Due within an hour", in milliseconds. */
const SOON_MS = 60 * 60_000;

/** Before this moment Forestall acts on what is due within the hour. */
export function soonOf(now: Date): Date {
  return new Date(now.getTime() + SOON_MS);
}

/** What the store is asked for. */
export function filterOf(
  query: ReviewQuery,
  { who, now }: Pick<Visit, 'who' | 'now'>,
): ReviewFilter {
  const { show, due, held, reason } = query;
  return {
    claimedBy: { all: undefined, mine: who.name, unclaimed: null }[show],
    actsBefore: due === undefined ? undefined : soonOf(now),
    holdReason: held,
    reasonCode: reason,
  };
}

/** The part of an address that says which reviews, in which order; what is open or was done is left out. */
export function filterText({ show, due, held, reason, sort }: ReviewQuery): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries({ show, due, held, reason, sort })) {
    if (value !== undefined && value !== 'all' && value !== 'acts') text.set(name, value);
  }
  return text.toString();
}

/** The same reviews from the first one on: another filter or order begins again. */
export function fromTheFirst(query: ReviewQuery): ReviewQuery {
  return { ...query, cursor: undefined };
}

/** The address of the queue with these reviews, on the same page of it, and with what is open in it. */
export function reviewsPath(
  query: ReviewQuery,
  extra: Readonly<Record<string, string | undefined>> = {},
): string {
  const text = new URLSearchParams(filterText(query));
  const cursor = query.cursor && makeCursor(query.cursor);
  for (const [name, value] of Object.entries({ cursor, ...extra })) {
    if (value !== undefined) text.set(name, value);
  }
  const written = text.toString();
  return written === '' ? '/reviews' : `/reviews?${written}`;
}

/** A link that shows the case it leads to next to the queue, which stays as it is. */
export function intoPane(path: string): Html {
  return html` hx-get="${path}" hx-target="#pane" hx-select="#pane" hx-swap="outerHTML" hx-sync="main:replace" hx-indicator="#pane" hx-push-url="true"`;
}
