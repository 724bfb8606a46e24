/**
 * Gathers what a decision looks at: the alert, its match, the charge as the processor shows it now,
 * our own refund of it, and the order. Reads only; the processor is asked once, and only about an
 * alert that is open and has a charge.
 */
import type { Kysely } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowIso } from '../kernel/clock.ts';
import { InvariantError } from '../kernel/errors.ts';
import { findCharge } from '../match/charge.store.ts';
import type { ChargeRecord } from '../match/charge-record.ts';
import type { StoredAlert } from '../match/match.store.ts';
import { findAlert, findMatch } from '../match/match.store.ts';
import type { Answer, Processor, ProcessorCharge } from '../refund/processor.ts';
import type { RefundRow } from '../refund/refund.store.ts';
import { findRefundOfCharge } from '../refund/refund.store.ts';
import { GUARD_MS } from '../refund/refund-settings.ts';
import { CUSTOM_ORDERS_TYPE } from '../wire/integration.ts';
import type { AlertInputs, ChargeInputs, DecisionFacts, OwnRefundInputs } from './facts.ts';
import { orderFactsOf } from './order-facts.ts';

/** The order of a charge as we hold it, in the interface's own shape; undefined when we have none. */
export type FindOrder = (orderReference: string) => Promise<unknown>;

/** What gathering works with. */
export interface GatherDeps {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly organisationId: string;
  readonly processor: Pick<Processor, 'readCharge'>;
  readonly findOrder: FindOrder;
  readonly mode: 'live' | 'shadow';
  /** The type of the integration alerts are answered through. @default 'CUSTOM_ORDERS' */
  readonly integrationType?: string;
  /** What must be left before the deadline for a refund. @default GUARD_MS */
  readonly refundGuardMs?: number;
}

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
  const { known, own, asked } = await gatherCharge(deps, { claim, alert }, signal);
  const orderReference =
    known?.orderReference ?? (asked?.kind === 'found' ? asked.value.orderReference : null);
  const order = orderReference === null ? undefined : await deps.findOrder(orderReference);
  return {
    now: nowIso(deps.clock),
    deadlineAt: claim.deadline_at.toISOString(),
    mode: deps.mode,
    integrationType: deps.integrationType ?? CUSTOM_ORDERS_TYPE,
    refundGuardMs: deps.refundGuardMs ?? GUARD_MS,
    alert: alertInputs(alert),
    match: { outcome: match?.outcome ?? 'none', tier: match?.tier ?? null },
    charge: asked === undefined ? { kind: 'none' } : chargeInputs(asked),
    ownRefund: own === undefined ? null : ownRefundInputs(own),
    order: order === undefined ? null : orderFactsOf(order),
  };
}

interface GatheredCharge {
  readonly known?: ChargeRecord | undefined;
  readonly own?: RefundRow | undefined;
  readonly asked?: Answer<ProcessorCharge> | undefined;
}

async function gatherCharge(
  deps: GatherDeps,
  about: { readonly claim: CaseRow; readonly alert: StoredAlert },
  signal: AbortSignal,
): Promise<GatheredCharge> {
  const { db, organisationId } = deps;
  const reference = about.claim.charge_reference;
  if (reference === null) return {};
  const asked = mayBeAnswered(about.alert)
    ? await deps.processor.readCharge(reference, signal)
    : undefined;
  return {
    known: await findCharge(db, organisationId, reference),
    own: await findRefundOfCharge(db, { organisationId, chargeReference: reference }),
    asked,
  };
}

function mayBeAnswered(alert: StoredAlert): boolean {
  return alert.status === 'ACTION_REQUIRED' && alert.enrolment_type !== 'NETB_RDR';
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
  };
}

function ownRefundInputs(row: RefundRow): OwnRefundInputs {
  return {
    id: row.id,
    state: row.state,
    amountMinor: row.amount_minor,
    externalMinor: row.external_minor,
    isVoid: row.kind === 'void',
    currency: row.currency,
  };
}

function chargeInputs(answer: Answer<ProcessorCharge>): ChargeInputs {
  if (answer.kind === 'unavailable') return { kind: 'unavailable', reason: answer.reason };
  if (answer.kind !== 'found') return { kind: answer.kind };
  const { value: charge } = answer;
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
