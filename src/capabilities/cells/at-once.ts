/** Works through a list, a few at once. */

/** Tables that are read and written at once: so many connections of each database a move takes. */
export const TABLES_AT_ONCE = 3;

/** Runs `work` for each, in their order, {@link TABLES_AT_ONCE} at once. The first failure ends it. */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const line = [...items];
  const takeNext = async (): Promise<void> => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) {
      try {
        await work(next);
      } catch (error) {
        line.length = 0;
        throw error;
      }
    }
  };
  const done = await Promise.allSettled(Array.from({ length: TABLES_AT_ONCE }, takeNext));
  for (const each of done) if (each.status === 'rejected') throw each.reason;
}
