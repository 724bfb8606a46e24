/**
 * Gathers what a decision looks at: the alert, its match, the charge as the processor shows it now,
 * our own refund of it, and the order. Reads only; the processor is asked once, and only about an
 * alert that is open and has a charge.
 */
import { z } from 'zod';
import { nowIso } from '../../base/kernel/clock.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { findCharge } from '../../orders/charge.store.ts';
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { GUARD_MS } from '../guard/refund-settings.ts';
import type { StoredAlert, StoredMatch } from '../match/match.store.ts';
import { findAlert, findMatch } from '../match/match.store.ts';
import type { GatherDeps } from './decide-deps.ts';
import type { AlertInputs, ChargeInputs, DecisionFacts, MatchInputs } from './facts.ts';
import { gatherAccount } from './gather-account.ts';
import { readChargeHistory, readCustomerFacts } from './history-facts.store.ts';
import type { ChargeHistory, CustomerFacts } from './history-facts.ts';
import { customerKeysOf } from './history-facts.ts';
import { orderFactsOf } from './order-facts.ts';

/** The facts of one case at this moment. */
export async function gatherFacts(
  deps: GatherDeps,
  claim: CaseRow,
  signal: AbortSignal,
): Promise<DecisionFacts> {
  const { db, organisationId } = deps;
  const alert = await findAlert(db, organisationId, claim.alert_id);
  if (alert === undefined) {
    throw new InvariantError(`Case ${claim.alert_id} has no alert. Poll the service for it.`);
  }
  const match = claim.match_id === null ? undefined : await findMatch(db, claim.match_id);
  const { account, charge, shown } = await gatherAccount(deps, { claim, alert }, signal);
  const known =
    claim.charge_reference === null
      ? undefined
      : await findCharge(db, organisationId, claim.charge_reference);
  const orderReference = known?.orderReference ?? shown?.orderReference ?? null;
  const order = orderReference === null ? undefined : await deps.findOrder(orderReference);
  return {
    now: nowIso(deps.clock),
    deadlineAt: claim.deadline_at.toISOString(),
    mode: deps.mode,
    integrationType: deps.integrationType ?? CUSTOM_ORDERS_TYPE,
    refundGuardMs: deps.refundGuardMs ?? GUARD_MS,
    alert: alertInputs(alert),
    match: matchInputs(match),
    charge: shown === undefined ? charge : foundInputs(shown),
    account,
    order: order === undefined ? null : orderFactsOf(order),
    customer: await gatherCustomer(deps, { claim, order, orderReference }),
    history: await gatherHistory(deps, claim, alert),
  };
}

async function gatherCustomer(
  { db, organisationId, isBlocked }: GatherDeps,
  about: {
    readonly claim: CaseRow;
    readonly order: unknown;
    readonly orderReference: string | null;
  },
): Promise<CustomerFacts | null> {
  const { claim, order, orderReference } = about;
  const keys = customerKeysOf(order);
  if (keys === null || orderReference === null) return null;
  return await readCustomerFacts(db, {
    organisationId,
    keys,
    orderReference,
    alertId: claim.alert_id,
    blocked: isBlocked === undefined ? null : await isBlocked(keys),
  });
}

async function gatherHistory(
  { db, organisationId }: GatherDeps,
  claim: CaseRow,
  alert: StoredAlert,
): Promise<ChargeHistory | null> {
  if (claim.charge_reference === null) return null;
  return await readChargeHistory(db, {
    organisationId,
    chargeReference: claim.charge_reference,
    alertId: claim.alert_id,
    acquirerReferenceNumber: alert.acquirer_reference_number,
  });
}

const number = z.number().nullable().catch(null).default(null);
const evidenceSchema = z.looseObject({
  score: number,
  margin: number,
  unanswered: z.boolean().catch(false).default(false),
});
const candidatesSchema = z.array(z.looseObject({ reference: z.string(), score: number }));

function matchInputs(match: StoredMatch | undefined): MatchInputs {
  if (match === undefined) return { outcome: 'none', tier: null };
  const evidence = evidenceSchema.safeParse(match.evidence);
  const candidates = candidatesSchema.safeParse(match.candidates);
  const chosen = candidates.data?.find(({ reference }) => reference === match.charge_reference);
  return {
    outcome: match.outcome,
    tier: match.tier,
    score: chosen?.score ?? evidence.data?.score ?? null,
    margin: evidence.data?.margin ?? null,
    by: match.matched_by.startsWith('operator') ? 'operator' : 'matcher',
    unanswered: evidence.data?.unanswered ?? false,
  };
}

function alertInputs(alert: StoredAlert): AlertInputs {
  return {
    id: alert.id,
    status: alert.status,
    enrolmentType: alert.enrolment_type,
    refundOutcome: alert.refund_outcome,
    amountMinor: alert.amount_minor,
    currency: alert.currency,
    descriptor: alert.descriptor,
    scheme: alert.card_scheme,
    issuer: alert.card_issuer,
    reasonCode: alert.reason_code,
    merchantId: alert.merchant_id,
    cardBin: alert.card_bin,
    authorisedAt: alert.authorised_at?.toISOString() ?? null,
    createdAt: alert.created_at?.toISOString() ?? null,
    updatedAt: alert.updated_at.toISOString(),
    cardLast4: alert.card_last4,
    networkId: alert.network_id,
    authorisationCode: alert.authorisation_code,
    acquirerReferenceNumber: alert.acquirer_reference_number,
    enrolmentId: alert.enrolment_id,
    integrationId: alert.integration_id,
    transactionReference: alert.integration_transaction_id,
    subscriptionCancelOutcome: alert.subscription_cancel_outcome,
    note: alert.note,
    merchantIds: merchantsOf(alert.snapshot),
  };
}

const merchantsSchema = z.looseObject({ merchant_ids: z.array(z.string()) });

function merchantsOf(snapshot: unknown): readonly string[] {
  const parsed = merchantsSchema.safeParse(snapshot);
  return parsed.success ? parsed.data.merchant_ids : [];
}

function foundInputs(charge: ProcessorCharge): ChargeInputs {
  const settled = charge.refunds.filter(({ status }) => status === 'succeeded');
  const pending = charge.refunds.filter(({ status }) => status === 'pending');
  return {
    kind: 'found',
    reference: charge.reference,
    status: charge.status,
    amountMinor: charge.amountMinor,
    currency: charge.currency,
    refundableMinor: charge.refundableMinor,
    disputed: charge.disputed,
    refundedMinor: sumOf(settled),
    pendingMinor: sumOf(pending),
    refundReference: settled[0]?.reference ?? null,
  };
}

function sumOf(refunds: ProcessorCharge['refunds']): number {
  return refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}
