/**
 * Guarantee: a row of `refund` that several alerts had joined becomes a movement whose dispute holds only
 * those that are one complaint beyond doubt; nothing of it is lost.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { migrateToLatest } from '../../src/base/db/migrate.ts';
import { moveSchema } from '../../src/base/db/move-schema.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';
import { readKept } from './kept.ts';

const { at, cast } = JSON.parse(await readKept('0.1.0.world.json')) as {
  at: string;
  cast: Record<string, string>;
};

/** A database as 0.1.0 left it. */
async function openDump(): Promise<TestDatabase> {
  const opened = await createTestDatabase({ template: 'template0' });
  // A connection of its own: a dump sets the session's search path.
  const client = new pg.Client({ connectionString: opened.connectionString });
  await client.connect();
  await client.query(await readKept('0.1.0.sql'));
  await client.end();
  await moveSchema(opened.db, { from: 'public', isCheck: false });
  return opened;
}

/** A row of `refund` with the alerts that had joined it, as 0.1.0 could leave them. */
interface Joined {
  readonly charge: string;
  readonly row: Record<string, unknown>;
  /** Alerts with their amounts, the row's own first. */
  readonly alerts: Record<string, number>;
}

const JOINED: readonly Joined[] = [
  {
    // A second part was declared with the first one's money; support had returned something, too.
    charge: 'ch_parts',
    row: {
      state: 'CONFIRMED',
      amount_minor: 2_500,
      captured_minor: 8_400,
      external_minor: 1_000,
      external_reference: 're_support',
    },
    alerts: { part: 2_500, other_part: 2_000 },
  },
  {
    charge: 'ch_whole',
    row: { state: 'CONFIRMED', amount_minor: 8_400, captured_minor: 8_400 },
    alerts: { whole: 8_400, whole_again: 8_400 },
  },
  {
    charge: 'ch_support',
    row: {
      state: 'EXTERNAL',
      amount_minor: 0,
      captured_minor: 8_400,
      external_minor: 8_400,
      external_reference: 're_all',
      first_sent_at: null,
      sent_at: null,
      confirmed_at: null,
    },
    alerts: { support: 8_400 },
  },
  {
    charge: 'ch_intent',
    row: {
      state: 'INTENT',
      amount_minor: 8_400,
      captured_minor: 8_400,
      first_sent_at: null,
      sent_at: null,
      confirmed_at: null,
      next_action_at: at,
    },
    alerts: { intent: 8_400 },
  },
  {
    charge: 'ch_refused',
    row: {
      state: 'REJECTED',
      amount_minor: 8_400,
      captured_minor: 8_400,
      failure_code: 'too_old',
      confirmed_at: null,
    },
    alerts: { refused: 8_400 },
  },
];

async function addJoined({ db }: TestDatabase, { charge, row, alerts }: Joined): Promise<void> {
  const [first = ''] = Object.keys(alerts);
  const fields = JSON.stringify({
    id: `rf_${charge}`,
    charge_reference: charge,
    idempotency_key: `key_${charge}`,
    alert_id: first,
    processor_reference: null,
    ...row,
  });
  await sql`insert into refund select (jsonb_populate_record(r, ${fields}::jsonb)).*
    from refund r where alert_id = ${cast['refunded']}`.execute(db);
  for (const [id, amount_minor] of Object.entries(alerts)) {
    const alert = JSON.stringify({ id, amount_minor });
    await sql`insert into alert select (jsonb_populate_record(a, ${alert}::jsonb)).*
      from alert a where id = ${cast['held']}`.execute(db);
    await sql`insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, charge_reference, refund_id, changed_at)
      select organisation_id, ${id}, 'DECLARED_REFUND', opened_at, deadline_at, ${charge}, ${`rf_${charge}`}, changed_at
      from alert_case where alert_id = ${cast['held']}`.execute(db);
  }
}

test('a row that several alerts had joined keeps those that are one complaint beyond doubt', async () => {
  const own = await openDump();
  for (const joined of JOINED) await addJoined(own, joined);
  await migrateToLatest(own.db);
  const { rows: movements } = await sql<Record<string, unknown>>`
    select m.charge_reference as charge, m.kind, m.state, m.amount_minor as moved, m.failure_class as class,
      m.processor_reference as reference, v.amount_minor as covered, d.amount_minor as disputed
    from movement m left join cover v on v.movement_id = m.id left join dispute d on d.id = v.dispute_id
    where m.id like 'rf_ch_%' order by 1, 2 desc`.execute(own.db);
  const { rows: cases } = await sql<{ alert_id: string; dispute: string | null }>`
    select alert_id, dispute_id as dispute from alert_case where movement_id like 'rf_ch_%'`.execute(
    own.db,
  );
  await own.drop();
  const row = (
    charge: string,
    kind: string,
    state: string,
    minor: readonly (number | null)[],
    more = {},
  ) => {
    const [moved, covered, disputed] = minor;
    return { charge, kind, state, moved, covered, disputed, class: null, reference: null, ...more };
  };
  expect(movements).toEqual([
    row('ch_intent', 'refund', 'NOT_SENT', [8_400, 8_400, 8_400]),
    row('ch_parts', 'refund', 'CONFIRMED', [2_500, 2_500, 2_500]),
    row('ch_parts', 'external', 'CONFIRMED', [1_000, null, null], { reference: 're_support' }),
    row('ch_refused', 'refund', 'REJECTED', [8_400, 8_400, 8_400], { class: 'final' }),
    row('ch_support', 'external', 'CONFIRMED', [8_400, 8_400, 8_400], { reference: 're_all' }),
    row('ch_whole', 'refund', 'CONFIRMED', [8_400, 8_400, 8_400]),
  ]);
  const named = Object.fromEntries(cases.map(({ alert_id: id, dispute }) => [id, dispute]));
  expect(named).toEqual({
    part: 'dsp_rf_ch_parts',
    // It is placed when the charge is next looked at, and what was declared without cover is found then.
    other_part: null,
    whole: 'dsp_rf_ch_whole',
    whole_again: 'dsp_rf_ch_whole',
    support: 'dsp_rf_ch_support',
    intent: 'dsp_rf_ch_intent',
    refused: 'dsp_rf_ch_refused',
  });
});
