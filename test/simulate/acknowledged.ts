/** I7: an event that was answered 2xx is stored, or quarantined where it could not be read. */
import type { Buffer } from 'node:buffer';
import type pg from 'pg';
import { Violation } from './violation.ts';

/** Makes the check, on a connection that belongs to nobody. */
export function acknowledgedIsStored(raw: pg.PoolClient): (body: Buffer) => Promise<void> {
  return async (body) => {
    const id = idOf(body);
    const { rows } = await raw.query<{ stored: boolean }>(
      id === undefined
        ? {
            text: 'select exists (select from quarantine where body = $1) as stored',
            values: [body],
          }
        : {
            name: 'simulate_stored',
            text: 'select exists (select from inbox_id where event_id = $1) as stored',
            values: [id],
          },
    );
    if (rows[0]?.stored === true) return;
    throw new Violation(
      'I7',
      `the event ${id ?? 'without an id'} was answered 2xx and is not stored`,
    );
  };
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
