/** Guarantee: the cluster bench runs what people copy, and its judgement misses nothing. The cluster itself is no test. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { AlertBook } from './books.ts';
import { judge, longestPause } from './books.ts';
import {
  etcdYaml,
  haproxyCfg,
  patroniYaml,
  pgbouncerIni,
  replaced,
  roleChangeSh,
  userList,
} from './configuration.ts';
import { findPrograms, installText } from './packages.ts';
import type { ClusterPlan } from './plan.ts';
import { planCluster } from './plan.ts';
import type { Run } from './report.ts';
import { isGood, tableOf } from './report.ts';

const TEMPLATES = new URL('../../templates/deployment/', import.meta.url);

const alert = (fields: Partial<AlertBook> = {}): AlertBook => ({
  id: 'netalrt_1',
  createdMs: 0,
  amountMinor: 500,
  refunds: [{ atMs: 10, amountMinor: 500 }],
  answers: [{ atMs: 20, action: 'REFUND' }],
  ...fields,
});
const GOOD = { lost: [], refundedTwice: [], falseAnswers: [], unanswered: [] };
const refund = { atMs: 10, amountMinor: 500 };
const answer = { atMs: 20, action: 'REFUND' };

describe('the judgement', () => {
  it('finds nothing where each alert was refunded, then answered once', () => {
    expect(judge({ alerts: [alert()], taken: ['evt_1'] }, new Set(['evt_1']))).toEqual(GOOD);
  });

  it('names a delivery that was answered 200 and is not stored', () => {
    const { lost } = judge({ alerts: [], taken: ['evt_1', 'evt_2'] }, new Set(['evt_1']));
    expect(lost).toEqual(['evt_2']);
  });

  it.each([
    ['refundedTwice', { refunds: [refund, refund] }],
    ['unanswered', { answers: [] }],
    ['falseAnswers', { refunds: [] }],
    ['falseAnswers', { refunds: [{ atMs: 21, amountMinor: 500 }] }],
    ['falseAnswers', { refunds: [{ atMs: 10, amountMinor: 499 }] }],
    ['falseAnswers', { answers: [answer, answer] }],
    ['falseAnswers', { answers: [{ atMs: 20, action: 'ACCEPT_DISPUTE' }] }],
  ] as const)('names an alert under %s', (list, fields) => {
    const wrong = judge({ alerts: [alert(fields)], taken: [] }, new Set());
    expect(wrong).toEqual({ ...GOOD, [list]: ['netalrt_1'] });
  });

  it('measures the longest time without a refund, at both ends too', () => {
    const at = (...moments: number[]): readonly AlertBook[] =>
      moments.map((atMs) => alert({ refunds: [{ atMs, amountMinor: 500 }] }));
    expect(longestPause({ alerts: at(90, 130, 100, 400), taken: [] }, 100, 200)).toBe(70);
    expect(longestPause({ alerts: at(190), taken: [] }, 100, 200)).toBe(90);
    expect(longestPause({ alerts: [], taken: [] }, 100, 200)).toBe(100);
  });
});

describe('the report', () => {
  const round = { kind: 'killed', pauseMs: 20_000, takenOverMs: 12_000 };
  const run: Run = {
    rounds: [round, { ...round, pauseMs: 31_000 }, { ...round, pauseMs: 22_000 }],
    verdict: GOOD,
    alerts: 60,
    taken: 70,
    refused: 3,
    reinitialised: 0,
  };

  it('shows the median and the worst', () => {
    expect(isGood(run)).toBe(true);
    expect(tableOf(run)).toMatch(/^killed +3 +12\.0 +12\.0 +22\.0 +31\.0 +0$/m);
  });

  const wrong: readonly (readonly [string, Partial<Run>])[] = [
    ['no round', { rounds: [] }],
    ['a round that went wrong', { rounds: [{ ...round, problem: 'no primary' }] }],
    ...Object.keys(GOOD).map((list) => [list, { verdict: { ...GOOD, [list]: ['one'] } }] as const),
  ];
  it.each(wrong)('is not good with %s', (_what, fields) => {
    expect(isGood({ ...run, ...fields })).toBe(false);
  });
});

describe('the configuration', () => {
  const read = (path: string): string => readFileSync(new URL(path, TEMPLATES), 'utf8');

  it('is the template but for what is this run’s own', async () => {
    const plan: ClusterPlan = await planCluster('/run/here', async () => 4_711);
    const [node] = plan.nodes;
    if (node === undefined) throw new Error('no node');
    const pairs = [
      ['patroni/etcd.yaml', etcdYaml(plan, 2)],
      ['patroni/pgbouncer.ini', pgbouncerIni(plan)],
      ['patroni/userlist.txt', userList(plan)],
      ['high-availability/haproxy.cfg', haproxyCfg(plan)],
      ['high-availability/patroni.yaml', patroniYaml(plan, node)],
      ['high-availability/on-role-change.sh', roleChangeSh(plan, node)],
    ] as const;
    for (const [path, made] of pairs) {
      const settings = made
        .split('\n')
        .filter((line) => !/^\s*[#;]/.test(line))
        .join('\n');
      expect(settings, path).not.toMatch(/\.internal|replace-me|\/etc\/|\/var\//);
      // One line more: Patroni's own ways to etcd.
      const lines = made.replace('  use_proxies: true\n', '').split('\n');
      const template = read(path).split('\n');
      expect(lines.length, path).toBe(template.length);
      const changed = template.filter((line, place) => line !== lines[place]);
      const own =
        /internal|:5432|:8008|:2379|:2380|6432|10\.0\.0\.0|replace-me|\/(etc|var|usr|dev)\/|name: |127\.0\.0\.1/;
      expect(
        changed.filter((line) => !own.test(line)),
        path,
      ).toEqual([]);
    }
    expect(parse(patroniYaml(plan, node)).bootstrap.dcs.synchronous_mode_strict).toBe(true);
  });

  it('refuses a template that lacks what is to be replaced', () => {
    expect(() => replaced('port: 1', [['name: ', 'x']])).toThrow('"name: "');
  });
});

describe('the programs', () => {
  it('are named by their packages where none is installed', () => {
    const found = findPrograms({ folders: [], servers: [] });
    if (!('missing' in found)) throw new Error('found some');
    expect(found.missing).toEqual([
      'etcd-server',
      'haproxy',
      'patroni',
      'pgbouncer',
      'postgresql',
      'util-linux',
    ]);
    expect(installText(found.missing)).toContain(
      'apt-get install --no-install-recommends etcd-server haproxy patroni pgbouncer postgresql util-linux',
    );
  });

  it('are all needed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'forestall-programs-'));
    const names = [
      ...['etcd', 'haproxy', 'patroni', 'pgbouncer', 'setpriv', 'postgres', 'pg_rewind', 'psql'],
    ];
    try {
      for (const name of names) writeFileSync(join(folder, name), '');
      const places = { folders: [folder], servers: [folder] };
      expect(findPrograms(places)).toEqual({ missing: ['postgresql'] });
      writeFileSync(join(folder, 'pg_basebackup'), '');
      expect(findPrograms(places)).toMatchObject({ server: folder, etcd: join(folder, 'etcd') });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
