/** I7: an event that was answered 2xx is stored, or quarantined where it could not be read. */
import type { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { Violation } from './violation.ts';
import type { Wire } from './wire.ts';

/** Every 2xx to a webhook, until it is looked up. */
export interface Acknowledged {
  /** An event was answered 2xx just now. */
  note(body: Buffer): void;
  /** Looks up all that were noted since the last time. @throws Violation */
  check(): Promise<void>;
}

/** Makes the check of one organisation, on a connection that belongs to nobody. */
export function createAcknowledged(raw: Wire, organisationId: string): Acknowledged {
  const ids = new Set<string>();
  const unread: Buffer[] = [];
  return {
    note(body): void {
      const id = idOf(body);
      if (id === undefined) unread.push(body);
      else ids.add(id);
    },
    async check(): Promise<void> {
      const wanted = [...ids];
      ids.clear();
      for (const body of unread.splice(0)) await checkQuarantined(raw, organisationId, body);
      if (wanted.length === 0) return;
      const { rows } = await raw.query<{ id: string }>(
        `select id from unnest($1::text[]) as id
         where not exists (select from inbox_id where organisation_id = $2 and event_id = id) order by id`,
        [wanted, organisationId],
      );
      const [lost] = rows;
      if (lost !== undefined) throw new Violation('I7', `${lost.id} was answered 2xx, not stored`);
    },
  };
}

async function checkQuarantined(raw: Wire, organisationId: string, body: Buffer): Promise<void> {
  const { rows } = await raw.query<{ stored: boolean }>(
    // What cannot be read at all lies in the inbox, and the quarantine points at it. Digits that look like a card's are
    // masked there; the digest is that of the bytes that came.
    `select exists (select from quarantine q left join inbox_event e on e.seq = q.seq
       left join inbox_id i on i.seq = q.seq
       where q.organisation_id = $3 and (q.body = $1 or e.body = $1 or i.body_hash = $2)) as stored`,
    [body, hash('sha256', body, 'buffer'), organisationId],
  );
  if (rows[0]?.stored === true) return;
  throw new Violation('I7', 'an event without an id was answered 2xx, not stored');
}

function idOf(body: Buffer): string | undefined {
  try {
    const event: unknown = JSON.parse(body.toString());
    if (typeof event !== 'object' || event === null || !('id' in event)) return undefined;
    return typeof event.id === 'string' ? event.id : undefined;
  } catch {
    return undefined;
  }
}
