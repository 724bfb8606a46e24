/**
 * The front door for the processor's own webhooks: the same bounds as for the service's, the adapter's
 * verdict over the raw bytes, one insert, and only then 200.
 *
 * Nothing derived from the body exists before the verdict. What is stored are the event's words, never the
 * body; whatever is genuine gets a 200, usable or not, because a repeat would not mend it.
 */
import type { Db } from '../../base/db/database.ts';
import { isCardNumberOnly } from '../../base/kernel/card-number.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import type { Log } from '../../base/kernel/log.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type {
  EventHeaders,
  EventVerdict,
  ProcessorEvent,
  ProcessorEvents,
} from '../../service/wire/processor-event.ts';
import type { Answer } from '../receive/answers.ts';
import { RECEIVED, RECEIVED_AGAIN, REFUSAL_ANSWERS } from '../receive/answers.ts';
import type { BodyBudget, BodyOutcome } from '../receive/body-budget.ts';
import { createBodyBudget } from '../receive/body-budget.ts';
import type { ReceiveCounters, RefusedReason } from '../receive/counters.ts';
import { hashOf } from '../receive/delivery.ts';
import type { DeliveryLog } from '../receive/delivery-log.ts';
import { createRefusalLog } from '../receive/reception.ts';
import { isUsableEvent } from './event-words.ts';
import type { Arrival } from './processor-event.store.ts';
import { storeProcessorEvents, storeUnreadable } from './processor-event.store.ts';

/** What takes part. */
export interface EventReceptionOptions {
  readonly db: Db;
  readonly organisationId: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Undefined: the processor takes no webhooks, and every path is unknown. */
  readonly events: ProcessorEvents | undefined;
  /** The merchant whose own processor it is. @default the organisation's */
  readonly merchantId?: string | undefined;
  /** What bodies may take while they arrive. @default as much as one listener may */
  readonly bodies?: BodyBudget | undefined;
  readonly counters: Pick<ReceiveCounters, 'countProcessorEvent' | 'countProcessorEventRefused'>;
  /** Where the doctor reads how many were taken and refused. */
  readonly deliveries: Pick<DeliveryLog, 'note'>;
}

/** One request, as a server shows it. Nothing of it is trusted before the verdict. */
export interface IncomingEvent {
  /** The last part of the path. */
  readonly name: string;
  readonly headers: EventHeaders;
  /** Reads the bytes; asked once, under headers that some genuine delivery could carry. */
  readBody(budget: BodyBudget): Promise<BodyOutcome>;
}

/** Takes the processor's webhooks in. */
export interface EventReception {
  /** Whether the processor's webhooks have that name: a guest in another program leaves the rest to it. */
  knows(name: string): boolean;
  receive(incoming: IncomingEvent): Promise<Answer>;
  /** Logs a request that is turned away unread. */
  refuse(reason: RefusedReason): Answer;
}

/** Creates the reception. */
export function createEventReception(options: EventReceptionOptions): EventReception {
  const { events, clock, log, counters, deliveries } = options;
  const bodies = options.bodies ?? createBodyBudget();
  const logRefusal = createRefusalLog(log, clock);
  const refuse = (reason: RefusedReason): Answer => {
    counters.countProcessorEventRefused(reason);
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
        counters.countProcessorEvent();
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
  { clock, log }: EventReceptionOptions,
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
async function store(
  options: EventReceptionOptions,
  events: ProcessorEvents,
  body: Buffer,
): Promise<number> {
  const { db, organisationId, clock, merchantId } = options;
  const receivedAt = nowDate(clock);
  // Two accounts at one provider may use the same id.
  const processor = merchantId === undefined ? events.name : `${events.name}:${merchantId}`;
  const arrival: Arrival = { organisationId, processor, receivedAt };
  const told = readEvents(options, events, body);
  if (told === undefined) return await storeAside(db, arrival, body);
  await events.keep?.(body);
  await crashPoint('event.kept');
  return await storeProcessorEvents(db, arrival, told);
}

/** The events; undefined where the body is none, or one of them cannot be stored. */
function readEvents(
  { log }: EventReceptionOptions,
  events: ProcessorEvents,
  body: Buffer,
): readonly ProcessorEvent[] | undefined {
  try {
    const told = events.read(body).map((event, index) => maskedEvent(event, body, index));
    if (told.every(isUsableEvent)) return told;
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
