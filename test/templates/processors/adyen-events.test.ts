/**
 * Guarantee: every notification that Adyen publishes about captures, refunds and disputes is understood as Adyen
 * describes it: https://docs.adyen.com/development-resources/webhooks/webhook-types
 */
import { describe, expect, it } from 'vitest';
import { chargeOf } from '../../../templates/processors/adyen/notifications.ts';
import { notification } from './fakes/adyen-fake.ts';

const PAYMENT = '9913140798220028';
const authorised = notification('AUTHORISATION', { pspReference: PAYMENT });
const amount = (value: number) => ({ amount: { currency: 'EUR', value } });
const of = (eventCode: string, pspReference: string, fields: object = {}) =>
  notification(eventCode, { pspReference, originalReference: PAYMENT, ...fields });

function read(items: readonly unknown[], capture: 'automatic' | 'manual' = 'automatic') {
  const charge = chargeOf(PAYMENT, [authorised, ...items], capture);
  if (charge === null || typeof charge === 'string') throw new Error(String(charge));
  return charge;
}

describe('an authorisation that has expired', () => {
  const expired = notification('EXPIRE', { pspReference: PAYMENT });

  it('is void where nothing was captured', () => {
    expect(read([expired], 'manual')).toMatchObject({ status: 'voided', refundableMinor: 0 });
  });

  it('stays captured where a part was', () => {
    const part = of('CAPTURE', 'C1', amount(290));
    expect(read([part, expired], 'manual')).toMatchObject({
      status: 'captured',
      amountMinor: 290,
      refundableMinor: 290,
    });
  });
});

describe('an adjusted authorisation', () => {
  const adjusted = of('AUTHORISATION_ADJUSTMENT', 'J1', {
    ...amount(1200),
    eventDate: '2026-09-22T10:00:00+02:00',
  });
  const lowered = of('AUTHORISATION_ADJUSTMENT', 'J2', {
    ...amount(800),
    eventDate: '2026-09-23T10:00:00+02:00',
  });

  it.each([
    ['raised', [adjusted], 1200],
    ['raised, then lowered', [lowered, adjusted], 800],
  ])('that was %s is worth its last amount', (_what, items, amountMinor) => {
    expect(read(items, 'manual')).toMatchObject({ status: 'authorised', amountMinor });
    expect(read(items, 'automatic')).toMatchObject({ status: 'captured', amountMinor });
  });

  it('counts no more once it is captured', () => {
    const captured = of('CAPTURE', 'C1', amount(1100));
    expect(read([adjusted, captured], 'manual')).toMatchObject({ amountMinor: 1100 });
  });
});

describe('a refund', () => {
  const postponed = of('POSTPONED_REFUND', 'R1', { ...amount(400), merchantReference: 'fst_1' });
  const done = of('REFUND', 'R1', { ...amount(400), merchantReference: 'fst_1' });
  const voiding = notification('VOID_PENDING_REFUND', {
    pspReference: 'V1',
    originalReference: 'R1',
    ...amount(400),
  });

  it('that waits for the capture is pending, and its money is not there any more', () => {
    const charge = read([postponed]);
    expect(charge.refunds).toMatchObject([
      { reference: 'R1', idempotencyKey: 'fst_1', status: 'pending', failureCode: null },
    ]);
    expect(charge.refundableMinor).toBe(600);
  });

  it('that was made then is one refund, whichever notification came first', () => {
    for (const items of [
      [postponed, done],
      [done, postponed],
    ]) {
      const charge = read(items);
      expect(charge.refunds).toMatchObject([{ reference: 'R1', status: 'succeeded' }]);
      expect(charge.refundableMinor).toBe(600);
    }
  });

  it.each([
    ['pending', postponed],
    ['confirmed', done],
  ])('that was %s and is voided has failed for good: its money is there', (_what, refund) => {
    const charge = read([refund, voiding]);
    expect(charge.refunds).toMatchObject([
      { reference: 'R1', status: 'failed', failureCode: 'voided', failureClass: 'final' },
    ]);
    expect(charge.refundableMinor).toBe(1000);
  });

  it('stands where voiding it failed, or concerns another one', () => {
    const failed = { ...voiding, success: 'false' };
    const other = { ...voiding, originalReference: 'R9' };
    for (const item of [failed, other]) {
      expect(read([done, item])).toMatchObject({ refundableMinor: 600 });
    }
  });
});

// What is taken cannot be refunded as well; what is open can, and stands as disputed.
describe('a dispute', () => {
  it.each([
    [['NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK', 'CHARGEBACK_REVERSED'], false, 1000],
    [['CHARGEBACK', 'CHARGEBACK_REVERSED', 'PREARBITRATION_OPEN'], true, 1000],
    [['CHARGEBACK_REVERSED', 'PREARBITRATION_OPEN', 'PREARBITRATION_ACCEPTED'], true, 0],
    [['CHARGEBACK_REVERSED', 'PREARBITRATION_OPEN', 'PREARBITRATION_DECLINED'], true, 1000],
    [['PREARBITRATION_OPEN', 'PREARBITRATION_ISSUER_WITHDRAWN'], false, 1000],
    [['PREARBITRATION_DECLINED', 'SCHEME_ARBITRATION'], true, 1000],
    [['SCHEME_ARBITRATION', 'SCHEME_ARBITRATION_LOST'], true, 0],
    [['SCHEME_ARBITRATION', 'SCHEME_ARBITRATION_WON'], false, 1000],
    [['SECOND_CHARGEBACK', 'PREARBITRATION_WON'], false, 1000],
    [['SECOND_CHARGEBACK', 'PREARBITRATION_LOST'], true, 0],
    [['CHARGEBACK_REVERSED', 'ISSUER_RESPONSE_TIMEFRAME_EXPIRED'], false, 1000],
    [['CHARGEBACK', 'DISPUTE_DEFENSE_PERIOD_ENDED'], true, 0],
    [['CHARGEBACK', 'INFORMATION_SUPPLIED'], true, 0],
    [['REQUEST_FOR_INFORMATION'], false, 1000],
    [['NOTIFICATION_OF_FRAUD'], false, 1000],
    [['AN_EVENT_OF_TOMORROW'], false, 1000],
  ])('%j: disputed %s, %i left', (codes, disputed, refundableMinor) => {
    const items = codes.map((code, day) =>
      of(code, 'D1', { eventDate: `2026-09-2${day + 2}T10:00:00+02:00` }),
    );
    expect(read(items)).toMatchObject({ disputed, refundableMinor });
  });
});
