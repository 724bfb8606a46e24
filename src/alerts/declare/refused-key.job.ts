/**
 * Asks the service again whether it takes our answers, while it refuses our key: held cases ask rarely
 * themselves, and what waits continues as soon as the key is accepted.
 */
import type { LoopSpec } from '../../base/jobs/loop.ts';
import { REMOTE_TIMEOUT_MS } from '../../base/kernel/limits.ts';
import { readKeyRefusal } from '../guard/declare-health.store.ts';
import { whyUndeclarable } from '../refund/check-alert.ts';
import type { SagaDeps } from '../refund/saga-deps.ts';

/** How often we look whether our key is refused, in milliseconds; the service is asked once a minute. */
const LOOK_MS = 15_000;

/** The loop. */
export function createRefusedKeyLoop(deps: SagaDeps): LoopSpec {
  return {
    name: 'refused-key',
    runOnce: async (): Promise<number> => {
      if (deps.shadow) return 0;
      const refusal = await readKeyRefusal(deps.db, deps.organisationId);
      const refusedAt = refusal?.at ?? null;
      await whyUndeclarable(deps, refusedAt, AbortSignal.timeout(REMOTE_TIMEOUT_MS));
      return 0;
    },
    idleMs: LOOK_MS,
  };
}
