/** Rows of the stream of events (migration 0054): what waits for its position, and the events. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import {
  describeTable,
  identity,
  json,
  moment,
  number,
  text,
} from '../../base/db/described-table.ts';

declare module '../../base/db/database.ts' {
  interface Database {
    event_outbox: RowOf<typeof eventOutbox>;
    event_position: RowOf<typeof eventPosition>;
    event: RowOf<typeof event>;
  }
}

/** Days for which events are kept. */
export const EVENT_DAYS = 90;

/** References, codes, amounts and moments only. */
export type EventData = Readonly<Record<string, unknown>>;

export const eventOutbox = describeTable({
  name: 'event_outbox',
  purpose: 'events whose position in the stream is not given yet',
  keep: 'current',
  columns: {
    id: identity(),
    type: text(),
    at: moment(),
    alert_id: text().nullable,
    subject: text(),
    merchant_id: text().nullable,
    data: json<EventData>().personal,
  },
});

export const eventPosition = describeTable({
  name: 'event_position',
  purpose: 'the last position of the stream of events',
  keep: 'current',
  columns: { last_seq: number() },
});

export const event = describeTable({
  name: 'event',
  purpose: 'the stream of events',
  keep: EVENT_DAYS,
  columns: {
    seq: number(),
    type: text(),
    at: moment(),
    alert_id: text().nullable,
    subject: text(),
    merchant_id: text().nullable,
    /** For people. */
    sentence: text().personal,
    data: json<EventData>().personal,
  },
});

export type EventRow = Selectable<RowOf<typeof event>>;
