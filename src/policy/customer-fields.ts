/** What a condition can ask about the customer, out of our own data. */
import { emailKey } from '../alerts/decide/history-facts.ts';
import type { FieldTable } from './field-kinds.ts';
import { between, called, duration, flag, number, text } from './field-kinds.ts';

export const CUSTOMER_FIELDS: FieldTable = {
  customer_known: flag('The order names its customer by account or e-mail.', ({ customer }) =>
    customer === undefined ? null : customer !== null,
  ),
  customer_account: text('The customer’s account id.', ({ customer }) => customer?.accountId),
  customer_email: {
    label: 'customer e-mail',
    ...text(
      'The customer’s e-mail address. Only whole addresses can be compared: no other form is kept.',
      ({ customer }) => customer?.emailHash,
    ),
    keyOf: emailKey,
  },
  email_domain: called(
    'e-mail domain',
    text(
      'What follows the @ of the customer’s e-mail address.',
      ({ customer }) => customer?.emailDomain,
    ),
  ),
  customer_age: called(
    'time as a customer',
    duration('Time since the customer’s first order with us.', ({ now, customer }) =>
      between(customer?.firstOrderAt, now),
    ),
  ),
  customer_orders: called(
    'other orders of the customer',
    number(
      'How many other orders we hold of the customer (counted up to 500).',
      ({ customer }) => customer?.orders,
    ),
  ),
  customer_refunds: called(
    'refunded orders of the customer',
    number(
      'How many of the customer’s other orders list a refund.',
      ({ customer }) => customer?.refunds,
    ),
  ),
  customer_alerts: called(
    'earlier alerts of the customer',
    number(
      'How many alerts there were about the customer’s other orders.',
      ({ customer }) => customer?.alerts,
    ),
  ),
  customer_fraud_notices: called(
    'fraud notices of the customer',
    number(
      'How many fraud notices, not revoked, there were about the customer’s other orders.',
      ({ customer }) => customer?.fraudNotices,
    ),
  ),
  customer_blocked: flag(
    'The customer is on our list of blocked customers.',
    ({ customer }) => customer?.blocked,
  ),
};
