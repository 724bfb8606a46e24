/** When the service tries a webhook again: asked at every moment, so only those are looked at that are not over. */
import type { DeliveryRecord, Sandbox } from '../../src/sandbox/index.ts';

/** Makes the question: the next attempt of a delivery after a moment, in milliseconds; undefined: none. */
export function createNextDelivery({ state }: Sandbox): (nowMs: number) => number | undefined {
  const open = new Set<DeliveryRecord>();
  let seen = 0;
  const takeNew = (): void => {
    const { deliveries } = state;
    if (deliveries.size <= seen) return;
    for (const delivery of [...deliveries.values()].slice(seen)) open.add(delivery);
    seen = deliveries.size;
  };
  return (nowMs) => {
    takeNew();
    for (const delivery of open) if (delivery.status !== 'PENDING') open.delete(delivery);
    const times = [...open].flatMap(({ next_attempt_at: at }) =>
      at === null ? [] : [Date.parse(at)],
    );
    const ahead = times.filter((atMs) => atMs > nowMs);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  };
}
