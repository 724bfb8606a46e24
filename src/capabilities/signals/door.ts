/** `POST /processor-events/{name}`: the processor's own webhooks. */
import { REQUEST_FAULTS } from '../../alerts/receive/counters.ts';
import type { Door } from '../../surface/door.ts';
import {
  createEventReception,
  EVENT_VERDICTS,
  RECEIVED_TOTAL,
  REFUSED_TOTAL,
} from './event-reception.ts';
import { vouchFor } from './vouch.ts';

/** Takes one webhook of the processor in. `name` is the last part of the path unless it is given. */
export type FetchEventReceiver = (request: Request, name?: string) => Promise<Response>;

/** As a part of an embedded organisation. */
export interface EventDoor {
  /** `POST /processor-events/{name}` for servers that speak the Fetch API; `receiver` takes it too. */
  readonly receiveEvent: FetchEventReceiver;
}

export const eventDoor: Door = {
  path: 'processor-events',
  property: 'receiveEvent',
  verdicts: EVENT_VERDICTS,
  counters: [
    { name: RECEIVED_TOTAL },
    {
      name: REFUSED_TOTAL,
      label: 'reason',
      // What its signature lacks, the adapter only knows.
      values: ['missing_header', 'no_match', 'too_old', ...REQUEST_FAULTS],
    },
  ],
  vouchFor,
  open: createEventReception,
};
