/**
 * The etag of a case as a person sees it when deciding: a form carries it, and a decision made
 * for something else than what the case is by now is refused.
 *
 * The row's version will not do: a worker that looks at a held case raises it and changes nothing that
 * a person would decide by.
 */
import { createHash } from 'node:crypto';
import type { CaseRow } from './case.store.ts';

/** The etag of a case as it is now. */
export function caseEtag(
  row: Pick<CaseRow, 'state' | 'match_id' | 'decision_id' | 'charge_reference' | 'hold_reason'>,
): string {
  const parts = [row.state, row.match_id, row.decision_id, row.charge_reference, row.hold_reason];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
