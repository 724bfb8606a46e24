/**
 * Guarantee: the rule base says of every number where it was read and how sure it is, its files agree with each other, and
 * what is published for editors is what reads them.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openProgrammes } from '../../../src/capabilities/ratios/monitoring.ts';
import type { Programme } from '../../../src/capabilities/ratios/programme.ts';
import {
  isJudgeable,
  isJudgedIn,
  programmeJsonSchema,
  readProgramme,
} from '../../../src/capabilities/ratios/programme.ts';
import {
  checkRuleBase,
  factsOf,
  programmesOn,
} from '../../../src/capabilities/ratios/rule-base.ts';

const TEMPLATES = new URL('../../../templates/programmes/', import.meta.url);
const PROGRAMMES = openProgrammes(TEMPLATES.pathname);

const HEAD = `scheme: SCHEME_A, per: merchant, base: same, readings: [{name: r, says: r, counts: [fraud]}]`;
const LINE = `{name: l, ratio_percent: 1, confidence: primary, source: s, next_step: n}`;
const file = (text: string): Programme =>
  readProgramme(`{${text}, ${HEAD}, lines: [${LINE}]}`, 'test');

describe('the files that come with Forestall', () => {
  it('name a source and a confidence for every number', () => {
    const facts = PROGRAMMES.flatMap((programme) =>
      factsOf(programme).map((fact) => ({ id: programme.id, ...fact })),
    );
    expect(facts.length).toBeGreaterThan(100);
    expect(facts.filter(({ source, confidence }) => !source || !confidence)).toEqual([]);
  });

  it('agree with each other', () => {
    expect(checkRuleBase(PROGRAMMES)).toEqual({ faults: [], notes: [] });
  });

  it('hold the acquirer’s lines of 2026 and the Merchant Elevated Risk Program, and judge nobody by them', () => {
    const on = (day: string, region: string): string[] =>
      programmesOn(PROGRAMMES, day, region)
        .filter((each) => !isJudgeable(each))
        .map(({ id }) => id);
    expect(on('2025-12-31', 'EU')).toEqual([]);
    expect(on('2026-01-01', 'EU')).toEqual(['vamp-acquirer-2026-01']);
    expect(on('2026-09-30', 'AP')).toEqual(['vamp-acquirer-2026-01']);
    expect(on('2026-10-01', 'AP')).toEqual(['merp-2026-10', 'vamp-acquirer-2026-01']);
    const acquirer = PROGRAMMES.find(({ id }) => id === 'vamp-acquirer-2026-01');
    // 0.50 to 0.70 % above standard, 0.70 % and more excessive.
    expect(acquirer?.lines.map(({ name, ratio_percent }) => [name, ratio_percent])).toEqual([
      ['above standard', 0.5],
      ['excessive', 0.7],
    ]);
  });

  it('are judged by without a region where they are the general ones', () => {
    const judged = (region: string | undefined): string[] =>
      programmesOn(PROGRAMMES, '2026-11-30', region)
        .filter((each) => each.scheme === 'SCHEME_A' && isJudgedIn(each, region))
        .map(({ id }) => id);
    expect(judged(undefined)).toEqual(['vamp-2026-04']);
    expect(judged('CEMEA')).toEqual(['vamp-cemea-2026-04']);
    expect(judged('LAC')).toEqual(['vamp-lac-2026-04']);
  });
});

describe('the schema for editors', () => {
  it('is what reads the files', () => {
    const published: unknown = JSON.parse(
      readFileSync(new URL('programme.schema.json', TEMPLATES), 'utf8'),
    );
    expect(published).toEqual(JSON.parse(JSON.stringify(programmeJsonSchema())));
  });
});

describe('a check of files', () => {
  const A = 'id: a-1, programme: a, name: A';
  it.each([
    [
      'days that meet',
      `${A}, valid_from: 2026-01-01, valid_to: 2026-06-30`,
      'id: a-2, programme: a, name: A, valid_from: 2026-06-30',
      1,
    ],
    [
      'days that do not',
      `${A}, valid_from: 2026-01-01, valid_to: 2026-06-29`,
      'id: a-2, programme: a, name: A, valid_from: 2026-06-30',
      0,
    ],
    [
      'a file without an end',
      `${A}, valid_from: 2026-01-01`,
      'id: a-2, programme: a, name: A, valid_from: 2026-06-30',
      1,
    ],
    [
      'one region and all',
      `${A}, valid_from: 2026-01-01, regions: [EU]`,
      'id: a-2, programme: a, name: A, valid_from: 2026-06-30',
      1,
    ],
    [
      'two regions',
      `${A}, valid_from: 2026-01-01, regions: [EU]`,
      'id: a-2, programme: a, name: A, regions: [US], valid_from: 2026-06-30',
      0,
    ],
    [
      'two programmes',
      `${A}, valid_from: 2026-01-01`,
      'id: b-1, name: B, valid_from: 2026-01-01',
      0,
    ],
  ])('%s', (_name, one, other, faults) => {
    expect(checkRuleBase([file(one), file(other)]).faults).toHaveLength(faults);
  });

  it('says which file, from when, and what to do; and what names no source', () => {
    const { faults, notes } = checkRuleBase([
      file(`${A}, valid_from: 2026-01-01`),
      file('id: a-2, programme: a, name: A, valid_from: 2026-06-30'),
    ]);
    expect(faults[0]).toBe(
      'a-1 and a-2 both say the rules of "a" from 2026-06-30 on. Give the earlier one a valid_to, or one of them other regions.',
    );
    expect(notes).toContain('a-1: valid_from names no source.');
    expect(notes).toContain('a-1: reading "r" names no source.');
  });

  it('finds a milder line behind a harder one', () => {
    const lines =
      '[{name: hard, ratio_percent: 3, count: 9, confidence: primary, source: s, next_step: n}, {name: mild, ratio_percent: 1, count: 5, confidence: primary, source: s, next_step: n}]';
    const wrong = readProgramme(`{${A}, valid_from: 2026-01-01, ${HEAD}, lines: ${lines}}`, 'test');
    expect(checkRuleBase([wrong]).faults).toEqual([
      'a-1: line "hard" stands before "mild", which is milder. Put the mildest first.',
    ]);
  });

  it('refuses a file without lines that does not say what is not known', () => {
    expect(() =>
      readProgramme(`{${A}, valid_from: 2026-01-01, ${HEAD}, lines: []}`, 'test'),
    ).toThrow(/not_known/);
  });
});
