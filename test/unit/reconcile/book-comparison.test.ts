/**
 * Guarantee: each way in which service, processor and our rows can disagree about an alert is found,
 * under its own name, and books that agree give nothing.
 */
import { describe, expect, it } from 'vitest';
import type { Ledger, Movement } from '../../../src/alerts/ledger/ledger.ts';
import type { AlertBooks } from '../../../src/alerts/reconcile/alert-books.ts';
import { compareBooks } from '../../../src/alerts/reconcile/book-comparison.ts';
import type { ProcessorCharge, ProcessorRefund } from '../../../src/service/wire/processor.ts';
import { chargeOf } from '../ledger/fixtures.ts';

const NOW_MS = Date.parse('2026-03-02T12:00:00Z');
const KEY = 'fst_key';
/** The key that a next refund of ours would carry. */
const NEXT_KEY = 'fst_key_2';

const CONFIRMED: Movement = {
  id: 'mv_1',
  kind: 'refund',
  state: 'CONFIRMED',
  version: 1,
  disputeId: 'dsp_1',
  alertId: 'netalrt_1',
  key: KEY,
  round: 1,
  amountMinor: 2_900,
  currency: 'USD',
  reference: 're_1',
  observedFrom: null,
  failureCode: null,
  failureClass: null,
  wasSent: true,
  processor: null,
  movedAtMs: NOW_MS,
  covers: [{ disputeId: 'dsp_1', amountMinor: 2_900 }],
};

/** Somebody else’s refund, as a reading booked it. */
const BOOKED: Movement = {
  ...CONFIRMED,
  id: 'mv_2',
  kind: 'external',
  disputeId: null,
  alertId: null,
  key: null,
  reference: 're_2',
  observedFrom: 'processor',
  covers: [],
};

const NETWORK: Movement = {
  ...BOOKED,
  id: 'mv_rdr',
  kind: 'network',
  disputeId: 'dsp_1',
  alertId: 'rdr_1',
  reference: null,
  observedFrom: 'rdr_1',
};

/** Our refund of another complaint on the same charge. */
const OTHER: Movement = {
  ...CONFIRMED,
  id: 'mv_9',
  disputeId: 'dsp_2',
  alertId: 'netalrt_2',
  key: 'fst_other',
  reference: 're_9',
  covers: [{ disputeId: 'dsp_2', amountMinor: 2_900 }],
};

interface Changes {
  readonly books?: Partial<Omit<AlertBooks, 'alert' | 'ledger'>>;
  readonly alert?: Partial<AlertBooks['alert']>;
  readonly refund?: Partial<Movement> | null;
  /** Movements beside ours. */
  readonly beside?: readonly Movement[];
  readonly disputes?: Ledger['disputes'];
  readonly charge?: Partial<ProcessorCharge> | null;
  readonly refunds?: readonly Partial<ProcessorRefund>[];
}

const OURS = { reference: 're_1', idempotencyKey: KEY } as const;
const ANOTHER = { reference: 're_9', idempotencyKey: 'fst_other' } as const;
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
    createdAt: '2026-03-02T12:00:00Z',
    ...changes,
  };
}

/** An alert that stands. */
const ALERT = {
  alertId: 'netalrt_other',
  caseState: 'MATCHED',
  enrolmentType: 'NETA_ALERT',
  status: 'ACTION_REQUIRED',
  amountMinor: 2_900,
  currency: 'USD',
  isAccepted: false,
  despiteMinor: 0,
  isRefundDeclared: false,
  isToBeRefunded: false,
  raisedAtMs: 0,
};

function dispute(id: string, amountMinor: number): Ledger['disputes'][number] {
  return { id, amountMinor, currency: 'USD', alerts: [ALERT] };
}

