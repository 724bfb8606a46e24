/**
 * Guarantee: whatever version 0.1.0 left in its database, the version of today goes on with it: no row is
 * lost, every open alert comes to its right end, and nothing is refunded twice. A version that is older
 * than the schema works beside additions and refuses to start beside anything else (F84).
 *
 * The oracle is the processor's ledger and the service of the sandbox, restored to the moment of the dump.
 */
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { laterMigrations, migrateToLatest, pendingMigrations } from '../../src/db/migrate.ts';
import { migrateBoss } from '../../src/jobs/boss.ts';
import { createLog } from '../../src/kernel/log.ts';
import { INVENTORY } from '../../src/privacy/inventory.ts';
import type { OpenTestWorld } from '../../src/testing/test-world.ts';
import { createTestWorld } from '../../src/testing/test-world.ts';
import type { TestDatabase } from '../support/database.ts';
import { createTestDatabase } from '../support/database.ts';

const read = async (name: string): Promise<string> =>
  await readFile(new URL(name, import.meta.url), 'utf8');
const { at, cast, sandbox } = JSON.parse(await read('0.1.0.world.json')) as {
  at: string;
  cast: Record<string, string>;
  sandbox: unknown;
};

/** Where each alert ends, how often its charge is refunded, and what is said of it. Amounts: the prices. */
const ENDS = {
  refunded: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
  accepted: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
  rdr: ['RECONCILED_RDR', 0, 0, 'REFUNDED'],
  // Held; the policy's fallback answers four hours before the deadline, also where somebody has claimed it.
  held: ['DECLARED_REFUND', 1, 6_450, 'REFUNDED'],
  claimed: ['DECLARED_REFUND', 1, 6_450, 'REFUNDED'],
  unmatched: ['DECLARED_ACCEPT', 0, 0, 'NOT_REFUNDED'],
  owed: ['DECLARED_REFUND', 1, 1_290, 'REFUNDED'],
  unknown_executed: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
  unknown_lost: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
  received: ['DECLARED_REFUND', 1, 2_900, 'REFUNDED'],
} as const;

/**
 * What each row of `refund` became, by the part its alert plays: the movement, the dispute it is for, and
 * what of it answers that dispute. The amounts are the prices; the network refunded `rdr` by itself.
 */
