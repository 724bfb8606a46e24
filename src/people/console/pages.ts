/** Every page for people, one file each under `pages/`, behind the role it takes. */
import type { Router } from 'express';
import express from 'express';
import { CAPABILITY_PAGES } from '../../capabilities/pages.ts';
import type { OffersPage } from '../../surface/view/page-link.ts';
import type { DoorOptions } from '../../surface/web/ports.ts';
import type { PageContext, RegisterPage } from '../../surface/web/visit.ts';
import { registerAlerts } from './pages/alerts.ts';
import { registerCase } from './pages/case.ts';
import { registerEvent } from './pages/event.ts';
import { registerEvents } from './pages/events.ts';
import { registerExports } from './pages/exports.ts';
import { registerFindings } from './pages/findings.ts';
import { registerHealth } from './pages/health.ts';
import { registerOperators } from './pages/operators.ts';
import { registerOrders } from './pages/orders.ts';
import { registerPolicies } from './pages/policies.ts';
import { registerReviews } from './pages/reviews.ts';
import { registerSent } from './pages/sent.ts';
import { registerSystem } from './pages/system.ts';
import { registerToday } from './pages/today.ts';

/** Largest form, in bytes: a note of 500 characters, escaped. */
const FORM_BYTES_MAX = 16 * 1024;

/** The pages of an organisation, for people who have signed in. */
export const ORGANISATION_PAGES: readonly RegisterPage[] = [
  // First: theirs may lie below a path whose last part is any name, as below `/policies/`.
  ...CAPABILITY_PAGES.flatMap(({ register }) => register ?? []),
  registerToday,
  registerReviews,
  registerAlerts,
  registerCase,
  registerExports,
  registerOrders,
  registerFindings,
  registerEvents,
  registerEvent,
  registerPolicies,
  registerHealth,
  registerSent,
  registerSystem,
  registerOperators,
];

export function createPages<Options extends DoorOptions>(
  context: PageContext<Options>,
  pages: readonly RegisterPage<Options>[],
): Router {
  const router = express.Router();
  // No parser for forms is mounted: a form is a short text, read field by field.
  const form = express.text({ limit: FORM_BYTES_MAX, type: 'application/x-www-form-urlencoded' });
  let paths: ReadonlySet<string> | undefined;
  const offers: OffersPage = (page) => {
    paths ??= new Set(router.stack.map((layer) => String(layer.route?.path)));
    return paths.has(page);
  };
  for (const register of pages) register(router, { ...context, offers }, form);
  return router;
}
