/** Guarantee: what is owed without an alert of the service is told from an alert, stays owed after its day, and a deadline is the service's where it says one. */
import { describe, expect, it } from 'vitest';
import type { RemoteAlert } from '../../../src/alerts/cases/alert-service.ts';
import {
  CLAIM_IDS,
  claimSourceOf,
  deadlineMsOf,
  endOf,
  isClaimId,
  isOver,
} from '../../../src/alerts/cases/claim.ts';

const DEADLINE = new Date('2026-03-03T08:00:00Z');
const of = (alert_id: string) => ({ alert_id, deadline_at: DEADLINE });
const at = (ms: number) => new Date(DEADLINE.getTime() + ms);

describe('a claim', () => {
  it.each([
    ['netalrt_claim_1', true],
    ['netalrt_1', false],
    ['netalrt_claim', false],
    ['x_netalrt_claim_', false],
  ])('%s: %s', (alertId, isClaim) => {
    expect(isClaimId(alertId)).toBe(isClaim);
  });

  it('has one of three sources, and an alert none', () => {
    for (const source of ['FRAUD_WARNING', 'WITHDRAWAL', 'SUPPORT']) {
      expect(claimSourceOf(source)).toBe(source);
    }
    expect(claimSourceOf('NETA_ALERT')).toBeUndefined();
    expect(claimSourceOf(null)).toBeUndefined();
  });

  it('is told in SQL by the same beginning, in which no character stands for another', () => {
    expect(CLAIM_IDS).toBe('netalrt\\_claim\\_%');
  });

  it('ends never, an alert at its deadline, to the millisecond', () => {
    expect(endOf(of('netalrt_1'))).toEqual(DEADLINE);
    expect(endOf(of('netalrt_claim_1'))).toBeNull();
    expect(isOver(of('netalrt_1'), at(-1))).toBe(false);
    expect(isOver(of('netalrt_1'), at(0))).toBe(true);
    expect(isOver(of('netalrt_claim_1'), at(1))).toBe(false);
  });
});

describe('the deadline', () => {
  const stated = (deadlineAt: string | null) =>
    deadlineMsOf({ deadlineAt } as RemoteAlert, { deadline_at: DEADLINE });

  it('is what the service states now, else what was known', () => {
    expect(stated('2026-03-03T09:00:00Z')).toBe(Date.parse('2026-03-03T09:00:00Z'));
    expect(stated(null)).toBe(DEADLINE.getTime());
    expect(stated('soon')).toBe(DEADLINE.getTime());
  });
});
