/** Rows of alerts that were answered long ago, small ones, in the tables that every alert touches. */
import pg from 'pg';
import { organisationOf } from './flood-alert.ts';

const STEP = 100_000;

/** Adds `count` alerts' worth, spread over the organisations, telling how far it is. */
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
    await client.query(`set search_path = forestall, public`);
    const ids = Array.from({ length: organisations }, (_, place) => organisationOf(place));
    for (let done = 0; done < count; done += STEP) {
      const until = Math.min(count, done + STEP);
      for (const text of ROWS) await client.query(text, [done + 1, until, ids]);
      onProgress(until);
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** One for each of the organisations in turn, within the last two years. */
const MADE = `(select n, ($3::text[])[1 + n % cardinality($3::text[])] as organisation,
  now() - interval '3 days' - (n % 1000000) * interval '1 minute' as at
  from generate_series($1::int, $2::int) as n) as made`;

const ROWS: readonly string[] = [
  `insert into alert_case (organisation_id, alert_id, state, opened_at, deadline_at, charge_reference, movement_id,
     dispute_id, closed_at, changed_at)
   select organisation, 'netalrt_past' || n, 'DECLARED_REFUND', at, at + interval '2 days', 'ch_past' || n, 'mv_past' || n,
     'dsp_past' || n, at + interval '1 hour', at + interval '1 hour' from ${MADE}`,
  `insert into movement (organisation_id, id, charge_reference, kind, state, dispute_id, alert_id, idempotency_key,
     amount_minor, currency, first_sent_at, confirmed_at, created_at, changed_at)
   select organisation, 'mv_past' || n, 'ch_past' || n, 'refund', 'CONFIRMED', 'dsp_past' || n, 'netalrt_past' || n,
     'key_past' || n, 4900, 'USD', at, at, at, at from ${MADE}`,
  `insert into audit (organisation_id, at, subject, subject_id, alert_id, actor, what, from_state, to_state)
   select organisation, at, 'case', 'netalrt_past' || n, 'netalrt_past' || n, 'forestall', 'decided', 'MATCHED',
     'DECIDED_REFUND' from ${MADE}`,
  `insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
   select 'evt_past' || n, organisation, decode(md5(n::text) || md5(n::text), 'hex'), at, -n from ${MADE}`,
];
