/**
 * Guarantee: each way in which service, processor and our rows can disagree about an alert is found,
 * under its own name, and books that agree give nothing.
 */
import { describe, expect, it } from 'vitest';
import type { AlertBooks, BookedRefund } from '../../../src/reconcile/book-comparison.ts';
import { compareBooks } from '../../../src/reconcile/book-comparison.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/refund/processor.ts';

const NOW_MS = Date.parse('2026-03-02T12:00:00Z');
const KEY = 'fst_key';

const CONFIRMED: BookedRefund = {
  id: 'rf_1',
  state: 'CONFIRMED',
  kind: 'refund',
  amountMinor: 2_900,
  externalMinor: 0,
  currency: 'USD',
  processorReference: 're_1',
  networkAlertId: null,
  confirmedAtMs: NOW_MS - 3_600_000,
};

interface Changes {
  readonly books?: Partial<AlertBooks>;
  readonly alert?: Partial<AlertBooks['alert']>;
  readonly refund?: Partial<BookedRefund> | null;
  readonly charge?: Partial<ProcessorCharge> | null;
  readonly refunds?: readonly Partial<ProcessorRefund>[];
}

const OURS = { reference: 're_1', idempotencyKey: KEY } as const;
const THEIRS = { reference: 're_2', idempotencyKey: null } as const;

function refundAt(changes: Partial<ProcessorRefund>): ProcessorRefund {
  return {
    reference: 're_1',
    idempotencyKey: KEY,
    chargeReference: 'ch_1',
    status: 'succeeded',
    failureCode: null,
    amountMinor: 2_900,
    currency: 'USD',
    createdAt: null,
    ...changes,
  };
}

/** A refund of 29.00 USD, declared, at the processor under our key; then the changes. */
function kinds(changes: Changes): string[] | 'undecided' {
  const books: AlertBooks = {
    alertId: 'netalrt_1',
    chargeReference: 'ch_1',
    caseState: 'DECLARED_REFUND',
    isOpen: false,
    declared: 'REFUND',
    refund: changes.refund === null ? undefined : { ...CONFIRMED, ...changes.refund },
    ...changes.books,
    alert: {
      status: 'RESOLVED',
      enrolmentType: 'NETA_ALERT',
      refundOutcome: 'REFUNDED',
      amountMinor: 2_900,
      currency: 'USD',
      ...changes.alert,
    },
  };
  const charge: ProcessorCharge = {
    reference: 'ch_1',
    status: 'captured',
    amountMinor: 9_900,
    currency: 'USD',
    refundableMinor: 0,
    disputed: false,
    authorisedAt: null,
    cardBrand: null,
    cardBin: null,
    cardLast4: null,
    acquirerReferenceNumber: null,
    authorisationCode: null,
    orderReference: null,
    subscriptionReference: null,
    refunds: (changes.refunds ?? [OURS]).map(refundAt),
    ...changes.charge,
  };
  const found = compareBooks(books, {
    charge: changes.charge === null ? undefined : charge,
    ourKeys: [KEY],
    lagMs: 600_000,
    nowMs: NOW_MS,
  });
  return found === 'undecided' ? found : found.map(({ kind, subject }) => `${kind} ${subject}`);
}

const waiting = { caseState: 'HUMAN', isOpen: true, declared: undefined } as const;
const asked = { status: 'ACTION_REQUIRED', refundOutcome: null } as const;
const rdr = { enrolmentType: 'NETB_RDR' } as const;

describe('books that agree', () => {
  it.each<[string, Changes]>([
    ['declared, and refunded at the processor', {}],
    ['pending at the processor', { refunds: [{ ...OURS, status: 'pending' }] }],
    ['ours, known by its reference only', { refunds: [{ ...OURS, idempotencyKey: null }] }],
    [
      'part was refunded before',
      {
        refund: { amountMinor: 1_900, externalMinor: 1_000 },
        refunds: [
          { ...OURS, amountMinor: 1_900 },
          { ...THEIRS, amountMinor: 1_000 },
        ],
      },
    ],
    [
      'the whole charge went back, and the alert is in another currency',
      {
        alert: { currency: 'EUR', amountMinor: 9_500 },
        refund: { amountMinor: 9_900 },
        refunds: [{ ...OURS, amountMinor: 9_900 }],
      },
    ],
    ['a failed attempt of somebody else', { refunds: [OURS, { ...THEIRS, status: 'failed' }] }],
    [
      'the network refunded: its money never shows at the processor',
      {
        refund: { state: 'EXTERNAL', amountMinor: 0, externalMinor: 2_900, networkAlertId: 'rdr' },
        refunds: [],
      },
    ],
    [
      'a released authorisation',
      { charge: { status: 'voided' }, refunds: [], refund: { kind: 'void', amountMinor: 0 } },
    ],
    [
      'an accepted dispute',
      {
        refund: null,
        refunds: [],
        books: { declared: 'ACCEPT_DISPUTE', caseState: 'DECLARED_ACCEPT' },
        alert: { refundOutcome: 'NOT_REFUNDED' },
      },
    ],
    [
      'nobody refunded, nobody answered yet',
      { refund: null, refunds: [], books: waiting, alert: asked },
    ],
    [
      'an unknown charge nobody relied on',
      { charge: null, refund: null, books: waiting, alert: asked },
    ],
    ['an invalid alert', { refund: null, refunds: [], alert: { status: 'INVALID' } }],
    [
      'RDR, and nothing at the processor',
      { refund: null, refunds: [], alert: rdr, books: { declared: undefined } },
    ],
  ])('%s', (_name, changes) => {
    expect(kinds(changes)).toEqual([]);
  });
});

