/** The menus of the console: which pages, in which order. */
import { CAPABILITY_PAGES } from '../../capabilities/pages.ts';
import type { MenuEntry } from '../../surface/view/shell.ts';

/** The pages of the console itself. A page is here only when there is something to show on it. */
const OWN: readonly MenuEntry[] = [
  { path: '/', label: 'Today', group: 'Now', icon: 'house' },
  { path: '/reviews', label: 'Reviews', group: 'Now', icon: 'list-checks' },
  { path: '/alerts', label: 'Alerts', group: 'Now', icon: 'siren' },
  { path: '/exports', label: 'Exports', group: 'Books', icon: 'download' },
  { path: '/orders', label: 'Orders', group: 'Books', icon: 'package' },
  { path: '/findings', label: 'Findings', group: 'Books', icon: 'triangle-alert' },
  { path: '/events', label: 'Webhook log', group: 'Books', icon: 'webhook' },
  { path: '/policies', label: 'Policies', group: 'Control', icon: 'scroll-text' },
  { path: '/system', label: 'System', group: 'Control', icon: 'server' },
  { path: '/operators', label: 'Operators', group: 'Control', icon: 'users' },
];

/** The order of all pages, one decision. What is not offered is passed over; a page that is not here comes last. */
const ORDER = [
  '/',
  '/reviews',
  '/alerts',
  '/lookups',
  '/enrolments',
  '/estate',
  '/representments',
  '/scheme-notices',
  '/evidence',
  '/ratios',
  '/costs',
  '/figures',
  '/exports',
  '/orders',
  '/credits',
  '/findings',
  '/events',
  '/activity',
  '/policies',
  '/endpoints',
  '/system',
  '/operators',
];

function placeOf({ path }: MenuEntry): number {
  const place = ORDER.indexOf(path);
  return place === -1 ? ORDER.length : place;
}

/** The menu of one organisation. */
export const MENU: readonly MenuEntry[] = [
  ...OWN,
  ...CAPABILITY_PAGES.flatMap(({ menu }) => menu ?? []),
].toSorted((one, other) => placeOf(one) - placeOf(other));

/** The menu of what is of all organisations. */
export const MENU_OF_ALL: readonly MenuEntry[] = [
  { path: '/organisations', label: 'Organisations', group: 'Now', icon: 'network' },
  { path: '/operators', label: 'Operators', group: 'Control', icon: 'users' },
];
