/** What a condition can ask about the customer, out of our own data. */
import { emailKey } from '../alerts/decide/history-facts.ts';
import type { FieldTable } from './field-kinds.ts';
import { between } from './field-kinds.ts';

export const CUSTOMER_FIELDS = {
  customer_known: {
    kind: 'flag',
    label: 'customer known',
    about: 'The order names its customer by account or e-mail.',
    read: ({ customer }) => (customer === undefined ? null : customer !== null),
  },
  customer_account: {
    kind: 'text',
    label: 'customer account',
    about: 'The customer’s account id.',
    read: ({ customer }) => customer?.accountId ?? null,
  },
  customer_email: {
    kind: 'text',
    label: 'customer e-mail',
    about:
      'The customer’s e-mail address. Only whole addresses can be compared: no other form is kept.',
    keyOf: emailKey,
    read: ({ customer }) => customer?.emailHash ?? null,
  },
  email_domain: {
    kind: 'text',
    label: 'e-mail domain',
    about: 'What follows the @ of the customer’s e-mail address.',
    read: ({ customer }) => customer?.emailDomain ?? null,
  },
  customer_age: {
    kind: 'duration',
    label: 'time as a customer',
    about: 'Time since the customer’s first order with us.',
    read: ({ now, customer }) => between(customer?.firstOrderAt, now),
  },
  customer_orders: {
    kind: 'number',
    label: 'other orders of the customer',
    about: 'How many other orders we hold of the customer (counted up to 500).',
    read: ({ customer }) => customer?.orders ?? null,
  },
  customer_refunds: {
    kind: 'number',
    label: 'refunded orders of the customer',
    about: 'How many of the customer’s other orders list a refund.',
    read: ({ customer }) => customer?.refunds ?? null,
  },
  customer_alerts: {
    kind: 'number',
    label: 'earlier alerts of the customer',
    about: 'How many alerts there were about the customer’s other orders.',
    read: ({ customer }) => customer?.alerts ?? null,
  },
  customer_fraud_notices: {
    kind: 'number',
    label: 'fraud notices of the customer',
    about: 'How many fraud notices, not revoked, there were about the customer’s other orders.',
    read: ({ customer }) => customer?.fraudNotices ?? null,
  },
  customer_blocked: {
    kind: 'flag',
    label: 'customer blocked',
    about: 'The customer is on our list of blocked customers.',
    read: ({ customer }) => customer?.blocked ?? null,
  },
} as const satisfies FieldTable;
