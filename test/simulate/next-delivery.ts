/** When the service tries a webhook again: asked at every moment, so only those are looked at that are not over. */
import type { DeliveryRecord, Sandbox } from '../../src/sandbox/index.ts';

/** Makes the question: the next attempt of a delivery after a moment, in milliseconds; undefined: none. */
export function createNextDelivery({ state }: Sandbox): (nowMs: number) => number | undefined {
  const open = new Set<DeliveryRecord>();
  let seen = 0;
  return (nowMs) => {
    const { deliveries } = state;
    if (deliveries.size > seen)
      for (const each of [...deliveries.values()].slice(seen)) open.add(each);
    seen = deliveries.size;
    let nextMs: number | undefined;
    for (const delivery of open) {
      if (delivery.status !== 'PENDING') open.delete(delivery);
      if (delivery.next_attempt_at === null) continue;
      const atMs = Date.parse(delivery.next_attempt_at);
      if (atMs > nowMs && (nextMs === undefined || atMs < nextMs)) nextMs = atMs;
    }
    return nextMs;
  };
}
