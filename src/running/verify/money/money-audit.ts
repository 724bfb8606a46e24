/**
 * The promises about money, checked against the books of the sandbox's processor and service: our own
 * rows are never asked whether we kept them.
 */

import type { ChargeRecord, RefundRecord } from '../../../sandbox/state/charges.ts';
import type { AlertRecord } from '../../../sandbox/state/resources.ts';
import type { OpenTestWorld } from '../../testing/test-world.ts';
import type { Cast } from './money-scenario.ts';
import { wasNotifiedBefore } from './was-notified.store.ts';

/** What the audit found, and what there was to audit. */
export interface AuditResult {
  /** Each broken promise in words; empty when all were kept. */
  readonly problems: readonly string[];
  readonly refundsMade: number;
  readonly answered: number;
  /** Alerts that ran out with a person told in time. */
  readonly leftToPeople: number;
}

/** Audits one scenario, after every deadline of its alerts has passed. */
export async function audit(world: OpenTestWorld, cast: Cast): Promise<AuditResult> {
  const { sandbox } = world;
  const charges = [...cast.charges].flatMap((reference) => {
    const charge = sandbox.state.charges.get(reference);
    return charge === undefined ? [] : [charge];
  });
  const alerts = [...cast.alerts].flatMap((id) => {
    const alert = sandbox.state.alerts.get(id);
    return alert === undefined ? [] : [alert];
  });
  const problems = charges.flatMap((charge) => {
    const about = aboutCharge(alerts, charge);
    return [
      ...auditCharge(charge, about),
      ...auditParts(sandbox, charge, about),
      ...auditNetwork(sandbox, charge),
    ];
  });
  let answered = 0;
  let leftToPeople = 0;
  for (const alert of alerts) {
    problems.push(...auditDeclaration(world, alert));
    const isOpen = alert.status === 'ACTION_REQUIRED';
    if (!isOpen) answered += 1;
    else if (await wasNotified(world, alert)) leftToPeople += 1;
    else problems.push(`${alert.id} ran out unanswered, and nobody was told before its deadline`);
  }
  const refundsMade = charges.flatMap(ownRefunds).length;
  return { problems, refundsMade, answered, leftToPeople };
}

/** Ours carry a key; those that somebody made by hand carry none. */
function ownRefunds(charge: ChargeRecord): RefundRecord[] {
  return charge.refunds.filter(
    ({ idempotency_key: key, status }) => key !== null && status !== 'failed',
  );
}

/** The alerts about a charge that ask for an answer. */
function aboutCharge(alerts: readonly AlertRecord[], charge: ChargeRecord): AlertRecord[] {
  const { acquirer_reference_number: arn } = charge;
  return alerts.filter(
    (alert) =>
      alert.enrolment_type !== 'NETB_RDR' && alert.transaction_acquirer_reference_number === arn,
  );
}

/** Each complaint refunded at most once by us, and never more than was paid. */
function auditCharge(charge: ChargeRecord, alerts: readonly AlertRecord[]): string[] {
  const own = ownRefunds(charge);
  const moved = charge.refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amount_in_cents: amount }) => sum + amount, 0);
  const problems: string[] = [];
  // Complaints of one amount about one charge may be the same, unless people said otherwise.
  const complaints = new Set(alerts.map((alert) => alert.transaction_amount_in_cents)).size;
  if (own.length > Math.max(1, complaints))
    problems.push(`${charge.reference} was refunded ${own.length} times by us`);
  if (moved > charge.amount_in_cents) {
    problems.push(`${charge.reference}: ${moved} refunded of ${charge.amount_in_cents}`);
  }
  return problems;
}

/** Money of one complaint was not declared for another, unless the whole charge went back. */
function auditParts(
  sandbox: OpenTestWorld['sandbox'],
  charge: ChargeRecord,
  alerts: readonly AlertRecord[],
): string[] {
  // What failed only afterwards was there when it was declared.
  const hadFailures = charge.refunds.some(({ status }) => status === 'failed');
  if (charge.status === 'voided' || hadFailures) return [];
  const moved =
    charge.refunds.reduce((sum, refund) => sum + refund.amount_in_cents, 0) +
    networkMinor(sandbox, charge);
  const declared = alerts.filter(({ id }) =>
    sandbox.patchLog.some(
      (entry) => entry.alert_id === id && entry.action === 'REFUND' && entry.http_status === 200,
    ),
  );
  const parts = new Set(declared.map((alert) => alert.transaction_amount_in_cents ?? 0));
  const due = [...parts].reduce((sum, amount) => sum + amount, 0);
  return parts.size < 2 || moved >= Math.min(due, charge.amount_in_cents)
    ? []
    : [`${charge.reference}: ${due} declared refunded of ${moved} that had been`];
}

