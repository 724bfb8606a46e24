/** The types of the events of all capabilities, from the table of kinds. */
import type { HandlerOptions } from '../surface/event-handlers.ts';
import type { EventBody } from '../surface/event-kind.ts';
import type { CreditEvents } from './credits/event-kinds.ts';
import type { CommonEvents } from './events/kinds.ts';
import type { RatioEvents } from './ratios/event-kinds.ts';

/** What each type holds. */
export type DataOfTypes = object & CommonEvents & CreditEvents & RatioEvents;

/** For example `refund.confirmed`. More may come with a later version of Forestall. */
export type EventType = keyof DataOfTypes;

/** What an event of this type holds. Fields may be added. */
export type EventData<Type extends EventType> = DataOfTypes[Type];

/** An event of this type, as `GET /api/changes` gives it and a delivery holds it. */
export type EventOfType<Type extends EventType> = Omit<EventBody, 'type' | 'data'> & {
  readonly type: Type;
  readonly data: EventData<Type>;
};

/** Any event; its `type` says what its `data` holds. */
export type ForestallEvent = { [Type in EventType]: EventOfType<Type> }[EventType];

/**
 * Calls a handler for each event of these types, in their order, at least once: what it throws is logged, and the same event
 * is given to it again after 5 s, 5 min, 30 min, 2 h, 5 h and then each 10 h; what comes behind it waits, and no other name does.
 * The worker calls it (`start`, `runOnce`), whenever it was given.
 *
 * @throws {ConfigError} when the name is none, or is taken in this process
 * @example
 * forestall.on('refund.confirmed', async ({ data }) => markRefunded(data.order_reference), { name: 'shop' });
 */
export type OnEvent = <Type extends EventType>(
  types: Type | readonly Type[],
  handler: (event: Extract<ForestallEvent, { type: Type }>) => void | Promise<void>,
  options: HandlerOptions,
) => void;
