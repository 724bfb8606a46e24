/** Fills an inbox with events that were received and applied long ago. */
import { sql } from 'kysely';
import type { OpenDatabase } from '../../src/db/connect.ts';

const STEP = 50_000;

/** Adds `count` events of about 1.3 KB, telling how far it is. */
export async function fillInbox(
  database: OpenDatabase,
  count: number,
  onProgress: (done: number) => void,
): Promise<void> {
  for (let done = 0; done < count; done += STEP) {
    const until = Math.min(count, done + STEP);
    await sql`
      with filled as (
        insert into inbox_id (event_id, organisation_id, body_hash, received_at, seq)
        select 'evt_' || md5(n::text), 'org_bench', decode(md5(n::text) || md5(n::text), 'hex'),
               timestamptz '2026-01-01' + n * interval '1 second', -n
        from generate_series(${done + 1}::int, ${until}::int) as n
        returning event_id, received_at, seq
      )
      insert into inbox_event (seq, received_at, organisation_id, event_id, secret_id, signed_at, body)
      select seq, received_at, 'org_bench', event_id, 'abcdef01', received_at,
             convert_to(repeat(md5(event_id), 40), 'UTF8')
      from filled`.execute(database.db);
    onProgress(until);
  }
  await sql`vacuum analyze inbox_id`.execute(database.db);
  await sql`vacuum analyze inbox_event`.execute(database.db);
  await sql`checkpoint`.execute(database.db);
}
