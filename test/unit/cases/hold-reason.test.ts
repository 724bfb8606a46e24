/** Guarantee: whatever holds a case, the operator reads a sentence and never a bare code. */
import { describe, expect, it } from 'vitest';
import { HOLD_REASONS, holdSentence } from '../../../src/alerts/cases/hold-reason.ts';
import { POLICY_ERROR, POLICY_REVIEW } from '../../../src/alerts/decide/decision.ts';
import { FRAME_GUARDS } from '../../../src/alerts/decide/guards.ts';
import { MONEY_GUARDS } from '../../../src/alerts/decide/money-guards.ts';

describe('hold reasons', () => {
  const codes = [...FRAME_GUARDS, ...MONEY_GUARDS].map(({ name }) => name);

  it.each([...codes, POLICY_ERROR, POLICY_REVIEW])('%s has a sentence', (code) => {
    expect(holdSentence(code)).not.toBe(code);
  });

  it('are sentences', () => {
    for (const sentence of Object.values(HOLD_REASONS)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});
