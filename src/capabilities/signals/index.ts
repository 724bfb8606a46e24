/** What comes in besides alerts: events of the processor, and claims for a refund. */

import { SAFETY_MS } from '../../base/jobs/loop.ts';
import type { Capability } from '../../surface/capability.ts';
import { eventLines } from './doctor-lines.ts';
import { signalMetrics } from './metrics.ts';
import { SIGNAL_TOPIC } from './processor-event.store.ts';
import { processorEvent, refundClaim } from './signal.table.ts';
import { createSignalRound, hasSignals } from './signals.job.ts';

export const signals: Capability = {
  name: 'signals',
  tables: [processorEvent, refundClaim],
  stage: {
    behind: 'apply',
    does: 'events of the processor → looks at their charge; claims for a refund → cases',
    durable: ['processor_event', 'refund_claim'],
    loops: (work) => [
      {
        name: 'signals',
        runOnce: createSignalRound(work),
        idleMs: SAFETY_MS,
        wakeOn: [SIGNAL_TOPIC],
        isDue: hasSignals,
      },
    ],
  },
  metrics: signalMetrics,
  doctor: { 'processor events': eventLines },
};
