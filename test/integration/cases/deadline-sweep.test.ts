/** Guarantee: no deadline passes in silence, whatever state a case is stuck in. */
import { describe, expect, it } from 'vitest';
import { createDeadlineSweep } from '../../../src/alerts/cases/deadline-sweep.ts';
import type { SagaWorld, Worker } from '../../crash/support/saga-world.ts';
import { HOUR_MS, MINUTE_MS } from '../../crash/support/saga-world.ts';
import { useSaga } from '../../crash/support/use-saga.ts';
import { countStatements } from '../../support/count-statements.ts';

let world: SagaWorld;
let worker: Worker;
useSaga((saga) => {
  ({ world, worker } = saga);
});

const A = 'netalrt_a';
const sweep = () => createDeadlineSweep(worker.deps).runOnce();

/** Moves the clock to `hours` after the world's start and sweeps. */
async function sweepAt(hours: number) {
  world.clock.setMs(Date.parse('2026-03-02T08:00:00.000Z') + hours * HOUR_MS);
  return await sweep();
}

describe('alarms', () => {
  it('at 50, 25 and 10 % of the window left, each once', async () => {
    await world.open({ alertId: A });
    expect(await sweepAt(23.99)).toMatchObject({ alarms: 0 });
    expect(await sweepAt(24)).toMatchObject({ alarms: 1 });
    expect(await sweepAt(24.01)).toMatchObject({ alarms: 0 });
    expect(await sweepAt(36)).toMatchObject({ alarms: 1 });
    expect(await sweepAt(43.2)).toMatchObject({ alarms: 1 });
    expect(await sweepAt(47)).toMatchObject({ alarms: 0, missed: 0 });
    expect(await world.notifications('deadline_near')).toBe(3);
    expect((await world.caseOf(A)).alarm_level).toBe(3);
  });

  it('comes at once when there is no time for warnings (5 minutes)', async () => {
    await world.open({ alertId: A, windowHours: 5 / 60 });
    expect(await sweep()).toMatchObject({ alarms: 1 });
  });

  it('comes for a case whose alarms were never planned', async () => {
    await world.open({ alertId: A });
    await world.db
      .updateTable('alert_case')
      .set({ next_alarm_at: null })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(await sweepAt(1)).toMatchObject({ alarms: 0 });
    expect(await sweepAt(25)).toMatchObject({ alarms: 1 });
  });

  it('does not void the step that is about to answer', async () => {
    await world.open({ alertId: A });
    const before = await world.caseOf(A);
    await sweepAt(25);
    expect((await world.caseOf(A)).version).toBe(before.version);
  });

  it('does not come for a case that is closed', async () => {
    await world.open({ alertId: A });
    await world.settle([worker]);
    expect(await sweepAt(60)).toMatchObject({ alarms: 0, missed: 0 });
  });

  it('of one case is raised once by two sweeps at the same moment', async () => {
    await world.open({ alertId: A });
    world.clock.advanceMs(25 * HOUR_MS);
    await Promise.all([sweep(), sweep()]);
    expect(await world.notifications('deadline_near')).toBe(1);
  });
});

it('many alarms, and many missed alerts, cost as many statements as one', async () => {
  const { db, statements } = countStatements(world.db);
  const deps = { ...worker.deps, db };
  const costs: number[] = [];
  for (const cases of [1, 3]) {
    for (let index = 0; index < cases; index++) {
      const chargeReference = `ch_${cases}_${index}`;
      world.processor.addCharge(chargeReference);
      await world.open({ alertId: `netalrt_${cases}_${index}`, chargeReference });
    }
    for (const hours of [24, 25]) {
      world.clock.advanceMs(hours * HOUR_MS);
      const before = statements();
      const done = await createDeadlineSweep(deps).runOnce();
      expect([done.alarms, done.missed]).toEqual(hours === 24 ? [cases, 0] : [cases, cases]);
      costs.push(statements() - before);
    }
  }
  expect(costs.slice(2)).toEqual(costs.slice(0, 2));
  expect(await world.notifications('deadline_near')).toBe(8);
  expect(await world.notifications('missed')).toBe(4);
  const rows = await world.db
    .selectFrom('alert_case')
    .select(['alarm_level', 'next_alarm_at', 'missed_at'])
    .where('organisation_id', '=', world.organisationId)
    .execute();
  expect(rows.map((row) => [row.alarm_level, row.next_alarm_at, row.missed_at !== null])).toEqual(
    Array.from({ length: 4 }, () => [3, null, true]),
  );
});

