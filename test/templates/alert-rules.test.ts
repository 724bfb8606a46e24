/**
 * Guarantee: each alert rule fires for what it is about and for nothing else, told by a process that has just
 * begun too, and no rule asks for the increase of a figure that the database holds.
 *
 * Prometheus itself judges, by `promtool` (Debian's package `prometheus`); without it that test is left out.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { spawnSync } from '../support/child-process.ts';

const folder = new URL('../../templates/deployment/monitoring/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const { groups } = parse(read('rules.yaml'));
const rules: readonly { readonly alert: string; readonly expr: string }[] = groups[0].rules;

interface Expected {
  readonly alertname: string;
  readonly exp_alerts?: readonly unknown[];
}
const cases: readonly Expected[] = parse(read('rules.test.yaml')).tests.flatMap(
  ({ alert_rule_test }: { readonly alert_rule_test: readonly Expected[] }) => alert_rule_test,
);

const promtool = (...words: readonly string[]): { status: number | null; text: string } => {
  const { status, stdout, stderr } = spawnSync('promtool', words, {
    cwd: fileURLToPath(folder),
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, text: `${stdout}${stderr}` };
};
const isInstalled = promtool('--version').status === 0;
const NOTE = isInstalled ? '' : ' (left out: promtool is not installed)';

describe('the alert rules', () => {
  it.each(rules.map(({ alert }) => alert))(
    '%s has a case in which it fires, and one in which it does not',
    (alert) => {
      const own = cases.filter(({ alertname }) => alertname === alert);
      expect(own.filter(({ exp_alerts: fired = [] }) => fired.length > 0)).not.toEqual([]);
      expect(own.filter(({ exp_alerts: fired = [] }) => fired.length === 0)).not.toEqual([]);
    },
  );

  it('ask for the increase of what a process counts only, its first value included', () => {
    const increases = rules.flatMap(({ expr }) => [
      ...expr.matchAll(/(?:increase|rate|delta)\((\w+)/g),
    ]);
    expect(increases.map(([, name]) => name)).toEqual([
      'forestall_events_refused_total',
      'forestall_events_refused_total',
    ]);
    for (const { expr } of rules) {
      if (expr.includes('increase(')) expect(expr).toMatch(/unless last_over_time\(.*offset 15m\)/);
    }
  });

  it.skipIf(!isInstalled)(`do what their cases say, by promtool${NOTE}`, () => {
    const { status, text } = promtool('test', 'rules', 'rules.test.yaml');
    expect(text).toContain('SUCCESS');
    expect(status, text).toBe(0);
  });
});
