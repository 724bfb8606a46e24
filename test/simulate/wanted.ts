/** Which loops are to be started: those that have something to do, as far as is known. */
import type { Clock } from '../../src/base/kernel/clock.ts';
import type { DueLoop } from './due.ts';

/**
 * A loop that found nothing although rows are due waits so long for others, in milliseconds: longer than
 * any rests idle in production.
 */
const VAIN_MS = 20_000;

/** See the file's opening. */
export class Wanted {
  readonly #clock: Clock;
  readonly #names = new Set<string>();
  /** They found nothing at this moment. */
  readonly #spent = new Set<string>();
  /** They found nothing although so many rows were due: another process has them, or comes first. */
  readonly #vain = new Map<string, { readonly rows: number; readonly untilMs: number }>();
  /** Due at the next moment. */
  #next: readonly string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  beginMoment(): void {
    this.#spent.clear();
    this.want(this.#next);
    this.#next = [];
  }

  /** These are due at the next moment. */
  wantNext(loops: readonly string[]): void {
    this.#next = loops;
  }

  /** These have something to do. */
  want(loops: readonly string[]): void {
    for (const name of loops) if (!this.#spent.has(name)) this.#names.add(name);
  }

  /** Rows of these are due. */
  wantFor(loops: readonly DueLoop[]): void {
    const nowMs = this.#clock.nowMs();
    for (const { name, rows } of loops) {
      const vain = this.#vain.get(name);
      if (vain !== undefined && vain.rows === rows && nowMs < vain.untilMs) continue;
      if (this.#spent.has(name)) this.#vain.set(name, { rows, untilMs: nowMs + VAIN_MS });
      else this.#names.add(name);
    }
  }

  /** Takes them all. */
  take(): readonly string[] {
    const names = [...this.#names];
    this.#names.clear();
    return names;
  }

  /** It found nothing: not again at this moment, unless something comes up for it. */
  spend(name: string): void {
    this.#spent.add(name);
  }

  /** Something came up for it: what it found before does not count any more. */
  renew(name: string): void {
    this.#spent.delete(name);
    this.#vain.delete(name);
  }
}
