/** What a condition can ask about the alert itself, and about the moment it is decided at. */
import { CLAIM_SOURCES, claimSourceOf } from '../alerts/cases/claim.ts';
import {
  ALERT_ENROLMENT_TYPES,
  ALERT_STATUSES,
  CARD_SCHEMES,
  REFUND_OUTCOMES,
} from '../service/wire/alert.ts';
import type { FieldTable } from './field-kinds.ts';
import { between, moneyOf } from './field-kinds.ts';
import { hourIn, WEEKDAYS, weekdayIn } from './zone.ts';

export const ALERT_FIELDS = {
  amount: {
    kind: 'amount',
    label: 'amount',
    about: 'The alert’s amount.',
    read: ({ alert }) => moneyOf(alert.amountMinor, alert.currency),
  },
  currency: {
    kind: 'text',
    label: 'currency',
    about: 'The alert’s currency: three capital letters.',
    read: ({ alert }) => alert.currency,
  },
  alert_id: {
    kind: 'text',
    label: 'alert id',
    about: 'The alert’s id at the service.',
    read: ({ alert }) => alert.id,
  },
  status: {
    kind: 'word',
    label: 'status',
    about: 'The alert’s status. Guards end what is not ACTION_REQUIRED before any rule.',
    words: ALERT_STATUSES,
    read: ({ alert }) => alert.status,
  },
  descriptor: {
    kind: 'text',
    label: 'descriptor',
    about: 'The statement descriptor on the cardholder’s statement.',
    read: ({ alert }) => alert.descriptor,
  },
  scheme: {
    kind: 'word',
    label: 'card scheme',
    about: 'The card scheme.',
    words: CARD_SCHEMES,
    read: ({ alert }) => alert.scheme,
  },
  issuer: {
    kind: 'text',
    label: 'issuer',
    about: 'The issuer of the card, as the alert names it.',
    read: ({ alert }) => alert.issuer,
  },
  card_bin: {
    kind: 'text',
    label: 'BIN',
    about: 'The first digits of the card number.',
    read: ({ alert }) => alert.cardBin,
  },
  card_last4: {
    kind: 'text',
    label: 'last four digits',
    about: 'The last four digits of the card number.',
    read: ({ alert }) => alert.cardLast4 ?? null,
  },
  reason_code: {
    kind: 'text',
    label: 'reason code',
    about: 'The chargeback reason code. It is text: 10.40 is not 10.4.',
    read: ({ alert }) => alert.reasonCode,
  },
  authorisation_code: {
    kind: 'text',
    label: 'authorisation code',
    about: 'The authorisation code.',
    read: ({ alert }) => alert.authorisationCode ?? null,
  },
  acquirer_reference_number: {
    kind: 'text',
    label: 'acquirer reference number',
    about: 'The acquirer reference number.',
    read: ({ alert }) => alert.acquirerReferenceNumber ?? null,
  },
  network_id: {
    kind: 'text',
    label: 'network id',
    about: 'The transaction’s id in the card network.',
    read: ({ alert }) => alert.networkId ?? null,
  },
  merchant: {
    kind: 'text',
    label: 'merchant',
    about: 'The merchant’s id; where the alert names several, any of them.',
    read: ({ alert }) => {
      const ids = [alert.merchantId, ...(alert.merchantIds ?? [])].filter((id) => id !== null);
      return ids.length === 0 ? null : ids;
    },
  },
  enrolment_type: {
    kind: 'word',
    label: 'enrolment type',
    about: 'Which programme raised the alert.',
    words: ALERT_ENROLMENT_TYPES,
    read: ({ alert }) => alert.enrolmentType,
  },
  source: {
    kind: 'word',
    label: 'source',
    about:
      'What the case began with: an alert, an early fraud warning of the processor, a withdrawal or a promise of support. A rule that does not ask for it is about alerts only.',
    words: ['alert', ...CLAIM_SOURCES.map((source) => source.toLowerCase())],
    read: ({ alert }) => claimSourceOf(alert.enrolmentType)?.toLowerCase() ?? 'alert',
  },
  enrolment: {
    kind: 'text',
    label: 'enrolment',
    about: 'The enrolment’s id.',
    read: ({ alert }) => alert.enrolmentId ?? null,
  },
  integration: {
    kind: 'text',
    label: 'integration',
    about: 'The id of the integration that the service matched the alert to.',
    read: ({ alert }) => alert.integrationId ?? null,
  },
  transaction_reference: {
    kind: 'text',
    label: 'transaction reference',
    about: 'The reference of the transaction that the service matched.',
    read: ({ alert }) => alert.transactionReference ?? null,
  },
  refund_outcome: {
    kind: 'word',
    label: 'refund outcome',
    about: 'What the service holds about a refund; not known while the alert is open.',
    words: REFUND_OUTCOMES,
    read: ({ alert }) => alert.refundOutcome,
  },
  subscription_cancel_outcome: {
    kind: 'text',
    label: 'subscription cancel outcome',
    about: 'What the service holds about a cancelled subscription.',
    read: ({ alert }) => alert.subscriptionCancelOutcome ?? null,
  },
  note: {
    kind: 'text',
    label: 'note',
    about: 'The note on the alert.',
    read: ({ alert }) => alert.note ?? null,
  },
  payment_age: {
    kind: 'duration',
    label: 'age of the payment',
    about: 'Time since the payment was authorised, as the alert says it.',
    read: ({ now, alert }) => between(alert.authorisedAt, now),
  },
  alert_age: {
    kind: 'duration',
    label: 'age of the alert',
    about: 'Time since the alert was created.',
    read: ({ now, alert }) => between(alert.createdAt, now),
  },
  alert_unchanged: {
    kind: 'duration',
    label: 'time since the alert changed',
    about: 'Time since the service last changed the alert.',
    read: ({ now, alert }) => between(alert.updatedAt, now),
  },
  time_left: {
    kind: 'duration',
    label: 'time left',
    about: 'Time left before the deadline.',
    read: ({ now, deadlineAt }) => between(now, deadlineAt),
  },
  weekday: {
    kind: 'word',
    label: 'weekday',
    about:
      'The day of the week at the moment of the decision, in the policy’s timezone (UTC without one).',
    words: WEEKDAYS,
    read: ({ now }, { timeZone }) => weekdayIn(timeZone, now),
  },
  hour: {
    kind: 'number',
    label: 'hour of the day',
    about:
      'The hour from 0 to 23 at the moment of the decision, in the policy’s timezone (UTC without one).',
    read: ({ now }, { timeZone }) => hourIn(timeZone, now),
  },
} as const satisfies FieldTable;
