/**
 * Works through a list, a few entries at a time.
 */

/**
 * Runs `work` for every entry, at most `lanes` at once, until all are done or `work` answers `stop`.
 * The first error is thrown after the entries under way have ended.
 */
export async function eachLimited<Entry>(
  entries: readonly Entry[],
  lanes: number,
  work: (entry: Entry) => Promise<'go_on' | 'stop'>,
): Promise<void> {
  let next = 0;
  let stopped = false;
  const run = async (): Promise<void> => {
    while (!stopped) {
      const entry = entries[next];
      if (entry === undefined) return;
      next += 1;
      try {
        if ((await work(entry)) === 'stop') stopped = true;
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, run));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
