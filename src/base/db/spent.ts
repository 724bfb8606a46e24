/** Which connections a pool must not keep, although they are open. */
import { isReadOnlyError } from './writable.ts';

/** How pg says that its own time limit for an answer is over. The answer is still to come on that connection. */
export const READ_TIMEOUT = 'Query read timeout';

const spent = new WeakSet<object>();

/** Remembers the client when the failure means that nothing more can come of it. */
export function noteFault(client: object, error: unknown): void {
  const isLate = error instanceof Error && error.message === READ_TIMEOUT;
  if (isLate || isReadOnlyError(error)) spent.add(client);
}

/** Whether it was. */
export function isSpent(client: object): boolean {
  return spent.has(client);
}
