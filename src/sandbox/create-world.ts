/**
 * Puts the world of a sandbox together, and starts it anew on reset.
 */
import { createFaults } from './faults.ts';
import { endpointName } from './http/route.ts';
import { createIds } from './ids.ts';
import type { Settings } from './options.ts';
import { PROCESSOR_CALLS } from './processor/endpoints.ts';
import { settleWhenDue } from './processor/ledger.ts';
import { deliverToldEvent } from './processor/tell-events.ts';
import { createRandom } from './random.ts';
import { matchAlert } from './resources/alert-rules.ts';
import { moveEnrolment } from './resources/enrolment-life.ts';
import { answerLookup } from './resources/lookup-rules.ts';
import { ROUTES } from './routes.ts';
import { createSandboxClock } from './sandbox-clock.ts';
import { createState } from './state/state.ts';
import { createTimers } from './timers.ts';
import type { HeldDeliveries } from './webhooks/deliver.ts';
import { deliver } from './webhooks/deliver.ts';
import type { World } from './world.ts';

/** The calls that can fail: the interface's and the processor's. */
const FAULTABLE: readonly string[] = [...ROUTES, ...PROCESSOR_CALLS].map(endpointName);

/** An empty world. */
export function createWorld(settings: Settings): World {
  const clock = createSandboxClock(settings.clock, {
    startsAtMs: settings.startsAtMs,
    rate: settings.clockRate,
  });
  const held: HeldDeliveries = new Map();
  const timers = createTimers({
    clock,
    log: settings.log,
    laneOf: ({ kind, subject }) =>
      kind === 'deliver_webhook' ? world.state.deliveries.get(subject)?.subscription_id : undefined,
    atOncePerLane: settings.deliveriesAtOnce,
    handlers: {
      deliver_webhook: (id) => deliver(world, id, held),
      match_alert: (id) => matchAlert(world, id),
      move_enrolment: (subject) => moveEnrolment(world, subject),
      answer_lookup: (id) => answerLookup(world, id),
      settle_refund: (reference) => settleWhenDue(world, reference),
      tell_processor_event: (id) => deliverToldEvent(world, id),
      late_call: (id) => runLateCall(world, id),
    },
  });
  const world: World = {
    settings,
    clock,
    timers,
    faults: createFaults({ random: createRandom(settings.seed), clock, endpoints: FAULTABLE }),
    state: createState(),
    ids: createIds(settings.seed),
    random: createRandom(settings.seed),
    signatureTime: settings.signatureTime,
    processor: settings.processor,
    lateCalls: new Map(),
    closing: new AbortController(),
  };
  return world;
}

/** Forgets everything but the clock: the same seed gives the same ids and the same chance again. */
export function resetWorld(world: World): void {
  const { seed, processor, signatureTime } = world.settings;
  world.timers.clear();
  world.faults.clear();
  world.faults.reseed(createRandom(seed));
  world.lateCalls.clear();
  world.state = createState();
  world.ids = createIds(seed);
  world.random = createRandom(seed);
  world.processor = processor;
  world.signatureTime = signatureTime;
}

async function runLateCall(world: World, id: string): Promise<void> {
  const call = world.lateCalls.get(id);
  world.lateCalls.delete(id);
  await call?.();
}
