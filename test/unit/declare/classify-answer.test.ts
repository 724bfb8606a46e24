/** Guarantee: what an alert shows is read the same way every time, and nothing open is taken for done. */
import { describe, expect, it } from 'vitest';
import type { RemoteAlert } from '../../../src/alerts/cases/alert-service.ts';
import type { AlertMeaning } from '../../../src/alerts/declare/declare-steps.ts';
import { meaningOf } from '../../../src/alerts/declare/declare-steps.ts';

function alertOf(status: string, refundOutcome: string | null): RemoteAlert {
  return {
    id: 'netalrt_1',
    status,
    enrolmentType: 'NETA_ALERT',
    refundOutcome,
    note: null,
    amountMinor: 5000,
    currency: 'EUR',
    deadlineAt: null,
  };
}

describe('what the alert means', () => {
  it.each<[string, string | null, 'REFUND' | 'ACCEPT_DISPUTE', boolean, AlertMeaning]>([
    ['ACTION_REQUIRED', null, 'REFUND', false, 'send'],
    ['ACTION_REQUIRED', null, 'REFUND', true, 'send'],
    ['ACTION_REQUIRED', 'REFUNDED', 'REFUND', true, 'send'],
    ['RESOLVED', 'REFUNDED', 'REFUND', true, 'declared'],
    ['RESOLVED', 'REFUNDED', 'REFUND', false, 'declared'],
    ['RESOLVED', 'NOT_REFUNDED', 'REFUND', true, 'conflict'],
    ['RESOLVED', 'NOT_REFUNDED', 'REFUND', false, 'conflict'],
    ['RESOLVED', null, 'REFUND', true, 'unclear'],
    ['RESOLVED', 'PARTLY', 'REFUND', true, 'unclear'],
    ['RESOLVED', 'NOT_REFUNDED', 'ACCEPT_DISPUTE', true, 'declared'],
    ['RESOLVED', 'NOT_REFUNDED', 'ACCEPT_DISPUTE', false, 'closed_remote'],
    ['RESOLVED', 'REFUNDED', 'ACCEPT_DISPUTE', true, 'conflict'],
    ['RESOLVED', 'REFUNDED', 'ACCEPT_DISPUTE', false, 'closed_remote'],
    ['RESOLVED', null, 'ACCEPT_DISPUTE', true, 'unclear'],
    // INVALID outranks any outcome.
    ['INVALID', 'REFUNDED', 'REFUND', true, 'closed_invalid'],
    ['INVALID', null, 'ACCEPT_DISPUTE', false, 'closed_invalid'],
    ['ESCALATED', 'REFUNDED', 'REFUND', true, 'unclear'],
    ['PENDING', null, 'ACCEPT_DISPUTE', false, 'unclear'],
  ])('%s with %s, we owe %s, sent %s: %s', (status, outcome, action, sent, meaning) => {
    expect(meaningOf(alertOf(status, outcome), action, sent)).toBe(meaning);
  });
});
