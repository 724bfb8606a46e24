/**
 * Time for cases that need hours: they run side by side, each says how long it wants to wait, and when
 * nobody has anything else to do the clock moves to the earliest of these moments.
 */

/** Lets a group of cases share one moved clock. */
export interface SharedTime {
  /** Takes part: call before the case runs. */
  join(): void;
  /** Leaves: call when the case has ended, however it ended. */
  leave(): void;
  /** Resolves when the clock has moved by at least `durationMs`. */
  pass(durationMs: number): Promise<void>;
}

/**
 * Makes the group's time.
 *
 * @param move moves every clock by so many milliseconds and resolves when all processes follow
 */
export function createSharedTime(move: (byMs: number) => Promise<void>): SharedTime {
  const waiting: { readonly atMs: number; go: () => void; fail: (error: unknown) => void }[] = [];
  let members = 0;
  let nowMs = 0;
  let moving = false;
  const look = async (): Promise<void> => {
    if (moving || members === 0 || waiting.length < members) return;
    moving = true;
    waiting.sort((a, b) => a.atMs - b.atMs);
    const nextMs = waiting[0]?.atMs ?? nowMs;
    try {
      await move(nextMs - nowMs);
      nowMs = nextMs;
      moving = false;
      for (const each of waiting.filter(({ atMs }) => atMs <= nowMs)) {
        waiting.splice(waiting.indexOf(each), 1);
        each.go();
      }
    } catch (error) {
      moving = false;
      for (const each of waiting.splice(0)) each.fail(error);
    }
  };
  return {
    join(): void {
      members += 1;
    },
    leave(): void {
      members -= 1;
      void look();
    },
    async pass(durationMs): Promise<void> {
      await new Promise<void>((go, fail) => {
        waiting.push({ atMs: nowMs + durationMs, go, fail });
        void look();
      });
    },
  };
}
