/**
 * Faults on request: which call or webhook goes wrong, how, and how often.
 *
 * A rule names its target, then fires by count (`times`, after `skip`), by rate (from the sandbox's
 * seed, so a run repeats) or by what the request contains. The first rule that fires wins.
 */
import { createId } from '../base/kernel/ids.ts';
import type { FaultRule } from './fault-rule.ts';
import { CALL_FAULTS, targetPattern, WEBHOOK_FAULTS, WEBHOOK_TARGET } from './fault-rule.ts';
import { refuseIdleFault } from './idle-fault.ts';
import type { Random } from './random.ts';
import type { SandboxClock } from './sandbox-clock.ts';

/** A planted fault. */
export interface PlantedFault extends FaultRule {
  readonly id: string;
  readonly plantedAtMs: number;
  /** How often it matched and how often it fired. */
  seen: number;
  fired: number;
}

/** What a fault is matched against. */
export interface FaultSubject {
  /** `webhook`, or method and path template. */
  readonly target: string;
  readonly text: () => string;
  readonly eventType?: string;
  readonly attempt?: number;
}

/** The planted faults. */
export interface Faults {
  /** @throws Refusal 422 when it could never strike */
  add(rule: FaultRule): PlantedFault;
  remove(id: string): boolean;
  clear(): void;
  list(): readonly PlantedFault[];
  /** The fault that strikes now, if any; it counts as fired. */
  take(subject: FaultSubject): PlantedFault | undefined;
  /** How many strike as a share: starts the stream of chance again. */
  reseed(random: Random): void;
}

export interface FaultsParts {
  readonly random: Random;
  readonly clock: Pick<SandboxClock, 'nowMs'>;
  /** `METHOD /path` of every call that can fail. */
  readonly endpoints: readonly string[];
}

export function createFaults({ random: initial, clock, endpoints }: FaultsParts): Faults {
  const planted = new Map<string, PlantedFault>();
  let random = initial;
  return {
    add(rule): PlantedFault {
      refuseIdleFault(rule, endpoints);
      const id = createId('fault');
      const fault = { ...rule, id, plantedAtMs: clock.nowMs(), seen: 0, fired: 0 };
      planted.set(fault.id, fault);
      return fault;
    },
    remove: (id) => planted.delete(id),
    clear: () => planted.clear(),
    list: () => [...planted.values()],
    take(subject): PlantedFault | undefined {
      if (planted.size === 0) return undefined;
      for (const fault of planted.values()) {
        if (!isOver(fault, clock.nowMs()) && strikes(fault, subject, random)) return fault;
      }
      return undefined;
    },
    reseed(next): void {
      random = next;
    },
  };
}

function strikes(fault: PlantedFault, subject: FaultSubject, random: Random): boolean {
  if (isSpent(fault) || !concerns(fault, subject)) return false;
  fault.seen += 1;
  if (fault.seen <= (fault.skip ?? 0)) return false;
  if (fault.rate !== undefined && random() >= fault.rate) return false;
  fault.fired += 1;
  return true;
}

/** Whether its time has passed. */
export function isOver({ plantedAtMs, for_ms: forMs }: PlantedFault, nowMs: number): boolean {
  return forMs !== undefined && nowMs >= plantedAtMs + forMs;
}

/** Whether it has struck as often as it was told to. */
export function isSpent(fault: PlantedFault): boolean {
  const isOnce = fault.rate === undefined && fault.for_ms === undefined;
  const times = fault.times ?? (isOnce ? 1 : Number.POSITIVE_INFINITY);
  return fault.fired >= times;
}

function concerns(fault: PlantedFault, subject: FaultSubject): boolean {
  const kinds: readonly string[] = subject.target === WEBHOOK_TARGET ? WEBHOOK_FAULTS : CALL_FAULTS;
  if (!kinds.includes(fault.kind) || !targetPattern(fault.on).test(subject.target)) return false;
  if (fault.event_type !== undefined && fault.event_type !== subject.eventType) return false;
  if (fault.attempt !== undefined && fault.attempt !== subject.attempt) return false;
  return fault.contains === undefined || subject.text().includes(fault.contains);
}
