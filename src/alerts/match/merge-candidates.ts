/**
 * Merges what several sources know of one charge into one candidate.
 *
 * The processor holds the money, so its word counts where both speak; the order feed fills what the
 * processor left out (which order, which subscription, which descriptor).
 */
import type { ChargeRecord } from '../../orders/charge-record.ts';
import { mergeRecords } from '../../orders/charge-record.ts';
import type { ChoiceEvidence } from './choice.ts';

/** A charge and who told us about it. */
export interface Candidate {
  readonly charge: ChargeRecord;
  readonly sources: readonly ChargeRecord['source'][];
  /** What people chose before, where it concerns this charge and the alert at hand. */
  readonly choice?: ChoiceEvidence | undefined;
}

/** One candidate per charge reference, in the order of their references. Pure. */
export function mergeCandidates(records: readonly ChargeRecord[]): Candidate[] {
  const byReference = new Map<string, Candidate>();
  for (const record of records) {
    const known = byReference.get(record.reference);
    byReference.set(
      record.reference,
      known === undefined
        ? { charge: record, sources: [record.source] }
        : {
            charge: mergeRecords(known.charge, record),
            sources: [...new Set([...known.sources, record.source])].sort(),
          },
    );
  }
  return [...byReference.values()].sort((a, b) =>
    a.charge.reference < b.charge.reference ? -1 : 1,
  );
}
