/** Guarantee: a person reads the whole report: every term of every sum, what is wrong, and what to do. */
import { describe, expect, it } from 'vitest';
import type { ReportFigures } from '../../../src/alerts/reconcile/report.ts';
import { makeReport } from '../../../src/alerts/reconcile/report.ts';
import { showReport } from '../../../src/surface/terminal/report-text.ts';

const FIGURES: ReportFigures = {
  events: { received: 21, applied: 18, quarantined: 2, waiting: 1 },
  alerts: { actionable: 8, resolved: 5, inReview: 1, underWay: 1, missed: 1, networkRefunds: 3 },
  money: [
    {
      currency: 'JPY',
      refunds: 2,
      refundedMinor: 9_000,
      declaredMinor: 5_000,
      findingsMinor: 4_000,
      underWayMinor: 0,
      seenAtProcessorMinor: 9_000,
    },
  ],
  compared: { alerts: 7, unread: 1 },
  orders: { created: 12, differing: 1 },
  findings: {
    opened: 2,
    closed: 1,
    open: 1,
    listed: [
      {
        kind: 'refunded_twice',
        severity: 'error',
        subject: 'charge',
        subjectId: 'ch_1',
        openedAt: '2026-03-01T00:00:00.000Z',
        ageHours: 5,
        repair: null,
        nextStep: 'Compare the refunds.',
      },
    ],
  },
  unknown: ['Enrolments are known from webhooks only.'],
};

const PERIOD = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
const MADE = new Date('2026-03-02T03:17:00Z');

describe('showReport', () => {
  it('shows sums that come out', () => {
    expect(showReport(makeReport(PERIOD, MADE, FIGURES)).split('\n')).toEqual([
      'From 2026-03-01T00:00:00.000Z to 2026-03-02T00:00:00.000Z, made 2026-03-02T03:17:00.000Z.',
      '',
      'Events   21 received = 18 applied + 2 quarantined + 1 waiting',
      'Alerts   8 actionable = 5 resolved + 1 in review + 1 under way + 1 missed (and 3 refunded by the network)',
      'Money    9000 JPY refunded (2) = 5000 JPY declared + 4000 JPY in findings + 0 JPY under way; the processor shows 9000 JPY',
      'Compared 7 alerts with the processor, 1 could not be read',
      'Orders   12 held by the service, 1 with another content',
      'Findings 2 opened, 1 closed, 1 open now',
      '',
      'The totals add up.',
      '',
      'Open findings, the worst first:',
      '  error refunded_twice, charge ch_1, for 5 h. Compare the refunds.',
      '',
      'Not known:',
      '  Enrolments are known from webhooks only.',
    ]);
  });

  it('shouts about sums that do not', () => {
    const events = { ...FIGURES.events, received: 22 };
    const text = showReport(makeReport(PERIOD, MADE, { ...FIGURES, events, money: [] }));
    expect(text).toContain('THE TOTALS DO NOT ADD UP:\n  22 events were received, but 18 applied');
    expect(text).toContain('Money    nothing was refunded');
  });
});
