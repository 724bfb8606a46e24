/** Guarantee: the live view says where a case stands and why, within the terminal's width. */
import { describe, expect, it } from 'vitest';
import { CASE_STATES } from '../../../src/alerts/cases/case-state.ts';
import type { CaseView } from '../../../src/people/cli/live/describe-case.ts';
import { describeCase } from '../../../src/people/cli/live/describe-case.ts';

const view: CaseView = {
  alert_id: 'netalrt_1',
  state: 'DECLARED_REFUND',
  opened_at: new Date('2026-11-20T12:00:01.000Z'),
  changed_at: new Date('2026-11-20T12:00:02.300Z'),
  deadline_at: new Date('2026-11-22T12:00:00.000Z'),
  hold_reason: null,
  fallback_action: null,
  fallback_at: null,
  missed_at: null,
  amount_minor: 12_990,
  currency: 'USD',
  card_last4: '4242',
  match_outcome: 'single',
  match_tier: 'arn',
  sentence: 'Refund in full: rule "small amounts".',
  refund_state: 'CONFIRMED',
  refund_key: 'fst_1',
  refund_reference: 're_1',
};

describe('describeCase', () => {
  it('shows a refund that was declared', () => {
    expect(describeCase(view, 80)).toEqual({
      settled: true,
      lines: [
        '12:00:01  netalrt_1  129.90 USD  card ····4242  resolved in 1.3 s',
        '          received → matched → decided → refunded → declared REFUND',
        '          Refund in full: rule "small amounts".',
      ],
    });
  });

  it('says when somebody else had refunded', () => {
    const { lines } = describeCase({ ...view, refund_key: null }, 80);
    expect(lines[1]).toContain('already refunded → declared REFUND');
  });

  it('says what a held case falls back to and when', () => {
    const held = describeCase(
      {
        ...view,
        state: 'HUMAN',
        match_outcome: 'several',
        sentence: 'Two charges match.',
        fallback_action: 'ACCEPT_DISPUTE',
        fallback_at: new Date('2026-11-22T06:00:00Z'),
      },
      100,
    );
    expect(held.settled).toBe(true);
    expect(held.lines[1]).toBe('          received → several charges match → held for review');
    expect(held.lines[2]).toBe(
      '          Two charges match. Without a decision it becomes ACCEPT_DISPUTE at 2026-11-22 06:00 UTC.',
    );
  });

  it('breaks a long sentence between words', () => {
    const sentence =
      'Refund 29.00 USD in full: rule "small amounts" applies, because the amount is at most 50.00 USD.';
    const { lines } = describeCase({ ...view, sentence }, 80);
    expect(lines.slice(2)).toEqual([
      '          Refund 29.00 USD in full: rule "small amounts" applies, because the',
      '          amount is at most 50.00 USD.',
    ]);
  });

  it('shouts when a deadline was missed', () => {
    const { lines } = describeCase({ ...view, state: 'HUMAN', missed_at: new Date() }, 80);
    expect(lines[2]).toContain('MISSED');
  });

  it.each(CASE_STATES)('stays within 60 columns in state %s', (state) => {
    const { lines } = describeCase({ ...view, state, sentence: 'x'.repeat(300) }, 60);
    expect(lines.length).toBeLessThanOrEqual(5);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });
});