describe('books that differ', () => {
  it.each<[string, Changes, string[]]>([
    ['declared, nothing at the processor', { refunds: [] }, ['declared_without_money case']],
    [
      'resolved in the dashboard as refunded, nothing at the processor',
      { refund: null, refunds: [], books: { declared: undefined, caseState: 'CLOSED_REMOTE' } },
      ['declared_without_money case'],
    ],
    [
      'confirmed with us, not declared, not at the processor',
      {
        refunds: [],
        books: { caseState: 'DECLARE_REFUND', isOpen: true, declared: undefined },
        alert: asked,
      },
      ['refund_not_at_processor case'],
    ],
    [
      'ours failed after it was confirmed',
      { refunds: [{ ...OURS, status: 'failed' }] },
      ['refund_failed_at_processor case'],
    ],
    [
      'money under our key that we call refused',
      {
        refund: { state: 'REJECTED', confirmedAtMs: null },
        books: waiting,
        alert: { ...asked, amountMinor: 9_000 },
      },
      ['refund_not_booked charge'],
    ],
    [
      'money under our key that we do not know',
      { refund: null, books: waiting, alert: { ...asked, amountMinor: 9_000 } },
      ['refund_not_booked charge'],
    ],
    [
      'twice under our key',
      { refunds: [OURS, { ...OURS, reference: 're_3' }] },
      ['refunded_twice charge'],
    ],
    [
      'twice under our key, where our books took the second for somebody else’s',
      {
        refund: { externalMinor: 2_900 },
        refunds: [OURS, { ...OURS, reference: 're_3' }],
      },
      ['refunded_twice charge'],
    ],
    ['ours, and support paid too', { refunds: [OURS, THEIRS] }, ['refunded_twice charge']],
    [
      'more than the charge',
      {
        refund: null,
        refunds: [{ ...THEIRS, amountMinor: 9_901 }],
        books: { declared: undefined },
      },
      ['refunded_twice charge'],
    ],
    [
      'another amount than ours',
      { refunds: [{ ...OURS, amountMinor: 2_950 }] },
      ['refund_amount_differs case'],
    ],
    [
      'another currency than ours',
      { refunds: [{ ...OURS, currency: 'EUR' }] },
      ['refund_amount_differs case'],
    ],
    [
      'declared, but the alert asks for more',
      { alert: { amountMinor: 2_901 } },
      ['refund_amount_differs case'],
    ],
    [
      'declared in another currency, and not all of it',
      { alert: { currency: 'EUR' } },
      ['refund_amount_differs case'],
    ],
    [
      'support refunded while the alert waits',
      { refund: null, refunds: [THEIRS], books: waiting, alert: asked },
      ['refunded_but_open case'],
    ],
    [
      'RDR, and somebody refunded at the processor',
      { refund: null, refunds: [THEIRS], alert: rdr, books: { declared: undefined } },
      ['rdr_and_refund_elsewhere case'],
    ],
    ['declared on a charge the processor does not know', { charge: null }, ['charge_unknown case']],
  ])('%s', (_name, changes, expected) => {
    expect(kinds(changes)).toEqual(expected);
  });
});

describe('money under way', () => {
  it.each(['INTENT', 'SENT', 'UNKNOWN', 'PENDING', 'HUMAN'] as const)(
    'a refund that is %s leaves everything undecided',
    (state) => {
      expect(kinds({ refund: { state, confirmedAtMs: null }, refunds: [] })).toBe('undecided');
    },
  );

  it.each([
    [599_999, 'undecided'],
    [600_000, ['declared_without_money case']],
  ] as const)('a refund confirmed %i ms ago, with a lag of 600 s: %j', (ageMs, expected) => {
    const refund = { confirmedAtMs: NOW_MS - ageMs };
    expect(kinds({ refund, refunds: [] })).toEqual(expected);
  });
});
