/** What this process composed before: a pack that says the same, for a dispute that takes the same, has the same problems. */
import { createHash } from 'node:crypto';
import type { ProcessorDispute } from '../../../service/wire/processor-dispute.ts';
import type { Pack } from '../pack.ts';
import type { FilingProblem } from './compose.ts';

export interface ComposedBefore {
  /** Undefined: not composed yet, or something has changed since. */
  problemsOf(
    pack: Pick<Pack, 'contentHash'>,
    dispute: Pick<ProcessorDispute, 'reference' | 'wants'>,
  ): readonly FilingProblem[] | undefined;
  note(
    pack: Pick<Pack, 'contentHash'>,
    dispute: Pick<ProcessorDispute, 'reference' | 'wants'>,
    problems: readonly FilingProblem[],
  ): void;
}

/** Disputes that are remembered: some hundred bytes each. The one noted first goes first. */
const REMEMBERED = 20_000;

/** It only spares work: what is handed in is composed, and judged, at that moment. */
export function createComposedBefore(): ComposedBefore {
  const before = new Map<
    string,
    { readonly name: string; readonly problems: readonly FilingProblem[] }
  >();
  const nameOf = (
    { contentHash }: Pick<Pack, 'contentHash'>,
    { wants }: Pick<ProcessorDispute, 'wants'>,
  ): string =>
    createHash('sha256').update(contentHash).update(JSON.stringify(wants)).digest('base64');
  return {
    problemsOf(pack, dispute): readonly FilingProblem[] | undefined {
      const known = before.get(dispute.reference);
      return known?.name === nameOf(pack, dispute) ? known.problems : undefined;
    },
    note(pack, dispute, problems): void {
      before.delete(dispute.reference);
      before.set(dispute.reference, { name: nameOf(pack, dispute), problems });
      const [oldest] = before.keys();
      if (before.size > REMEMBERED && oldest !== undefined) before.delete(oldest);
    },
  };
}