/** A refund of 29.00 USD, declared, at the processor under our key; then the changes. */
function kinds(changes: Changes): string[] | 'undecided' {
  const own = changes.refund === null ? [] : [{ ...CONFIRMED, ...changes.refund }];
  const books: AlertBooks = {
    alertId: 'netalrt_1',
    chargeReference: 'ch_1',
    caseState: 'DECLARED_REFUND',
    isOpen: false,
    declared: 'REFUND',
    disputeId: 'dsp_1',
    movementId: own[0]?.id ?? null,
    confirmedAtMs: NOW_MS - 3_600_000,
    ...changes.books,
    ledger: {
      chargeReference: 'ch_1',
      status: 'captured',
      amountMinor: 9_900,
      currency: 'USD',
      isDisputed: null,
      readAtMs: 0,
      movements: [...own, ...(changes.beside ?? [])],
      disputes: changes.disputes ?? [dispute('dsp_1', 2_900)],
      unplaced: [],
      networkInDoubt: null,
      acceptanceInDoubt: null,
    },
    alert: {
      status: 'RESOLVED',
      enrolmentType: 'NETA_ALERT',
      refundOutcome: 'REFUNDED',
      amountMinor: 2_900,
      currency: 'USD',
      ...changes.alert,
    },
  };
  const charge = chargeOf({
    amountMinor: 9_900,
    currency: 'USD',
    refundableMinor: 0,
    refunds: (changes.refunds ?? [OURS]).map(refundAt),
    ...changes.charge,
  });
  const found = compareBooks(books, {
    charge: changes.charge === null ? undefined : charge,
    ourKeys: [KEY, NEXT_KEY],
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
        refund: { amountMinor: 1_900, covers: [{ disputeId: 'dsp_1', amountMinor: 1_900 }] },
        beside: [
          { ...BOOKED, amountMinor: 1_000, covers: [{ disputeId: 'dsp_1', amountMinor: 1_000 }] },
        ],
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
        refund: { amountMinor: 9_900, covers: [{ disputeId: 'dsp_1', amountMinor: 9_900 }] },
        disputes: [dispute('dsp_1', 9_900)],
        refunds: [{ ...OURS, amountMinor: 9_900 }],
      },
    ],
    ['a failed attempt of somebody else', { refunds: [OURS, { ...THEIRS, status: 'failed' }] }],
    [
      'the network refunded: its money never shows at the processor',
      {
        refund: null,
        beside: [NETWORK],
        refunds: [],
      },
    ],
    [
      'a released authorisation',
      {
        charge: { status: 'voided' },
        refunds: [],
        refund: { kind: 'void', amountMinor: 0, covers: [] },
      },
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
        refund: { state: 'REJECTED' },
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
        beside: [{ ...BOOKED, reference: 're_3' }],
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
    [
      'RDR that is booked, and somebody refunded the same at the processor',
      {
        refund: null,
        beside: [NETWORK],
        refunds: [THEIRS],
        alert: rdr,
        books: { alertId: 'rdr_1', declared: undefined },
      },
      ['rdr_and_refund_elsewhere case'],
    ],
    ['declared on a charge the processor does not know', { charge: null }, ['charge_unknown case']],
  ])('%s', (_name, changes, expected) => {
    expect(kinds(changes)).toEqual(expected);
  });
});

describe('money under way', () => {
  it.each(['SENT', 'UNKNOWN', 'PENDING', 'HUMAN'] as const)(
    'a refund that is %s leaves everything undecided',
    (state) => {
      expect(kinds({ refund: { state }, refunds: [] })).toBe('undecided');
    },
  );

  it.each([
    [599_999, 'undecided'],
    [600_000, ['declared_without_money case']],
  ] as const)('a refund confirmed %i ms ago, with a lag of 600 s: %j', (ageMs, expected) => {
    const books = { confirmedAtMs: NOW_MS - ageMs };
    expect(kinds({ books, refunds: [] })).toEqual(expected);
  });
});

