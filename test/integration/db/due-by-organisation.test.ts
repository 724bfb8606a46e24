/**
 * Guarantee: whether something is due for an organisation is answered along an index that begins with it: however
 * much another organisation has to do, nobody reads through it.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasDueCases } from '../../../src/alerts/cases/case-claim.store.ts';
import { hasDeadlineWork } from '../../../src/alerts/cases/deadline.store.ts';
import { hasDueMovements } from '../../../src/alerts/ledger/movement-lease.store.ts';
import { hasWork } from '../../../src/alerts/receive/inbox-work.store.ts';
import { hasDueSideActions } from '../../../src/alerts/side-action/side-action.store.ts';
import type { DueCondition } from '../../../src/base/jobs/due.store.ts';
import { hasDueNotifications } from '../../../src/base/notify/notification.store.ts';
import { hasSignals } from '../../../src/capabilities/signals/signals.job.ts';
import { hasOrdersToSend, hasOrdersToUpdate } from '../../../src/orders/order-sending.store.ts';
import { INVENTORY } from '../../../src/running/privacy/inventory.ts';
import type { TestDatabase } from '../../support/database.ts';
import { createTestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/** Every scan of a table of ours, as `table: condition of its index`. */
function scansOf(plan: Plan): readonly string[] {
  const { 'Relation Name': table, 'Index Cond': condition = '', Plans: inner = [] } = plan;
  const own = table !== undefined && Object.hasOwn(INVENTORY, table);
  return [...(own ? [`${table}: ${condition}`] : []), ...inner.flatMap(scansOf)];
}

async function planOf(statement: RawBuilder<unknown>): Promise<Plan> {
  return await database.db.transaction().execute(async (trx) => {
    // So that a small table is read as a large one would be.
    await sql`set local enable_seqscan = off`.execute(trx);
    await sql`set local enable_bitmapscan = off`.execute(trx);
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
      explain (costs off, format json) ${statement}`.execute(trx);
    return rows[0]?.['QUERY PLAN'][0].Plan ?? expect.fail();
  });
}

const CONDITIONS: readonly (readonly [string, DueCondition])[] = [
  ['events to apply', hasWork],
  ['cases', hasDueCases],
  ['deadlines and alarms', hasDeadlineWork],
  ['movements', hasDueMovements],
  ['signals and claims', hasSignals],
  ['side actions', hasDueSideActions],
  ['messages', hasDueNotifications],
  ['orders to send', hasOrdersToSend],
  ['orders to update', hasOrdersToUpdate],
];

it.each(CONDITIONS)('%s', async (_what, condition) => {
  const now = new Date('2026-11-20T00:00:00Z');
  const asked = condition(now, sql`${'org_a'}`, database.db);
  const scans = scansOf(await planOf(sql`select ${asked}`));
  expect(scans).not.toEqual([]);
  expect(scans.filter((scan) => !scan.includes('organisation_id ='))).toEqual([]);
});

it.each(['figure_change', 'roll_up_change', 'credit_due'])('changes in %s', async (table) => {
  const rows = sql`select from ${sql.table(table)} where organisation_id = ${'org_a'}`;
  expect(scansOf(await planOf(rows))).toEqual([expect.stringContaining('organisation_id =')]);
});
