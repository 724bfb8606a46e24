/** Where the rows behind a count are. */
import type { Programme, Reading } from './programme.ts';
import type { Scope } from './scope.ts';

/** The address of the page that lists what a reading counts of a month. */
export function countedPath(counted: {
  readonly programme: Pick<Programme, 'id'>;
  readonly reading: Pick<Reading, 'name'>;
  /** YYYY-MM. */
  readonly month: string;
  readonly scope: Pick<Scope, 'kind' | 'id'>;
}): string {
  const { programme, reading, month, scope } = counted;
  const query = new URLSearchParams({ programme: programme.id, reading: reading.name, month });
  if (scope.kind !== 'organisation') query.set('of', `${scope.kind}:${scope.id}`);
  return `/ratios/counted?${query}`;
}
