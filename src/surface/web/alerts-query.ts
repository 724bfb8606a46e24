/** The address of the alerts page: which alerts, in which order, with which columns. */
import { z } from 'zod';
import type { AlertSort } from '../../alerts/list/alert-order.store.ts';
import { ALERT_SORTS } from '../../alerts/list/alert-order.store.ts';
import {
  alertSearchQuery,
  cursorOf,
  LIMIT_DEFAULT,
  microsecondMoment,
  plainText,
} from './query.ts';

/** What can be shown of an alert besides its amount, in the order of the table. */
export const ALERT_COLUMNS_SHOWN = [
  ...['date', 'customer', 'card', 'reason', 'descriptor', 'issuer'],
  ...['programme', 'outcome', 'who', 'deadline'],
] as const satisfies readonly string[];
export type AlertColumn =
  | ('date' | 'customer' | 'card' | 'reason' | 'descriptor' | 'issuer')
  | ('programme' | 'outcome' | 'who' | 'deadline');

/** Without a choice of the person's own. */
export const COLUMNS_DEFAULT = [
  ...(['date', 'customer', 'card', 'reason', 'outcome'] as const),
  ...(['who', 'deadline'] as const),
] satisfies readonly AlertColumn[];

const columns = z.string().regex(/^[a-z]{0,12}(\.[a-z]{1,12}){0,12}$/);

/** Rows of a page: as many as a screen shows, and some. */
export const ALERTS_LIMIT = LIMIT_DEFAULT;

/** Everything that may follow `/alerts?`. */
export const alertsPageQuery = alertSearchQuery
  .extend({
    sort: z.enum(ALERT_SORTS).optional(),
    columns: columns.optional(),
    cursor: cursorOf(z.tuple([z.string().max(60), plainText])).optional(),
  })
  .refine(
    ({ sort, cursor }) => cursor === undefined || placeOf(sort).safeParse(cursor[0]).success,
    {
      path: ['cursor'],
    },
  );
export type AlertsPageQuery = z.infer<typeof alertsPageQuery>;

/** Where a page can begin in this order. */
function placeOf(sort: AlertSort | undefined): z.ZodType {
  if (sort?.endsWith('amount')) return z.string().regex(/^[A-Z]{0,3} \d{20}$/);
  if (sort === undefined || /deadline|received/.test(sort)) return microsecondMoment;
  return plainText.or(z.literal(''));
}

/** The query as it is in an address, without the cursor unless one is given. */
export function alertsText(query: AlertsPageQuery, extra: Record<string, string> = {}): string {
  const { cursor: _cursor, limit, deep: _deep, go: _go, ...fields } = query;
  const parts = Object.entries({
    ...fields,
    ...(limit === LIMIT_DEFAULT ? {} : { limit }),
    ...extra,
  });
  const text = new URLSearchParams();
  for (const [name, value] of parts) if (value !== undefined) text.set(name, String(value));
  return text.toString();
}

/** The columns that an address names; what is not known is passed over. */
export function columnsOf(text: string | undefined): readonly AlertColumn[] {
  if (text === undefined) return COLUMNS_DEFAULT;
  const named = new Set(text.split('.'));
  return ALERT_COLUMNS_SHOWN.filter((column) => named.has(column));
}
