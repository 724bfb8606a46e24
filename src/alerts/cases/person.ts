/**
 * Who counts as one person. Pure.
 *
 * Anyone who holds the console's token comes in under several names; they are one, because the token
 * says no more.
 */

const SHARED_NAMES: ReadonlySet<string> = new Set(['api', 'console', 'cli']);

/** The person behind an operator's name. */
export function personOf(operator: string): string {
  const name = operator.trim().toLowerCase();
  return SHARED_NAMES.has(name) ? 'holder of the console token' : name;
}
