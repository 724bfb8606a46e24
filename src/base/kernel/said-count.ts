/**
 * A whole number within words: with its thousands set apart, as the reader of the page that is made writes them; where no page
 * is made, as English does.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const ENGLISH = new Intl.NumberFormat('en');
const writer = new AsyncLocalStorage<(count: number) => string>();

/** Does `work` with numbers written so. */
export async function writingCounts(
  write: (count: number) => string,
  work: () => Promise<void>,
): Promise<void> {
  await writer.run(write, work);
}

/** `12,345`. What is no whole number stays as it is. */
export function saidCount(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) < 1_000) return String(value);
  return (writer.getStore() ?? ((count: number): string => ENGLISH.format(count)))(value);
}
