/** What is above every page about Forestall itself, for pages that are open. */
import type { Router } from 'express';
import { healthMark, healthRegion } from '../../../surface/view/shell.ts';
import { route } from '../../../surface/web/reply.ts';
import type { PageContext } from '../../../surface/web/visit.ts';
import { page, sendHtml } from '../../../surface/web/visit.ts';

export function registerHealth(router: Router, context: PageContext): void {
  route(router, '/health', {
    get: page(context, 'viewer', async ({ request, response, health }) => {
      if (request.query['shown'] === healthMark(health)) response.status(204).end();
      else sendHtml(response, 200, healthRegion(health).toString());
    }),
  });
}
