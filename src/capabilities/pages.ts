/**
 * The pages of all capabilities, and their calls of the JSON API; a worker loads none. The order of the menu is
 * `people/console/menu.ts`.
 */
import type { CapabilityPages } from '../surface/capability.ts';
import type { ApiCall } from '../surface/web/api-call.ts';
import { activityPages } from './activity/pages.ts';
import { backtestsPages } from './backtests/pages.ts';
import { commentsPages } from './comments/pages.ts';
import { creditsPages } from './credits/pages.ts';
import { enrolmentsPages } from './enrolments/pages.ts';
import { estatePages } from './estate/pages.ts';
import { eventsPages } from './events/pages.ts';
import { evidencePages } from './evidence/pages.ts';
import { figuresPages } from './figures/pages.ts';
import { historyPages } from './history/pages.ts';
import { lookupsPages } from './lookups/page.ts';
import { costPages } from './measured-cost/pages.ts';
import { ratiosPages } from './ratios/pages.ts';
import { representmentsPages } from './representments/pages.ts';
import { savedViewsPages } from './saved-views/pages.ts';
import { schemeNoticesPages } from './scheme-notices/pages.ts';
import { shadowReportPages } from './shadow-report/pages.ts';
import { shiftReportPages } from './shift-report/pages.ts';
import { signalsPages } from './signals/pages.ts';

export const CAPABILITY_PAGES: readonly CapabilityPages[] = [
  // First: on today's page, the outcome of alerts comes before their lookups.
  figuresPages,
  lookupsPages,
  creditsPages,
  costPages,
  ratiosPages,
  evidencePages,
  historyPages,
  representmentsPages,
  savedViewsPages,
  commentsPages,
  eventsPages,
  estatePages,
  backtestsPages,
  shadowReportPages,
  shiftReportPages,
  activityPages,
  enrolmentsPages,
  schemeNoticesPages,
  signalsPages,
];

export const CAPABILITY_API: readonly ApiCall[] = CAPABILITY_PAGES.flatMap(({ api = [] }) => api);
