/**
 * What must hold at every moment, by the processor's ledger and the service's log of answers: never by
 * our own tables. Called after every call that changed something at either.
 */
import type { Sandbox } from '../../src/sandbox/index.ts';
import type { ChargeRecord, RefundRecord } from '../../src/sandbox/state/charges.ts';
import type { PatchEntry } from '../../src/sandbox/state/state.ts';
import type { LoopbackRequest } from './loopback.ts';
import type { Truth } from './truth.ts';
import { elsewhereMinor } from './truth.ts';
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
  const disputeOfKey = new Map<string, string>();
  const declared = new Map<string, Map<string, number>>();
  const check = (asked: LoopbackRequest): void => {
    checkKey(sandbox, asked);
    if (asked.path === '/processor/refunds') {
      checkRefund(sandbox, { truth, accepted, disputeOfKey, asked });
    }
    const news = sandbox.patchLog.slice(patchesSeen);
    patchesSeen = sandbox.patchLog.length;
    for (const patch of news) {
      checkPatch(sandbox, { truth, accepted, disputeOfKey, declared, patch });
    }
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

/** Whoever asks a service asks it with a key of its own. */
function checkKey({ accounts }: Sandbox, { path, headers }: LoopbackRequest): void {
  const { organisationKey, partnerKey, organisationId } = accounts;
  const own = [organisationKey, partnerKey].map((key) => `Bearer ${key}`);
  if (!path.startsWith('/v1/') || own.includes(headers['authorization'] ?? '')) return;
  throw new Violation('crossed', `${path} of ${organisationId} was asked with a foreign key`);
}

interface Seen {
  readonly truth: Truth;
  /** Complaint → an alert of it of which we said that the dispute is accepted. */
  readonly accepted: Map<string, string>;
  /** Key of a refund of ours → the complaint it was asked for. */
  readonly disputeOfKey: Map<string, string>;
}

interface RefundCheck extends Seen {
  readonly asked: LoopbackRequest;
}

/** The refunds of ours that were asked for one complaint. */
function oursFor(charge: ChargeRecord, dispute: string, { disputeOfKey }: Seen): RefundRecord[] {
  return ours(charge).filter(
    ({ idempotency_key: key }) => key !== null && disputeOfKey.get(key) === dispute,
  );
}

/** What a complaint is about at most: what any alert of it claims, and never more than the charge. */
function disputedMinor(sandbox: Sandbox, truth: Truth, dispute: string): number {
  const claims = [...truth.disputeOf]
    .filter(([, each]) => each === dispute)
    .map(([id]) => sandbox.state.alerts.get(id)?.transaction_amount_in_cents ?? 0);
  return Math.max(0, ...claims);
}

/** L1: never above the charge; L3: never above the complaint; L5: never beside an answer that denies it. */
function checkRefund(sandbox: Sandbox, check: RefundCheck): void {
  const { truth, accepted, disputeOfKey, asked } = check;
  const order = JSON.parse(asked.body.toString()) as {
    charge_reference: string;
    alert_id: string;
    idempotency_key?: string;
  };
  const { charge_reference: reference, alert_id: alertId } = order;
  const charge = sandbox.state.charges.get(reference);
  if (charge === undefined) return;
  const dispute = truth.disputeOf.get(alertId) ?? reference;
  const made = ours(charge);
  for (const { idempotency_key: key } of made) {
    if (key !== null && !disputeOfKey.has(key)) disputeOfKey.set(key, dispute);
  }
  const forIt = oursFor(charge, dispute, check);
  const mostMinor = Math.min(charge.amount_in_cents, disputedMinor(sandbox, truth, dispute));
  if (sumOf(forIt) > mostMinor) {
    const text = `${sumOf(forIt)} of ${mostMinor} were refunded by us for ${dispute}`;
    throw new Violation('I1', text, reference);
  }
  const out = sumOf(standing(charge));
  if (out > charge.amount_in_cents) {
    const text = `${out} of ${charge.amount_in_cents} were refunded on charge ${reference}`;
    throw new Violation('I1', text, reference);
  }
  if (truth.rdr.has(alertId)) {
    throw new Violation('I4', `a refund was asked for the RDR alert ${alertId}`, alertId);
  }
  const answered = accepted.get(dispute);
  const isFresh = forIt.some((refund) => Date.parse(refund.created_at) === sandbox.clock.nowMs());
  if (answered !== undefined && isFresh) {
    const text = `${dispute} was refunded after ${answered} was answered ACCEPT_DISPUTE`;
    throw new Violation('I3', text, reference);
  }
}

interface PatchCheck extends Seen {
  /** Charge → complaint → what was declared as refunded. */
  readonly declared: Map<string, Map<string, number>>;
  readonly patch: PatchEntry;
}

function checkPatch(sandbox: Sandbox, check: PatchCheck): void {
  const { truth, accepted, patch } = check;
  const { alert_id: alertId, action } = patch;
  if (truth.rdr.has(alertId)) {
    throw new Violation('I4', `the RDR alert ${alertId} was answered`, alertId);
  }
  if (patch.http_status !== 200) return;
  const reference = truth.chargeOf.get(alertId) ?? null;
  const charge = reference === null ? undefined : sandbox.state.charges.get(reference);
  if (action === 'REFUND') {
    checkDeclaredRefund(sandbox, { ...check, charge, alertId });
    return;
  }
  const dispute = truth.disputeOf.get(alertId);
  if (dispute === undefined) return;
  // Of a payment that nobody knows yet too: its order may come, and the same complaint through another network.
  accepted.set(dispute, alertId);
  if (charge === undefined) return;
  if (oursFor(charge, dispute, check).length === 0 || truth.despite.has(alertId)) return;
  const text = `${alertId} was answered ACCEPT_DISPUTE although ${dispute} is refunded`;
  throw new Violation('I3', text, alertId);
}

/**
 * I2: what was declared as refunded came back, from us, from support, from the network or by another
 * way; and one complaint's money was not declared for another, unless the whole charge is back (L4).
 */
function checkDeclaredRefund(
  sandbox: Sandbox,
  check: PatchCheck & { readonly charge: ChargeRecord | undefined; readonly alertId: string },
): void {
  const { truth, declared, charge, alertId } = check;
  const due = sandbox.state.alerts.get(alertId)?.transaction_amount_in_cents ?? 0;
  const untrue = (text: string): Violation =>
    new Violation('I2', `${alertId} was answered REFUND of ${due}, and ${text}`, alertId);
  if (charge === undefined) throw untrue('nothing came back');
  if (charge.status === 'voided') return;
  const { reference } = charge;
  const out = sumOf(standing(charge)) + elsewhereMinor(truth, reference);
  if (out >= charge.amount_in_cents) return;
  const dispute = truth.disputeOf.get(alertId) ?? reference;
  const others = ours(charge).filter(({ idempotency_key: key }) => {
    return key !== null && (check.disputeOfKey.get(key) ?? dispute) !== dispute;
  });
  const left = out - sumOf(others);
  if (left < due) throw untrue(`${left} came back for ${dispute}`);
  const disputes = declared.get(reference) ?? new Map<string, number>();
  disputes.set(dispute, Math.max(due, disputes.get(dispute) ?? 0));
  declared.set(reference, disputes);
  const sum = [...disputes.values()].reduce((total, minor) => total + minor, 0);
  if (out < sum) throw untrue(`${out} came back for complaints of ${sum} on charge ${reference}`);
}
