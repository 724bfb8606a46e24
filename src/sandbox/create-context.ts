/** Creates the context of a sandbox, and creates it again on reset. */
import { createFaults } from './faults.ts';
import { endpointName } from './http/route.ts';
import { createIds, createRandom } from './ids.ts';
import type { Settings } from './options.ts';
import { PROCESSOR_CALLS } from './processor/endpoints.ts';
import { settleWhenDue } from './processor/ledger.ts';
import { deliverToldEvent } from './processor/tell-events.ts';
import { matchAlert } from './resources/alert-rules.ts';
import { moveEnrolment } from './resources/enrolment-life.ts';
import { answerLookup } from './resources/lookup-rules.ts';
import { ROUTES } from './routes.ts';
import { createSandboxClock } from './sandbox-clock.ts';
import type { SandboxContext } from './sandbox-context.ts';
import { State } from './state/state.ts';
import { createTimers } from './timers.ts';
import type { HeldDeliveries } from './webhooks/deliver.ts';
import { deliver } from './webhooks/deliver.ts';

/** The calls that can fail: the interface's and the processor's. */
const FAULTABLE: readonly string[] = [...ROUTES, ...PROCESSOR_CALLS].map(endpointName);

export function createContext(settings: Settings): SandboxContext {
  const clock = createSandboxClock(settings.clock, {
    startsAtMs: settings.startsAtMs,
    rate: settings.clockRate,
  });
  const held: HeldDeliveries = new Map();
  const timers = createTimers({
    clock,
    log: settings.log,
    laneOf: ({ kind, subject }) =>
      kind === 'deliver_webhook'
        ? context.state.deliveries.get(subject)?.subscription_id
        : undefined,
    atOncePerLane: settings.deliveriesAtOnce,
    handlers: {
      deliver_webhook: (id) => deliver(context, id, held),
      match_alert: (id) => matchAlert(context, id),
      move_enrolment: (subject) => moveEnrolment(context, subject),
      answer_lookup: (id) => answerLookup(context, id),
      settle_refund: (reference) => settleWhenDue(context, reference),
      tell_processor_event: (id) => deliverToldEvent(context, id),
      late_call: (id) => runLateCall(context, id),
    },
  });
  const context: SandboxContext = {
    settings,
    clock,
    timers,
    faults: createFaults({ random: createRandom(settings.seed), clock, endpoints: FAULTABLE }),
    state: new State(),
    ids: createIds(settings.seed),
    random: createRandom(settings.seed),
    signatureTime: settings.signatureTime,
    processor: settings.processor,
    lateCalls: new Map(),
    closing: new AbortController(),
  };
  return context;
}

/** Forgets everything but the clock: the same seed gives the same ids and the same chance again. */
export function resetContext(context: SandboxContext): void {
  const { seed, processor, signatureTime } = context.settings;
  context.timers.clear();
  context.faults.clear();
  context.faults.reseed(createRandom(seed));
  context.lateCalls.clear();
  context.state = new State();
  context.ids = createIds(seed);
  context.random = createRandom(seed);
  context.processor = processor;
  context.signatureTime = signatureTime;
}

async function runLateCall(context: SandboxContext, id: string): Promise<void> {
  const call = context.lateCalls.get(id);
  context.lateCalls.delete(id);
  await call?.();
}
