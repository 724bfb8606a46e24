/** Guarantee: lookups are counted by the day they were created on, whether their day was added up before or not. */
import { beforeEach, describe, expect, it } from 'vitest';
import { rollUpLookups } from '../../../src/capabilities/lookups/lookup-day.store.ts';
import { readLookupPeriod } from '../../../src/capabilities/lookups/lookup-figures.store.ts';
import { ORG } from '../../integration/reconcile/rows.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
beforeEach(async () => {
  for (const table of ['lookup_day', 'fact', 'lookup'] as const) {
    await test.db.deleteFrom(table).execute();
  }
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
    const period = {
      organisationId: ORG,
      from: new Date('2026-02-28T00:00:00Z'),
      stretchHours: 24,
    };
    const read = async (): Promise<string[]> => {
      const { stretches, summary } = await readLookupPeriod(test.db, period);
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
    const hourly = { organisationId: ORG, stretchHours: 1 };
    const from = new Date('2026-03-01T00:00:00Z');
    const { summary: found, stretches } = await readLookupPeriod(test.db, { ...hourly, from });
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
    const none = await readLookupPeriod(test.db, { ...hourly, from: later });
    expect(none.summary.deflectionPercent).toBeNull();
  });
});
