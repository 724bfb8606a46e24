/** Guarantee: the doctor's judgements name what is wrong and the next step. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { failed, ok, warning } from '../../../src/base/kernel/status-line.ts';
import { showReport } from '../../../src/people/cli/doctor.ts';
import { lateRefunds } from '../../../src/people/cli/verify-money.ts';
import { durabilityLine, standbyLine } from '../../../src/people/doctor/database-lines.ts';
import { summarise } from '../../../src/people/doctor/doctor.ts';
import { safetyLine } from '../../../src/people/doctor/processor-lines.ts';
import { judgeIntegrations } from '../../../src/people/doctor/service-lines.ts';
import { isModeClash } from '../../../src/running/roles/organisation-mode.ts';
import { CAUTIOUS_CAPABILITIES } from '../../../src/service/wire/processor.ts';
import { colourMarks } from '../../../src/surface/terminal/line-text.ts';

describe('a processor whose refunds settle after alerts have run out', () => {
  const stated = {
    ...CAUTIOUS_CAPABILITIES,
    ...{ canLookupByReference: true, refusesOverRefund: true, asyncRefunds: true },
  };
  const names = { address: 'FORESTALL_PROCESSOR', secret: 'FORESTALL_PROCESSOR_SECRET' };

  it.each([
    // Alerts live 24 to 48 hours; a pending refund is not declared unless the processor says that it counts.
    [50, false, 'warning'],
    [24, false, 'warning'],
    [23, false, 'ok'],
    [50, true, 'ok'],
  ])('after %i h, pending counts %s: %s', (settlesAfterHours, pendingCounts, status) => {
    const line = safetyLine({ ...stated, settlesAfterHours, pendingCounts }, names);
    expect(line.status).toBe(status);
    const lateLine = lateRefunds({ ...stated, settlesAfterHours, pendingCounts });
    expect(lateLine).toHaveLength(status === 'warning' ? 1 : 0);
  });

  it('is named with its hours and the next step', () => {
    const line = safetyLine({ ...stated, settlesAfterHours: 50 }, names);
    expect(line.detail).toContain('refunds settle after 50 h');
    expect(line).toMatchObject({ nextStep: expect.stringContaining('Set pendingCounts') });
    expect(lateRefunds(undefined)).toEqual([]);
  });
});

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

describe('what a 2xx is worth', () => {
  const ON = {
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    synchronous_standby_names: '',
  };
  const line = (values: Record<string, string>, source = 'configuration file') =>
    durabilityLine({
      settings: Object.entries({ ...ON, ...values }).map(([name, value]) => ({
        name,
        value,
        source,
      })),
      standbys: { following: 0, waitedFor: 0, hidden: 0 },
      database: '"my shop"',
      user: 'app',
    });

  // PostgreSQL's manual, "Write Ahead Log: Settings": `local` differs from `on` with a synchronous standby only.
  it.each([
    [{}, 'ok'],
    [{ fsync: 'off' }, 'warning'],
    [{ full_page_writes: 'off' }, 'warning'],
    [{ synchronous_commit: 'off' }, 'warning'],
    [{ synchronous_commit: 'local' }, 'ok'],
    [{ synchronous_commit: 'local', synchronous_standby_names: 'ANY 1 (*)' }, 'warning'],
    [{ synchronous_commit: 'remote_write', synchronous_standby_names: '*' }, 'ok'],
    [{ synchronous_commit: 'remote_apply', synchronous_standby_names: '*' }, 'ok'],
  ])('%j: %s', (values, status) => {
    expect(line(values).status).toBe(status);
  });

  it.each([
    ['database', 'Run: ALTER DATABASE "my shop" SET synchronous_commit = on.'],
    ['user', 'Run: ALTER ROLE app SET synchronous_commit = on.'],
    ['database user', 'Run: ALTER ROLE app IN DATABASE "my shop" SET synchronous_commit = on.'],
    [
      'client',
      'Take synchronous_commit out of the connection’s options (DATABASE_URL, PGOPTIONS).',
    ],
    ['command line', 'Start the server without synchronous_commit=off.'],
    [
      'configuration file',
      'Set synchronous_commit = on in the server’s configuration and reload it.',
    ],
  ])('set by %s: %s', (source, step) => {
    expect(line({ synchronous_commit: 'off' }, source).nextStep).toBe(step);
  });
});

describe('standbys', () => {
  const line = (names: string, following: number, waitedFor: number, hidden = 0) =>
    standbyLine({
      settings: [{ name: 'synchronous_standby_names', value: names, source: 'default' }],
      standbys: { following, waitedFor, hidden },
      database: 'shop',
      user: 'app',
    });

  it.each([
    ['', 0, 0, 0, 'ok', /none is connected/],
    ['', 1, 0, 0, 'warning', /1 standby follows, and no commit waits for it/],
    // Whoever may not see their state sees that they are there.
    ['', 2, 0, 2, 'warning', /2 standbys follow, and no commit waits for any/],
    ['"pg-2"', 2, 1, 0, 'ok', /each commit waits for 1 of 2/],
    ['"pg-2"', 2, 0, 2, 'ok', /pg_read_all_stats/],
    ['"pg-2"', 1, 0, 0, 'warning', /commits wait for "pg-2", and no such standby/],
    ['*', 0, 0, 0, 'warning', /commits wait for \*, and no such standby/],
  ])('named %j, %i connected, %i waited for, %i hidden: %s', (...given) => {
    const [names, following, waitedFor, hidden, status, detail] = given;
    expect(line(names, following, waitedFor, hidden)).toMatchObject({
      status,
      detail: expect.stringMatching(detail),
    });
  });
});

describe('the report', () => {
  it('says each thing with its next step, broken at the width, with the count', () => {
    const lines = [
      failed('key', 'refused:\n  401.', 'Make one in the dashboard.'),
      warning('policy', 'none', 'Set one.'),
      ok('database', 'answers'),
    ];
    expect(showReport(summarise(lines), 32).split('\n')).toEqual([
      'ok       database: answers',
      'warning  policy: none',
      '         → Set one.',
      'FAILED   key: refused:; 401',
      '         → Make one in the',
      '         dashboard.',
      '',
      '1 ok, 1 warnings, 1 failed.',
    ]);
  });
});

describe('a terminal', () => {
  const text = 'ok       one\nFAILED   two\n         → FAILED   three';
  it('shows the marks in colours, and nothing else', () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8 });
    expect(colourMarks(text, stream)).toBe(
      '\u001b[32mok\u001b[39m       one\n\u001b[1m\u001b[31mFAILED\u001b[39m\u001b[22m   two\n         → FAILED   three',
    );
  });

  it('a file gets none', () => {
    const stream = Object.assign(new PassThrough(), { isTTY: false });
    expect(colourMarks(text, stream)).toBe(text);
  });
});
