/**
 * What must hold at every moment, by the processor's ledger and the service's log of answers: never by
 * our own tables. Called after every call that changed something at either.
 */
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { ChargeRecord, RefundRecord } from '../../src/sandbox/state/charges.ts';
import type { PatchEntry } from '../../src/sandbox/state/state.ts';
import type { LoopbackRequest } from './loopback.ts';
import type { Truth } from './truth.ts';
import { Violation } from './violation.ts';

/** Watches the two ledgers. */
export interface Oracle {
  /** After a call of ours was executed. @throws Violation */
  afterCall(asked: LoopbackRequest): void;
  /** The first violation seen where nobody could be told. */
  readonly broken: () => Violation | undefined;
}

/** Refunds of a charge that moved money. */
export function standing(charge: ChargeRecord): readonly RefundRecord[] {
  return charge.refunds.filter((refund) => refund.status !== 'failed');
}

/** Those that we made. */
export function ours(charge: ChargeRecord): readonly RefundRecord[] {
  return standing(charge).filter((refund) => refund.idempotency_key !== null);
}

export function sumOf(refunds: readonly RefundRecord[]): number {
  return refunds.reduce((sum, refund) => sum + refund.amount_in_cents, 0);
}

/** Makes the oracle. */
export function createOracle(sandbox: Sandbox, truth: Truth): Oracle {
  let patchesSeen = 0;
  let broken: Violation | undefined;
  const accepted = new Map<string, string>();
  const check = (asked: LoopbackRequest): void => {
    if (asked.path === '/processor/refunds') checkRefund(sandbox, { truth, accepted, asked });
    const news = sandbox.patchLog.slice(patchesSeen);
    patchesSeen = sandbox.patchLog.length;
    for (const patch of news) checkPatch(sandbox, { truth, accepted, patch });
  };
  return {
    afterCall(asked): void {
      try {
        check(asked);
      } catch (error) {
        if (error instanceof Violation) broken ??= error;
        throw error;
      }
    },
    broken: () => broken,
  };
}

interface RefundCheck {
  readonly truth: Truth;
  /** Charge → an alert on it of which we said that the dispute is accepted. */
  readonly accepted: ReadonlyMap<string, string>;
  readonly asked: LoopbackRequest;
}

function checkRefund(sandbox: Sandbox, { truth, accepted, asked }: RefundCheck): void {
  const order = JSON.parse(asked.body.toString()) as { charge_reference: string; alert_id: string };
  const reference = order.charge_reference;
  const charge = sandbox.state.charges.get(reference);
  if (charge === undefined) return;
  const made = ours(charge);
  if (made.length > 1) {
    throw new Violation(
      'I1',
      `charge ${reference} was refunded ${made.length} times by us`,
      reference,
    );
  }
  const out = sumOf(standing(charge));
  if (out > charge.amount_in_cents) {
    const text = `${out} of ${charge.amount_in_cents} were refunded on charge ${reference}`;
    throw new Violation('I1', text, reference);
  }
  if (truth.rdr.has(order.alert_id)) {
    throw new Violation(
      'I4',
      `a refund was asked for the RDR alert ${order.alert_id}`,
      order.alert_id,
    );
  }
  const answered = accepted.get(reference);
  const isFresh = made.some((refund) => Date.parse(refund.created_at) === sandbox.clock.nowMs());
  if (answered !== undefined && isFresh && !truth.refundedByOperator.has(order.alert_id)) {
    const text = `charge ${reference} was refunded after ${answered} was answered ACCEPT_DISPUTE`;
    throw new Violation('I3', text, reference);
  }
}

interface PatchCheck {
  readonly truth: Truth;
  readonly accepted: Map<string, string>;
  readonly patch: PatchEntry;
}

function checkPatch(sandbox: Sandbox, { truth, accepted, patch }: PatchCheck): void {
  const { alert_id: alertId, action } = patch;
  if (truth.rdr.has(alertId)) {
    throw new Violation('I4', `the RDR alert ${alertId} was answered`, alertId);
  }
  if (patch.http_status !== 200) return;
  const reference = truth.chargeOf.get(alertId) ?? null;
  const charge = reference === null ? undefined : sandbox.state.charges.get(reference);
  if (action === 'ACCEPT_DISPUTE') {
    if (reference !== null) accepted.set(reference, alertId);
    if (charge === undefined || ours(charge).length === 0) return;
    const text = `${alertId} was answered ACCEPT_DISPUTE although charge ${reference} is refunded`;
    throw new Violation('I3', text, alertId);
  }
  checkDeclaredRefund(sandbox, { truth, charge, alertId });
}

/** I2: what was declared as refunded came back, from us, from support or from the network. */
function checkDeclaredRefund(
  sandbox: Sandbox,
  about: {
    readonly truth: Truth;
    readonly charge: ChargeRecord | undefined;
    readonly alertId: string;
  },
): void {
  const { truth, charge, alertId } = about;
  const due = sandbox.state.alerts.get(alertId)?.transaction_amount_in_cents ?? 0;
  if (charge?.status === 'voided') return;
  const network = charge === undefined ? 0 : (truth.networkMinor.get(charge.reference) ?? 0);
  const out = charge === undefined ? 0 : sumOf(standing(charge));
  if (out + network >= due) return;
  const text = `${alertId} was answered REFUND of ${due}, and ${out + network} came back`;
  throw new Violation('I2', text, alertId);
}
