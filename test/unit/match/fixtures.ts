/** A plain alert and the charge it is about, to be bent by each test. */
import type { AlertFacts } from '../../../src/alerts/match/alert-facts.ts';
import type { ChargeRecord } from '../../../src/orders/charge-record.ts';

/** 2026-03-10 as a day number: 20522 days after 1970-01-01 (`date -u -d 2026-03-10 +%s` / 86400). */
export const DAY = 20_522;

export const ARN = '74208326069000000000017';

export function alertFacts(over: Partial<AlertFacts> = {}): AlertFacts {
  const day = over.day === undefined ? DAY : over.day;
  return {
    alertId: 'netalrt_1',
    reference: null,
    integrationId: null,
    arn: null,
    authorisationCode: null,
    cardBin: '411111',
    cardLast4: '1111',
    cardBrand: 'SCHEME_A',
    amountMinor: 2990,
    currency: 'USD',
    day,
    momentMs: day === null ? null : (day + 0.5) * 86_400_000,
    descriptor: null,
    ...over,
  };
}

export function chargeRecord(over: Partial<ChargeRecord> = {}): ChargeRecord {
  return {
    reference: 'ch_1',
    orderReference: 'order-1',
    integrationId: null,
    source: 'order',
    amountMinor: 2990,
    currency: 'USD',
    authorisedAt: '2026-03-10T09:30:00.000Z',
    settledAt: null,
    authorisationCode: null,
    acquirerReferenceNumber: null,
    cardBin: '411111',
    cardLast4: '1111',
    cardBrand: 'SCHEME_A',
    descriptor: null,
    subscriptionReference: null,
    ...over,
  };
}
