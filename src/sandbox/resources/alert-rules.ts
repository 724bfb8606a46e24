/**
 * The life of an alert: created through an enrolment, matched with an order, resolved once by the
 * merchant or in the dashboard, or declared invalid. Section States and transitions, Alert status.
 */
import type { AlertAction, RefundOutcome } from '../../service/wire/alert.ts';
import { CUSTOM_ORDERS_TYPE } from '../../service/wire/integration.ts';
import { refusal } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { isoIn, nowIso, scheduleIn } from '../sandbox-context.ts';
import type { AlertRecord, EnrolmentRecord } from '../state/resources.ts';
import { emit } from '../webhooks/emit.ts';
import { findTransaction } from './matching.ts';
import type { NewAlert } from './new-alert.ts';
import { resolveByRulesets } from './ruleset-evaluation.ts';
import { chosenOr, madeUpIdentity } from './transaction-identity.ts';

/** Creates an alert and emits `alert.created`. */
export function createAlert(
  context: SandboxContext,
  enrolment: EnrolmentRecord,
  fields: NewAlert,
): AlertRecord {
  const now = nowIso(context);
  const isRdr = enrolment.type === 'NETB_RDR';
  const alert: AlertRecord = {
    id: context.ids.next('alert'),
    organisation_id: enrolment.organisation_id,
    merchant_id: enrolment.merchant_ids[0] ?? '',
    merchant_ids: [...enrolment.merchant_ids],
    enrolment_id: enrolment.id,
    enrolment_type: isRdr ? 'NETB_RDR' : 'NETA_ALERT',
    status: fields.status ?? (isRdr ? 'RESOLVED' : 'ACTION_REQUIRED'),
    note: fields.note ?? null,
    action_required_deadline: deadlineOf(context, fields),
    ...transactionOf(context, enrolment, fields),
    chargeback_reason_code: fields.reason_code ?? null,
    transaction_refund_outcome: null,
    subscription_cancel_outcome: null,
    integration_id: null,
    integration_transaction_id: null,
    created_at: now,
    updated_at: now,
  };
  if (isRdr && alert.status === 'RESOLVED') resolveByRulesets(context, alert);
  context.state.alerts.set(alert.id, alert);
  if ((fields.match ?? 'now') === 'now') matchAlert(context, alert.id);
  emit(context, { entity: 'alert', change: 'created', object: alert });
  if (fields.match === 'later') {
    scheduleIn(context, context.settings.timing.alertMatchingMs, {
      kind: 'match_alert',
      subject: alert.id,
    });
  }
  return alert;
}

function deadlineOf(context: SandboxContext, fields: NewAlert): string {
  const hours = fields.deadline_hours;
  return isoIn(
    context,
    hours === undefined ? context.settings.timing.alertDeadlineMs : hours * 3.6e6,
  );
}

/** A day before now: cardholders dispute what they see on the statement. */
const AUTHORISED_BEFORE_MS = 24 * 60 * 60 * 1000;

type AlertTransaction = Pick<AlertRecord, Extract<keyof AlertRecord, `transaction_${string}`>>;

function transactionOf(
  context: SandboxContext,
  enrolment: EnrolmentRecord,
  fields: NewAlert,
): Omit<AlertTransaction, 'transaction_refund_outcome'> {
  const madeUp = madeUpIdentity(context, 'alerts');
  return {
    transaction_amount_in_cents: fields.amount_in_cents ?? 1000,
    transaction_currency_code: fields.currency_code ?? 'USD',
    transaction_authorised_at: fields.authorised_at ?? isoIn(context, -AUTHORISED_BEFORE_MS),
    transaction_authorisation_code: chosenOr(fields.authorisation_code, madeUp.authorisationCode),
    transaction_acquirer_reference_number: chosenOr(
      fields.acquirer_reference_number,
      madeUp.acquirerReferenceNumber,
    ),
    transaction_statement_descriptor: chosenOr(
      fields.statement_descriptor,
      descriptorOf(context, enrolment),
    ),
    transaction_card_bin: fields.card_bin ?? null,
    transaction_card_last4: fields.card_last4 ?? null,
    transaction_card_issuer: fields.card_issuer ?? null,
    transaction_card_scheme: fields.card_scheme ?? null,
    transaction_network_id: fields.network_id ?? null,
  };
}