const LEDGERS = {
  refunded: movement('refund', 'CONFIRMED', 2_900),
  rdr: movement('network', 'CONFIRMED', 2_900),
  owed: movement('refund', 'CONFIRMED', 1_290),
  unknown_executed: movement('refund', 'UNKNOWN', 2_900),
  unknown_lost: movement('refund', 'UNKNOWN', 2_900),
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PARTS = Object.keys(ENDS) as (keyof typeof ENDS)[];

let database: TestDatabase;
let world: OpenTestWorld | undefined;
beforeAll(async () => {
  database = await openDump();
});
afterAll(async () => {
  await world?.close();
  await database.drop();
});

interface LedgerShown {
  readonly kind: string;
  readonly state: string;
  readonly captured: number;
  readonly moved: number;
  readonly disputed: number;
  readonly covered: number;
  /** Alerts whose case names the dispute and, where the money is ours, the movement. */
  readonly named: number;
  readonly hasKey: boolean;
}

function movement(kind: string, state: string, minor: number): LedgerShown {
  const amounts = { captured: minor, moved: minor, disputed: minor, covered: minor };
  return { kind, state, ...amounts, named: 1, hasKey: kind === 'refund' };
}

async function readLedgers(db: TestDatabase['db']): Promise<Record<string, LedgerShown>> {
  const { rows } = await sql<LedgerShown & { readonly alert: string }>`
    select m.alert_id as alert, m.kind, m.state, c.amount_minor as captured, m.amount_minor as moved,
      d.amount_minor as disputed, v.amount_minor as covered, m.idempotency_key is not null as "hasKey",
      (select count(*)::int from alert_case k where k.dispute_id = d.id
        and (m.kind = 'network' or k.movement_id = m.id)) as named
    from movement m
      left join charge_account c on c.charge_reference = m.charge_reference and c.status = 'captured' and c.currency = m.currency
      left join dispute d on d.id = m.dispute_id and d.charge_reference = m.charge_reference and d.currency = m.currency
      left join cover v on v.movement_id = m.id and v.dispute_id = d.id`.execute(db);
  const partOf = new Map(Object.entries(cast).map(([part, alert]) => [alert, part]));
  return Object.fromEntries(rows.map(({ alert, ...shown }) => [partOf.get(alert) ?? alert, shown]));
}

/** A database as 0.1.0 left it. */
async function openDump(): Promise<TestDatabase> {
  const opened = await createTestDatabase({ template: 'template0' });
  // A connection of its own: a dump sets the session's search path.
  const client = new pg.Client({ connectionString: opened.connectionString });
  await client.connect();
  await client.query(await read('0.1.0.sql'));
  await client.end();
  return opened;
}

async function countRows(tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)}`.execute(database.db);
    counts[table] = rows[0]?.count ?? -1;
  }
  return counts;
}

test('every row of 0.1.0 is there after the migrations, and every open alert comes to its end', async () => {
  // What later versions call otherwise is counted under its own name.
  const refunds = await countRows(['refund']);
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public'
      and tablename in (select unnest(${Object.keys(INVENTORY)}::text[])) order by 1`.execute(
    database.db,
  );
  const tables = rows.map(({ name }) => name).filter((name) => name !== 'inbox_event');
  const before = await countRows([...tables, 'inbox_event']);
  await migrateToLatest(database.db);
  await migrateBoss(
    { connectionString: database.connectionString },
    createLog({ level: 'silent' }),
  );
  expect(await pendingMigrations(database.db)).toEqual([]);
  expect(await countRows([...tables, 'inbox_event'])).toEqual(before);
  expect(before).toMatchObject({
    alert_case: 9,
    inbox_work: 1,
    quarantine: 1,
    order_record: 10,
    console_operator: 1,
    review_comment: 1,
  });
  expect(refunds).toEqual({ refund: 5 });
  expect(await readLedgers(database.db)).toEqual(LEDGERS);

  const now = await createTestWorld({ database: database.connectionString, startsAt: at });
  world = now;
  now.sandbox.restore(sandbox);
  now.sandbox.pointWebhooksAt(now.webhookUrl);
  // 0.1.0 left no sign of life, so today's version looks before it acts. Then to the last fallback.
  await now.advance(30 * MINUTE_MS, 10 * MINUTE_MS);
  await now.advance(46 * HOUR_MS, 11.5 * HOUR_MS);

  const { alerts, charges } = now.sandbox.state;
  const ends = await Promise.all(
    PARTS.map(async (part) => {
      const alertId = cast[part] ?? '';
      const alert = alerts.get(alertId);
      const charge = [...charges.values()].find(
        (each) => each.acquirer_reference_number === alert?.transaction_acquirer_reference_number,
      );
      const { count, sumMinor } =
        charge === undefined ? { count: 0, sumMinor: 0 } : now.sandbox.moneyOut(charge.reference);
      const said = alert?.transaction_refund_outcome;
      return [part, [await now.stateOf(alertId), count, sumMinor, said]] as const;
    }),
  );
  expect(Object.fromEntries(ends)).toEqual(ENDS);
});

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

test('an older version works beside what a later one added, and refuses what breaks it', async () => {
  const name = '9998_adds';
  await sql`insert into forestall_migration values (${name}, now()::text)`.execute(database.db);
  expect(await laterMigrations(database.db)).toEqual([name]);
  expect(await migrateToLatest(database.db)).toEqual([]);
  await sql`insert into forestall_migration values ('9999_drops_breaking', now()::text)`.execute(
    database.db,
  );
  await expect(migrateToLatest(database.db)).rejects.toThrow(
    /cannot work with \(9999_drops_breaking\).*restore the backup/,
  );
});
