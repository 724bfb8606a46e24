/** Guarantee: what waits and what came last is told of one organisation and of many; rows go once nothing follows from them. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { signalMetrics } from '../../../src/capabilities/signals/metrics.ts';
import { deleteOldRows } from '../../../src/running/privacy/old-rows.store.ts';
import { useTestDatabase } from '../../support/database.ts';

const test = useTestDatabase();
const NOW = new Date('2026-11-22T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);

/** An event of an organisation; `waits`: nothing has followed from it. */
const event = async (organisation: string, id: string, receivedAt: Date, waits: boolean) => {
  await sql`insert into processor_event (organisation_id, processor, event_id, kind, charge_references, received_at, next_action_at, applied_at)
    values (${organisation}, 'http', ${id}, 'captured', '{}', ${receivedAt}, ${waits ? receivedAt : null}, ${waits ? null : receivedAt})`.execute(
    test.db,
  );
};

describe('the metrics', () => {
  beforeAll(async () => {
    await event('org_a', 'a1', ago(300), true);
    await event('org_a', 'a2', ago(200), true);
    await event('org_a', 'a3', ago(40), false);
    await event('org_b', 'b1', ago(90), true);
  });

  it('of one organisation are its own', async () => {
    expect(await signalMetrics.read(test.db, { organisationId: 'org_a', now: NOW })).toEqual([
      { name: 'forestall_processor_events_waiting', value: 2 },
      { name: 'forestall_last_processor_event_age_seconds', value: 40 },
    ]);
    expect(await signalMetrics.read(test.db, { organisationId: 'org_none', now: NOW })).toEqual([
      { name: 'forestall_processor_events_waiting', value: 0 },
    ]);
  });

  it('of organisations under one label are the sum, and the age of the one that was told least lately', async () => {
    const scope = {
      organisationIds: ['org_a', 'org_b', 'org_none', 'org_quiet'],
      labels: ['shop', 'other', 'other', 'quiet'],
      now: NOW,
    };
    const asked: Promise<ReadonlyMap<string, unknown>> | undefined = signalMetrics.readByLabel?.(
      test.db,
      scope,
    );
    expect(Object.fromEntries((await asked) ?? [])).toEqual({
      shop: [
        { name: 'forestall_processor_events_waiting', value: 2 },
        { name: 'forestall_last_processor_event_age_seconds', value: 40 },
      ],
      other: [
        { name: 'forestall_processor_events_waiting', value: 1 },
        { name: 'forestall_last_processor_event_age_seconds', value: 90 },
      ],
      quiet: [{ name: 'forestall_processor_events_waiting', value: 0 }],
    });
  });
});

describe('after 396 days', () => {
  const ORG = 'org_old';
  const old = new Date(NOW.getTime() - 397 * 86_400_000);
  const claim = async (id: string, nextActionAt: Date | null) => {
    await sql`insert into refund_claim (organisation_id, id, source, reference, charge_reference, amount_minor, currency,
        claimed_at, due_at, due_by, opened_by, opened_at, next_action_at)
      values (${ORG}, ${id}, 'SUPPORT', ${id}, 'ch', 1, 'EUR', ${old}, ${old}, 'house rule', 'operator:Ines', ${old}, ${nextActionAt})`.execute(
      test.db,
    );
  };
  const left = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from refund_claim where organisation_id = ${ORG}
      union all select event_id from processor_event where organisation_id = ${ORG} order by 1`.execute(
      test.db,
    );
    return rows.map(({ id }) => id);
  };

  it('an event that waits stays, and a claim that is no case yet or whose case is there', async () => {
    await event(ORG, 'e_done', old, false);
    await event(ORG, 'e_waits', old, true);
    await claim('netalrt_claim_done', null);
    await claim('netalrt_claim_waits', old);
    await claim('netalrt_claim_open', null);
    await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, changed_at, next_action_at)
      values (${ORG}, 'netalrt_claim_open', 'HUMAN', ${old}, ${old}, ${old}, ${old})`.execute(
      test.db,
    );
    await deleteOldRows(test.db, ORG, { now: NOW });
    expect(await left()).toEqual(['e_waits', 'netalrt_claim_open', 'netalrt_claim_waits']);
  });
});