/** What the statement shows: a descriptor of the merchant's alert enrolment, else its name. */
function descriptorOf(context: SandboxContext, enrolment: EnrolmentRecord): string {
  const related = [...context.state.enrolments.values()].filter(({ merchant_ids: ids }) =>
    ids.some((merchantId) => enrolment.merchant_ids.includes(merchantId)),
  );
  const [first] = [enrolment, ...related].flatMap(
    ({ neta_alert: neta }) => neta?.descriptors ?? [],
  );
  const merchant = context.state.merchants.get(enrolment.merchant_ids[0] ?? '');
  return first?.descriptor ?? merchant?.name.toUpperCase() ?? 'MERCHANT';
}

/** Searches the orders for the alert's transaction. A match is no event of its own. */
export function matchAlert(context: SandboxContext, alertId: string): void {
  const alert = context.state.alerts.get(alertId);
  if (alert === undefined || alert.integration_transaction_id !== null) return;
  const match = findTransaction(context, alert);
  if (match === undefined) return;
  alert.integration_id = match.integrationId;
  alert.integration_transaction_id = match.transactionReference;
  alert.updated_at = nowIso(context);
}

/** What an action makes of the two outcomes. */
const OUTCOMES: Readonly<Record<AlertAction, { refund: RefundOutcome; cancel: string | null }>> = {
  REFUND: { refund: 'REFUNDED', cancel: null },
  ACCEPT_DISPUTE: { refund: 'NOT_REFUNDED', cancel: null },
  CANCEL: { refund: 'NOT_REFUNDED', cancel: 'CANCELLED' },
  REFUND_AND_CANCEL: { refund: 'REFUNDED', cancel: 'CANCELLED' },
};

/**
 * Resolves an open alert and emits `alert.updated`.
 *
 * @throws Refusal `422 INVALID_ACTION` when it is resolved or invalid already, or when cancelling is
 * asked for and the service has no access to a processor
 */
export function resolveAlert(
  context: SandboxContext,
  alert: AlertRecord,
  by: { readonly action: AlertAction; readonly note?: string | undefined },
): AlertRecord {
  if (alert.status !== 'ACTION_REQUIRED') {
    throw refusal(
      'INVALID_ACTION',
      `The alert is ${alert.status} already and takes no more actions. Read it to see its outcome.`,
      'action',
    );
  }
  const cancels = by.action === 'CANCEL' || by.action === 'REFUND_AND_CANCEL';
  if (cancels && !hasProcessorAccess(context, alert)) {
    const message = `${by.action} is not available on a ${CUSTOM_ORDERS_TYPE} integration. Send REFUND or ACCEPT_DISPUTE.`;
    throw refusal('INVALID_ACTION', message, 'action');
  }
  const { refund, cancel } = OUTCOMES[by.action];
  return changeAlert(context, alert, {
    status: 'RESOLVED',
    transaction_refund_outcome: refund,
    subscription_cancel_outcome: cancel,
    ...(by.note === undefined ? {} : { note: by.note }),
  });
}

/** Declares an alert invalid, whatever its status, and emits `alert.updated`. */
export function invalidateAlert(
  context: SandboxContext,
  alert: AlertRecord,
  note?: string,
): AlertRecord {
  return changeAlert(context, alert, {
    status: 'INVALID',
    ...(note === undefined ? {} : { note }),
  });
}

/** The fields whose change emits `alert.updated`. */
const TRACKED = ['status', 'transaction_refund_outcome', 'subscription_cancel_outcome'] as const;

/** Changes an alert; `alert.updated` is emitted when a tracked field changes, and tells all that changed. */
export function changeAlert(
  context: SandboxContext,
  alert: AlertRecord,
  changes: Partial<Pick<AlertRecord, (typeof TRACKED)[number] | 'note'>>,
): AlertRecord {
  const before = { ...alert };
  Object.assign(alert, changes, { updated_at: nowIso(context) });
  const changed = ([...TRACKED, 'note'] as const).filter((field) => before[field] !== alert[field]);
  if (!TRACKED.some((field) => changed.includes(field))) return alert;
  const previous = Object.fromEntries(changed.map((field) => [field, before[field]]));
  emit(context, { entity: 'alert', change: 'updated', object: alert, previous });
  return alert;
}

/** By the matched integration, or by any that could match it. */
function hasProcessorAccess(context: SandboxContext, alert: AlertRecord): boolean {
  const integrations = [...context.state.integrations.values()].filter((integration) =>
    alert.integration_id === null
      ? integration.merchant_ids.some((id) => alert.merchant_ids.includes(id))
      : integration.id === alert.integration_id,
  );
  return integrations.some((integration) => integration.type !== CUSTOM_ORDERS_TYPE);
}
