/** Guarantee: amounts cross to a provider and back exactly, and every end of a call is distinguished. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { minorUnitDigits } from '../../../src/base/kernel/money.ts';
import { utcMoment } from '../../../src/orders/charge-record.ts';
import { adapterOf } from '../../../src/service/adapter/adapter.ts';
import { fromDecimal, rescale, toDecimal } from '../../../src/service/adapter/amounts.ts';
import { CallFailure } from '../../../src/service/adapter/call-failure.ts';
import { integerAt, textAt, utcAt } from '../../../src/service/adapter/json.ts';
import { outcomeOf } from '../../../src/service/adapter/outcome.ts';
import {
  ANSWER_BYTES_MAX,
  callProvider,
  isRefusal,
} from '../../../src/service/adapter/provider-call.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/service/wire/processor.ts';
import { refundOf } from '../../unit/ledger/fixtures.ts';
import type { FakeAnswer, FakeProvider } from './fakes/fake-provider.ts';
import { serveAnswers } from './fakes/fake-provider.ts';

describe('the refund that an adapter looks up in its charge', () => {
  const request = {
    ...{ idempotencyKey: 'fst_1', chargeReference: 'ch_1', alertId: 'netalrt_1' },
    ...{ reason: 'chargeback_alert', amountMinor: 5000, currency: 'EUR' },
  };
  type Read = NonNullable<Parameters<typeof adapterOf>[0]['readCharge']>;
  const find = (readCharge?: Read, canLookupByReference = true) =>
    adapterOf({
      name: 'Examplepay',
      capabilities: {
        ...{ idempotencyTtlHours: 24, canLookupByReference, lookupLagSeconds: 60 },
        ...{ refusesOverRefund: true, asyncRefunds: true, pendingCounts: false },
        requestLifetimeSeconds: 600,
      },
      open: () => null,
      ...(readCharge === undefined ? {} : { readCharge }),
      refund: () => Promise.resolve(null),
    }).findRefund(request);
  const own = refundOf({ idempotencyKey: 'fst_1' });
  const charge: ProcessorCharge = {
    ...{ reference: 'ch_1', status: 'captured', amountMinor: 5000, currency: 'EUR' },
    ...{ refundableMinor: 0, disputed: false, authorisedAt: null, cardBrand: null, cardBin: null },
    ...{ cardLast4: null, acquirerReferenceNumber: null, authorisationCode: null },
    ...{ orderReference: null, subscriptionReference: null, refunds: [own] },
  };

  it('is found there, and absent where the charge is or lists none', async () => {
    expect(await find(async () => charge)).toEqual({ kind: 'found', value: own });
    expect(await find(async () => ({ ...charge, refunds: [] }))).toEqual({ kind: 'absent' });
    expect(await find(async () => null)).toEqual({ kind: 'absent' });
  });

  it('is not absent while the charge cannot be read: it may have been made', async () => {
    const unread = { kind: 'unavailable', reason: 'the charge is unclear' };
    expect(await find(async () => 'the charge is unclear')).toEqual(unread);
    const failing = () => Promise.reject(new CallFailure('the charge is unclear'));
    expect(await find(failing)).toEqual(unread);
  });

  it('is not offered where nothing is read, or absence proves nothing', async () => {
    expect(await find()).toEqual({ kind: 'not_offered' });
    expect(await find(async () => null, false)).toEqual({ kind: 'not_offered' });
  });
});

describe('a refund that a provider shows', () => {
  const request = {
    idempotencyKey: 'fst_1',
    chargeReference: 'ch_1',
    alertId: 'netalrt_1',
    reason: 'chargeback_alert',
    amountMinor: 5000,
    currency: 'EUR',
  };
  const shown = refundOf({ idempotencyKey: 'fst_1' });

  it.each<[string, Partial<ProcessorRefund>, string]>([
    ['as asked for', {}, 'confirmed'],
    ['without a key', { idempotencyKey: null }, 'confirmed'],
    ['under another key', { idempotencyKey: 'fst_2' }, 'unknown'],
    ['failed under another key', { idempotencyKey: 'fst_2', status: 'failed' }, 'unknown'],
    ['of another charge', { chargeReference: 'ch_2' }, 'unknown'],
    ['of another amount', { amountMinor: 4999 }, 'unknown'],
    ['in another currency', { currency: 'USD' }, 'unknown'],
  ])('%s', (_name, over, kind) => {
    expect(outcomeOf({ ...shown, ...over }, request).kind).toBe(kind);
  });
});

describe('amounts', () => {
  it.each([
    ['USD', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['CLF', 4],
    // Two by ISO 4217, though Intl shows none.
    ['HUF', 2],
    ['IDR', 2],
    ['MGA', 2],
  ])('%s has %i digits', (currency, digits) => {
    expect(minorUnitDigits(currency)).toBe(digits);
  });

  it.each([
    [1, 'USD', '0.01'],
    [100, 'USD', '1.00'],
    [129_90, 'USD', '129.90'],
    [5000, 'JPY', '5000'],
    [1, 'KWD', '0.001'],
    [12_345, 'KWD', '12.345'],
  ])('%i %s is written %s and read back', (amountMinor, currency, text) => {
    expect(toDecimal(amountMinor, currency)).toBe(text);
    expect(fromDecimal(text, currency)).toBe(amountMinor);
  });

  it.each([
    ['10', 'USD', 1000],
    ['10.5', 'USD', 1050],
    ['5000.00', 'JPY', 5000],
    ['10.505', 'USD', null],
    ['10.500', 'USD', 1050],
    ['-1.00', 'USD', null],
    ['1e3', 'USD', null],
    ['1,000.00', 'USD', null],
    [' 1.00', 'USD', null],
    ['', 'USD', null],
    [null, 'USD', null],
  ])('%j %s is read as %s', (text, currency, amountMinor) => {
    expect(fromDecimal(text, currency)).toBe(amountMinor);
  });

  it('are refused where digits would be lost', () => {
    expect(rescale(150, { from: 2, to: 0 })).toBeUndefined();
    expect(rescale(100, { from: 2, to: 0 })).toBe(1);
    expect(rescale(Number.MAX_SAFE_INTEGER, { from: 0, to: 2 })).toBeUndefined();
    expect(toDecimal(-1, 'USD')).toBeUndefined();
  });

  it('survive every crossing', () => {
    const amounts = fc.integer({ min: 1, max: 10_000_000_000 });
    const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF', 'HUF');
    fc.assert(
      fc.property(amounts, currencies, (amountMinor, currency) => {
        expect(fromDecimal(toDecimal(amountMinor, currency) ?? '', currency)).toBe(amountMinor);
      }),
    );
  });
});

describe('JSON', () => {
  const root = { a: { text: 'x', empty: '', number: 1, half: 0.5, list: [1] }, b: null };
  it('reads what is there and of the right type, and nothing else', () => {
    expect(textAt(root, 'a', 'text')).toBe('x');
    expect(textAt(root, 'a', 'empty')).toBeNull();
    expect(textAt(root, 'a', 'number')).toBeNull();
    expect(textAt(root, 'b', 'text')).toBeNull();
    expect(textAt(root, 'a', 'list', '0')).toBeNull();
    expect(integerAt(root, 'a', 'number')).toBe(1);
    expect(integerAt(root, 'a', 'half')).toBeNull();
    expect(integerAt(undefined, 'a')).toBeNull();
    expect(utcAt({ at: '2026-09-21T14:13:20+02:00' }, 'at')).toBe('2026-09-21T12:13:20.000Z');
    expect(utcAt({ at: 'yesterday' }, 'at')).toBeNull();
  });

  it('without a zone are UTC, wherever the machine stands', () => {
    vi.stubEnv('TZ', 'Asia/Kolkata');
    expect(new Date(2026, 0, 1).getTimezoneOffset()).toBe(-330);
    expect(utcAt({ at: '2026-09-21T23:30:00' }, 'at')).toBe('2026-09-21T23:30:00.000Z');
    expect(utcAt({ at: '2026-09-21T23:30:00.1234567' }, 'at')).toBe('2026-09-21T23:30:00.123Z');
    expect(utcAt({ at: '2026-09-21' }, 'at')).toBe('2026-09-21T00:00:00.000Z');
    expect(utcMoment('2026-09-21T23:30:00')).toBe('2026-09-21T23:30:00.000Z');
    vi.unstubAllEnvs();
  });
});

describe('a call', () => {
  const BASE = 'https://provider.example';
  let served: FakeProvider | undefined;
  afterEach(() => {
    served?.stop();
    served = undefined;
  });

  function ask(answer: FakeAnswer, signal?: AbortSignal) {
    served = serveAnswers(BASE, () => answer);
    return callProvider({ method: 'GET', url: `${BASE}/x`, headers: {} }, signal);
  }

  it('ends in an answer when there is a JSON object', async () => {
    expect(await ask({ status: 418, body: { a: 1 } })).toMatchObject({
      kind: 'answer',
      status: 418,
      body: { a: 1 },
    });
    expect(await ask({ status: 204, body: undefined })).toMatchObject({ kind: 'answer', body: {} });
  });

  it.each([
    ['a list', { status: 200, body: [] }, 'HTTP 200 without readable JSON'],
    ['a text', { status: 200, body: 'OK' }, 'HTTP 200 without readable JSON'],
    ['nothing', { status: 200, body: undefined }, 'HTTP 200 without readable JSON'],
    [
      'too much',
      { status: 200, body: { a: 'x'.repeat(ANSWER_BYTES_MAX) } },
      'HTTP 200, answer too large',
    ],
  ])('ends in silence when the answer is %s', async (_what, answer, reason) => {
    expect(await ask(answer)).toEqual({ kind: 'silence', reason });
  });

  it('does not follow a redirect', async () => {
    const headers = { location: `${BASE}/y` };
    expect(await ask({ status: 302, body: { a: 1 }, headers })).toMatchObject({ kind: 'silence' });
    expect(served?.requests).toHaveLength(1);
  });

  it('ends in silence when it is given up', async () => {
    expect(await ask({ status: 200, body: { a: 1 } }, AbortSignal.abort())).toEqual({
      kind: 'silence',
      reason: 'the call was aborted',
    });
  });

  it('never tells what a provider said', async () => {
    const reply = await ask({ status: 200, body: 'card 4111111111111111' });
    expect(JSON.stringify(reply)).not.toContain('4111');
  });

  it.each([
    [200, false],
    [301, false],
    [400, true],
    [401, false],
    [402, true],
    [403, false],
    [404, true],
    [408, false],
    [409, false],
    [422, true],
    [425, false],
    [429, false],
    [499, true],
    [500, false],
    [503, false],
  ])('answered %i is a refusal: %s', (status, refused) => {
    expect(isRefusal(status)).toBe(refused);
  });
});
