/** Guarantee: the report names every row once, says why one failed, and is well-formed whatever a failure says. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { selectCases } from './all-cases.ts';
import type { CaseResult } from './case.ts';
import { CATALOGUE } from './catalogue.ts';
import { json, junit, textLine, textSummary } from './report.ts';

const FACTS = { version: '1', node: 'v24', startedAt: '2026-11-22T00:00:00Z', tookMs: 61_000 };
const FAILED: CaseResult = {
  id: 'F46',
  title: 'hangs',
  status: 'failed',
  tookMs: 1_234,
  detail: `1 < 2 & "quoted" ${String.fromCharCode(27)}[31m`,
  lookAt: ['logs: /tmp/x', 'case netalrt_1: {}'],
};
const LEFT: CaseResult = {
  id: 'F45',
  title: 'OOM',
  status: 'not covered',
  tookMs: 0,
  detail: 'not covered: no limit',
  lookAt: [],
};

describe('the report', () => {
  it('shows what to look at under a failed case, and how to run it again', () => {
    expect(textLine(FAILED)).toContain('look at logs: /tmp/x');
    const summary = textSummary([FAILED, LEFT], FACTS);
    expect(summary).toContain('0 passed, 1 failed, 1 not covered here, in 61 s');
    expect(summary).toContain('npm run faults -- --only F46');
  });

  it('as JUnit escapes what XML cannot carry, and counts', () => {
    const xml = junit([FAILED, LEFT], FACTS);
    expect(xml).toContain('tests="2" failures="1" skipped="1" time="61.000"');
    expect(xml).toContain('1 &lt; 2 &amp; &quot;quoted&quot; [31m');
    expect(xml).toContain('<skipped message="not covered: no limit"/>');
  });

  it('as JSON holds every result', () => {
    expect(JSON.parse(json([FAILED, LEFT], FACTS))).toMatchObject({
      tookMs: 61_000,
      results: [{ id: 'F46', status: 'failed' }, { id: 'F45' }],
    });
  });
});

describe('the catalogue', () => {
  it('has every row S01–S34 and F01–F90 once', () => {
    const wanted = [
      ...Array.from({ length: 34 }, (_, index) => `S${String(index + 1).padStart(2, '0')}`),
      ...Array.from({ length: 90 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`),
    ];
    const ids = CATALOGUE.map(({ id }) => id);
    expect(ids.filter((id) => /^[SF]\d\d$/.test(id)).sort()).toEqual(wanted.sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has a case for every row that does not say where else it is held, and a row for every case', () => {
    const cases = new Set(selectCases({ quick: false }).cases.map(({ id }) => id));
    const silent = CATALOGUE.filter(
      ({ id, elsewhere }) => elsewhere === undefined && !cases.has(id),
    );
    expect(silent).toEqual([]);
    const ids = new Set(CATALOGUE.map(({ id }) => id));
    expect([...cases].filter((id) => !ids.has(id))).toEqual([]);
  });

  it('names only files that exist', () => {
    const root = new URL('../../', import.meta.url);
    const files = CATALOGUE.flatMap(({ elsewhere }) => elsewhere?.match(/test\/[\w./-]+/g) ?? []);
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) {
      const url = new URL(file.replace(/[.,;:]$/, ''), root);
      expect(() => (file.endsWith('.ts') ? readFileSync(url) : readdirSync(url))).not.toThrow();
    }
  });
});

describe('choosing', () => {
  it('by id, and names ids that no case has', () => {
    const { cases, unknown } = selectCases({ only: ['F46', ' S12', 'F99'], quick: false });
    expect(cases.map(({ id }) => id).sort()).toEqual(['F46', 'S12']);
    expect(unknown).toEqual(['F99']);
  });
});
