/** Guarantee: the outcomes that costs are counted from are those of the rows, each alert once. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { readOutcomes, readRecentDisputes } from '../../../src/capabilities/measured-cost/outcome.store.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, STARTS_AT } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let world: SagaWorld;

beforeAll(async () => {
  world = createSagaWorld(test.db);
  const worker = world.worker('w1');
  for (const n of [1, 2, 3, 4, 5]) world.processor.addCharge(`ch_${n}`);
  await world.open({ alertId: 'netalrt_1', chargeReference: 'ch_1' });
  await world.open({ alertId: 'netalrt_2', chargeReference: 'ch_2', decision: 'ACCEPT_DISPUTE' });
  await world.open({ alertId: 'netalrt_3', chargeReference: 'ch_3', decidedBy: 'operator:ada' });
  await world.settle([worker]);
  // Still open: no outcome yet.
  world.service.getFault = { kind: 'unauthorised', code: 'UNAUTHORISED' };
  await world.open({ alertId: 'netalrt_4', chargeReference: 'ch_4' });
  await dispute('rep_1', { transaction_reference_id: 'ch_2', dispute_status: 'LOST' });
  await dispute('rep_2', { transaction_reference_id: 'ch_2', dispute_status: 'OPEN' });
  await dispute('rep_3', {
    transaction_reference_id: 'ch_3',
    dispute_status: 'WON',
    merchant_id: 'mch_1',
  });
  await dispute('rep_4', { transaction_reference_id: 'ch_9', dispute_status: 'LOST' });
});
async function dispute(id: string, columns: Record<string, string>): Promise<void> {
  const at = new Date(world.clock.nowMs());
  await test.db
    .insertInto('representment')
    .values({
      organisation_id: world.organisationId,
      id,
      updated_at: at,
      snapshot: '{}',
      snapshot_hash: Buffer.alloc(32),
      source: 'webhook',
      first_seen_at: at,
      changed_at: at,
      ...columns,
    })
    .execute();
}

const FROM = new Date(STARTS_AT);
const scope = (hours: number) => ({
  organisationId: world.organisationId,
  from: FROM,
  to: new Date(FROM.getTime() + hours * HOUR_MS),
});

describe('readOutcomes', () => {
  it('reads what was answered, who decided, and the dispute that came all the same', async () => {
    const rows = await readOutcomes(test.db, scope(1));
    expect(
      rows.map(
        (row) => `${row.alertId} ${row.network} ${row.outcome} ${row.reviewed} ${row.dispute}`,
      ),
    ).toEqual([
      'netalrt_1 NETA refunded false null',
      'netalrt_2 NETA accepted false lost',
      'netalrt_3 NETA refunded true won',
    ]);
    expect(rows[0]).toMatchObject({ amountMinor: 5_000, currency: 'EUR', merchantId: null });
  });

  it.each([
    ['REFUNDED', 'refunded'],
    ['NOT_REFUNDED', 'accepted'],
  ])('takes the network’s word for its own refund: %s is %s', async (said, outcome) => {
    const rows = await test.db.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql`update alert_case set state = 'RECONCILED_RDR' where alert_id = 'netalrt_1'`.execute(
        trx,
      );
      await sql`update alert set refund_outcome = ${said} where id = 'netalrt_1'`.execute(trx);
      return await readOutcomes(trx, scope(1));
    });
    expect(rows[0]).toMatchObject({ alertId: 'netalrt_1', outcome });
  });

  it('keeps to the time and to the organisation', async () => {
    expect(await readOutcomes(test.db, scope(0))).toEqual([]);
    expect(await readOutcomes(test.db, { ...scope(1), organisationId: 'org_other' })).toEqual([]);
  });
});

describe('readRecentDisputes', () => {
  it('counts by merchant', async () => {
    const before = new Date(FROM.getTime() - HOUR_MS);
    expect(await readRecentDisputes(test.db, world.organisationId, before)).toEqual({
      '': 3,
      mch_1: 1,
    });
  });
});
