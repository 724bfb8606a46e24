/**
 * An actor: one of our processes (a `serve` or a `work`), as far as the scheduler is concerned.
 *
 * Everything it does runs inside `runAs`, so that whatever it asks of the outside (a query, a call, a
 * wait, a random number) is known to come from it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Random } from '../../src/sandbox/ids.ts';

/** One process of ours. A restarted one is another actor. */
export interface Actor {
  readonly name: string;
  readonly role: 'serve' | 'work';
  /** Chance for whatever the process itself draws: ids, jitter. */
  readonly random: Random;
  /** False once it was killed: it never continues. */
  alive: boolean;
  /** A stopped process (SIGSTOP) continues at this moment, in milliseconds; 0: it is not stopped. */
  stoppedUntilMs: number;
  /** Called once when it is killed. */
  readonly onDeath: (() => void)[];
}

const actors = new AsyncLocalStorage<Actor>();

/** Runs `work` as the actor, with everything that follows from it. */
export function runAs<Result>(actor: Actor, work: () => Result): Result {
  return actors.run(actor, work);
}

/** Runs `work` as nobody: the world outside our processes. */
export function runAsWorld<Result>(work: () => Result): Result {
  return actors.exit(work);
}

/** Who is running now; undefined in the world outside. */
export function currentActor(): Actor | undefined {
  return actors.getStore();
}
