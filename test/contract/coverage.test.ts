/** Guarantee: every rule of the specification has a test, and the table that says so is true. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ABILITIES } from '../../src/service/wire/abilities.ts';
import {
  ALERT_ACTIONS,
  ALERT_ENROLMENT_TYPES,
  ALERT_STATUSES,
  CARD_SCHEMES,
  REFUND_OUTCOMES,
} from '../../src/service/wire/alert.ts';
import {
  DESCRIPTOR_STATUSES,
  ENROLMENT_STATUSES,
  ENROLMENT_TYPES,
  MATCH_TYPES,
} from '../../src/service/wire/enrolment.ts';
import { ERROR_CODE_NAMES } from '../../src/service/wire/error-codes.ts';
import { EVENT_TYPES } from '../../src/service/wire/event.ts';
import { ID_PREFIXES, SIGNING_SECRET_PREFIX } from '../../src/service/wire/id-prefixes.ts';
import {
  DEFLECTION_STATUSES,
  LOOKUP_STATUSES,
  LOOKUP_TYPES,
} from '../../src/service/wire/lookup.ts';
import { REPRESENTMENT_SERVICE_TYPES } from '../../src/service/wire/merchant.ts';
import { ORDER_STATUSES, ORDER_TYPES } from '../../src/service/wire/order.ts';
import { REPRESENTMENT_STATUSES } from '../../src/service/wire/representment.ts';
import {
  AMOUNT_OPERATORS,
  JOIN_OPERATORS,
  RULE_TYPES,
  RULESET_OUTCOMES,
} from '../../src/service/wire/ruleset.ts';
import {
  NOTICE_SCHEMES,
  NOTICE_TYPES,
  SCHEME_NOTICE_TYPES,
} from '../../src/service/wire/scheme-notice.ts';

const FOLDER = new URL('.', import.meta.url).pathname;
const readme = readFileSync(`${FOLDER}README.md`, 'utf8');

/** The rows of all tables: rule and titles. */
const rows = readme
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Rule |'))
  .map((line) => line.slice(2, -2).split(' | '))
  .map(([rule = '', titles = '']) => ({ rule, titles: titles.split(' · ') }));

interface TitlePattern {
  readonly pattern: RegExp;
  readonly source: string;
}

/** Titles as patterns: what a template fills in must stand somewhere in the same file. */
const patterns: TitlePattern[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
  .map((name) => readFileSync(FOLDER + name, 'utf8'))
  .flatMap((source) => titlesIn(source).map((title) => ({ pattern: patternOf(title), source })));

function patternOf(title: string): RegExp {
  const escaped = title.replaceAll(/[.*+?^()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/\$\{[^}]*\}/g, '(.+)')}$`);
}

function isTitleOf({ pattern, source }: TitlePattern, title: string): boolean {
  const filledIn = pattern.exec(title)?.slice(1);
  return filledIn?.every((value) => source.includes(value.replaceAll('"', ''))) === true;
}

function titlesIn(source: string): string[] {
  const calls = source.matchAll(/\b(?:rule|sandboxRule)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g);
  return [...calls].map(([, , title = '']) => title.replaceAll("\\'", "'"));
}

test('the table has rows for every section', () => {
  expect(rows.length).toBeGreaterThan(150);
});

test.each(rows)('$rule', ({ titles }) => {
  expect(titles.join('')).not.toBe('');
  const without = titles.filter((title) => !patterns.some((pattern) => isTitleOf(pattern, title)));
  expect(without).toEqual([]);
});

describe('every value of the vocabulary is in a row', () => {
  const vocabulary: Record<string, readonly string[]> = {
    'error codes': ERROR_CODE_NAMES,
    abilities: ABILITIES,
    'event types': EVENT_TYPES,
    'alert states': [...ALERT_STATUSES, ...ALERT_ACTIONS, ...REFUND_OUTCOMES],
    'alert types': [...ALERT_ENROLMENT_TYPES, ...CARD_SCHEMES],
    enrolments: [...ENROLMENT_STATUSES, ...ENROLMENT_TYPES, ...MATCH_TYPES, ...DESCRIPTOR_STATUSES],
    lookups: [...LOOKUP_TYPES, ...LOOKUP_STATUSES, ...DEFLECTION_STATUSES],
    orders: [...ORDER_STATUSES, ...ORDER_TYPES],
    rulesets: [...RULESET_OUTCOMES, ...JOIN_OPERATORS, ...RULE_TYPES, ...AMOUNT_OPERATORS],
    merchants: REPRESENTMENT_SERVICE_TYPES,
    representments: REPRESENTMENT_STATUSES,
    notices: [...SCHEME_NOTICE_TYPES, ...NOTICE_TYPES, ...NOTICE_SCHEMES],
    prefixes: [...Object.values(ID_PREFIXES), SIGNING_SECRET_PREFIX],
  };
  test.each(Object.entries(vocabulary))('%s', (_name, values) => {
    const rules = rows.map(({ rule }) => rule).join('\n');
    expect(values.filter((value) => !rules.includes(`\`${value}\``))).toEqual([]);
  });
});
