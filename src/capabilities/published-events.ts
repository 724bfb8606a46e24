/**
 * What a receiver of events needs, as `forestall/events`: whether a delivery is ours, and the types of events.
 *
 * @module
 * @example
 * const verdict = verify({ secret: 'whsec_…', headers: request.headers, body: rawBody });
 * if (!verdict.ok) throw new Error(verdict.reason);
 */

export type {
  DeliveryRefusal,
  DeliveryToVerify,
  DeliveryVerdict,
} from '../base/notify/standard-webhooks.ts';
export { verify } from '../base/notify/standard-webhooks.ts';
export type { DataByType, EventBody } from '../surface/event-kind.ts';
export type { CreditEvents } from './credits/event-kinds.ts';
export type {
  DataOfTypes,
  EventData,
  EventOfType,
  EventType,
  ForestallEvent,
} from './event-types.ts';
export type { CommonEvents } from './events/kinds.ts';
export type { RatioEvents } from './ratios/event-kinds.ts';
