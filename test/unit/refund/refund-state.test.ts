/**
 * Guarantee: a refund's and a case's moves are those of the design's saga, written down here a second
 * time by hand, and nothing else; what may be declared is what really went back.
 */
import { describe, expect, it } from 'vitest';
import {
  CASE_STATES,
  CASE_TRANSITIONS,
  isCaseState,
  isTerminal,
  mayCaseBecome,
} from '../../../src/cases/case-state.ts';
import type { RefundRow } from '../../../src/refund/refund.store.ts';
import { coversAlert, isDeclarable } from '../../../src/refund/refund-cover.ts';
import type { RefundState } from '../../../src/refund/refund-state.ts';
import {
  isSameTry,
  MONEY_AT_STAKE,
  mayRefundBecome,
  REFUND_TRANSITIONS,
} from '../../../src/refund/refund-state.ts';

const REFUND_STATES = Object.keys(REFUND_TRANSITIONS) as RefundState[];

/** From the design, "The refund saga": what each state may become, sorted. */
const REFUND_MOVES = {
  CONFIRMED: 'REVERSED',
  EXTERNAL: '',
  HUMAN: 'CONFIRMED PENDING REJECTED',
  INTENT: 'EXTERNAL HUMAN REJECTED SENT',
  PENDING: 'CONFIRMED HUMAN REJECTED',
  REJECTED: 'EXTERNAL INTENT',
  REVERSED: '',
  SENT: 'CONFIRMED PENDING REJECTED UNKNOWN',
  UNKNOWN: 'CONFIRMED HUMAN PENDING REJECTED SENT',
};

const CASE_MOVES = {
  AMBIGUOUS: 'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT HUMAN MATCHED UNMATCHED',
  CLOSED_INVALID: '',
  CLOSED_REMOTE: '',
  CONFLICT: '',
  DECIDED_ACCEPT: 'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECLARE_ACCEPT DECLARE_REFUND HUMAN',
  DECIDED_REFUND:
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECLARE_REFUND HUMAN REFUNDING',
  DECLARED_ACCEPT: '',
  DECLARED_REFUND: '',
  DECLARE_ACCEPT: 'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECLARED_ACCEPT HUMAN',
  DECLARE_REFUND: 'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECLARED_REFUND HUMAN',
  HUMAN:
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECIDED_REFUND DECLARE_REFUND MATCHED',
  MATCHED: 'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECIDED_REFUND HUMAN',
  RECEIVED: 'AMBIGUOUS CLOSED_INVALID CLOSED_REMOTE HUMAN MATCHED RECONCILED_RDR UNMATCHED',
  RECONCILED_RDR: '',
  REFUNDING:
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECLARE_ACCEPT DECLARE_REFUND HUMAN',
  UNMATCHED: 'AMBIGUOUS CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT HUMAN MATCHED',
};

describe('a refund', () => {
  it.each(Object.entries(REFUND_MOVES))('%s may become: %s', (from, to) => {
    const moves = REFUND_STATES.filter((state) => mayRefundBecome(from as RefundState, state));
    expect(moves.sort().join(' ')).toBe(to);
  });

  it('has no other states', () => {
    expect([...REFUND_STATES].sort()).toEqual(Object.keys(REFUND_MOVES).sort());
  });

  it('has money at stake from its sending on, until it is known not to have moved (I3)', () => {
    expect([...MONEY_AT_STAKE].sort()).toEqual([
      'CONFIRMED',
      'EXTERNAL',
      'HUMAN',
      'PENDING',
      'SENT',
      'UNKNOWN',
    ]);
  });

  it('counts its attempts on while its key is being tried, and anew otherwise', () => {
    const trying = new Set<RefundState>(['INTENT', 'SENT', 'UNKNOWN']);
    for (const from of REFUND_STATES) {
      for (const to of REFUND_STATES) {
        const goesOn = from === to || (trying.has(from) && trying.has(to));
        expect(isSameTry(from, to), `${from} to ${to}`).toBe(goesOn);
      }
    }
  });
});

describe('a case', () => {
  it.each(Object.entries(CASE_MOVES))('%s may become: %s', (name, to) => {
    const from = CASE_STATES.find((state) => state === name)!;
    const moves = CASE_STATES.filter((state) => state !== from && mayCaseBecome(from, state));
    expect(moves.sort().join(' ')).toBe(to);
    expect(mayCaseBecome(from, from)).toBe(to !== '');
    expect(isTerminal(from)).toBe(to === '');
  });

  it('has no other states', () => {
    expect([...CASE_STATES].sort()).toEqual(Object.keys(CASE_MOVES).sort());
    expect(Object.keys(CASE_TRANSITIONS).sort()).toEqual(Object.keys(CASE_MOVES).sort());
    expect(isCaseState('MATCHED')).toBe(true);
    expect(isCaseState('toString')).toBe(false);
  });
});

describe('what may be declared as refunded', () => {
  const row = (fields: Partial<RefundRow>) =>
    ({ kind: 'refund', amount_minor: 0, external_minor: 0, ...fields }) as RefundRow;

  it.each(REFUND_STATES)('%s', (state) => {
    const stands = state === 'CONFIRMED' || state === 'EXTERNAL';
    expect(isDeclarable(row({ state }), false)).toBe(stands);
    expect(isDeclarable(row({ state }), true)).toBe(stands || state === 'PENDING');
  });

  it.each([
    [{ amount_minor: 5000 }, 5000, true],
    [{ amount_minor: 4999 }, 5000, false],
    [{ amount_minor: 3000, external_minor: 2000 }, 5000, true],
    [{ amount_minor: 3000, external_minor: 1999 }, 5000, false],
    [{ amount_minor: 5000 }, null, false],
    [{ kind: 'void' as const }, 5000, true],
    [{ kind: 'void' as const }, null, true],
  ])('%j covers an alert of %s: %s (I2)', (fields, alertMinor, covers) => {
    expect(coversAlert(row(fields), alertMinor)).toBe(covers);
  });
});
