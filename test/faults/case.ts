/** What a fault case is. */
import type { Scene } from './rig/scene.ts';

/**
 * Where a case runs.
 *
 * `shared`: beside the others in one world, which it does not disturb · `loud`: in that world, with nothing
 * else running on the machine: it takes all of it, bounds a time, or stops PostgreSQL · `alone`: in that
 * world, with nothing else running in it · `workers`: the same in a world of its own kind, where workers are
 * stopped and killed · `hours`: beside the others of its kind, all of whom share a clock that moves ·
 * `replicas`: in a world of three serve and three work · `pair`: brings a world on two servers of its own ·
 * `start`: needs no world; starts programs · `suite`: needs no world; starts tests of the suite.
 */
export type Place =
  | 'shared'
  | 'loud'
  | 'alone'
  | 'workers'
  | 'hours'
  | 'replicas'
  | 'pair'
  | 'start'
  | 'suite';

/** One row of the catalogue, as something that can be run. */
export interface FaultCase {
  /** As in the catalogue, for example `F46`. */
  readonly id: string;
  readonly place: Place;
  /** Belongs to the short run. @default false */
  readonly quick?: boolean;
  /** Throws when the outcome is not the required one. Returns figures worth reporting, if any. */
  readonly run: (scene: Scene) => Promise<string | undefined> | Promise<void>;
}

/** Thrown by a case that needs what this machine does not have; the message names it. */
export class SkippedError extends Error {}

/**
 * How a row of the catalogue fared. `held elsewhere`: no case drives it, which no row may be · `skipped`: this
 * machine lacks what the case needs.
 */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'held elsewhere' | 'not selected';
  readonly tookMs: number;
  /** The failure, the figures, what is lacking, or the case that drove it too. */
  readonly detail: string;
  /** What to look at after a failure. */
  readonly lookAt: readonly string[];
}
