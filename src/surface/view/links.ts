/** Addresses of pages that others lead to. */

export function alertPath(alertId: string): string {
  return `/alerts/${encodeURIComponent(alertId)}`;
}
