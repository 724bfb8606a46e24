/** Rows of the stream of events (migration 0054): what waits for its position, the events, who is told, and what came of it. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedText,
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
    event_endpoint: RowOf<typeof eventEndpoint>;
    event_delivery: RowOf<typeof eventDelivery>;
  }
}

/** Days for which events and deliveries are kept. */
export const EVENT_DAYS = 90;

export type EndpointKind = 'webhook' | 'handler';
export type EndpointState = 'ON' | 'OFF' | 'REMOVED';
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'GIVEN_UP';

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

/** A secret of an endpoint. */
export interface EndpointSecret {
  /** `whsec_` and Base64. */
  readonly secret: string;
  /** It signs too until then, ISO 8601; null: it is the present one. */
  readonly until: string | null;
}

export const eventEndpoint = describeTable({
  name: 'event_endpoint',
  purpose: 'who is told of events',
  keep: 'current',
  columns: {
    id: text(),
    kind: text<EndpointKind>(),
    name: text(),
    url: text().nullable,
    /** Empty: all. */
    types: json<readonly string[]>(),
    merchants: json<readonly string[]>(),
    secrets: json<readonly EndpointSecret[]>(),
    state: defaultedText<EndpointState>(),
    off_reason: text().nullable,
    failing_since: moment().nullable,
    failures: number(),
    quiet_until: moment().nullable,
    created_at: moment(),
    created_by: text(),
    changed_at: moment(),
  },
});

export interface Attempt {
  /** ISO 8601. */
  readonly at: string;
  readonly duration_ms: number;
  /** Null: no answer came. */
  readonly status: number | null;
  /** Why it failed; null: it was taken. */
  readonly fault: string | null;
  /** The first bytes of the answer. */
  readonly answer: string;
}

export const eventDelivery = describeTable({
  name: 'event_delivery',
  purpose: 'each event to each who is told, and what came of it',
  keep: EVENT_DAYS,
  columns: {
    endpoint_id: text(),
    seq: number(),
    subject: text(),
    state: defaultedText<DeliveryState>(),
    tries: number(),
    next_at: moment(),
    lease_until: moment().nullable,
    added_at: moment(),
    first_at: moment().nullable,
    changed_at: moment(),
    attempts: json<readonly Attempt[]>().personal,
  },
});
