/** Guarantee: the doctor's judgements name what is wrong and the next step. */
import { describe, expect, it } from 'vitest';
import { showReport } from '../../../src/cli/doctor.ts';
import { summarise } from '../../../src/doctor/doctor.ts';
import { failed, ok, warning } from '../../../src/doctor/line.ts';
import { isModeClash } from '../../../src/doctor/organisation-mode.ts';
import { judgeIntegrations } from '../../../src/doctor/service-lines.ts';

const custom = { id: 'int_1', type: 'CUSTOM_ORDERS' };
const second = { id: 'int_2', type: 'CUSTOM_ORDERS' };
const processor = { id: 'int_3', type: 'STRIPE', status: 'ENABLED' };

describe('judgeIntegrations', () => {
  it.each([
    [[custom, processor], undefined, 'ok', 'int_1, type CUSTOM_ORDERS'],
    [[custom, second], 'int_2', 'ok', 'int_2, type CUSTOM_ORDERS'],
    [[custom, second], undefined, 'failed', '2 take orders (int_1, int_2), and none is chosen'],
    [[processor], undefined, 'failed', 'none takes orders'],
    [[], undefined, 'failed', 'none takes orders'],
    [[custom], 'int_9', 'failed', 'int_9 is not among them'],
    [
      [custom, processor],
      'int_3',
      'warning',
      'int_3 is of type STRIPE: it takes PARTIAL orders only',
    ],
  ])('%j, wanted %s: %s', (found, wanted, status, detail) => {
    expect(judgeIntegrations(found, wanted)).toMatchObject({ status, detail });
  });
});

describe('isModeClash', () => {
  it.each([
    ['test', 'live', true],
    ['live', 'test', true],
    ['test', 'test', false],
    ['live', 'live', false],
    ['unknown', 'live', false],
    ['test', 'unknown', false],
  ] as const)('organisation %s, processor %s: %s', (organisation, money, clash) => {
    expect(isModeClash(organisation, money)).toBe(clash);
  });
});

describe('the report', () => {
  it('is one line each, in columns, with the count', () => {
    const lines = [
      ok('database', 'answers'),
      warning('policy', 'none', 'Set one.'),
      failed('key', 'refused:\n  401', 'Make one.'),
    ];
    expect(showReport(summarise(lines)).split('\n')).toEqual([
      'ok       database  answers',
      'warning  policy    none. Set one.',
      'FAILED   key       refused:; 401. Make one.',
      '',
      '1 ok, 1 warnings, 1 failed.',
    ]);
  });
});
