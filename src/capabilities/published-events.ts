/**
 * What a receiver of events needs, as `forestall/events`: whether a delivery is ours, and the types of events.
 *
 * @module
 * @example
 * const verdict = verify({ secret: 'whsec_…', headers: request.headers, body: rawBody });
 * if (verdict.ok) handle(JSON.parse(rawBody) as ForestallEvent);
 */

export type { EventBody } from '../surface/event-kind.ts';
export type { EventData, EventOfType, EventType, ForestallEvent } from './event-types.ts';
export type { DeliveryRefusal, DeliveryToVerify, DeliveryVerdict } from './events/sign.ts';
export { verify } from './events/sign.ts';
