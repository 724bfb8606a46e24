/**
 * Puts the world of a sandbox together, and starts it anew on reset.
 */
import { createFaults } from './faults.ts';
import { createIds, createRandom } from './ids.ts';
import type { Settings } from './options.ts';
import { settleWhenDue } from './processor/ledger.ts';
import { matchAlert } from './resources/alert-rules.ts';
import { moveEnrolment } from './resources/enrolment-life.ts';
import { answerLookup } from './resources/lookup-rules.ts';
import { createSandboxClock } from './sandbox-clock.ts';
import { createState } from './state/state.ts';
import { createTimers } from './timers.ts';
import type { HeldDeliveries } from './webhooks/deliver.ts';
import { deliver } from './webhooks/deliver.ts';
import type { World } from './world.ts';

/** An empty world. */
export function createWorld(settings: Settings): World {
  const clock = createSandboxClock(settings.clock);
  const held: HeldDeliveries = new Map();
  const timers = createTimers({
    clock,
    log: settings.log,
    handlers: {
      deliver_webhook: (id) => deliver(world, id, held),
      match_alert: (id) => matchAlert(world, id),
      move_enrolment: (subject) => moveEnrolment(world, subject),
      answer_lookup: (id) => answerLookup(world, id),
      settle_refund: (reference) => settleWhenDue(world, reference),
      late_call: (id) => runLateCall(world, id),
    },
  });
  const world: World = {
    settings,
    clock,
    timers,
    faults: createFaults(createRandom(settings.seed), clock),
    state: createState(),
    ids: createIds(settings.seed),
    random: createRandom(settings.seed),
    processor: settings.processor,
    lateCalls: new Map(),
    closing: new AbortController(),
  };
  return world;
}

/** Forgets everything but the clock: the same seed gives the same ids and the same chance again. */
export function resetWorld(world: World): void {
  const { seed, processor } = world.settings;
  world.timers.clear();
  world.faults.clear();
  world.faults.reseed(createRandom(seed));
  world.lateCalls.clear();
  world.state = createState();
  world.ids = createIds(seed);
  world.random = createRandom(seed);
  world.processor = processor;
}

async function runLateCall(world: World, id: string): Promise<void> {
  const call = world.lateCalls.get(id);
  world.lateCalls.delete(id);
  await call?.();
}
