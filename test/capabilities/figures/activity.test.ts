/** Guarantee: the figures of a period are those of the rows, whether hours were added up before or not, and adding up twice changes nothing. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import { SETTLING_MS } from '../../../src/base/kernel/limits.ts';
import { createRollUp } from '../../../src/capabilities/figures/activity.job.ts';
import {
  countReversed,
  readActivity,
  rollUpActivity,
  settledUntil,
} from '../../../src/capabilities/figures/activity.store.ts';
import { insertCase, insertMovement, ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
beforeEach(async () => {
  for (const table of [
    'activity_hour',
    'activity_day',
    'fact',
    'cover',
    'movement',
    'dispute',
    'charge_account',
    'alert_case',
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
    const confirmed = { state: 'CONFIRMED', alertId: 'netalrt_1' } as const;
    await insertMovement(test.db, 'r1', {
      ...confirmed,
      charge: 'a',
      confirmedAt: '2026-03-01T09:30:00Z',
    });
    await insertMovement(test.db, 'r2', {
      ...confirmed,
      charge: 'b',
      confirmedAt: '2026-03-01T09:40:00Z',
    });
    const yen = { currency: 'JPY', amountMinor: 500 };
    await insertMovement(test.db, 'r3', {
      ...confirmed,
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

  it('knows of refunds that failed after they had been confirmed', async () => {
    await insertMovement(test.db, 'r1', { state: 'REVERSED', charge: 'a', alertId: 'netalrt_1' });
    await insertMovement(test.db, 'r2', { state: 'CONFIRMED', charge: 'b', alertId: 'netalrt_1' });
    expect(await countReversed(test.db, ORG)).toBe(1);
    expect(await countReversed(test.db, 'org_other')).toBe(0);
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
