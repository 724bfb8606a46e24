/** Whether the dispute that an alert announces would qualify as evidence. */
import type { CaseRow } from '../cases/case.store.ts';
import { shippedRules } from '../evidence/evidence-rules.ts';
import { judgeSubject } from '../evidence/judge-subject.ts';
import type { Verdict } from '../evidence/payment.ts';
import type { StoredAlert } from '../match/match.store.ts';
import type { GatherDeps } from './decide-deps.ts';
import type { EvidenceFacts } from './facts.ts';

type JudgeDeps = Pick<GatherDeps, 'db' | 'organisationId' | 'evidence'>;

/** What of a case is needed. */
interface Announced {
  readonly claim: Pick<CaseRow, 'charge_reference' | 'opened_at'>;
  readonly alert: Pick<StoredAlert, 'id' | 'card_scheme' | 'reason_code' | 'created_at'>;
}

/** Judges; null where the alert has no charge, or no order of ours tells of its payment. */
export async function gatherEvidence(
  { db, organisationId, evidence: rules = shippedRules() }: JudgeDeps,
  { claim, alert }: Announced,
): Promise<EvidenceFacts | null> {
  const { charge_reference: chargeReference } = claim;
  if (chargeReference === null) return null;
  const { payment, ce3, fpt } = await judgeSubject(db, organisationId, {
    subject: {
      kind: 'alert',
      id: alert.id,
      scheme: alert.card_scheme,
      reason: alert.reason_code,
      day: (alert.created_at ?? claim.opened_at).toISOString().slice(0, 10),
      isFraudNotice: false,
    },
    chargeReference,
    rules,
  });
  if (payment === null) return null;
  return { ce3: word(ce3.verdict), ce3Why: ce3.why, fpt: word(fpt.verdict), fptWhy: fpt.why };
}

/** What the programme is not about does not qualify for it. */
function word(verdict: Verdict): EvidenceFacts['ce3'] {
  return verdict === 'elsewhere' ? 'not' : verdict;
}
