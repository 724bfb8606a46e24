/**
 * Every request that arrives at the sandbox, noted before any fault strikes and before it is
 * answered; and the means to do something at exactly that moment, for races.
 */
import type { FaultSubject, Faults } from '../../src/sandbox/faults.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';

/** A request that arrived. */
export interface Arrival {
  /** Method and path template, without a trailing slash, for example `PATCH /v1/alerts/{alert_id}`. */
  readonly endpoint: string;
  /** Path, query and body as sent. */
  readonly text: string;
  readonly atMs: number;
}

/** What has arrived, and what will happen on arrivals. */
export interface Arrivals {
  readonly all: readonly Arrival[];
  /** How many named `text`. */
  count(endpoint: string, text?: string): number;
  /** Does something once, when the next such request that names `text` arrives. */
  onNext(endpoint: string, act: () => void, text?: string): void;
}

interface Plan {
  readonly endpoint: string;
  readonly text: string;
  readonly act: () => void;
}

/** Watches a sandbox from now on. */
export function watchArrivals(sandbox: Sandbox): Arrivals {
  const all: Arrival[] = [];
  const plans: Plan[] = [];
  // The sandbox asks for a fault on every arrival: the one place through which all of them pass.
  const faults = sandbox.faults as { -readonly [Name in keyof Faults]: Faults[Name] };
  const { take } = faults;
  faults.take = (subject: FaultSubject) => {
    if (subject.target !== 'webhook') {
      const text = subject.text();
      all.push({ endpoint: subject.target, text, atMs: sandbox.clock.nowMs() });
      const due = plans.findIndex(
        (plan) => plan.endpoint === subject.target && text.includes(plan.text),
      );
      const [plan] = due === -1 ? [] : plans.splice(due, 1);
      plan?.act();
    }
    return take(subject);
  };
  return {
    all,
    count: (endpoint, text = '') =>
      all.filter((arrival) => arrival.endpoint === endpoint && arrival.text.includes(text)).length,
    onNext: (endpoint, act, text = '') => void plans.push({ endpoint, act, text }),
  };
}
