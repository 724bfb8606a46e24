/**
 * A worker that holds a case continues with the next step by itself where a move leaves the case due at
 * once: no worker is woken, and nothing is released only to be claimed again. The lease begins again, and
 * each move compares the version as ever.
 */
import type { CaseRow, ClaimedCase } from './case.table.ts';

/** What the claim was moved to, while its holder waits to hear of it. */
interface Continuation {
  next: ClaimedCase | undefined;
}

const continuations = new WeakMap<CaseRow, Continuation>();

/** What the holder continues with, once its step has ended; undefined: nothing. */
export type ContinuesWith = () => ClaimedCase | undefined;

/** Says that the holder of this claim continues. */
export function continueAfter(claim: CaseRow): ContinuesWith {
  const held: Continuation = { next: undefined };
  continuations.set(claim, held);
  return () => held.next;
}

/** Says that the holder of this claim does not: what its step makes due is released. */
export function endAfter(claim: CaseRow): undefined {
  continuations.delete(claim);
}

/** Whether its holder continues. */
export function mayContinue(claim: CaseRow): boolean {
  return continuations.has(claim);
}

/** The claim was moved, and its holder `continues`. A row that its step itself continues with is the same claim. */
export function noteMoved(claim: CaseRow, moved: ClaimedCase, continues: boolean): void {
  const held = continuations.get(claim);
  if (held === undefined) return;
  held.next = continues ? moved : undefined;
  continuations.set(moved, held);
}
