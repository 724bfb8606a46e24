/** Guarantee: the figures of a period are those of the rows, whether hours were added up before or not, and adding up twice changes nothing. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { createRollUp } from '../../../src/books/figures/activity.job.ts';
import {
  readActivity,
  rollUpActivity,
  SETTLING_MS,
  settledUntil,
} from '../../../src/books/figures/activity.store.ts';
import { rollUpLookups } from '../../../src/books/figures/lookup-day.store.ts';
import { readLookupPeriod } from '../../../src/books/figures/lookup-figures.store.ts';
import { readOpenFigures } from '../../../src/books/figures/today.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { insertCase, insertMovement, ORG } from '../reconcile/rows.ts';

const test = useTestDatabase();
beforeEach(async () => {
  for (const table of [
    'activity_hour',
    'activity_day',
    'lookup_day',
    'fact',
    'cover',
    'movement',
    'dispute',
    'charge_account',
    'alert_case',
    'lookup',
  ] as const) {
    await test.db.deleteFrom(table).execute();
  }
});

/** An answered alert, opened and closed at these moments. */
async function answered(id: string, openedAt: string, closedAt: string): Promise<void> {
  await insertCase(test.db, id, { state: 'DECLARED_REFUND' });
  await test.db
    .updateTable('alert_case')
    .set({ opened_at: openedAt, closed_at: closedAt })
    .where('alert_id', '=', id)
    .execute();
}

async function figures(fromText: string, stretchHours = 1): Promise<string[]> {
  const from = new Date(fromText);
  const rows = await readActivity(test.db, { organisationId: ORG, from, stretchHours });
  return rows.map(
    ({ at, measure, currency, count, amountMinor }) =>
      `${at.toISOString().slice(5, 16)} ${measure} ${count}${currency === '' ? '' : ` ${currency} ${amountMinor}`}`,
  );
}

