/**
 * A worker that holds a case continues with the next step by itself where a move leaves the case due at
 * once: nobody is woken, and nothing is released only to be claimed again. The lease begins again, and
 * each move compares the version as ever.
 */
import type { CaseRow, ClaimedCase } from './case.table.ts';

/** What the claim was moved to, while its holder waits to hear of it. */
interface Going {
  next: ClaimedCase | undefined;
}

const going = new WeakMap<CaseRow, Going>();

/** What the holder continues with, once its step has ended; undefined: nothing. */
export type GoesOnWith = () => ClaimedCase | undefined;

/** Says that the holder of this claim continues. */
export function goOnAfter(claim: CaseRow): GoesOnWith {
  const held: Going = { next: undefined };
  going.set(claim, held);
  return () => held.next;
}

/** Says that the holder of this claim does not: what its step makes due is released. */
export function endAfter(claim: CaseRow): undefined {
  going.delete(claim);
}

/** Whether its holder continues. */
export function mayGoOn(claim: CaseRow): boolean {
  return going.has(claim);
}

/** The claim was moved, and its holder `goesOn`. A row that its step itself continues with is the same claim. */
export function noteMoved(claim: CaseRow, moved: ClaimedCase, goesOn: boolean): void {
  const held = going.get(claim);
  if (held === undefined) return;
  held.next = goesOn ? moved : undefined;
  going.set(moved, held);
}
