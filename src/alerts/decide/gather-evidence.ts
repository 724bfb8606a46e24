/** Whether the dispute that an alert announces would qualify as evidence. */
import { shippedRules } from '../evidence/evidence-rules.ts';
import { judgeSubject } from '../evidence/judge-subject.ts';
import type { Verdict } from '../evidence/payment.ts';
import type { GatherDeps } from './decide-deps.ts';
import type { EvidenceFacts } from './facts.ts';
import type { AskedAbout } from './gather-account.ts';

/** Judges; null where the alert has no charge, or no order of ours tells of its payment. */
export async function gatherEvidence(
  { db, organisationId, evidence: rules = shippedRules() }: GatherDeps,
  { claim, view: { alert } }: AskedAbout,
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
