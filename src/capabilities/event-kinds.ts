/** Every kind of the stream of events: those that all installations have, and those that capabilities bring. */
import type { EventKind } from '../surface/event-kind.ts';
import {
  EVENT_KINDS_BESIDES,
  EVENT_KINDS_OF_ALERTS,
  EVENT_KINDS_OF_MONEY,
} from './events/kinds.ts';
import { CAPABILITIES } from './index.ts';

export const EVENT_KINDS: readonly EventKind[] = [
  ...EVENT_KINDS_OF_ALERTS,
  ...EVENT_KINDS_OF_MONEY,
  ...EVENT_KINDS_BESIDES,
  ...CAPABILITIES.flatMap(({ eventKinds = [] }) => eventKinds),
];
