/** Guarantee: what came of an answer is read from every source, with its moment, and only what came after the answer. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  readAnswered,
  readRecentDisputes,
} from '../../../src/capabilities/measured-cost/outcome.store.ts';
import type { SagaWorld } from '../../crash/support/saga-world.ts';
import { createSagaWorld, HOUR_MS, STARTS_AT } from '../../crash/support/saga-world.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
let world: SagaWorld;
const DAY = 24 * HOUR_MS;
const FROM = new Date(STARTS_AT);
const at = (days: number): Date => new Date(FROM.getTime() + days * DAY);

beforeAll(async () => {
  world = createSagaWorld(test.db);
  const worker = world.worker('w1');
  for (let n = 1; n <= 9; n++) world.processor.addCharge(`ch_${n}`);
  await world.open({ alertId: 'netalrt_1', chargeReference: 'ch_1' });
  for (let n = 2; n <= 8; n++) {
    await world.open({
      alertId: `netalrt_${n}`,
      chargeReference: `ch_${n}`,
      decision: 'ACCEPT_DISPUTE',
    });
  }
  await world.settle([worker]);
  // Still open: no outcome yet.
  world.service.getFault = { kind: 'unauthorised', code: 'UNAUTHORISED' };
  await world.open({ alertId: 'netalrt_9', chargeReference: 'ch_9' });
  const { organisationId } = world;
  const entity = (id: string, days: number) => ({
    organisation_id: organisationId,
    ...{ id, created_at: at(days), updated_at: at(days), snapshot: '{}' },
    ...{ snapshot_hash: Buffer.alloc(32), source: 'webhook' as const },
    ...{ first_seen_at: at(days), changed_at: at(days) },
  });
  await test.db
    .insertInto('representment')
    .values([
      { ...entity('rep_1', 20), transaction_reference_id: 'ch_2', dispute_status: 'LOST' },
      { ...entity('rep_2', 25), transaction_reference_id: 'ch_2', dispute_status: 'OPEN' },
      // Before the answer: no result of it.
      { ...entity('rep_3', -3), transaction_reference_id: 'ch_3', dispute_status: 'WON' },
      {
        ...entity('rep_4', 30),
        transaction_reference_id: 'ch_8',
        dispute_status: 'WON',
        merchant_id: 'mch_1',
      },
    ])
    .execute();
  await sql`update alert set acquirer_reference_number = '74537604221222000000004' where id = 'netalrt_4'`.execute(
    test.db,
  );
  const notice = {
    acquirer_reference_number: '74537604221222000000004',
    notice_type: 'DISPUTE_NOTICE',
  };
  await test.db
    .insertInto('scheme_notice')
    .values([
      { ...entity('ntc_1', 12), ...notice },
      { ...entity('ntc_2', 9), ...notice, is_revoked: true },
    ])
    .execute();
  await sql`insert into processor_event (organisation_id, processor, event_id, kind, charge_references, occurred_at, received_at, applied_at)
    values (${organisationId}, 'p', 'ev_1', 'dispute_opened', '{ch_5}', ${at(15)}, ${at(16)}, ${at(16)})`.execute(
    test.db,
  );
  await sql`insert into charge_account (organisation_id, charge_reference, version, disputed, read_at)
    values (${organisationId}, 'ch_6', 1, true, ${at(18)})
    on conflict (organisation_id, charge_reference) do update set disputed = true, read_at = excluded.read_at`.execute(
    test.db,
  );
  await sql`insert into representment_pack (organisation_id, representment_id, version, reason_code, pack_rule,
      content_hash, cited, missing, sent_at, sent_by)
    values (${organisationId}, 'rep_4', 3, '13.1', 'x', 'h', '[]', '[]', ${at(31)}, 'ada')`.execute(
    test.db,
  );
  await test.db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`update alert_case set charge_reference = 'ch_7' where alert_id = 'netalrt_9'`.execute(
      trx,
    );
    await sql`update alert set enrolment_type = 'NETB_RDR', status = 'RESOLVED', refund_outcome = 'REFUNDED',
      created_at = ${at(7)} where id = 'netalrt_9'`.execute(trx);
  });
});

const period = (days: number) => ({
  organisationId: world.organisationId,
  ...{ from: FROM, to: at(days), now: at(60) },
});

describe('readAnswered', () => {
  it('joins representments, notices, the processor’s signals, looks at the charge, and RDR', async () => {
    const rows = await readAnswered(test.db, period(1));
    const came = rows.map(
      ({ alertId, outcome, came: events }) =>
        `${alertId} ${outcome}: ${events.map((each) => `${each.kind} ${each.source} ${Math.round((Date.parse(each.at) - FROM.getTime()) / DAY)}`).join(', ')}`,
    );
    expect(came.toSorted()).toEqual([
      'netalrt_1 refunded: ',
      'netalrt_2 accepted: dispute representment 20',
      'netalrt_3 accepted: ',
      'netalrt_4 accepted: dispute notice 12',
      'netalrt_5 accepted: dispute processor 15',
      'netalrt_6 accepted: dispute reading 18',
      'netalrt_7 accepted: rdr alert 7',
      'netalrt_8 accepted: dispute representment 30',
    ]);
  });

  it('knows which version of the pack was sent, and how it ended', async () => {
    const rows = await readAnswered(test.db, period(1));
    const packs = rows.map(({ alertId, contestVersion, contestEnd }) => [
      alertId,
      contestVersion,
      contestEnd,
    ]);
    expect(packs).toContainEqual(['netalrt_8', 3, 'won']);
    expect(packs).toContainEqual(['netalrt_2', null, null]);
  });

  it('sees only what had come by a moment, of the period and the organisation', async () => {
    const early = await readAnswered(test.db, { ...period(1), now: at(13) });
    expect(early.flatMap(({ came }) => came.map(({ source }) => source)).toSorted()).toEqual([
      'alert',
      'notice',
    ]);
    expect(await readAnswered(test.db, { ...period(1), to: FROM })).toEqual([]);
    expect(await readAnswered(test.db, { ...period(1), organisationId: 'org_other' })).toEqual([]);
  });
});

describe('readRecentDisputes', () => {
  it('counts by merchant', async () => {
    expect(await readRecentDisputes(test.db, world.organisationId, at(-10))).toEqual({
      '': 3,
      mch_1: 1,
    });
  });
});
