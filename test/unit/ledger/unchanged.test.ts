/** Guarantee: a reading is passed over as no news only where the ledger, its alerts and the people have nothing to learn of it. */
import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/alerts/ledger/ledger.ts';
import { movementKey } from '../../../src/alerts/ledger/movement-key.ts';
import type { Compared } from '../../../src/alerts/ledger/unchanged.ts';
import { changesNothing } from '../../../src/alerts/ledger/unchanged.ts';
import type { ProcessorCharge } from '../../../src/service/wire/processor.ts';
import {
  alertOf,
  chargeOf,
  disputeOfId,
  ledgerOf,
  movementOf,
  oursOf,
  refundOf,
} from './fixtures.ts';

const CHARGE = { organisationId: 'org_1', chargeReference: 'ch_1' };
const OWN = refundOf({ idempotencyKey: 'fst_1' });

/** Our refund of the whole charge, booked for its dispute. */
const BOOKED = ledgerOf({ movements: [oursOf('dsp_1')], disputes: [disputeOfId('dsp_1')] });

/** Whether it is no news: the processor lists our refund, unless bent. */
function isNoNews(
  ledger: Partial<Ledger> = {},
  shown: Partial<ProcessorCharge> = {},
  over: Partial<Compared> = {},
): boolean {
  return changesNothing(
    { ...BOOKED, isDisputed: false, ...ledger },
    {
      charge: CHARGE,
      shown: chargeOf({ refunds: [OWN], ...shown }),
      samePart: 'REVIEW',
      ...over,
    },
  );
}

it('is a charge that is shown as it is booked', () => {
  expect(isNoNews()).toBe(true);
  expect(isNoNews({ isDisputed: true }, { disputed: true })).toBe(true);
});

describe('is none that shows', () => {
  it.each<[string, Partial<ProcessorCharge>]>([
    ['another status', { status: 'authorised' }],
    ['another amount', { amountMinor: 5001 }],
    ['another currency', { currency: 'USD' }],
    ['a dispute', { disputed: true }],
    ['our refund on its way', { refunds: [{ ...OWN, status: 'pending' }] }],
    ['somebody else’s refund', { refunds: [OWN, refundOf({ reference: 're_2' })] }],
    [
      'a refund under the next key of ours, which a lost database made',
      {
        refunds: [
          OWN,
          refundOf({ reference: 're_2', idempotencyKey: movementKey(CHARGE, 2), amountMinor: 1 }),
        ],
      },
    ],
  ])('%s', (_name, shown) => {
    expect(isNoNews({}, shown)).toBe(false);
  });

  it('whether there is a dispute, which was not known', () => {
    expect(isNoNews({ isDisputed: null })).toBe(false);
  });
});

describe('an alert of the charge', () => {
  const part = { alertId: 'netalrt_2', amountMinor: 2000 };

  it.each<[string, Partial<Ledger>, boolean]>([
    ['that belongs to a dispute and is in none', { unplaced: [alertOf()] }, false],
    ['that only a person can place', { unplaced: [alertOf(part)] }, true],
    ['that was withdrawn', { unplaced: [alertOf({ status: 'INVALID' })] }, true],
    [
      'that can be placed, beside one that was withdrawn',
      { unplaced: [alertOf({ status: 'INVALID' }), alertOf()] },
      false,
    ],
    [
      'that asks for less than its dispute was about',
      { disputes: [disputeOfId('dsp_1', { alerts: [alertOf(part)] })] },
      false,
    ],
    [
      'whose dispute is about another currency',
      { disputes: [disputeOfId('dsp_1', { currency: 'USD' })] },
      false,
    ],
    [
      'of RDR, whose money follows what the network says',
      {
        disputes: [
          disputeOfId('dsp_1', { alerts: [alertOf(), alertOf({ enrolmentType: 'NETB_RDR' })] }),
        ],
      },
      false,
    ],
    [
      'of RDR in no dispute',
      { unplaced: [alertOf({ enrolmentType: 'NETB_RDR', status: 'INVALID' })] },
      false,
    ],
  ])('%s', (_name, ledger, expected) => {
    expect(isNoNews(ledger)).toBe(expected);
  });

  it('that the policy takes for the same complaint is placed', () => {
    const disputed = disputeOfId('dsp_1', { amountMinor: 2000, alerts: [alertOf(part)] });
    const ledger = { disputes: [disputed], unplaced: [alertOf({ ...part, alertId: 'netalrt_3' })] };
    expect(isNoNews(ledger)).toBe(true);
    expect(isNoNews(ledger, {}, { samePart: 'AGAIN' })).toBe(false);
  });
});

describe('is none while', () => {
  it('somebody else’s money could answer a dispute', () => {
    const loose = { movements: [movementOf()] };
    const listed = { refunds: [refundOf()] };
    expect(isNoNews(loose, listed)).toBe(false);
    expect(isNoNews({ ...loose, disputes: [] }, listed)).toBe(true);
  });

  it('more went back than should have', () => {
    const beside = movementOf({ id: 'mv_2', reference: 're_2', amountMinor: 1 });
    const refunds = [OWN, refundOf({ reference: 're_2', amountMinor: 1 })];
    expect(isNoNews({ movements: [oursOf('dsp_1'), beside] }, { refunds })).toBe(false);
  });

  it('another amount went back than we asked for', () => {
    const booked = movementOf({
      id: 'mv_2',
      amountMinor: 4000,
      disputeId: 'dsp_1',
      covers: [{ disputeId: 'dsp_1', amountMinor: 4000 }],
    });
    const refunds = [{ ...OWN, amountMinor: 4000 }];
    const ended = (failureCode: string): Partial<Ledger> => ({
      movements: [oursOf('dsp_1', { state: 'REJECTED', failureCode, covers: [] }), booked],
    });
    expect(isNoNews(ended('another_amount'), { refunds })).toBe(false);
    expect(isNoNews(ended('card_expired'), { refunds })).toBe(true);
  });
});
