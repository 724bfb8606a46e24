/** Rows of alerts that were answered long ago, small ones, in the tables that every alert touches. */
import pg from 'pg';
import { organisationOf } from './flood-alert.ts';

const STEP = 100_000;

/**
 * Adds `count` alerts' worth, spread over the organisations, telling how far it is.
 *
 * Each organisation's rows come one after another in the order of their ids, and indexes that hold no key are made
 * anew afterwards: each is then written once from its beginning to its end.
 */
export async function fillPlatform(
  connectionString: string,
  { count, organisations }: { readonly count: number; readonly organisations: number },
  onProgress: (done: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    // Rows of the past: no trigger and no foreign key has anything to do about them.
    await client.query(`set session_replication_role = replica`);
    await client.query('set synchronous_commit = off');
    await client.query(`set maintenance_work_mem = '1GB'`);
    await client.query(`set search_path = forestall, public`);
    const { rows: indexes } = await client.query<{ name: string; made: string }>(INDEXES, [TABLES]);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const each = Math.ceil(count / organisations);
    for (let place = 0; place < organisations; place++) {
      const [first, last] = [place * each + 1, Math.min(count, (place + 1) * each)];
      for (let from = first; from <= last; from += STEP) {
        const until = Math.min(last, from + STEP - 1);
        for (const text of ROWS) await client.query(text, [from, until, organisationOf(place)]);
      }
      onProgress(last);
    }
    for (const { made } of indexes) await client.query(made.replace(' ON ONLY ', ' ON '));
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

const TABLES = ['alert_case', 'movement', 'audit', 'inbox_id'];

/** Indexes of these tables that no key needs; of a table in partitions, its own. */
const INDEXES = `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
  from pg_index i where i.indrelid = any($1::regclass[]) and not i.indisunique`;

/** One after another, within the last two years. */
const MADE = `(select 'past' || lpad(n::text, 8, '0') as id, n, $3::text as organisation,
  now() - interval '3 days' - (n % 1000000) * interval '1 minute' as at
  from generate_series($1::int, $2::int) as n) as made`;

const ROWS: readonly string[] = [
  `insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, charge_reference, movement_id,
     dispute_id, closed_at, changed_at)
   select organisation, 'netalrt_' || id, 'DECLARED_REFUND', at, at + interval '2 days', 'ch_' || id, 'mv_' || id,
     'dsp_' || id, at + interval '1 hour', at + interval '1 hour' from ${MADE}`,
  `insert into movement (organisation_id, id, charge_reference, kind, state, dispute_id, alert_id, idempotency_key,
     amount_minor, currency, first_sent_at, confirmed_at, created_at, changed_at)
   select organisation, 'mv_' || id, 'ch_' || id, 'refund', 'CONFIRMED', 'dsp_' || id, 'netalrt_' || id,
     'key_' || id, 4900, 'USD', at, at, at, at from ${MADE}`,
  `insert into audit (organisation_id, at, subject, subject_id, alert_id, actor, what, from_state, to_state)
   select organisation, at, 'case', 'netalrt_' || id, 'netalrt_' || id, 'forestall', 'decided', 'MATCHED',
     'DECIDED_REFUND' from ${MADE}`,
  `insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
   select 'evt_' || id, organisation, decode(md5(n::text) || md5(n::text), 'hex'), at, -n from ${MADE}`,
];
