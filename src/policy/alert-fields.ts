/** What a condition can ask about the alert itself, and about the moment it is decided at. */
import { CLAIM_SOURCES, claimSourceOf } from '../alerts/cases/claim.ts';
import {
  ALERT_ENROLMENT_TYPES,
  ALERT_STATUSES,
  CARD_SCHEMES,
  REFUND_OUTCOMES,
} from '../service/wire/alert.ts';
import type { FieldTable } from './field-kinds.ts';
import { amount, between, called, duration, moneyOf, number, text, word } from './field-kinds.ts';
import { hourIn, WEEKDAYS, weekdayIn } from './zone.ts';

export const ALERT_FIELDS: FieldTable = {
  amount: amount('The alert’s amount.', ({ alert }) => moneyOf(alert.amountMinor, alert.currency)),
  currency: text('The alert’s currency: three capital letters.', ({ alert }) => alert.currency),
  alert_id: text('The alert’s id at the service.', ({ alert }) => alert.id),
  status: word(
    'The alert’s status. Guards end what is not ACTION_REQUIRED before any rule.',
    ALERT_STATUSES,
    ({ alert }) => alert.status,
  ),
  descriptor: text(
    'The statement descriptor on the cardholder’s statement.',
    ({ alert }) => alert.descriptor,
  ),
  scheme: called(
    'card scheme',
    word('The card scheme.', CARD_SCHEMES, ({ alert }) => alert.scheme),
  ),
  issuer: text('The issuer of the card, as the alert names it.', ({ alert }) => alert.issuer),
  card_bin: called(
    'BIN',
    text('The first digits of the card number.', ({ alert }) => alert.cardBin),
  ),
  card_last4: called(
    'last four digits',
    text('The last four digits of the card number.', ({ alert }) => alert.cardLast4),
  ),
  reason_code: text(
    'The chargeback reason code. It is text: 10.40 is not 10.4.',
    ({ alert }) => alert.reasonCode,
  ),
  authorisation_code: text('The authorisation code.', ({ alert }) => alert.authorisationCode),
  acquirer_reference_number: text(
    'The acquirer reference number.',
    ({ alert }) => alert.acquirerReferenceNumber,
  ),
  network_id: text('The transaction’s id in the card network.', ({ alert }) => alert.networkId),
  merchant: text('The merchant’s id; where the alert names several, any of them.', ({ alert }) => {
    const ids = [alert.merchantId, ...(alert.merchantIds ?? [])].filter((id) => id !== null);
    return ids.length === 0 ? null : ids;
  }),
  enrolment_type: word(
    'Which programme raised the alert.',
    ALERT_ENROLMENT_TYPES,
    ({ alert }) => alert.enrolmentType,
  ),
  source: word(
    'What the case began with: an alert, an early fraud warning of the processor, a withdrawal or a promise of support. A rule that does not ask for it is about alerts only.',
    ['alert', ...CLAIM_SOURCES.map((source) => source.toLowerCase())],
    ({ alert }) => claimSourceOf(alert.enrolmentType)?.toLowerCase() ?? 'alert',
  ),
  enrolment: text('The enrolment’s id.', ({ alert }) => alert.enrolmentId),
  integration: text(
    'The id of the integration that the service matched the alert to.',
    ({ alert }) => alert.integrationId,
  ),
  transaction_reference: text(
    'The reference of the transaction that the service matched.',
    ({ alert }) => alert.transactionReference,
  ),
  refund_outcome: word(
    'What the service holds about a refund; not known while the alert is open.',
    REFUND_OUTCOMES,
    ({ alert }) => alert.refundOutcome,
  ),
  subscription_cancel_outcome: text(
    'What the service holds about a cancelled subscription.',
    ({ alert }) => alert.subscriptionCancelOutcome,
  ),
  note: text('The note on the alert.', ({ alert }) => alert.note),
  payment_age: called(
    'age of the payment',
    duration('Time since the payment was authorised, as the alert says it.', ({ now, alert }) =>
      between(alert.authorisedAt, now),
    ),
  ),
  alert_age: called(
    'age of the alert',
    duration('Time since the alert was created.', ({ now, alert }) =>
      between(alert.createdAt, now),
    ),
  ),
  alert_unchanged: called(
    'time since the alert changed',
    duration('Time since the service last changed the alert.', ({ now, alert }) =>
      between(alert.updatedAt, now),
    ),
  ),
  time_left: duration('Time left before the deadline.', ({ now, deadlineAt }) =>
    between(now, deadlineAt),
  ),
  weekday: word(
    'The day of the week at the moment of the decision, in the policy’s timezone (UTC without one).',
    WEEKDAYS,
    ({ now }, { timeZone }) => weekdayIn(timeZone, now),
  ),
  hour: called(
    'hour of the day',
    number(
      'The hour from 0 to 23 at the moment of the decision, in the policy’s timezone (UTC without one).',
      ({ now }, { timeZone }) => hourIn(timeZone, now),
    ),
  ),
};
