/** The types of the events of all capabilities, from the table of kinds. */
import type { z } from 'zod';
import type { EVENT_KINDS } from './event-kinds.ts';
import type { EventBody } from './events/event-body.ts';

type Kind = (typeof EVENT_KINDS)[number];

/** For example `refund.confirmed`. More may come with a later version of Forestall. */
export type EventType = Kind['type'];

/** What an event of this type holds. Fields may be added. */
export type EventData<Type extends EventType> = z.infer<Extract<Kind, { type: Type }>['data']>;

/** An event of this type, as `GET /api/changes` gives it and a delivery holds it. */
export type EventOfType<Type extends EventType> = Omit<EventBody, 'type' | 'data'> & {
  readonly type: Type;
  readonly data: EventData<Type>;
};

/** Any event; its `type` says what its `data` holds. */
export type ForestallEvent = { [Type in EventType]: EventOfType<Type> }[EventType];
