/** Which loops are to be started: those that have something to do, as far as is known. */
import type { Clock } from '../../src/base/kernel/clock.ts';
import type { DueLoop } from './due.ts';

/**
 * A loop that found nothing although rows are due waits so long for others, in milliseconds, and each time in vain
 * twice as long: what it waits for (a recovery check, for example) wakes it when it is over.
 */
const VAIN_MS = { first: 20_000, most: 5 * 60_000 } as const;

interface Vain {
  readonly rows: number;
  readonly waitMs: number;
  readonly untilMs: number;
}

/** See the file's opening. */
export class Wanted {
  readonly #clock: Clock;
  readonly #names = new Set<string>();
  /** They found nothing at this moment. */
  readonly #spent = new Set<string>();
  /** They found nothing although so many rows were due: another process has them, or comes first. */
  readonly #vain = new Map<string, Vain>();
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
      const isAgain = vain?.rows === rows;
      if (isAgain && nowMs < vain.untilMs) continue;
      if (this.#spent.has(name)) {
        const waitMs = isAgain ? Math.min(2 * vain.waitMs, VAIN_MS.most) : VAIN_MS.first;
        this.#vain.set(name, { rows, waitMs, untilMs: nowMs + waitMs });
      } else this.#names.add(name);
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
