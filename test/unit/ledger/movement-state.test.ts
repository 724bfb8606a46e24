/**
 * Guarantee: a movement's and a case's moves are those of the design, written down here a second time by
 * hand, and nothing else.
 */
import { describe, expect, it } from 'vitest';
import {
  CASE_STATES,
  CASE_TRANSITIONS,
  isCaseState,
  isTerminal,
  mayCaseBecome,
} from '../../../src/alerts/cases/case-state.ts';
import type { MovementState } from '../../../src/alerts/ledger/movement-state.ts';
import {
  IN_FLIGHT,
  isSameTry,
  MAY_HAVE_EXECUTED,
  MOVEMENT_TRANSITIONS,
  mayMovementBecome,
} from '../../../src/alerts/ledger/movement-state.ts';

const MOVEMENT_STATES = Object.keys(MOVEMENT_TRANSITIONS) as MovementState[];

/** From the design of the charge ledger: what each state of ours may become, sorted. */
const MOVEMENT_MOVES = {
  CONFIRMED: 'REVERSED',
  HUMAN: 'CONFIRMED PENDING REJECTED',
  NOT_SENT: 'SENT',
  PENDING: 'CONFIRMED HUMAN REJECTED',
  REJECTED: 'CONFIRMED PENDING SENT',
  REVERSED: '',
  SENT: 'CONFIRMED NOT_SENT PENDING REJECTED UNKNOWN',
  UNKNOWN: 'CONFIRMED HUMAN PENDING REJECTED SENT',
};

const CASE_MOVES = {
  AMBIGUOUS:
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT HUMAN MATCHED RECONCILED_RDR UNMATCHED',
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
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECIDED_REFUND DECLARE_REFUND MATCHED RECONCILED_RDR',
  MATCHED:
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECIDED_REFUND HUMAN RECONCILED_RDR',
  RECEIVED: 'AMBIGUOUS CLOSED_INVALID CLOSED_REMOTE HUMAN MATCHED RECONCILED_RDR UNMATCHED',
  RECONCILED_RDR: '',
  REFUNDING:
    'CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT DECLARE_ACCEPT DECLARE_REFUND HUMAN',
  UNMATCHED:
    'AMBIGUOUS CLOSED_INVALID CLOSED_REMOTE CONFLICT DECIDED_ACCEPT HUMAN MATCHED RECONCILED_RDR',
};

describe('a movement of ours', () => {
  it.each(Object.entries(MOVEMENT_MOVES))('%s may become: %s', (from, to) => {
    const moves = MOVEMENT_STATES.filter((state) =>
      mayMovementBecome(from as MovementState, state),
    );
    expect(moves.sort().join(' ')).toBe(to);
  });

  it('has no other states', () => {
    expect([...MOVEMENT_STATES].sort()).toEqual(Object.keys(MOVEMENT_MOVES).sort());
  });

  it('may have executed from its sending on, until it is known not to have (L1, L5)', () => {
    expect([...MAY_HAVE_EXECUTED].sort()).toEqual([
      'CONFIRMED',
      'HUMAN',
      'PENDING',
      'SENT',
      'UNKNOWN',
    ]);
  });

  it('is in flight until the processor has answered; a pending one is not (L2)', () => {
    expect([...IN_FLIGHT].sort()).toEqual(['HUMAN', 'SENT', 'UNKNOWN']);
  });

  it('counts its attempts on while its key is being tried, and again otherwise', () => {
    const trying = new Set<MovementState>(['SENT', 'UNKNOWN']);
    for (const from of MOVEMENT_STATES) {
      for (const to of MOVEMENT_STATES) {
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
