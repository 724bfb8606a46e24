/**
 * The front door for the processor's own webhooks: the same bounds as for the service's, the adapter's
 * verdict over the raw bytes, one insert, and only then 200.
 *
 * Nothing derived from the body exists before the verdict. What is stored are the event's words, never the
 * body; whatever is genuine gets a 200, usable or not, because a repeat would not mend it.
 */

import type { Answer } from '../../alerts/receive/answers.ts';
import { RECEIVED, RECEIVED_AGAIN, REFUSAL_ANSWERS } from '../../alerts/receive/answers.ts';
import { createBodyBudget } from '../../alerts/receive/body-budget.ts';
import type { RefusedReason } from '../../alerts/receive/counters.ts';
import { hashOf } from '../../alerts/receive/delivery.ts';
import type { DoorReception } from '../../alerts/receive/door.ts';
import { createRefusalLog } from '../../alerts/receive/reception.ts';
import type { Db } from '../../base/db/database.ts';
import { isCardNumberOnly } from '../../base/kernel/card-number.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type {
  EventHeaders,
  EventVerdict,
  ProcessorEvent,
  ProcessorEvents,
} from '../../service/wire/processor-event.ts';
import type { DoorWork } from '../../surface/door.ts';
import { isUsableEvent } from './event-words.ts';
import type { Arrival } from './processor-event.store.ts';
import { storeProcessorEvents, storeUnreadable } from './processor-event.store.ts';

/** Written before its verdicts in the log of deliveries. */
export const EVENT_VERDICTS = 'event:';

/** Metrics under which a process counts what it took, and what it refused by reason. */
export const RECEIVED_TOTAL = 'forestall_processor_events_received_total';
export const REFUSED_TOTAL = 'forestall_processor_events_refused_total';

export function createEventReception(options: DoorWork): DoorReception {
  const { events, clock, log, count, deliveries } = options;
  const bodies = options.bodies ?? createBodyBudget();
  const logRefusal = createRefusalLog(log, clock);
  const refuse = (reason: RefusedReason): Answer => {
    count(REFUSED_TOTAL, reason);
    deliveries.note(reason);
    logRefusal(reason, { part: 'processor events' });
    return REFUSAL_ANSWERS[reason];
  };
  return {
    knows: (name) => events?.name === name,
    refuse,
    async receive({ name, headers, readBody }): Promise<Answer> {
      if (events === undefined || events.name !== name) return refuse('unknown_subscription');
      if (!events.admits(headers)) return refuse('missing_header');
      const read = await readBody(bodies);
      if (!read.ok) return refuse(read.reason);
      const { body } = read;
      const refusal = await refusalOf(options, events, { headers, body });
      if (refusal !== undefined) return refuse(refusal);
      try {
        const added = await store(options, events, body);
        await crashPoint('event.stored');
        count(RECEIVED_TOTAL);
        deliveries.note('accepted');
        return added > 0 ? RECEIVED : RECEIVED_AGAIN;
      } catch (error) {
        log.error({ err: error }, 'event of the processor not stored');
        return refuse('unavailable');
      }
    },
  };
}

const REFUSALS = { forged: 'no_match', stale: 'too_old', unavailable: 'unavailable' } as const;

/** Why the delivery is refused; undefined: it is genuine. */
async function refusalOf(
  { clock, log }: DoorWork,
  events: ProcessorEvents,
  { headers, body }: { readonly headers: EventHeaders; readonly body: Buffer },
): Promise<RefusedReason | undefined> {
  let verdict: EventVerdict;
  try {
    verdict = await events.verify(body, headers, clock.nowMs());
  } catch (error) {
    // An adapter that fails has vouched for nothing.
    log.error({ err: error, processor: events.name }, 'event of the processor not verified');
    return 'unavailable';
  }
  return verdict.kind === 'genuine' ? undefined : REFUSALS[verdict.kind];
}

/** Keeps what the adapter needs first: what follows from an event is read from there. */
async function store(options: DoorWork, events: ProcessorEvents, body: Buffer): Promise<number> {
  const { db, organisationId, clock, merchantId } = options;
  const receivedAt = nowDate(clock);
  // Two accounts at one provider may use the same id.
  const processor = merchantId === undefined ? events.name : `${events.name}:${merchantId}`;
  const arrival: Arrival = { organisationId, processor, receivedAt };
  const received = readEvents(options, events, body);
  if (received === undefined) return await storeAside(db, arrival, body);
  await events.keep?.(body);
  await crashPoint('event.kept');
  return await storeProcessorEvents(db, arrival, received);
}

/** The events; undefined where the body is none, or one of them cannot be stored. */
function readEvents(
  { log }: DoorWork,
  events: ProcessorEvents,
  body: Buffer,
): readonly ProcessorEvent[] | undefined {
  try {
    const masked = events.read(body).map((event, index) => maskedEvent(event, body, index));
    if (masked.every(isUsableEvent)) return masked;
    log.warn({ processor: events.name }, 'event of the processor has unusable words');
  } catch (error) {
    log.warn({ err: error, processor: events.name }, 'event of the processor is unreadable');
  }
  return undefined;
}

/**
 * An event whose id is a full card number goes by its body's hash: a repeat is still known. Its other names are those
 * under which money is booked.
 */
function maskedEvent(event: ProcessorEvent, body: Buffer, index: number): ProcessorEvent {
  if (!isCardNumberOnly(event.id)) return event;
  return { ...event, id: `masked:${hashOf(body).toString('hex')}:${index}` };
}

/** Genuine, and not understood: people are notified once a day, and the polls continue as they do. */
async function storeAside(db: Db, arrival: Arrival, body: Buffer): Promise<number> {
  const { organisationId, processor, receivedAt } = arrival;
  const added = await storeUnreadable(db, arrival, hashOf(body).toString('hex'));
  await notify(db, {
    organisationId,
    dedupeKey: `processor_event:${processor}:${receivedAt.toISOString().slice(0, 10)}`,
    kind: 'processor_event_unreadable',
    severity: 'warning',
    text: `A genuine webhook of the processor (${processor}) could not be read. Nothing follows from it; refunds and charges are asked about as usual. Look at the adapter's "events.read".`,
    at: receivedAt,
  });
  return added;
}
