/** Guarantee: metrics are valid Prometheus text, and what nobody measured is absent. */
import { describe, expect, it } from 'vitest';
import { ALL_METRICS } from '../../../src/capabilities/index.ts';
import { renderMetrics } from '../../../src/health/metrics.ts';

describe('renderMetrics', () => {
  it('writes help, type and samples, with labels escaped', () => {
    expect(
      renderMetrics([
        { name: 'forestall_missed_total', value: 2 },
        {
          name: 'forestall_worker_heartbeat_age_seconds',
          labels: { worker: 'a"b\\c\nd', role: 'work' },
          value: 3,
        },
      ]),
    ).toBe(
      [
        '# HELP forestall_missed_total Alerts that ran out without a declared answer. Must stay 0.',
        '# TYPE forestall_missed_total counter',
        'forestall_missed_total 2',
        '# HELP forestall_worker_heartbeat_age_seconds Seconds since each process last reported itself.',
        '# TYPE forestall_worker_heartbeat_age_seconds gauge',
        'forestall_worker_heartbeat_age_seconds{worker="a\\"b\\\\c\\nd",role="work"} 3',
        '',
      ].join('\n'),
    );
  });

  it('leaves out what has no sample', () => {
    expect(renderMetrics([{ name: 'forestall_inbox_waiting', value: 0 }])).not.toContain('missed');
  });

  it.each(Object.entries(ALL_METRICS))(
    '%s is named and described as the format wants',
    (name, facts) => {
      expect(name).toMatch(/^forestall_[a-z_]+$/);
      expect(facts.help).toMatch(/^[A-Z][^\n\\]+\.$/);
      // Prometheus reserves the suffix for counters.
      expect(name.endsWith('_total')).toBe(facts.type === 'counter');
    },
  );

  it('writes a histogram as buckets, sum and count', () => {
    const name = 'forestall_answer_headroom_seconds';
    const text = renderMetrics([
      { name, series: '_bucket', labels: { le: '+Inf' }, value: 2 },
      { name, series: '_sum', value: 7_200 },
      { name, series: '_count', value: 2 },
    ]);
    expect(text.split('\n').slice(1)).toEqual([
      `# TYPE ${name} histogram`,
      `${name}_bucket{le="+Inf"} 2`,
      `${name}_sum 7200`,
      `${name}_count 2`,
      '',
    ]);
  });
});
