/** Guarantee: a payment's n-th request has one key, everywhere and in every release, and no other request has it. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { movementKey, nextRound } from '../../../src/alerts/ledger/movement-key.ts';

const CHARGE = { organisationId: 'org_1', chargeReference: 'ch_1' };

describe('the key', () => {
  // A release that derives another one refunds again what an older one has refunded.
  it('is the digest of the organisation, the charge and the round', () => {
    const digest = createHash('sha256').update('["org_1","ch_1","2"]').digest('hex');
    expect(movementKey(CHARGE, 2)).toBe(`fst_${digest.slice(0, 40)}`);
  });

  it('is another one for another organisation, charge or round', () => {
    const keys = [
      movementKey(CHARGE, 1),
      movementKey(CHARGE, 2),
      movementKey({ ...CHARGE, organisationId: 'org_2' }, 1),
      movementKey({ ...CHARGE, chargeReference: 'ch_2' }, 1),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('the next round', () => {
  it.each<[string, [round: number, wasSent: boolean][], number]>([
    ['is the first', [], 1],
    ['is the one after what was sent', [[1, true]], 2],
    [
      'is above every key that may have left',
      [
        [3, true],
        [1, true],
      ],
      4,
    ],
    [
      'uses the key again that never left',
      [
        [1, true],
        [2, false],
      ],
      2,
    ],
  ])('%s', (_name, rounds, expected) => {
    expect(nextRound(rounds.map(([round, wasSent]) => ({ round, wasSent })))).toBe(expected);
  });
});
