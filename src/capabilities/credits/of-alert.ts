/** What credits know of an alert: the claim about it. */
import { z } from 'zod';
import { html } from '../../base/kernel/html.ts';
import { describeOfAlert } from '../../surface/of-alert.ts';
import { answerOf } from '../../surface/web/answer.ts';
import { findClaim } from './credit-claim.store.ts';
import type { ClaimState, CreditClaimRow, CreditClass, EvidenceRow } from './credit-claim.table.ts';
import { CLAIM_STATES, CLASS_NAMES, CREDIT_CLASSES } from './credit-claim.table.ts';

const text = z.string().nullable();
const maybeMoment = z.iso.datetime().nullable();

const schema = z.strictObject({
  class: z.enum(CLASS_NAMES),
  state: z.enum(CLAIM_STATES),
  claim_until: maybeMoment,
  evidence: z.array(
    z.looseObject({
      table: z.string(),
      id: z.string(),
      at: maybeMoment,
      amountMinor: z.int().nullable(),
      currency: text,
      shows: z.string(),
    }),
  ),
  reference: text,
});

/** Why the alert's price can be claimed back. */
export interface AlertCreditClaim {
  readonly class: CreditClass;
  readonly state: ClaimState;
  readonly claimUntil: Date | null;
  readonly evidence: readonly EvidenceRow[];
  readonly reference: string | null;
}

export interface CreditsOfAlert {
  readonly creditClaim: AlertCreditClaim | undefined;
}

export function claimPath(alertId: string): string {
  return `/credits/${encodeURIComponent(alertId)}`;
}

export const claimOfAlert = describeOfAlert<CreditClaimRow>({
  field: 'credit_claim',
  schema,
  description: 'Why the price of the alert can be claimed back',
  read: ({ db, organisationId, alertId }) => findClaim(db, organisationId, alertId),
  value: ({
    class: reason,
    state,
    claim_until: claimUntil,
    evidence,
    reference,
  }): AlertCreditClaim => ({
    class: reason,
    state,
    claimUntil,
    evidence,
    reference,
  }),
  json: (claim) => answerOf(schema, claim, {}),
  line: (claim) => [
    'Credit claim',
    html`<a href="${claimPath(claim.alert_id)}">${CREDIT_CLASSES[claim.class]}</a> <span class="quiet">${claim.state.toLowerCase()}</span>`,
  ],
});
