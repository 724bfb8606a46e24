/** How much a sandbox holds, kind by kind. */
import type { State } from '../state/state.ts';

/** The kinds people know, in the order in which one leads to the next. */
const KINDS = {
  organisations: 'organisations',
  merchants: 'merchants',
  integrations: 'integrations',
  enrolments: 'enrolments',
  rulesets: 'rulesets',
  charges: 'charges',
  orders: 'orders',
  alerts: 'alerts',
  lookups: 'lookups',
  representments: 'representments',
  scheme_notices: 'schemeNotices',
  events: 'events',
  deliveries: 'deliveries',
} as const satisfies Record<string, keyof State>;

export function countAll(state: State): Record<keyof typeof KINDS, number> {
  const counted = Object.entries(KINDS).map(([name, key]) => [name, state[key].size]);
  return Object.fromEntries(counted);
}
