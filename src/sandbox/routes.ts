/** Every endpoint of the interface the sandbox serves, in the order of the specification. */
import type { Route } from './http/route.ts';
import { alertRoutes } from './resources/alerts.ts';
import { enrolmentRoutes } from './resources/enrolments.ts';
import { integrationRoutes } from './resources/integrations.ts';
import { lookupRoutes } from './resources/lookups.ts';
import { merchantRoutes } from './resources/merchants.ts';
import { orderRoutes } from './resources/orders.ts';
import { rulesetRoutes } from './resources/rulesets.ts';
import { simulationRoutes } from './resources/simulations.ts';

export const ROUTES: readonly Route[] = [
  ...rulesetRoutes,
  ...merchantRoutes,
  ...enrolmentRoutes,
  ...orderRoutes,
  ...alertRoutes,
  ...integrationRoutes,
  ...lookupRoutes,
  ...simulationRoutes,
];
