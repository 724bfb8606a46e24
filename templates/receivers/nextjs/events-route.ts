/**
 * Your processor's own webhooks as a Next.js route handler: `app/processor-events/[name]/route.ts`.
 *
 * Early fraud warnings, disputes, refunds that fail later. What vouches for them is the processor that
 * `openForestall` is given.
 */
import type { Forestall } from 'forestall';
import { openForestall } from '../forestall.ts';

/** Signatures need Node's crypto, and the answer must never come from a cache. */
export const runtime = 'nodejs';
export const dynamic = 'force-dynamic';

/** Opened at the first delivery, and kept: a build must not need a database. */
let opened: Promise<Forestall> | undefined;

export async function POST(request: Request): Promise<Response> {
  opened ??= openForestall();
  try {
    const forestall = await opened;
    return await forestall.receiveEvent(request);
  } catch {
    // The database is away. 503 makes the provider try again; so does the next delivery here.
    opened = undefined;
    return Response.json({ error: 'not_stored' }, { status: 503 });
  }
}
