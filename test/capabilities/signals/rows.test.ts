/** Guarantee: what waits and what came last is told of one organisation and of many. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { signalMetrics } from '../../../src/capabilities/signals/metrics.ts';
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
    const asked: Promise<ReadonlyMap<string, unknown>> | undefined = signalMetrics.readMany?.(
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
