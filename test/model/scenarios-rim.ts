/** The worlds at the rim: each is about one thing that is known in part, comes late, or is said amiss. */
import type { Scenario } from './scenario.ts';
import { ONE, oneAlert, oneCharge } from './scenario.ts';

export const RIM_SCENARIOS = {
  'older money, for another': oneAlert(
    { amount: 2 },
    { older: 2, trouble: 1, people: 1, reaches: ['REFUND declared', 'ACCEPT declared'] },
  ),
  'older money, for this one': oneAlert(
    { amount: 2 },
    {
      ...{ older: 2, olderWasForIt: true, trouble: 1, people: 1 },
      reaches: ['older money answers', 'ACCEPT declared'],
    },
  ),
  'weak sign': {
    ...oneCharge([], 'own', {
      ...{ complaints: 'either', trouble: 1, people: 2 },
      reaches: [
        'one refund, two answers',
        'accepted by a sign',
        'ACCEPT declared',
        'told of a candidate first',
      ],
    }),
    alerts: [
      { ...ONE, amount: 4 },
      { ...ONE, amount: 4, joins: 'ask', weak: true },
    ],
    exits: true,
  },
  'late order': oneCharge([4, 4], 'same', {
    ...{ charge: 'order', acceptsUnmatched: true, trouble: 1 },
    reaches: ['one refund, two answers', 'ACCEPT declared', 'accepted, then the order came'],
  }),
  'RDR by a sign': oneAlert(
    { amount: 4 },
    { rdr: 4, flips: 1, rdrSign: true, people: 1, reaches: ['RDR answers', 'RDR waits, found'] },
  ),
  'RDR says too little': oneAlert(
    { amount: 4 },
    { rdr: 4, flips: 2, unsaid: true, trouble: 1, reaches: ['RDR answers', 'REFUND declared'] },
  ),
  'RDR in another currency': oneAlert(
    { amount: 4 },
    { rdr: 4, flips: 1, rdrOtherCurrency: true, people: 1, reaches: ['RDR answers'] },
  ),
  'two words': oneAlert(
    { amount: 3 },
    {
      ...{ approvalAbove: 1, trouble: 1, people: 4, exits: false },
      reaches: ['sent with a second person', 'said by two persons'],
    },
  ),
  'asked in vain': oneAlert(
    { amount: 1 },
    { chargeback: 4, vain: true, people: 1, reaches: ['charged back, accepted'] },
  ),
  'wrong reference': oneCharge([1, 2], 'own', {
    ...{ errs: true, people: 1 },
    reaches: ['two refunds, two disputes', 'all answered'],
  }),
  'corrected alert': oneAlert(
    { amount: 4 },
    { corrections: true, trouble: 1, reaches: ['REFUND declared', 'ACCEPT declared'] },
  ),
  'disputed after the answer': oneAlert(
    { amount: 4 },
    { disputesAfter: true, trouble: 1, reaches: ['disputed, told'] },
  ),
  'captured once more': oneAlert(
    { amount: 5 },
    { capturesMore: 2, trouble: 1, reaches: ['shrunk and paged', 'REFUND declared'] },
  ),
  'another provider': oneAlert(
    { amount: 4 },
    {
      ...{ changesProvider: true, workers: 2, trouble: 1, people: 1 },
      reaches: ['in doubt at another provider', 'REFUND declared'],
    },
  ),
} as const satisfies Record<string, Scenario>;
