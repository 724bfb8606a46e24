/** The processor's own webhooks: whether they come, are believed, and are acted on. */
import { countAtDoor } from '../../alerts/receive/delivery-minute.store.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import type { StatusLine } from '../../base/kernel/status-line.ts';
import { ok, warning } from '../../base/kernel/status-line.ts';
import type { DoctorLook } from '../../surface/capability.ts';
import { EVENT_VERDICTS } from './event-reception.ts';
import { countUnreadable, readEventStanding } from './processor-event.store.ts';
import { processorEvents } from './settings.ts';

const NAME = 'processor events';

/** What is counted, in milliseconds: the last day. */
const DAY_MS = 24 * 60 * 60_000;

/** An event is looked at within seconds; one that waits for longer is held up, in milliseconds. */
const LATE_MS = 10 * 60_000;

/** One line where the processor's webhooks are taken, or were. */
export async function eventLines(look: DoctorLook): Promise<readonly StatusLine[]> {
  const { db, organisationId, now, settings } = look;
  const since = new Date(now.getTime() - DAY_MS);
  const counts = await countAtDoor(db, { organisationId, verdicts: EVENT_VERDICTS }, since);
  const accepted = counts.find(({ verdict }) => verdict === 'accepted')?.count ?? 0;
  const facts: EventFacts = {
    isSet: settings.of(processorEvents).kind !== 'none',
    accepted,
    refused: counts.reduce((sum, { count }) => sum + count, 0) - accepted,
    unreadable: await countUnreadable(db, organisationId, since),
    ...(await readEventStanding(db, organisationId)),
    now,
  };
  return [lineOf(facts)];
}

/** What the line is made of; counts are those of the last day. */
export interface EventFacts {
  /** Whether a setting names who vouches for them. */
  readonly isSet: boolean;
  readonly accepted: number;
  readonly refused: number;
  readonly unreadable: number;
  readonly waiting: number;
  readonly waitingSince: Date | null;
  readonly lastAt: Date | null;
  readonly now: Date;
}

export function lineOf(facts: EventFacts): StatusLine {
  const { isSet, accepted, refused, unreadable, waiting, waitingSince, lastAt, now } = facts;
  const isQuiet = accepted + refused + waiting === 0 && lastAt === null;
  if (isQuiet && !isSet) {
    return ok(NAME, 'none are taken: what the processor knows is found by polling');
  }
  const last = lastAt === null ? 'none yet' : `last one ${utcWords(lastAt)}`;
  const detail = `${accepted} taken and ${refused} refused in 24 h, ${waiting} wait, ${last}`;
  if (isQuiet) {
    const step =
      'Point your provider’s webhooks at POST /processor-events/{name} of the public port.';
    return warning(NAME, detail, step);
  }
  if (waitingSince !== null && now.getTime() - waitingSince.getTime() >= LATE_MS) {
    const step = `The oldest waits since ${utcWords(waitingSince)}: look whether a worker runs and the processor answers.`;
    return warning(NAME, detail, step);
  }
  if (unreadable > 0) {
    const step = `${unreadable} genuine ones could not be read: look at the adapter’s "events.read".`;
    return warning(NAME, detail, step);
  }
  if (refused > 0 && accepted === 0) {
    const step =
      'Nothing is believed: compare the name in the path and the webhook’s secret on both sides.';
    return warning(NAME, detail, step);
  }
  return ok(NAME, detail);
}