describe('several complaints about one charge', () => {
  const two = [dispute('dsp_1', 2_900), dispute('dsp_2', 2_900)];

  it('each with a refund of its own agree', () => {
    expect(kinds({ beside: [OTHER], disputes: two, refunds: [OURS, ANOTHER] })).toEqual([]);
  });

  it('the second declared with the first one’s money is found', () => {
    const none = { refund: null, beside: [OTHER], disputes: two, refunds: [ANOTHER] };
    expect(kinds({ ...none, books: { movementId: 'mv_9' } })).toEqual([
      'declared_without_money case',
    ]);
  });

  it('a part for the second is another amount, although the charge gave back enough', () => {
    const part = { amountMinor: 1_000, covers: [{ disputeId: 'dsp_1', amountMinor: 1_000 }] };
    const refunds = [{ ...OURS, amountMinor: 1_000 }, ANOTHER];
    expect(kinds({ refund: part, beside: [OTHER], disputes: two, refunds })).toEqual([
      'refund_amount_differs case',
    ]);
  });

  it('support’s refund of the other complaint is nothing paid twice', () => {
    const refunds = [OURS, { ...THEIRS, amountMinor: 2_900 }];
    expect(kinds({ disputes: two, refunds })).toEqual([]);
    expect(kinds({ disputes: two, refunds: [OURS, { ...THEIRS, amountMinor: 2_901 }] })).toEqual([
      'refunded_twice charge',
    ]);
  });

  it.each(['SENT', 'UNKNOWN', 'PENDING', 'HUMAN'] as const)(
    'a refund of the other one that is %s hides nothing about this one',
    (state) => {
      const beside = [{ ...OTHER, state }];
      expect(kinds({ beside, disputes: two, refunds: [] })).toEqual([
        'declared_without_money case',
      ]);
    },
  );

  it('a key that never left and is used by the next refund is that refund’s', () => {
    const unsent = { ...CONFIRMED, id: 'mv_0', state: 'NOT_SENT', wasSent: false } as const;
    expect(kinds({ beside: [unsent] })).toEqual([]);
  });

  it('money under the next key, which no row knows, is found', () => {
    const refunds = [OURS, { reference: 're_4', idempotencyKey: NEXT_KEY }];
    expect(kinds({ disputes: two, refunds })).toEqual(['refund_not_booked charge']);
  });
});

describe('the network’s own refund', () => {
  it('that was taken back answers nothing: declared with it, and nothing moved', () => {
    const withdrawn = { ...NETWORK, state: 'REVERSED', amountMinor: 0 } as const;
    const covered = { ...withdrawn, covers: [{ disputeId: 'dsp_1', amountMinor: 2_900 }] };
    for (const movement of [withdrawn, covered]) {
      const books = { movementId: 'mv_rdr' };
      expect(kinds({ refund: null, beside: [movement], refunds: [], books })).toEqual([
        'declared_without_money case',
      ]);
    }
  });

  it('of one complaint and support’s of another are nothing paid twice', () => {
    const disputes = [dispute('dsp_1', 2_900), dispute('dsp_2', 2_900)];
    const changes = { refund: null, beside: [NETWORK], disputes, refunds: [THEIRS], alert: rdr };
    expect(kinds({ ...changes, books: { alertId: 'rdr_1', declared: undefined } })).toEqual([]);
  });

  it('of another complaint answers nothing here', () => {
    const elsewhere = { ...NETWORK, disputeId: 'dsp_2' };
    const disputes = [dispute('dsp_1', 2_900), dispute('dsp_2', 2_900)];
    expect(kinds({ refund: null, beside: [elsewhere], disputes, refunds: [] })).toEqual([
      'declared_without_money case',
    ]);
  });
});

describe('an alert that nobody has placed in a dispute', () => {
  const unplaced = { disputeId: null } as const;

  it('is answered by money that answers nothing else', () => {
    const refund = { disputeId: null, covers: [] };
    expect(kinds({ refund, disputes: [], books: unplaced })).toEqual([]);
  });

  it('is not answered by another complaint’s money', () => {
    const disputes = [dispute('dsp_2', 2_900)];
    const none = { refund: null, beside: [OTHER], disputes, refunds: [ANOTHER] };
    expect(kinds({ ...none, books: unplaced })).toEqual(['declared_without_money case']);
  });
});

it('a refund of ours that was reversed has a finding of its own', () => {
  const refunds = [{ ...OURS, status: 'failed' }] as const;
  expect(kinds({ refund: { state: 'REVERSED' }, refunds })).toEqual([]);
});
