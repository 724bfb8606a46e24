/** How much time before a deadline a refund takes to be safe. Pure. */
import type { ProcessorCapabilities } from '../../service/wire/processor.ts';

/** How long a request may be without its answer. */
export type Lifetime = Pick<ProcessorCapabilities, 'requestLifetimeSeconds' | 'lookupLagSeconds'>;

/** To answer the alert once the refund is known, in milliseconds. */
const ANSWER_MS = 60_000;

/**
 * What must be left: as much as a request without an answer takes to be found, and a minute to answer the alert; never
 * more than what is configured. A processor that ends its requests soon may be asked later.
 */
export function refundGuardMs(configuredMs: number, lifetime: Lifetime | undefined): number {
  if (lifetime === undefined) return configuredMs;
  const { requestLifetimeSeconds, lookupLagSeconds } = lifetime;
  return Math.min(configuredMs, (requestLifetimeSeconds + lookupLagSeconds) * 1_000 + ANSWER_MS);
}
