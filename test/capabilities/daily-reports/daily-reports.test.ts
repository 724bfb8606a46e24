/**
 * Guarantee: each UTC day has one report, days without a worker are made up for, a day whose sums were wrong is counted
 * again, and commands and programs are told what is stored.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { openSettings } from '../../../src/base/kernel/setting.ts';
import { booksOf } from '../../../src/capabilities/books.ts';
import { dailyReportCommand } from '../../../src/capabilities/daily-reports/command.ts';
import {
  daysToReport,
  makeDailyReports,
} from '../../../src/capabilities/daily-reports/daily-report.job.ts';
import { IDENTITY_BRAND_TOKENS } from '../../../src/service/wire/brand-tokens.ts';
import { print } from '../../../src/surface/terminal/print.ts';
import {
  alertObject,
  insertAlert,
  insertCase,
  ORG,
  openTotals,
} from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { runCommand } from '../../support/run-command.ts';
import { createWorld } from '../../support/world.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-03-02T03:17:00Z');

describe('daysToReport', () => {
  const now = new Date('2026-03-10T03:17:00Z');

  it('is yesterday alone for a new installation', () => {
    expect(daysToReport(now, [], [])).toEqual(['2026-03-09']);
  });

  it('is nothing once yesterday is made', () => {
    expect(daysToReport(now, ['2026-03-08', '2026-03-09'], [])).toEqual([]);
  });

  it('makes up for days slept through, a week at most', () => {
    expect(daysToReport(now, ['2026-03-06'], [])).toEqual([
      '2026-03-07',
      '2026-03-08',
      '2026-03-09',
    ]);
    expect(daysToReport(now, ['2026-03-02'], [])).toHaveLength(7);
  });

  it('counts again the days whose sums were wrong', () => {
    const days = daysToReport(now, ['2026-03-08', '2026-03-09'], ['2026-03-08', 'asked']);
    expect(days).toEqual(['2026-03-08']);
  });
});

const test = useTestDatabase();

beforeEach(async () => {
  for (const table of ['finding', 'notification', 'alert_case', 'alert', 'daily_report'] as const)
    await test.db.deleteFrom(table).execute();
});

describe('the reports of a night', () => {
  it('are made for yesterday, stored, and not made again', async () => {
    const scope = { organisationId: ORG, now: NOW };
    expect(await makeDailyReports(test.db, scope)).toEqual(['2026-03-01']);
    expect(await makeDailyReports(test.db, scope)).toEqual([]);
    const stored = await booksOf({ db: test.db, organisationId: ORG }).dailyReport('2026-03-01');
    expect(stored).toMatchObject({
      addsUp: true,
      period: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' },
    });
  });

  it('count a day whose sums were wrong again the next night, and its finding closes', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    const scope = { organisationId: ORG, now: NOW };
    expect(await makeDailyReports(test.db, scope)).toEqual(['2026-03-01']);
    expect(await openTotals(test.db)).toEqual(['2026-03-01:alerts']);
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN' });
    const next = { organisationId: ORG, now: new Date(NOW.getTime() + 24 * HOUR_MS) };
    expect(await makeDailyReports(test.db, next)).toEqual(['2026-03-01', '2026-03-02']);
    expect(await openTotals(test.db)).toEqual([]);
  });
});

describe('the night of a worker', () => {
  it('begins with the report, of yesterday in a world that adds up', async () => {
    const world = await createWorld();
    await world.drain();
    await world.advance(24 * HOUR_MS, 4 * HOUR_MS);
    const [step] = world.works.flatMap(({ night }) => night.beforeRetention);
    expect(step?.name).toBe('report');
    const yesterday = new Date(world.clock.nowMs() - 24 * HOUR_MS).toISOString().slice(0, 10);
    expect(await step?.run()).toEqual({ days: [yesterday] });
    const { organisationId } = world.parts;
    const books = booksOf({ db: world.database.db, organisationId });
    expect(await books.dailyReport()).toMatchObject({
      addsUp: true,
      period: { from: `${yesterday}T00:00:00.000Z` },
    });
    await world.close();
  });
});

describe('forestall.books.dailyReport', () => {
  it('is that of the day, else of the latest, else none', async () => {
    const books = booksOf({ db: test.db, organisationId: ORG });
    expect(await books.dailyReport()).toBeUndefined();
    for (const hours of [0, 24]) {
      const now = new Date(NOW.getTime() + hours * HOUR_MS);
      await makeDailyReports(test.db, { organisationId: ORG, now });
    }
    expect(await books.dailyReport('2001-01-01')).toBeUndefined();
    expect((await books.dailyReport('2026-03-01'))?.period.from).toBe('2026-03-01T00:00:00.000Z');
    expect((await books.dailyReport())?.period.from).toBe('2026-03-02T00:00:00.000Z');
    const others = booksOf({ db: test.db, organisationId: 'another' });
    expect(await others.dailyReport()).toBeUndefined();
  });
});

describe('forestall reconcile report', () => {
  let isWrong: boolean | undefined;
  const run = async (...words: readonly string[]): Promise<string> => {
    const context = {
      db: test.db,
      clock: createFixedClock(NOW.getTime()),
      organisationId: ORG,
      settings: openSettings({}),
      brands: IDENTITY_BRAND_TOKENS,
      eventKinds: [],
      readPolicy: () => expect.fail('no policy is read'),
      readers: async () => [],
    };
    const run = await runCommand(
      (program) => {
        dailyReportCommand.register(program, {
          onDatabase: async (flags, work) => {
            const found = await work(context);
            if (!('text' in found)) expect.fail('no text');
            ({ isWrong } = found);
            print(flags, found.data, found.text);
          },
          onSettings: () => expect.fail('it asks the database'),
          onPartner: () => expect.fail('it asks the database'),
          onInstallation: () => expect.fail('it asks the database'),
        });
      },
      ['reconcile', 'report', ...words],
    );
    return run.out;
  };

  it('prints the day, and says where there is none', async () => {
    await expect(run()).rejects.toThrow(
      "There is no report yet. A running worker makes one each night, between one and seven o'clock UTC.",
    );
    await expect(run('--date', '2026-02-01')).rejects.toThrow('There is no report of 2026-02-01.');
    await makeDailyReports(test.db, { organisationId: ORG, now: NOW });
    expect(await run()).toMatch(/^Day 2026-03-01\. From 2026-03-01T00:00:00\.000Z/);
    expect(isWrong).toBe(false);
    expect(JSON.parse(await run('--json'))).toMatchObject({ day: '2026-03-01' });
  });

  it('ends as wrong where a sum does not come out', async () => {
    await insertAlert(test.db, alertObject('netalrt_1'));
    await makeDailyReports(test.db, { organisationId: ORG, now: NOW });
    expect(await run('--date', '2026-03-01')).toContain('THE TOTALS DO NOT ADD UP:');
    expect(isWrong).toBe(true);
  });
});
