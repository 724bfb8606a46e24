/**
 * Forestall's webhook endpoint as a Next.js route handler: `app/webhooks/route.ts`.
 *
 * It only receives. The worker is a process of its own (`forestall work`), because a route handler may
 * be stopped as soon as it has answered.
 */
import type { Forestall } from 'forestall';
import { openForestall } from '../forestall.ts';

/** The signature needs Node's crypto, and the answer must never come from a cache. */
export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

/** Opened at the first delivery, and kept: a build must not need a database. */
let opened: Promise<Forestall> | undefined;

export async function POST(request: Request): Promise<Response> {
  opened ??= openForestall();
  try {
    const forestall = await opened;
    return await forestall.receive(request);
  } catch {
    // The database is away. 503 makes the service try again; so does the next delivery here.
    opened = undefined;
    return Response.json({ error: 'not_stored' }, { status: 503 });
  }
}
