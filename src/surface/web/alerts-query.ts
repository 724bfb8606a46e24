/** The address of the alerts page. */
import type { AlertSearchQuery } from './query.ts';

/** The query as it stands in an address, without the cursor unless one is given. */
export function alertsText(query: AlertSearchQuery, extra: Record<string, string> = {}): string {
  const { cursor: _cursor, limit, deep: _deep, go: _go, ...fields } = query;
  const parts = Object.entries({ ...fields, ...(limit === 50 ? {} : { limit }), ...extra });
  const text = new URLSearchParams();
  for (const [name, value] of parts) if (value !== undefined) text.set(name, String(value));
  return text.toString();
}
