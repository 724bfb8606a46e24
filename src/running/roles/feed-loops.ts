/** The loops of the order feed. */
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { SAFETY_MS } from '../../base/jobs/loop.ts';
import { createFeedOrders } from '../../orders/feed-orders.ts';
import { createFeedSender } from '../../orders/feed-sender.ts';
import { createFeedUpdater, ROUND_ORDERS_MAX } from '../../orders/feed-updater.ts';
import { createEvidenceFill, FILL_SLICE } from '../../orders/fill-evidence.job.ts';
import { FEED_TOPIC, FEED_UPDATE_TOPIC } from '../../orders/intake-news.ts';
import { hasOrdersToSend, hasOrdersToUpdate } from '../../orders/order-sending.store.ts';
import { ORDERS_PER_CREATE_MAX } from '../../service/wire/limits.ts';
import type { OrganisationParts } from './parts.ts';

/** How often it is looked for orders that an older version stored, in milliseconds. */
const FILL_EVERY_MS = 5 * 60_000;

export function createFeedLoops(parts: OrganisationParts, stop: AbortSignal): LoopSpec[] {
  const { clock, organisationId, workerId, brandTokens } = parts;
  const { db } = parts.laterDatabase;
  const feed = {
    db,
    clock,
    organisationId,
    workerId,
    log: parts.log.child({ part: 'feed' }),
    signal: stop,
    orders: createFeedOrders({
      baseUrl: parts.endpoints.serviceUrl,
      get apiKey(): string {
        return parts.endpoints.apiKey;
      },
      brandTokens,
      clock,
      budget: parts.budget,
    }),
  };
  const sender = createFeedSender(feed);
  const updater = createFeedUpdater(feed);
  const shared = { idleMs: SAFETY_MS, wakeOn: [FEED_TOPIC] };
  return [
    {
      name: 'feed-send',
      runOnce: () => sender.runOnce(),
      // What comes in wakes it; a round at once would find nothing.
      fullAt: ORDERS_PER_CREATE_MAX,
      isDue: hasOrdersToSend,
      ...shared,
    },
    {
      name: 'feed-update',
      runOnce: () => updater.runOnce(),
      fullAt: ROUND_ORDERS_MAX,
      isDue: hasOrdersToUpdate,
      ...shared,
      wakeOn: [FEED_TOPIC, FEED_UPDATE_TOPIC],
    },
    {
      name: 'evidence-fill',
      runOnce: createEvidenceFill({ db, clock, organisationId }),
      fullAt: FILL_SLICE,
      idleMs: FILL_EVERY_MS,
    },
  ];
}
