import { afterAll, beforeAll, expect, it } from 'vitest';
import { offeredActions } from '../../../src/refund/offered-actions.ts';
import { applyOperatorDecision } from '../../../src/refund/operator-decision.ts';
import { readLedger } from '../../../src/ledger/ledger.store.ts';
import { nowDate } from '../../../src/kernel/clock.ts';
import { DEFAULT_REFUND_SETTINGS } from '../../../src/refund/refund-settings.ts';
import { FULL_CAPABILITIES } from '../../crash/support/fake-processor.ts';
import { createSagaWorld } from '../../crash/support/saga-world.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';
let database: TestDatabase;
beforeAll(async () => { database = await createTestDatabase(); });
afterAll(() => database.drop());
const A = 'netalrt_a';
const B = 'netalrt_b';
it('probe', async () => {
  const world = createSagaWorld(database.db);
  world.settings = { ...DEFAULT_REFUND_SETTINGS, rules: { ...DEFAULT_REFUND_SETTINGS.rules, smallerAmount: 'ALLOW' } };
  const worker = world.worker('w2');
  world.processor.caps = { ...FULL_CAPABILITIES, canLookupByReference: false };
  world.processor.faults.push('lost_before');
  await world.open({ alertId: A, amountMinor: 2500 });
  await world.settle([worker]);
  world.service.dashboard(A, 'NOT_REFUNDED');
  await world.pass([worker], 1);
  const out: unknown[] = [];
  const show = async (what: string) => {
    const ledger = await readLedger(database.db, { organisationId: world.organisationId, chargeReference: 'ch_1' });
    for (const id of [A, B]) {
      const row = await world.caseOf(id).catch(() => undefined);
      if (row === undefined) continue;
      const offered = offeredActions({ state: row.state, alertId: id, ledger, isBeforeDeadline: nowDate(world.clock) < row.deadline_at });
      out.push([what, id, row.state, row.hold_reason, row.last_error, row.fallback_at?.toISOString(), offered.join(' ')].join(' | '));
    }
    out.push((await world.movements()).map((m) => `${m.id.slice(0, 6)} ${m.state} ${m.alert_id}`).join('; '));
  };
  await show('A in doubt');
  await world.open({ alertId: B, amountMinor: 2000 });
  const at = new Date(world.clock.nowMs() + 40 * 3_600_000);
  for (const table of ['alert_case', 'decision'] as const) {
    await database.db.updateTable(table).set({ fallback_action: 'ACCEPT_DISPUTE', fallback_at: at }).where('organisation_id', '=', world.organisationId).where('alert_id', '=', B).execute();
  }
  await world.pass([worker], 1);
  await show('B came');
  for (const action of ['ACCEPT_DISPUTE', 'DID_NOT_EXECUTE'] as const) {
    const result = await applyOperatorDecision(database.db, { organisationId: world.organisationId, alertId: B, action, note: '', operator: 'ada', now: nowDate(world.clock) });
    out.push(['say', action, JSON.stringify(result)].join(' '));
  }
  await world.pass([worker], 2);
  await show('A withdrawn');
  await world.pass([worker], 42);
  await show('fallback over');
  await world.pass([worker], 10);
  await show('after deadline');
  for (const id of [A, B]) for (const action of ['DID_NOT_EXECUTE', 'ACCEPT_DISPUTE'] as const) {
    const result = await applyOperatorDecision(database.db, { organisationId: world.organisationId, alertId: id, action, note: '', operator: 'ada', now: nowDate(world.clock) });
    out.push(['say', id, action, JSON.stringify(result)].join(' '));
  }
  console.log(out.join('\n'));
  console.log(world.service.patches);
  expect(1).toBe(1);
}, 120_000);
