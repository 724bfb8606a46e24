/** Guarantee: the past of a demonstration is one that Forestall lived: nothing missed, and the books agree with the service and the processor. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { readAlive } from '../../src/alerts/guard/recovery-check.store.ts';
import { createFixedClock } from '../../src/base/kernel/clock.ts';
import { makePast } from '../../src/people/cli/demo/past.ts';
import { planPast, seededRandom } from '../../src/people/cli/demo/past-script.ts';
import { createMadePast } from '../../src/people/console/made-past.store.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { useTestDatabase } from '../support/database.ts';

const DAYS = 24;
const UNTIL_MS = Date.parse('2026-11-20T12:00:00Z');
const SEED = 7;

const database = useTestDatabase();

test('each day was answered, and the sandbox goes on from it', { timeout: 300_000 }, async () => {
  const { connectionString, db } = database;
  const days: number[] = [];
  const snapshot = await makePast({
    database: connectionString,
    untilMs: UNTIL_MS,
    seed: SEED,
    days: DAYS,
    sandbox: { seed: SEED },
    onDay: (done) => days.push(done),
  });
  expect(days).toHaveLength(DAYS);
  const clock = createFixedClock(new Date(UNTIL_MS).toISOString());
  const sandbox = await createSandbox({ clock, seed: SEED });
  try {
    sandbox.restore(snapshot);
    const { organisationId } = sandbox.accounts;

    // Nothing ran out, nothing was left between two states, and there is nothing to repair.
    const cases = await db.selectFrom('alert_case').select(['alert_id', 'state']).execute();
    const states = new Set(cases.map(({ state }) => state));
    expect([...states].sort()).toEqual(['DECLARED_ACCEPT', 'DECLARED_REFUND', 'RECONCILED_RDR']);
    expect(await db.selectFrom('finding').select('kind').execute()).toEqual([]);

    // The service knows the same alerts, all answered.
    expect(cases.map(({ alert_id: id }) => id).sort()).toEqual(
      [...sandbox.state.alerts.keys()].sort(),
    );
    for (const { id, status } of sandbox.state.alerts.values())
      expect([id, status]).toEqual([id, 'RESOLVED']);

    // Each refund of ours is at the processor, once.
    const ours = await db
      .selectFrom('movement')
      .select(['charge_reference', 'amount_minor', 'state'])
      .where('kind', '=', 'refund')
      .execute();
    expect(ours.length).toBeGreaterThan(5);
    for (const { charge_reference: reference, amount_minor: sumMinor, state } of ours) {
      expect(state).toBe('CONFIRMED');
      expect(sandbox.moneyOut(reference ?? '')).toEqual({ count: 1, sumMinor });
    }

    // Each dispute was answered before it was due, once, by Forestall or by a person.
    const disputes = sandbox.disputes();
    expect(disputes.length).toBeGreaterThan(1);
    for (const { reference, due_by: dueBy, submissions } of disputes) {
      const isDue = Date.parse(dueBy ?? '') < UNTIL_MS;
      expect([reference, submissions.length]).toEqual([reference, isDue ? 1 : expect.any(Number)]);
      for (const { at } of submissions)
        expect(Date.parse(at)).toBeLessThan(Date.parse(dueBy ?? ''));
    }

    // It lies on many days, each answered on its own.
    const { rows } = await sql<{ days: number; slowest: number }>`
      select count(distinct opened_at::date)::int as days,
        extract(epoch from max(closed_at - opened_at))::int as slowest from alert_case`.execute(db);
    expect(rows[0]?.days).toBeGreaterThan(8);
    expect(rows[0]?.slowest).toBeLessThan(24 * 3600);

    // The worker that follows sees that no time was lost: it refunds at once.
    expect((await readAlive(db, organisationId))?.atMs).toBeGreaterThan(UNTIL_MS - 60_000);

    // It is marked, for this organisation alone.
    expect(await createMadePast(db, organisationId)()).toEqual(new Date(UNTIL_MS));
    expect(await createMadePast(db, 'org_of_a_merchant')()).toBeUndefined();
  } finally {
    await sandbox.close();
  }
});

test('complaints rise, and a plan repeats', () => {
  const plan = planPast(seededRandom(SEED));
  expect(plan).toEqual(planPast(seededRandom(SEED)));
  const counts = plan.map(({ morning, afternoon }) => morning.length + afternoon.length);
  const sum = (part: readonly number[]): number => part.reduce((total, count) => total + count, 0);
  expect(sum(counts.slice(40))).toBeGreaterThan(1.5 * sum(counts.slice(0, 20)));
});
