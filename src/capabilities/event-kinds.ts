/** Every kind of the stream of events: those that all installations have, and those that capabilities bring. */
import { creditClaimable } from './credits/event-kinds.ts';
import {
  EVENT_KINDS_BESIDES,
  EVENT_KINDS_OF_ALERTS,
  EVENT_KINDS_OF_MONEY,
} from './events/kinds.ts';
import { ratioCrossed } from './ratios/event-kinds.ts';

export const EVENT_KINDS = [
  ...EVENT_KINDS_OF_ALERTS,
  ...EVENT_KINDS_OF_MONEY,
  ...EVENT_KINDS_BESIDES,
  creditClaimable,
  ratioCrossed,
] as const;
