/**
 * The worlds that are searched: each leaves out what the others hold, so that each can be searched
 * whole.
 */
import type { Scenario } from './scenario.ts';
import { ONE, oneAlert, oneCharge } from './scenario.ts';
import { RIM_SCENARIOS } from './scenarios-rim.ts';

/** The largest first: two processes then end at about the same time. */
export const SCENARIOS = {
  RDR: oneAlert(
    { amount: 4 },
    {
      rdr: 4,
      flips: 2,
      charge: 'order',
      trouble: 1,
      people: 1,
      reaches: ['RDR answers', 'RDR waits, found', 'paid twice and paged', 'ACCEPT declared'],
    },
  ),
  'twins + support': oneCharge([2, 2], 'same', {
    support: 2,
    people: 1,
    reaches: ['one refund, two answers', 'paid twice and paged'],
  }),
  twins: oneCharge([2, 2], 'same', {
    workers: 2,
    trouble: 1,
    people: 1,
    reaches: [
      'one refund, two answers',
      'request in HUMAN',
      'NOT_SENT by the cap',
      'ACCEPT declared',
    ],
  }),
  'parts 1, 2': oneCharge([1, 2], 'own', {
    trouble: 1,
    people: 1,
    reaches: ['two refunds, two disputes', 'all answered', 'missed and paged'],
  }),
  'twins, two persons': oneCharge([2, 2], 'same', { people: 2, reaches: ['all answered'] }),
  'three alerts': {
    ...oneCharge([], 'same', { reaches: ['all answered', 'two refunds, two disputes'] }),
    alerts: [
      { ...ONE, amount: 1 },
      { ...ONE, amount: 2, joins: 'same' },
      { ...ONE, amount: 2 },
    ],
  },
  'twins, unequal': oneCharge([1, 2], 'same', { people: 1, reaches: ['all answered'] }),
  'twins, more trouble': oneCharge([2, 2], 'same', {
    workers: 2,
    trouble: 4,
    reaches: ['one refund, two answers', 'shrunk and paged'],
  }),
  'twins + support, trouble': oneCharge([2, 2], 'same', {
    support: 2,
    trouble: 1,
    reaches: ['one refund, two answers', 'paid twice and paged', 'ACCEPT declared'],
  }),
  'twins + a part': oneCharge([2, 2], 'same', {
    support: 1,
    trouble: 1,
    reaches: ['all answered', 'paid twice and paged'],
  }),
  'parts 3, 2': oneCharge([3, 2], 'ask', {
    workers: 2,
    trouble: 1,
    people: 1,
    reaches: ['all answered', 'ACCEPT declared'],
  }),
  'parts + support': oneCharge([1, 2], 'own', {
    support: 2,
    reaches: ['two refunds, two disputes', 'paid twice and paged'],
  }),
  'refusing processor': oneCharge([3, 2], 'own', {
    support: 1,
    refusesOver: true,
    reaches: ['REFUND declared', 'ACCEPT declared'],
  }),
  'same part again': oneCharge([2, 2], 'ask', {
    complaints: 'either',
    trouble: 1,
    people: 1,
    reaches: ['one refund, two answers', 'two refunds, two disputes'],
  }),
  withdrawn: oneCharge([2, 2], 'same', {
    withdrawals: 1,
    people: 1,
    reaches: ['REFUND declared', 'withdrawn, its refund NOT_SENT or out'],
  }),
  'withdrawn, trouble': oneCharge([2, 2], 'same', {
    workers: 2,
    withdrawals: 2,
    trouble: 1,
    reaches: ['REFUND declared', 'withdrawn, its refund NOT_SENT or out', 'NOT_SENT by the cap'],
  }),
  'answered elsewhere': oneCharge([2, 2], 'same', {
    workers: 2,
    elsewhere: 1,
    trouble: 1,
    reaches: ['one refund, two answers', 'CONFLICT, paged', 'closed by somebody else'],
  }),
  'two captures': {
    ...oneCharge([], 'own', {
      people: 1,
      reaches: ['two charges refunded', 'all answered'],
    }),
    captured: [3, 2],
    alerts: [
      { ...ONE, amount: 2, charge: 1 },
      { ...ONE, amount: 3 },
    ],
  },
  'captured in part': oneAlert(
    { amount: 6 },
    { workers: 2, shownAsRefund: 4, trouble: 1, people: 1 },
  ),
  'authorised only': oneAlert(
    { amount: 4 },
    {
      workers: 2,
      authorisedOnly: true,
      trouble: 1,
      people: 1,
      reaches: ['REFUND declared', 'released', 'refunded after the capture'],
    },
  ),
  'another currency': oneAlert(
    { amount: 3, otherCurrency: true },
    { ratesPropose: true, support: 3, trouble: 1, people: 1 },
  ),
  'another currency, no rates': oneAlert(
    { amount: 3, otherCurrency: true },
    { support: 3, trouble: 1, people: 1, reaches: ['REFUND declared', 'ACCEPT declared'] },
  ),
  'above the charge': oneAlert({ amount: 5 }, { support: 1, trouble: 1, people: 1 }),
  approvals: oneAlert(
    { amount: 3 },
    {
      approvalAbove: 1,
      support: 1,
      trouble: 1,
      people: 2,
      reaches: ['sent with a second person', 'REFUND declared', 'ACCEPT declared'],
    },
  ),
  'approvals, two disputes': oneCharge([2, 1], 'own', {
    workers: 2,
    approvalAbove: 1,
    people: 1,
    reaches: ['sent with a second person', 'two refunds, two disputes', 'all answered'],
  }),
  'part went back': oneAlert(
    { amount: 4 },
    {
      exception: true,
      support: 2,
      refusesFinally: true,
      acceptAbove: 1,
      people: 2,
      reaches: ['accepted by the exception', 'paid twice and paged'],
    },
  ),
  'more went back': oneAlert(
    { amount: 4 },
    {
      exception: true,
      support: 2,
      rdr: 1,
      flips: 1,
      refusesFinally: true,
      people: 1,
      reaches: ['accepted by the exception', 'paid twice and paged'],
    },
  ),
  chargeback: oneAlert(
    { amount: 4 },
    {
      chargeback: 4,
      support: 1,
      exception: true,
      people: 1,
      reaches: ['charged back, accepted', 'accepted by the exception', 'paid twice and paged'],
    },
  ),
  breaker: oneCharge([1, 2], 'own', {
    breakerAfter: 2,
    people: 1,
    reaches: ['breaker open', 'refunded after the breaker', 'all answered'],
  }),
  'search not answered': oneAlert(
    { amount: 4 },
    { charge: 'search', support: 4, trouble: 1, people: 1 },
  ),
  'RDR without its order': oneAlert(
    { amount: 4 },
    {
      rdr: 4,
      flips: 2,
      rdrWithoutOrder: true,
      people: 1,
      reaches: ['RDR answers', 'RDR waits, found', 'paid twice and paged'],
    },
  ),
  ...RIM_SCENARIOS,
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof SCENARIOS;
