/** The pages of all capabilities; a worker loads none. Their order in the menu is `people/console/menu.ts`. */
import type { CapabilityPages } from '../surface/capability.ts';
import { creditsPages } from './credits/pages.ts';
import { endpointsPages } from './events/endpoints-page.ts';
import { evidencePages } from './evidence/pages.ts';
import { historyPages } from './history/pages.ts';
import { lookupsPages } from './lookups/page.ts';
import { costPages } from './measured-cost/pages.ts';
import { ratiosPages } from './ratios/pages.ts';
import { representmentsPages } from './representments/pages.ts';
import { savedViewsPages } from './saved-views/pages.ts';

export const CAPABILITY_PAGES: readonly CapabilityPages[] = [
  lookupsPages,
  creditsPages,
  costPages,
  ratiosPages,
  evidencePages,
  historyPages,
  representmentsPages,
  savedViewsPages,
  endpointsPages,
];
