/** Rows of the stream of events (migration 0054): what waits for its position, and the events. */
import type { Selectable } from 'kysely';
import type { RowOf } from '../../base/db/described-table.ts';
import {
  defaultedFlag,
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
    event_handler: RowOf<typeof eventHandler>;
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
  references: ['subject'],
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

export type EndpointOwner = 'console' | 'settings';
export type EndpointState = 'ON' | 'OFF' | 'REMOVED';
export type DeliveryState = 'PENDING' | 'DELIVERED' | 'GIVEN_UP';

/** `until`: a newer one took its place, and it signs too until then; ISO 8601. */
export interface EndpointSecret {
  readonly secret: string;
  readonly until: string | null;
}

/** One try. `status` is null where no answer came; `fault` is null where the event was taken. */
export interface Attempt {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly fault: string | null;
  /** The first characters. */
  readonly answer: string;
}

export const eventEndpoint = describeTable({
  name: 'event_endpoint',
  purpose: 'endpoints that are told of events; their secrets, sealed where data keys are set',
  keep: 'current',
  columns: {
    id: text(),
    name: text(),
    url: text(),
    kept_by: text<EndpointOwner>(),
    types: json<readonly string[]>(),
    merchants: json<readonly string[]>(),
    with_email: defaultedFlag(),
    /** A text where they are sealed. */
    secrets: json<readonly EndpointSecret[] | string>(),
    state: text<EndpointState>(),
    off_reason: text().nullable,
    taken_seq: number(),
    failing_since: moment().nullable,
    failures: number(),
    quiet_until: moment().nullable,
    created_at: moment(),
    created_by: text(),
    changed_at: moment(),
  },
});

export const eventDelivery = describeTable({
  name: 'event_delivery',
  purpose: 'what became of each event at each endpoint',
  keep: EVENT_DAYS,
  columns: {
    endpoint_id: text(),
    seq: number(),
    lane: number(),
    state: text<DeliveryState>(),
    tries: number(),
    next_at: moment(),
    lease_until: moment().nullable,
    first_at: moment().nullable,
    changed_at: moment(),
    /** The answer of an endpoint can hold anything. */
    attempts: json<readonly Attempt[]>().personal,
  },
});

export const eventHandler = describeTable({
  name: 'event_handler',
  purpose: 'how far the handlers of an embedding program have come in the stream',
  keep: 'current',
  columns: {
    name: text(),
    cursor: number(),
    lease_owner: text().nullable,
    lease_until: moment().nullable,
    tries: number(),
    retry_at: moment().nullable,
  },
});
