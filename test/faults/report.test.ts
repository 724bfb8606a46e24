/** Guarantee: the report names every row once, says why one failed, and is well-formed whatever a failure says. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { restOf, selectCases } from './all-cases.ts';
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
  status: 'held elsewhere',
  tookMs: 0,
  detail: 'no case',
  lookAt: [],
};

const CHECKLIST_IDS = (
  'V1.2.1 V1.2.2 V1.2.4 V1.2.10 V1.3.6 V1.5.3 V2.2.1 V2.3.1 V2.3.5 V2.4.1 V3.3.x V3.4.x V3.5.1 V4.1.4 ' +
  'V6.2.x V7.x V8.2.1 V11.2.4 V12.3.2 V13.2.2 V13.4.x V14.2.1 V15.3.2 V15.3.3 V16.2.5 V16.5.3 V16.5.4 API10'
).split(' ');

describe('the report', () => {
  it('shows what to look at under a failed case, and how to run it again', () => {
    expect(textLine(FAILED)).toContain('look at logs: /tmp/x');
    const summary = textSummary([FAILED, LEFT], FACTS);
    expect(summary).toContain('0 passed, 1 failed, 1 held elsewhere, in 1.0 min');
    expect(summary).toContain('Not driven here: F45');
    expect(summary).toContain('npm run faults -- --only F46');
  });

  it('fits into 80 columns, and loses nothing by it', () => {
    const json = JSON.stringify({ rows: Array.from({ length: 40 }, (_, index) => index) });
    const long = { ...FAILED, title: 'a title '.repeat(20).trim(), lookAt: [json] };
    const text = textLine(long);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text.replaceAll(/\s/g, '')).toContain(json);
    expect(text.match(/title/g)).toHaveLength(20);
  });

  it('as JUnit escapes what XML cannot carry, and counts', () => {
    const xml = junit([FAILED, LEFT], FACTS);
    expect(xml).toContain('tests="2" failures="1" skipped="1" time="61.000"');
    expect(xml).toContain('1 &lt; 2 &amp; &quot;quoted&quot; [31m');
    expect(xml).toContain('<skipped message="no case"/>');
  });

  it('says what was skipped and why, and does not count it as passed', () => {
    const detail = 'skipped: no PostgreSQL with pg_basebackup is installed here';
    const skipped: CaseResult = { ...LEFT, id: 'HA1', status: 'skipped', detail };
    expect(textLine(skipped)).toContain(detail);
    expect(textSummary([skipped], FACTS)).toContain(
      '0 passed, 0 failed, 0 held elsewhere, 1 skipped',
    );
    expect(junit([skipped], FACTS)).toContain('tests="1" failures="0" skipped="1"');
  });

  it('as JSON holds every result', () => {
    expect(JSON.parse(json([FAILED, LEFT], FACTS))).toMatchObject({
      tookMs: 61_000,
      results: [{ id: 'F46', status: 'failed' }, { id: 'F45' }],
    });
  });
});

describe('the catalogue', () => {
  it('has every row S01–S34 and F01–F97 once', () => {
    const wanted = [
      ...Array.from({ length: 34 }, (_, index) => `S${String(index + 1).padStart(2, '0')}`),
      ...Array.from({ length: 97 }, (_, index) => `F${String(index + 1).padStart(2, '0')}`),
    ];
    const ids = CATALOGUE.map(({ id }) => id);
    expect(ids.filter((id) => /^[SF]\d\d$/.test(id)).sort()).toEqual(wanted.sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is driven whole: each row has a case of its own or another row’s, and each case a row', () => {
    const cases = new Set(selectCases({ quick: false }).cases.map(({ id }) => id));
    // I1-I4 is what every run checks over all of its cases.
    const drivers = new Set([...cases, 'I1-I4']);
    const idle = CATALOGUE.filter(({ id, drivenBy }) => !drivers.has(drivenBy ?? id));
    expect(idle.map(({ id }) => id)).toEqual([]);
    expect(CATALOGUE.filter(({ id, drivenBy }) => cases.has(id) && drivenBy)).toEqual([]);
    const ids = new Set(CATALOGUE.map(({ id }) => id));
    expect([...cases].filter((id) => !ids.has(id))).toEqual([]);
    expect(new Set(restOf([]).map(({ status }) => status))).toEqual(new Set(['not selected']));
  });

  it('has every row of the checklist', () => {
    const ids = CATALOGUE.map(({ id }) => id).filter((id) => /^V|^API/.test(id));
    // Section 4 of the catalogue, each row by the first number it names; V16.5.4 stands apart here.
    expect(ids).toEqual(CHECKLIST_IDS);
  });

  it('has a test of that name for each row that starts the suite', () => {
    const suite = selectCases({ quick: false }).cases.filter(({ place }) => place === 'suite');
    expect(suite.map(({ id }) => id)).toEqual(['F40']);
    const source = readFileSync(new URL('./cases/handlers.ts', import.meta.url), 'utf8');
    const [, file = ''] = /const file = '([\w./-]+)'/.exec(source) ?? [];
    const url = new URL(`../${file}`, import.meta.url);
    expect(existsSync(url)).toBe(true);
    expect(readFileSync(url, 'utf8')).toMatch(/it\(`[^`]*\(F40\)`/);
  });
});

describe('choosing', () => {
  it('by a row that another row’s case drives, and reports it by that case', () => {
    const { cases, unknown } = selectCases({ only: ['F69'], quick: false });
    expect([cases.map(({ id }) => id), unknown]).toEqual([['F68'], []]);
    const of = (status: CaseResult['status']): unknown =>
      restOf([{ ...FAILED, id: 'F68', status }]).find(({ id }) => id === 'F69')?.status;
    expect([of('passed'), of('failed')]).toEqual(['passed', 'failed']);
    const rest = restOf([]);
    expect(rest.find(({ id }) => id === 'F46')?.status).toBe('not selected');
  });

  it('by every row there is, so that nothing is left to others', () => {
    const only = CATALOGUE.map(({ id }) => id);
    expect(selectCases({ only, quick: false }).unknown).toEqual([]);
    const { cases } = selectCases({ only: ['F40', 'F62', 'V7.x', 'V1.2.10'], quick: false });
    expect(cases.map(({ id }) => id).sort()).toEqual(['F40', 'F62', 'V1.2.10', 'V7.x']);
  });

  it('by id, and names ids that no case has', () => {
    const { cases, unknown } = selectCases({ only: ['F46', ' S12', 'F99'], quick: false });
    expect(cases.map(({ id }) => id).sort()).toEqual(['F46', 'S12']);
    expect(unknown).toEqual(['F99']);
  });
});
