/** An event as programs get it: the same in the log, in a delivery and in an export. */
import { z } from 'zod';
import { eventIdOf } from '../../surface/event-id.ts';
import type { EventBody } from '../../surface/event-kind.ts';
import { EVENT_VERSION } from '../../surface/event-kind.ts';
import type { EventRow } from './events.table.ts';

/** What every event has; `data` depends on its type. */
export const eventBody = z
  .strictObject({
    id: z.string().meta({ description: 'The same each time the event is read or sent' }),
    type: z.string(),
    version: z.literal(EVENT_VERSION),
    timestamp: z.iso.datetime().meta({ description: 'When it happened' }),
    position: z
      .int()
      .min(1)
      .meta({ description: 'In the stream of its organisation, without gaps' }),
    organisation_id: z.string(),
    alert_id: z.string().nullable(),
    merchant_id: z.string().nullable(),
    sentence: z.string().meta({ description: 'For people' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'Depends on the type' }),
  })
  .meta({ id: 'ForestallEvent' });

export function eventBodyOf(organisationId: string, row: EventRow): EventBody {
  return {
    id: eventIdOf(organisationId, row),
    type: row.type,
    version: EVENT_VERSION,
    timestamp: row.at.toISOString(),
    position: row.seq,
    organisation_id: organisationId,
    alert_id: row.alert_id,
    merchant_id: row.merchant_id,
    sentence: row.sentence,
    data: row.data,
  };
}
