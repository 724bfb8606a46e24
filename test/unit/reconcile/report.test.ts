/** Guarantee: a report whose terms do not make the whole says so, in the sum that is wrong. */
import { describe, expect, it } from 'vitest';
import type { ReportFigures } from '../../../src/alerts/reconcile/report.ts';
import { findMismatches, makeReport } from '../../../src/alerts/reconcile/report.ts';

const WELL: ReportFigures = {
  events: { received: 10, applied: 7, quarantined: 2, waiting: 1 },
  alerts: { actionable: 9, resolved: 5, inReview: 2, underWay: 1, missed: 1, networkRefunds: 4 },
  money: [
    {
      currency: 'USD',
      refunds: 3,
      refundedMinor: 6_000,
      declaredMinor: 3_000,
      findingsMinor: 2_000,
      underWayMinor: 1_000,
      seenAtProcessorMinor: 6_000,
    },
  ],
  compared: { alerts: 5, unread: 0 },
  orders: { created: 1, differing: 0 },
  findings: { opened: 0, closed: 0, open: 0, listed: [] },
  unknown: [],
};

describe('findMismatches', () => {
  it('finds none where the terms make the whole', () => {
    expect(findMismatches(WELL)).toEqual([]);
    const report = makeReport({ from: 'a', to: 'b' }, new Date(0), WELL);
    expect(report).toMatchObject({ addsUp: true, madeAt: '1970-01-01T00:00:00.000Z' });
  });

  it.each(['received', 'applied', 'quarantined', 'waiting'] as const)(
    'events: %s off by one',
    (term) => {
      const events = { ...WELL.events, [term]: WELL.events[term] + 1 };
      const found = findMismatches({ ...WELL, events });
      expect(found.map(({ total }) => total)).toEqual(['events']);
      expect(makeReport({ from: 'a', to: 'b' }, new Date(0), { ...WELL, events }).addsUp).toBe(
        false,
      );
    },
  );

  it.each(['actionable', 'resolved', 'inReview', 'underWay', 'missed'] as const)(
    'alerts: %s off by one',
    (term) => {
      const alerts = { ...WELL.alerts, [term]: WELL.alerts[term] - 1 };
      expect(findMismatches({ ...WELL, alerts }).map(({ total }) => total)).toEqual(['alerts']);
    },
  );

  it.each(['refundedMinor', 'declaredMinor', 'findingsMinor', 'underWayMinor'] as const)(
    'money: %s off by one, in one currency of two',
    (term) => {
      const [usd] = WELL.money;
      const eur = { ...usd!, currency: 'EUR', [term]: usd![term] + 1 };
      const [found, ...others] = findMismatches({ ...WELL, money: [usd!, eur] });
      expect(found).toMatchObject({ total: 'money', evidence: { currency: 'EUR' } });
      expect(others).toEqual([]);
    },
  );
});