describe('activity', () => {
  it('is the same before, between and after the hours are added up', async () => {
    await answered('netalrt_1', '2026-03-01T08:10:00Z', '2026-03-01T09:59:59.999Z');
    await answered('netalrt_2', '2026-03-01T09:00:00Z', '2026-03-01T11:30:00Z');
    await insertCase(test.db, 'netalrt_3', { state: 'HUMAN', missedAt: '2026-03-01T10:15:00Z' });
    await test.db
      .updateTable('alert_case')
      .set({ opened_at: '2026-03-01T11:50:00Z' })
      .where('alert_id', '=', 'netalrt_3')
      .execute();
    const of = { state: 'CONFIRMED', alertId: 'netalrt_1' } as const;
    await insertMovement(test.db, 'r1', {
      ...of,
      charge: 'a',
      confirmedAt: '2026-03-01T09:30:00Z',
    });
    await insertMovement(test.db, 'r2', {
      ...of,
      charge: 'b',
      confirmedAt: '2026-03-01T09:40:00Z',
    });
    const yen = { currency: 'JPY', amountMinor: 500 };
    await insertMovement(test.db, 'r3', {
      ...of,
      ...yen,
      charge: 'c',
      confirmedAt: '2026-03-01T11:55:00Z',
    });
    const expected = [
      '03-01T08:00 received 1',
      '03-01T09:00 closed:DECLARED_REFUND 1',
      '03-01T09:00 received 1',
      '03-01T09:00 refund 2 USD 25980',
      '03-01T10:00 missed 1',
      '03-01T11:00 closed:DECLARED_REFUND 1',
      '03-01T11:00 received 1',
      '03-01T11:00 refund 1 JPY 500',
    ];
    expect(await figures('2026-03-01T08:00:00Z')).toEqual(expected);
    for (const now of ['2026-03-01T10:20:00Z', '2026-03-01T11:59:00Z', '2026-03-01T13:00:00Z']) {
      const roll = { organisationId: ORG, now: new Date(now) };
      expect(await rollUpActivity(test.db, roll)).toBe(true);
      expect(await rollUpActivity(test.db, roll)).toBe(false);
      expect(await figures('2026-03-01T08:00:00Z')).toEqual(expected);
    }
    // From here on the rows are not asked any more: the hours are kept.
    await test.db.deleteFrom('alert_case').execute();
    expect(await figures('2026-03-01T08:00:00Z')).toEqual(expected);
    expect(await figures('2026-03-01T09:00:00Z')).toEqual(expected.slice(1));
    expect(await figures('2026-03-01T06:00:00Z', 6)).toEqual([
      '03-01T06:00 closed:DECLARED_REFUND 2',
      '03-01T06:00 missed 1',
      '03-01T06:00 received 3',
      '03-01T06:00 refund 1 JPY 500',
      '03-01T06:00 refund 2 USD 25980',
    ]);
    const byDay = [
      '03-01T00:00 closed:DECLARED_REFUND 2',
      '03-01T00:00 missed 1',
      '03-01T00:00 received 3',
      '03-01T00:00 refund 1 JPY 500',
      '03-01T00:00 refund 2 USD 25980',
    ];
    expect(await figures('2026-03-01T00:00:00Z', 24)).toEqual(byDay);
    await rollUpActivity(test.db, { organisationId: ORG, now: new Date('2026-03-02T00:10:00Z') });
    expect(await figures('2026-03-01T00:00:00Z', 24)).toEqual(byDay);
    await answered('netalrt_4', '2026-03-02T00:00:00Z', '2026-03-02T00:01:00Z');
    await rollUpActivity(test.db, { organisationId: ORG, now: new Date('2026-03-02T05:00:00Z') });
    await test.db
      .deleteFrom('activity_hour')
      .where('hour', '<', new Date('2026-03-02T00:00:00Z'))
      .execute();
    // The day that is over is kept as a whole, the one under way by its hours.
    expect(await figures('2026-03-01T00:00:00Z', 24)).toEqual([
      ...byDay,
      '03-02T00:00 closed:DECLARED_REFUND 1',
      '03-02T00:00 received 1',
    ]);
  });

  it('adds up in parallel once', async () => {
    await answered('netalrt_1', '2026-03-01T08:10:00Z', '2026-03-01T09:00:00Z');
    const roll = { organisationId: ORG, now: new Date('2026-03-01T12:00:00Z') };
    const done = await Promise.all([1, 2, 3].map(async () => await rollUpActivity(test.db, roll)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await figures('2026-03-01T08:00:00Z')).toEqual([
      '03-01T08:00 received 1',
      '03-01T09:00 closed:DECLARED_REFUND 1',
    ]);
  });

  it('leaves an hour alone until every transaction of it has ended', () => {
    const end = Date.parse('2026-03-01T12:00:00Z');
    expect(settledUntil(new Date(end + SETTLING_MS - 1)).toISOString()).toBe(
      '2026-03-01T11:00:00.000Z',
    );
    expect(settledUntil(new Date(end + SETTLING_MS)).toISOString()).toBe(
      '2026-03-01T12:00:00.000Z',
    );
  });

  it('is added up by the worker, once an hour', async () => {
    const clock = createFixedClock('2026-03-01T12:10:00Z');
    const step = createRollUp({ db: test.db, clock, organisationId: ORG });
    await step();
    await answered('netalrt_late', '2026-03-01T08:10:00Z', '2026-03-01T12:30:00Z');
    await step();
    expect(await test.db.selectFrom('activity_hour').select('measure').execute()).toEqual([]);
    clock.advanceMs(60 * 60_000);
    await step();
    expect(await test.db.selectFrom('activity_hour').select('measure').execute()).toEqual([
      { measure: 'closed:DECLARED_REFUND' },
    ]);
  });
});

/** Lookups of 10 dollars: id, answer, deflection, moment of creation. */
async function insertLookups(lookups: readonly [string, string, string, string][]): Promise<void> {
  await test.db
    .insertInto('lookup')
    .values(
      lookups.map(([id, lookup_status, deflection_status, at]) => ({
        organisation_id: ORG,
        id: `lkup_${id}`,
        type: 'NETB_ORDER_INSIGHT',
        lookup_status,
        deflection_status,
        amount_minor: 1_000,
        currency: 'USD',
        created_at: at,
        updated_at: at,
        snapshot: '{}',
        snapshot_hash: Buffer.from('00', 'hex'),
        source: 'webhook' as const,
        first_seen_at: at,
        changed_at: at,
      })),
    )
    .execute();
}

describe('lookups by the day', () => {
  it('are the same kept or counted, and follow a deflection that changes after its day', async () => {
    await insertLookups([
      ['1', 'SUCCEEDED', 'SUCCEEDED', '2026-02-28T23:59:00Z'],
      ['2', 'SUCCEEDED', 'PENDING', '2026-03-01T00:00:00Z'],
      ['3', 'SUCCEEDED', 'SUCCEEDED', '2026-03-01T23:59:59Z'],
      ['4', 'SUCCEEDED', 'SUCCEEDED', '2026-03-02T10:00:00Z'],
    ]);
    const of = { organisationId: ORG, from: new Date('2026-02-28T00:00:00Z'), stretchHours: 24 };
    const read = async (): Promise<string[]> => {
      const { stretches, summary } = await readLookupPeriod(test.db, of);
      const days = new Map<string, [number, number]>();
      for (const { at, lookups, deflected } of stretches) {
        const day = at.toISOString().slice(5, 10);
        const [all, kept] = days.get(day) ?? [0, 0];
        days.set(day, [all + lookups, kept + deflected]);
      }
      const [money] = summary.protectedMoney;
      return [
        ...[...days].map(([day, counts]) => `${day} ${counts.join(' ')}`),
        `${money?.amountMinor}`,
      ];
    };
    const change = async (id: string, deflection: string, at: string): Promise<void> => {
      await test.db
        .updateTable('lookup')
        .set({ deflection_status: deflection, changed_at: at })
        .where('id', '=', `lkup_${id}`)
        .execute();
    };
    const before = ['02-28 1 1', '03-01 2 1', '03-02 1 1', '3000'];
    expect(await read()).toEqual(before);
    await rollUpLookups(test.db, { organisationId: ORG, now: new Date('2026-03-02T12:00:00Z') });
    expect(await read()).toEqual(before);
    // One decided since, and one whose transaction began before the adding up and ended after it.
    await change('2', 'SUCCEEDED', '2026-03-02T12:00:30Z');
    await change('1', 'FAILED', '2026-03-02T11:55:01Z');
    const after = ['02-28 1 0', '03-01 2 2', '03-02 1 1', '3000'];
    expect(await read()).toEqual(after);
    for (const now of ['2026-03-02T12:01:00Z', '2026-03-03T00:10:00Z', '2026-03-05T00:10:00Z']) {
      await rollUpLookups(test.db, { organisationId: ORG, now: new Date(now) });
      expect(await read()).toEqual(after);
    }
    // From here on the rows are not asked any more.
    await test.db.deleteFrom('lookup').execute();
    expect(await read()).toEqual(after);
  });
});

describe('figures of now', () => {
  it('count what is open by state, and what was missed or reversed ever', async () => {
    await insertCase(test.db, 'netalrt_1', { state: 'HUMAN', deadlineAt: '2026-03-02T00:00:00Z' });
    await insertCase(test.db, 'netalrt_2', {
      state: 'REFUNDING',
      missedAt: '2026-03-01T00:00:00Z',
    });
    await insertCase(test.db, 'netalrt_3', { state: 'CLOSED_REMOTE' });
    await insertCase(test.db, 'netalrt_4', { state: 'HUMAN', organisationId: 'org_other' });
    await insertMovement(test.db, 'r1', { state: 'REVERSED', charge: 'a', alertId: 'netalrt_1' });
    const found = await readOpenFigures(test.db, ORG);
    expect({ ...found, byState: [...found.byState].sort() }).toEqual({
      open: 2,
      byState: [
        ['HUMAN', 1],
        ['REFUNDING', 1],
      ],
      nearestDeadlineAt: new Date('2026-03-02T00:00:00Z'),
      nextActAt: new Date('2026-03-02T00:00:00Z'),
      missed: 1,
      reversed: 1,
    });
  });

  it('tell the deflection rate of what was decided, and the sales it kept', async () => {
    const lookups: [string, string, string, string][] = [
      ['1', 'SUCCEEDED', 'SUCCEEDED', '2026-03-01T10:00:00Z'],
      ['2', 'SUCCEEDED', 'SUCCEEDED', '2026-03-01T11:00:00Z'],
      ['3', 'SUCCEEDED', 'FAILED', '2026-03-01T11:00:00Z'],
      ['4', 'FAILED', 'NOT_ATTEMPTED', '2026-03-01T11:00:00Z'],
      ['5', 'SUCCEEDED', 'PENDING', '2026-03-01T11:00:00Z'],
      ['6', 'SUCCEEDED', 'SUCCEEDED', '2026-02-01T11:00:00Z'],
    ];
    await insertLookups(lookups);
    const of = { organisationId: ORG, stretchHours: 1 };
    const from = new Date('2026-03-01T00:00:00Z');
    const { summary: found, stretches } = await readLookupPeriod(test.db, { ...of, from });
    const at11 = stretches.filter(({ at }) => at.toISOString() === '2026-03-01T11:00:00.000Z');
    expect(at11.reduce((sum, { lookups }) => sum + lookups, 0)).toBe(4);
    expect(at11.reduce((sum, { deflected }) => sum + deflected, 0)).toBe(1);
    // Two of three decided: 66.7 %.
    expect(found.deflectionPercent).toBe(66.7);
    expect(found.all).toMatchObject({
      lookups: 5,
      answered: 4,
      deflected: 2,
      notDeflected: 1,
      pending: 1,
    });
    expect(found.protectedMoney).toEqual([{ currency: 'USD', amountMinor: 2_000 }]);
    const later = new Date('2026-04-01T00:00:00Z');
    const none = await readLookupPeriod(test.db, { ...of, from: later });
    expect(none.summary.deflectionPercent).toBeNull();
  });
});
