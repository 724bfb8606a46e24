/** Guarantee: a case that has ended stays as it is (I8), and an open one moves only as the table says. */
import { describe, expect, it } from 'vitest';
import type { CaseState } from '../../../src/alerts/cases/case-state.ts';
import {
  CASE_STATES,
  isCaseState,
  isTerminal,
  mayCaseBecome,
} from '../../../src/alerts/cases/case-state.ts';

const OPEN: readonly CaseState[] = [
  'RECEIVED',
  'MATCHED',
  'UNMATCHED',
  'AMBIGUOUS',
  'HUMAN',
  'DECIDED_REFUND',
  'DECIDED_ACCEPT',
  'REFUNDING',
  'DECLARE_REFUND',
  'DECLARE_ACCEPT',
];
const ENDED: readonly CaseState[] = [
  'DECLARED_REFUND',
  'DECLARED_ACCEPT',
  'CLOSED_REMOTE',
  'CLOSED_INVALID',
  'RECONCILED_RDR',
  'CONFLICT',
];

it('every state is open or ended', () => {
  expect([...CASE_STATES].sort()).toEqual([...OPEN, ...ENDED].sort());
  expect(isCaseState('HUMAN')).toBe(true);
  // What every object has is no state.
  expect(isCaseState('toString')).toBe(false);
});

describe.each(ENDED)('%s', (ended) => {
  it('is an end', () => {
    expect(isTerminal(ended)).toBe(true);
    expect(CASE_STATES.filter((to) => mayCaseBecome(ended, to))).toEqual([]);
  });
});

describe.each(OPEN)('%s', (open) => {
  it('continues, may stay, and never goes back to its arrival', () => {
    expect(isTerminal(open)).toBe(false);
    expect(mayCaseBecome(open, open)).toBe(true);
    expect(mayCaseBecome(open, 'RECEIVED')).toBe(open === 'RECEIVED');
  });
});

it('money stands between a decision and its declaration', () => {
  expect(mayCaseBecome('DECIDED_REFUND', 'REFUNDING')).toBe(true);
  expect(mayCaseBecome('DECIDED_REFUND', 'DECLARED_REFUND')).toBe(false);
  expect(mayCaseBecome('REFUNDING', 'DECLARED_REFUND')).toBe(false);
  expect(mayCaseBecome('MATCHED', 'REFUNDING')).toBe(false);
});
