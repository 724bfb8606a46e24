/** Fills an inbox with events that were received and applied long ago. */
import pg from 'pg';

const STEP = 50_000;

/**
 * Adds `count` events of about 1.3 KB, telling how far it is. On a connection of its own without limits:
 * cleaning up behind millions of rows takes minutes.
 */
export async function fillInbox(
  connectionString: string,
  count: number,
  onProgress: (done: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  // Nothing here has to survive a crash; what is measured afterwards commits as ever.
  await client.query('set synchronous_commit = off');
  for (let done = 0; done < count; done += STEP) {
    const until = Math.min(count, done + STEP);
    await client.query(
      `with filled as (
        insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
        select 'evt_' || md5(n::text), 'org_bench', decode(md5(n::text) || md5(n::text), 'hex'),
               timestamptz '2026-01-01' + n * interval '1 second', -n
        from generate_series($1::int, $2::int) as n
        returning event_id, received_at, seq
      )
      insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
      select seq, received_at, 'org_bench', event_id, 'abcdef01', received_at,
             convert_to(repeat(md5(event_id), 40), 'UTF8')
      from filled`,
      [done + 1, until],
    );
    onProgress(until);
  }
  await client.query('vacuum analyze inbox_id');
  await client.query('vacuum analyze inbox_event');
  await client.query('checkpoint');
  await client.end();
}
