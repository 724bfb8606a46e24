/** Guarantee: a person names money that the ledger cannot place only by its own reference, only where it is through and answers nothing yet (A1, A3, A6). */
import { describe, expect, it } from 'vitest';
import type { Movement } from '../../../src/alerts/ledger/ledger.ts';
import { namedBefore, networkNamed, withoutMoney } from '../../../src/alerts/review/older-money.ts';
import { disputeOfId, ledgerOf, movementOf, RAISED_AT_MS } from '../ledger/fixtures.ts';

const DISPUTE = disputeOfId('dsp_1', { amountMinor: 2000 });
const of = (movements: readonly Movement[]) => ledgerOf({ movements, disputes: [DISPUTE] });

describe('money from before the complaint', () => {
  const before = movementOf({ amountMinor: 2500, movedAtMs: RAISED_AT_MS - 1 });
  const named = (movement: Movement, reference = 're_1') =>
    namedBefore(of([movement]), DISPUTE, reference);

  it('is named by its reference, however that is written', () => {
    expect(named(before)).toBe(before);
    expect(named(before, ' re_1 ')).toBe(before);
    expect(named(before, 're_2')).toBeUndefined();
  });

  it.each<[string, Partial<Movement>]>([
    ['that answers a complaint already', { covers: [{ disputeId: 'dsp_0', amountMinor: 1 }] }],
    ['that is pending', { state: 'PENDING' }],
    ['that came to nothing', { state: 'REVERSED' }],
    ['of after the complaint', { movedAtMs: RAISED_AT_MS }],
    ['that a person said', { observedFrom: 'operator:ada' }],
    ['without a reference', { reference: null }],
  ])('is none %s', (_what, over) => {
    expect(named({ ...before, ...over })).toBeUndefined();
  });

  it('is the one of several that is named', () => {
    const other = { ...before, id: 'mv_2', reference: 're_2' };
    expect(namedBefore(of([before, other]), DISPUTE, 're_2')).toBe(other);
  });

  it('is not named by nothing', () => {
    expect(named({ ...before, reference: null }, 'x')).toBeUndefined();
  });
});

describe('the network’s money in another currency', () => {
  const rdr = movementOf({
    kind: 'network',
    currency: 'GBP',
    disputeId: 'dsp_1',
    alertId: 'netalrt_9',
    observedFrom: 'network',
  });
  const named = (movement: Movement, reference = 'netalrt_9') =>
    networkNamed(of([movement]), DISPUTE, reference);

  it('is named by its alert', () => {
    expect(named(rdr)).toBe(rdr);
    expect(named(rdr, 'netalrt_8')).toBeUndefined();
  });

  it.each<[string, Partial<Movement>]>([
    ['of another complaint', { disputeId: 'dsp_2' }],
    ['in the charge’s own currency', { currency: 'EUR' }],
    ['that nobody knows to have moved', { state: 'PENDING' }],
    ['of somebody else', { kind: 'external' }],
  ])('is none %s', (_what, over) => {
    expect(named({ ...rdr, ...over })).toBeUndefined();
  });

  it('is the one thing that the ledger then is without', () => {
    const other = movementOf({ id: 'mv_2' });
    const ledger = of([rdr, other]);
    expect(withoutMoney(ledger, rdr)).toEqual({ ...ledger, movements: [other] });
    expect(withoutMoney(ledger, undefined)).toEqual(ledger);
  });
});
