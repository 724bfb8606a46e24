/** Guarantee: however many organisations there are, the metrics have a bounded number of series, and hide no trouble. */
import { describe, expect, it } from 'vitest';
import { ALL_METRICS } from '../../../src/capabilities/index.ts';
import type { PartHealth } from '../../../src/health/health.ts';
import type { Measured } from '../../../src/health/installation-metrics.ts';
import {
  installationReceiveSamples,
  installationSamples,
} from '../../../src/health/installation-metrics.ts';
import { renderMetrics } from '../../../src/health/metrics.ts';

const NOW = new Date('2026-03-01T12:00:00Z');

function organisation(name: string, given: Partial<Measured['figures']> = {}): Measured {
  const figures = {
    open: 1,
    reviews: 0,
    nextActAt: null,
    nearestDeadlineAt: null,
    missed: 0,
    lastMissedAt: null,
    errors: 0,
    inboxWaiting: 0,
    ...given,
  };
  const messages = { waiting: 0, oldestSeconds: 0, givenUp: 0, loggedOnly: 0 };
  const recovery = { check: undefined, unchecked: undefined };
  const facts = { inboxWaiting: 2, inboxLagSeconds: 3, lastPollAt: null, messages, recovery };
  return { name, figures, facts: facts as never, health: [] };
}

const failed: PartHealth = {
  name: 'refunding',
  status: 'failed',
  detail: 'stopped',
  nextStep: 'let them go',
};

describe('the metrics of many organisations', () => {
  it('name each one by its path', () => {
    const all = [organisation('brand-a', { open: 4, missed: 1 }), organisation('brand-b')];
    const text = renderMetrics(installationSamples(all, NOW));
    expect(text).toContain('forestall_cases_open{organisation="brand-a"} 4\n');
    expect(text).toContain('forestall_cases_open{organisation="brand-b"} 1\n');
    expect(text).toContain('forestall_missed_total{organisation="brand-a"} 1\n');
    expect(text).not.toContain('organisation="other"');
  });

  it('put those after the first hundred together: counts added up, the worst age and state, the next deadline', () => {
    const others = [
      organisation('brand-101', {
        missed: 2,
        lastMissedAt: new Date('2026-03-01T11:59:00Z'),
        nearestDeadlineAt: new Date('2026-03-01T13:00:00Z'),
      }),
      {
        ...organisation('brand-102', {
          missed: 1,
          lastMissedAt: new Date('2026-02-01T12:00:00Z'),
          nearestDeadlineAt: new Date('2026-03-01T12:01:00Z'),
        }),
        health: [failed],
      },
      { ...organisation('brand-103'), health: [{ ...failed, status: 'ok' as const }] },
    ];
    const first = Array.from({ length: 100 }, (_, index) => organisation(`brand-${index + 1}`));
    const samples = installationSamples([...first, ...others], NOW);
    const names = new Set(samples.map(({ labels }) => labels?.['organisation']));
    expect(names.size).toBe(101);
    const text = renderMetrics(samples);
    expect(text).toContain('forestall_cases_open{organisation="other"} 3\n');
    expect(text).toContain('forestall_missed_total{organisation="other"} 3\n');
    expect(text).toContain('forestall_last_missed_age_seconds{organisation="other"} 60\n');
    expect(text).toContain('forestall_inbox_waiting{organisation="other"} 6\n');
    expect(text).toContain('forestall_inbox_lag_seconds{organisation="other"} 3\n');
    expect(text).toContain('forestall_nearest_deadline_seconds{organisation="other"} 60\n');
    expect(text).toContain('forestall_health{organisation="other",part="refunding"} 2\n');
  });

  it('add up what receivers counted for the others', () => {
    const counts = {
      stored: 5,
      duplicate: 1,
      quarantined: {},
      refused: { signature: 2 },
      ofDoors: [{ name: 'forestall_processor_events_received_total', value: 3 }],
    };
    const named = Array.from({ length: 102 }, (_, index) => [`b${index}`, counts] as const);
    const text = renderMetrics(installationReceiveSamples(named), ALL_METRICS);
    expect(text).toContain('forestall_events_received_total{organisation="b0"} 5\n');
    expect(text).toContain('forestall_events_received_total{organisation="other"} 10\n');
    expect(text).toContain('forestall_processor_events_received_total{organisation="b0"} 3\n');
    expect(text).toContain('forestall_processor_events_received_total{organisation="other"} 6\n');
    expect(text).toContain(
      'forestall_events_refused_total{organisation="other",reason="signature"} 4\n',
    );
  });
});
