/** Every kind of the stream of events: those that all installations have, and those that other capabilities bring. */
import type { EventKind } from '../surface/event-kind.ts';
import { CAPABILITIES } from './index.ts';

export const EVENT_KINDS: readonly EventKind[] = CAPABILITIES.flatMap(
  ({ eventKinds = [] }) => eventKinds,
);