describe('missed', () => {
  it.each(['DECIDED_REFUND', 'HUMAN', 'DECLARE_REFUND'])(
    'in state %s: recorded once, older alarms kept (I6)',
    async (state) => {
      if (state === 'HUMAN') await world.open({ alertId: A, currency: 'USD' });
      else await world.open({ alertId: A });
      if (state === 'DECLARE_REFUND') {
        world.service.actFaults.push(...Array.from({ length: 9 }, () => 'server_error' as const));
      }
      if (state !== 'DECIDED_REFUND') await world.settle([worker]);
      expect(await world.state(A)).toBe(state);
      await sweepAt(44);
      expect(await sweepAt(47.99)).toMatchObject({ missed: 0 });
      expect(await sweepAt(48.1)).toMatchObject({ missed: 1 });
      expect(await sweepAt(49)).toMatchObject({ missed: 0 });
      const row = await world.caseOf(A);
      expect(row.missed_at).not.toBeNull();
      expect(row.alarmed_at!.getTime()).toBeLessThan(row.deadline_at.getTime());
      expect(await world.notifications('missed')).toBe(1);
    },
  );

  it('is not said of an alert that was resolved in time', async () => {
    await world.open({ alertId: A, currency: 'USD' });
    await world.settle([worker]);
    await world.db
      .updateTable('alert')
      .set({ status: 'RESOLVED' })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(await sweepAt(49)).toMatchObject({ missed: 0 });
  });

  it('waits for an answer that was sent in the last moment, but not for ever', async () => {
    await world.open({ alertId: A, windowHours: 1 });
    world.service.actFaults.push('lost_before');
    world.clock.advanceMs(40 * MINUTE_MS);
    await world.settle([worker]);
    await world.db
      .updateTable('declaration')
      .set({ last_sent_at: new Date(world.clock.nowMs() + 19 * MINUTE_MS) })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(await sweepAt(1.01)).toMatchObject({ missed: 0 });
    expect(await sweepAt(1.1)).toMatchObject({ missed: 1 });
  });
});

describe('repairs', () => {
  it('brings a plan beyond the deadline back to it (I5)', async () => {
    await world.open({ alertId: A });
    await world.db
      .updateTable('alert_case')
      .set({ next_action_at: new Date(world.clock.nowMs() + 999 * HOUR_MS) })
      .where('organisation_id', '=', world.organisationId)
      .execute();
    expect(await sweep()).toMatchObject({ repaired: 1 });
    const row = await world.caseOf(A);
    expect(row.next_action_at).toEqual(row.deadline_at);
  });

  it('says that nobody works when cases stay due for minutes', async () => {
    await world.open({ alertId: A });
    world.clock.advanceMs(5 * MINUTE_MS - 1);
    expect(await sweep()).toMatchObject({ stalled: 0 });
    world.clock.advanceMs(1);
    expect(await sweep()).toMatchObject({ stalled: 1 });
    await sweep();
    expect(await world.notifications('work_stalled')).toBe(1);
    // One process that stays: it says so once an hour.
    const { runOnce } = createDeadlineSweep(worker.deps);
    for (const minutes of [0, 60, 1, 60]) {
      world.clock.advanceMs(minutes * MINUTE_MS);
      expect(await runOnce()).toMatchObject({ stalled: 1 });
    }
    expect(await world.notifications('work_stalled')).toBe(3);
  });
});
