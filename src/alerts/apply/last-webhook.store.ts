/** Keeps the fact of when a webhook was last stored, for anyone who watches for silence. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';

/** Name of the fact; its value is ISO 8601 UTC. */
const LAST_WEBHOOK_FACT = 'last_webhook_at';

/** Writes the moment unless a later one is known. */
export function writingLastWebhook(organisationId: string, receivedAt: Date): RawBuilder<unknown> {
  return sql`
    insert into fact as f (organisation_id, name, value, changed_at)
    values (${organisationId}, ${LAST_WEBHOOK_FACT}, to_jsonb(${receivedAt.toISOString()}::text), ${receivedAt})
    on conflict (organisation_id, name) do update
      set value = excluded.value, changed_at = excluded.changed_at
      where f.changed_at < excluded.changed_at`;
}
