/**
 * Guarantee: what the metrics say of cases and refunds is what a count of all rows would say, at any moment,
 * and a scrape reads none of those rows, however many are kept.
 */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { inTransaction } from '../../../src/base/db/transaction.ts';
import { addUpFigures, readFigures } from '../../../src/health/figure.store.ts';
import { HEADROOM_BOUNDS_SECONDS } from '../../../src/health/headroom.ts';
import { readMetrics } from '../../../src/health/metrics.ts';
import { readOverview } from '../../../src/health/overview.store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { NOW, ORG } from '../reconcile/rows.ts';

const test = useTestDatabase();

/** Cases of a kind, in one statement. */
async function insertCases(prefix: string, state: string, count: number): Promise<void> {
  await sql`
    insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, next_action_at, closed_at, changed_at)
    select ${ORG}, ${prefix} || n, ${state}, ${NOW}::timestamptz, ${NOW}::timestamptz + make_interval(hours => n),
      ${NOW}::timestamptz, case when ${state} in ('HUMAN', 'RECEIVED', 'DECLARE_REFUND', 'DECLARE_ACCEPT') then null else ${NOW}::timestamptz end, ${NOW}::timestamptz
    from generate_series(1, ${count}::int) as n`.execute(test.db);
}

/** Refunds in a state, in one statement. */
async function insertRefunds(prefix: string, state: string, count: number): Promise<void> {
  await sql`
    with accounts as (
      insert into charge_account (organisation_id, charge_reference, status, amount_minor, currency)
      select ${ORG}, ${prefix} || n, 'captured', 10000, 'EUR' from generate_series(1, ${count}::int) as n
    ), disputes as (
      insert into dispute (organisation_id, id, charge_reference, amount_minor, currency, opened_at)
      select ${ORG}, ${prefix} || n, ${prefix} || n, 10000, 'EUR', now() from generate_series(1, ${count}::int) as n
    )
    select`.execute(test.db);
  await sql`
    insert into movement (organisation_id, id, charge_reference, dispute_id, idempotency_key, alert_id, kind, state, failure_class,
      amount_minor, currency, first_sent_at, next_action_at, created_at, changed_at)
    select ${ORG}, ${prefix} || n, ${prefix} || n, ${prefix} || n, ${prefix} || n, 'x', 'refund', ${state}, 'retry',
      100 + n, 'EUR', now(), now(), now(), now()
    from generate_series(1, ${count}::int) as n`.execute(test.db);
}

/** The same figures, counted from all rows. */
async function counted(): Promise<unknown[]> {
  const { rows } = await sql`
    select * from (
      select 'case' as measure, state as label, count(*) as count, 0::bigint as amount
      from alert_case where organisation_id = ${ORG} group by 2
      union all select 'refund', state, count(*), 0 from movement where organisation_id = ${ORG} and idempotency_key is not null group by 2
      union all select 'refunded', currency, count(*), sum(amount_minor)::bigint
      from movement where organisation_id = ${ORG} and idempotency_key is not null and state = 'CONFIRMED' and amount_minor > 0 group by 2
    ) as all_rows order by 1, 2`.execute(test.db);
  return rows;
}

async function kept(): Promise<unknown[]> {
  const figures = await readFigures(test.db, ORG);
  return (['case', 'refund', 'refunded'] as const).flatMap((measure) =>
    figures(measure)
      .filter(({ count }) => count !== 0)
      .map((figure) => ({
        measure,
        label: figure.label,
        count: figure.count,
        amount: figure.amount,
      })),
  );
}

