/** What every rule of the sandbox works on: state, time, chance and the way to schedule things. */
import { systemClock } from '../base/kernel/clock.ts';
import type { Faults } from './faults.ts';
import type { Ids, Random } from './ids.ts';
import type { Settings } from './options.ts';
import type { SandboxClock } from './sandbox-clock.ts';
import type { State } from './state/state.ts';
import type { Timers } from './timers.ts';

export interface SandboxContext {
  readonly settings: Settings;
  readonly clock: SandboxClock;
  readonly timers: Timers;
  readonly faults: Faults;
  /** Replaced as a whole by a reset. */
  state: State;
  ids: Ids;
  random: Random;
  /** Whose time signatures carry now; the control surface changes it. */
  signatureTime: Settings['signatureTime'];
  /** How the processor behaves now; tests change it. */
  processor: Settings['processor'];
  /** Calls that a `late` fault holds back, by timer subject. */
  readonly lateCalls: Map<string, () => Promise<unknown>>;
  /** Ends what is in flight when the sandbox closes. */
  readonly closing: AbortController;
}

/** The time now, ISO 8601 UTC. */
export function nowIso(context: SandboxContext): string {
  return new Date(context.clock.nowMs()).toISOString();
}

/** The time that signatures carry now. */
export function signatureNowMs(context: SandboxContext): number {
  return context.signatureTime === 'real' ? systemClock.nowMs() : context.clock.nowMs();
}

/** A moment `afterMs` from now, ISO 8601 UTC. */
export function isoIn(context: SandboxContext, afterMs: number): string {
  return new Date(context.clock.nowMs() + afterMs).toISOString();
}

/** Schedules a timer `afterMs` from now. */
export function scheduleIn(
  context: SandboxContext,
  afterMs: number,
  timer: { readonly kind: Parameters<Timers['schedule']>[0]; readonly subject: string },
): void {
  context.timers.schedule(timer.kind, timer.subject, context.clock.nowMs() + afterMs);
}
