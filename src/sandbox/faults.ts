/**
 * Faults on request: which call or webhook goes wrong, how, and how often.
 *
 * A rule names its target, then fires by count (`times`, after `skip`), by rate (from the sandbox's
 * seed, so a run repeats) or by what the request contains. The first rule that fires wins.
 */

import { createId } from '../base/kernel/ids.ts';
import { nearestWord } from '../base/kernel/nearest-word.ts';
import { EVENT_TYPES } from '../service/wire/event.ts';
import { WEBHOOK_RETRY_DELAYS_MS } from '../service/wire/limits.ts';
import type { FaultRule } from './fault-rule.ts';
import { CALL_FAULTS, targetPattern, WEBHOOK_FAULTS, WEBHOOK_TARGET } from './fault-rule.ts';
import type { Random } from './ids.ts';
import type { RefusalEntry } from './refusal.ts';
import { invalid } from './refusal.ts';
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

/** Attempts of one delivery: the first and its retries. */
const ATTEMPTS_MAX = WEBHOOK_RETRY_DELAYS_MS.length + 1;

/**
 * Refuses a fault that could never strike, or would strike without any effect: a test that plants one would pass
 * without having tried anything. `endpoints`: `METHOD /path` of each.
 *
 * @throws Refusal 422 naming the field, with the nearest right value
 */
function refuseIdleFault(rule: FaultRule, endpoints: readonly string[]): void {
  const pattern = targetPattern(rule.on);
  const strikes = {
    webhooks: pattern.test(WEBHOOK_TARGET),
    calls: endpoints.some((endpoint) => pattern.test(endpoint)),
  };
  const entry =
    strikes.webhooks || strikes.calls
      ? refuseParts(rule, strikes)
      : refuseTarget(rule.on, endpoints);
  if (entry !== undefined) throw invalid([entry]);
}

interface Strikes {
  readonly webhooks: boolean;
  readonly calls: boolean;
}

function refuseTarget(on: string, endpoints: readonly string[]): RefusalEntry {
  const known = [WEBHOOK_TARGET, ...endpoints];
  const written = on.replace(/\/$/, '');
  // With an id in the place of a parameter the template is meant, not a word that looks like it.
  const template = endpoints.find((endpoint) => templatePattern(endpoint).test(written));
  const nearest = template ?? nearestWord(written, known);
  const next =
    nearest === undefined
      ? `Give ${WEBHOOK_TARGET}, or a method and path as in the OpenAPI document; * stands for anything.`
      : `Did you mean "${nearest}"?`;
  const byId =
    template === undefined ? '' : ' To strike one resource only, give its id as "contains".';
  return fault('on', `"${on}" is no call that can fail. ${next}${byId}`);
}

function templatePattern(endpoint: string): RegExp {
  return new RegExp(`^${endpoint.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`, 'i');
}

function refuseParts(rule: FaultRule, strikes: Strikes): RefusalEntry | undefined {
  return refuseKind(rule, strikes) ?? refuseSelection(rule, strikes) ?? refuseCount(rule);
}

function refuseKind(
  { kind, delay_ms: delayMs }: FaultRule,
  strikes: Strikes,
): RefusalEntry | undefined {
  const kinds: readonly string[] = [
    ...(strikes.webhooks ? WEBHOOK_FAULTS : []),
    ...(strikes.calls ? CALL_FAULTS : []),
  ];
  if (!kinds.includes(kind)) {
    const nearest = nearestWord(kind, kinds);
    const next = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    const what = strikes.webhooks ? 'a webhook' : 'a call';
    return fault('kind', `"${kind}" is no fault of ${what}.${next} Known: ${kinds.join(', ')}.`);
  }
  const waits = strikes.webhooks || (delayMs ?? 0) > 0;
  if (kind !== 'delay' || waits) return undefined;
  return fault('delay_ms', 'A call that is delayed needs delay_ms above zero. Add it.');
}

function refuseSelection(rule: FaultRule, strikes: Strikes): RefusalEntry | undefined {
  const { event_type: eventType, attempt } = rule;
  if (!strikes.webhooks && (eventType !== undefined || attempt !== undefined)) {
    const field = eventType === undefined ? 'attempt' : 'event_type';
    return fault(field, `${field} selects webhooks. Give "on": "webhook", or leave it out.`);
  }
  if (attempt !== undefined && !(attempt >= 1 && attempt <= ATTEMPTS_MAX)) {
    return fault('attempt', `A delivery has attempts 1 to ${ATTEMPTS_MAX}. Give one of them.`);
  }
  const known: readonly string[] = EVENT_TYPES;
  if (eventType === undefined || known.includes(eventType)) return undefined;
  // Raw events may be of any type, so that only what looks like a slip is one.
  const nearest = nearestWord(eventType, known);
  return nearest === undefined
    ? undefined
    : fault('event_type', `"${eventType}" is no event type. Did you mean "${nearest}"?`);
}

function refuseCount({ times, rate, for_ms: forMs }: FaultRule): RefusalEntry | undefined {
  if (times !== undefined && !(times >= 1)) {
    return fault('times', 'A fault strikes at least once. Give times from 1, or leave it out.');
  }
  if (rate !== undefined && !(rate > 0 && rate <= 1)) {
    return fault('rate', 'rate is a share above 0, up to 1. Give 1 for every call.');
  }
  if (forMs !== undefined && !(forMs > 0)) {
    return fault('for_ms', 'A fault lasts longer than 0 ms. Give for_ms, or leave it out.');
  }
  return undefined;
}

function fault(field: string, message: string): RefusalEntry {
  return { code: 'VALIDATION_INVALID_VALUE', message, field };
}