describe('kept figures', () => {
  it('are the counts, through every move, added up or not', async () => {
    await insertCases('a', 'RECEIVED', 20);
    await insertCases('b', 'DECLARE_REFUND', 5);
    expect(await kept()).toEqual(await counted());
    for (const state of ['NOT_SENT', 'SENT', 'CONFIRMED']) await insertRefunds(state, state, 2);
    await sql`update alert_case set state = 'HUMAN' where alert_id in ('a1', 'a2', 'a3')`.execute(
      test.db,
    );
    await addUpFigures(test.db, ORG);
    expect(await kept()).toEqual(await counted());
    await sql`update alert_case set state = 'DECLARED_REFUND', closed_at = deadline_at - interval '3 hours', next_action_at = null
      where alert_id like 'b%'`.execute(test.db);
    await sql`update movement set state = 'SENT', first_sent_at = now() where id = 'NOT_SENT1'`.execute(
      test.db,
    );
    await sql`update movement set state = 'CONFIRMED', confirmed_at = now(), next_action_at = null where id = 'SENT1'`.execute(
      test.db,
    );
    await sql`update movement set state = 'REVERSED' where id = 'CONFIRMED1'`.execute(test.db);
    // Leases and plans are no moves.
    await sql`update alert_case set lease_owner = 'w', version = version + 1`.execute(test.db);
    expect(await kept()).toEqual(await counted());
    await sql`delete from alert_case where alert_id in ('a4', 'b1')`.execute(test.db);
    expect(await kept()).toEqual(await counted());
    await addUpFigures(test.db, ORG);
    expect(await kept()).toEqual(await counted());
    const { rows } = await sql`select from figure_change`.execute(test.db);
    expect(rows).toHaveLength(0);
    // Five answers with three hours left each; one of their cases is deleted.
    const { headroom } = await readOverview(test.db, ORG);
    expect(headroom).toEqual({
      atMost: [0, 0, 0, 5, 5, 5, 5, 5],
      count: 5,
      sumSeconds: 5 * 10_800,
    });
  });

  it('a move that is undone changes none', async () => {
    const before = await kept();
    await expect(
      inTransaction(test.db, async (trx) => {
        await sql`update alert_case set state = 'HUMAN' where alert_id = 'a9'`.execute(trx);
        throw new Error('undone');
      }),
    ).rejects.toThrow('undone');
    expect(await kept()).toEqual(before);
  });

  it('are added up once, however many do, beside moves', async () => {
    await Promise.all([
      ...Array.from({ length: 5 }, () => addUpFigures(test.db, ORG)),
      ...['a11', 'a12', 'a13'].map((id) =>
        sql`update alert_case set state = 'HUMAN' where alert_id = ${id}`.execute(test.db),
      ),
      addUpFigures(test.db, 'org_other'),
    ]);
    await addUpFigures(test.db, ORG);
    expect(await kept()).toEqual(await counted());
  });

  it.each([
    [-1, '0'],
    [0, '0'],
    ...HEADROOM_BOUNDS_SECONDS.slice(1).flatMap((bound): [number, string][] => [
      [bound - 1, String(bound)],
      [bound, String(bound)],
    ]),
    [259_201, '+Inf'],
  ])('%d seconds are counted below %s', async (seconds, bound) => {
    const { rows } = await sql`select headroom_bound(${seconds}::float8) as bound`.execute(test.db);
    expect(rows).toEqual([{ bound }]);
  });
});

it('a scrape reads no closed case and no settled refund', async () => {
  await insertCases('kept', 'CLOSED_REMOTE', 3_000);
  await insertRefunds('kept', 'CONFIRMED', 3_000);
  await sql`analyze`.execute(test.db);
  const reads = await inTransaction(test.db, async (trx) => {
    const samples = await readMetrics({ db: trx, organisationId: ORG, now: new Date(NOW) });
    expect(samples).toContainEqual({
      name: 'forestall_cases',
      labels: { state: 'CLOSED_REMOTE' },
      value: 3_000,
    });
    const { rows } = await sql<{ name: string; reads: number }>`
      select relname::text as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as reads
      from pg_stat_xact_user_tables where relname in ('alert_case', 'movement') order by 1`.execute(
      trx,
    );
    return rows;
  });
  expect(reads.map(({ name }) => name)).toEqual(['alert_case', 'movement']);
  for (const each of reads) expect(each.reads, each.name).toBeLessThan(100);
});