/** Nothing of ours went on top of what the network had returned by then, and has not taken back. */
function auditNetwork(sandbox: OpenTestWorld['sandbox'], charge: ChargeRecord): string[] {
  return ownRefunds(charge).flatMap(({ created_at: at, amount_in_cents: amount }) => {
    const before = networkRefunds(sandbox, charge)
      .filter((alert) => alert.created_at < at)
      .reduce((sum, alert) => sum + (alert.transaction_amount_in_cents ?? 0), 0);
    return before > 0 && before + amount > charge.amount_in_cents
      ? [`${charge.reference}: ${amount} refunded by us on top of ${before} by the network`]
      : [];
  });
}

/** What was declared is true of the money, at the moment it was declared. */
function auditDeclaration({ sandbox }: OpenTestWorld, alert: AlertRecord): string[] {
  const taken = sandbox.patchLog.filter(
    (entry) => entry.alert_id === alert.id && entry.http_status === 200,
  );
  const sent = sandbox.patchLog.filter((entry) => entry.alert_id === alert.id);
  if (alert.enrolment_type === 'NETB_RDR') {
    return sent.length === 0 ? [] : [`${alert.id} refunds by itself and was answered all the same`];
  }
  const charge = chargeBehind(sandbox, alert);
  if (charge === undefined) {
    return taken
      .filter(({ action }) => action === 'REFUND')
      .map(() => `${alert.id} was declared refunded, and no charge is behind it`);
  }
  const amount = Math.min(alert.transaction_amount_in_cents ?? 0, charge.amount_in_cents);
  return taken.flatMap(({ action, at }) => {
    const before = charge.refunds.filter(
      (refund) => refund.created_at <= at && refund.status !== 'failed',
    );
    const moved =
      before.reduce((sum, refund) => sum + refund.amount_in_cents, 0) +
      networkMinor(sandbox, charge);
    if (action === 'REFUND') {
      // The customer was never charged.
      if (charge.status === 'voided') return [];
      // One that failed only afterwards counts: it was there when it was declared.
      const failedLater = charge.refunds.some(
        (refund) => refund.created_at <= at && refund.status === 'failed',
      );
      return moved >= amount || failedLater
        ? []
        : [`${alert.id} was declared refunded when ${moved} of ${amount} had been`];
    }
    // What was refunded for another part of the charge is another complaint's.
    const isPart = amount < charge.amount_in_cents;
    const own = ownRefunds(charge).filter((each) => !isPart || each.amount_in_cents === amount);
    return own.length === 0
      ? []
      : [`${alert.id} was declared not refunded after we had refunded it`];
  });
}

/** What the network returned by itself, and has not taken back. */
function networkMinor(sandbox: OpenTestWorld['sandbox'], charge: ChargeRecord): number {
  return networkRefunds(sandbox, charge).reduce(
    (sum, alert) => sum + (alert.transaction_amount_in_cents ?? 0),
    0,
  );
}

function networkRefunds(sandbox: OpenTestWorld['sandbox'], charge: ChargeRecord): AlertRecord[] {
  return [...sandbox.state.alerts.values()].filter(
    (alert) =>
      alert.enrolment_type === 'NETB_RDR' &&
      alert.status === 'RESOLVED' &&
      alert.transaction_refund_outcome === 'REFUNDED' &&
      alert.transaction_acquirer_reference_number === charge.acquirer_reference_number,
  );
}

function chargeBehind(
  sandbox: OpenTestWorld['sandbox'],
  alert: AlertRecord,
): ChargeRecord | undefined {
  const arn = alert.transaction_acquirer_reference_number;
  return sandbox
    .charges()
    .find((charge) => arn !== null && charge.acquirer_reference_number === arn);
}

/** Whether a person heard of the alert before its deadline. */
async function wasNotified({ parts }: OpenTestWorld, alert: AlertRecord): Promise<boolean> {
  const deadline = new Date(alert.action_required_deadline ?? alert.created_at);
  const { database, organisationId } = parts;
  return await wasNotifiedBefore(database.db, { organisationId, alertId: alert.id }, deadline);
}
