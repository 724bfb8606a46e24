/**
 * What happens to one delivery, whatever server it came in through: raw bytes, signature verdict,
 * inbox, answer; in that order and nothing else.
 *
 * Nothing derived from the body exists before the verdict. 200 means the event is committed; whatever
 * is signed gets a 200, usable or not, because a repeat would not mend it and refusals can have the
 * endpoint disabled.
 */
import { createHash } from 'node:crypto';
import { maskText } from '../../base/kernel/card-number.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { Answer } from './answers.ts';
import { RECEIVED, RECEIVED_AGAIN, REFUSAL_ANSWERS } from './answers.ts';
import type { BodyBudget, BodyOutcome } from './body-budget.ts';
import { createBodyBudget } from './body-budget.ts';
import type { ReceiveCounters, RefusedReason } from './counters.ts';
import { alertIdOf } from './delivery.ts';
import type { DeliveryLog } from './delivery-log.ts';
import type { DeliveryExample } from './inbox.table.ts';
import type { Inbox, StaleDelivery } from './inbox.ts';
import type { Verdict, Verifier } from './signature.ts';
import { readSignature } from './signature.ts';

/** What takes part in a reception. */
export interface ReceptionOptions {
  readonly inbox: Inbox;
  /** The verifier of a subscription; the one without a name is `''`. Undefined: unknown. */
  readonly verifiers:
    | ReadonlyMap<string, Verifier>
    | ((subscription: string) => Verifier | undefined);
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: ReceiveCounters;
  /** Where the console reads repeats and refusals. @default nowhere */
  readonly deliveries?: Pick<DeliveryLog, 'note'> | undefined;
  /** What bodies may take while they arrive. @default as much as one listener may */
  readonly bodies?: BodyBudget | undefined;
}

/** One request, as a server shows it. Nothing of it is trusted before the verdict. */
export interface Incoming {
  /** Empty for the only one. */
  readonly subscription: string;
  /** Every value of `X-Signature`. */
  readonly signatures: readonly string[];
  /** `X-Idempotency-Key`: not signed, kept to find a delivery in the service's own records. */
  readonly deliveryId: string | null;
  readonly contentEncoding: string | undefined;
  readonly transferEncoding: string | undefined;
  /** Reads the bytes; asked once, for a subscription that exists, and with a signature to compare. */
  readBody(budget: BodyBudget): Promise<BodyOutcome>;
}

/** Takes deliveries in. */
export interface Reception {
  /** Whether there is such a subscription: a guest in another program leaves the rest to it. */
  knows(subscription: string): boolean;
  receive(incoming: Incoming): Promise<Answer>;
  /** Counts and logs a request that is turned away unread. */
  refuse(reason: RefusedReason): Answer;
}

type RefusedVerdict = Extract<Verdict, { readonly ok: false }>;

/** Longest `X-Idempotency-Key` kept, in characters. */
const DELIVERY_ID_LENGTH_MAX = 200;

/** Longest text kept of a header that is not vouched for, in characters. */
const HEADER_LENGTH_MAX = 60;

/** Creates the reception. */
export function createReception(options: ReceptionOptions): Reception {
  const { inbox, verifiers, clock, log, counters, deliveries } = options;
  const findVerifier =
    typeof verifiers === 'function'
      ? verifiers
      : (name: string): Verifier | undefined => verifiers.get(name);
  const logRefusal = createRefusalLog(log, clock);
  const noteStale = createStaleNotes({ inbox, clock, log });
  const bodies = options.bodies ?? createBodyBudget();

  const refuse = (reason: RefusedReason, facts: DeliveryExample['facts'] = {}): Answer => {
    counters.countRefused(reason);
    deliveries?.note(reason, facts);
    logRefusal(reason, facts);
    return REFUSAL_ANSWERS[reason];
  };

  const refuseSignature = async (
    incoming: Incoming,
    body: Buffer,
    verdict: RefusedVerdict,
  ): Promise<Answer> => {
    if (!verdict.authentic) return refuse(verdict.reason, describeUnread(incoming, body));
    const { ageSeconds, secretId } = verdict;
    await noteStale({ alertId: alertIdOf(body), ageSeconds });
    return refuse(verdict.reason, { ageSeconds, secretId });
  };

  return {
    knows: (subscription) => findVerifier(subscription) !== undefined,
    refuse: (reason) => refuse(reason),
    async receive(incoming): Promise<Answer> {
      const { subscription } = incoming;
      const verifier = findVerifier(subscription);
      if (verifier === undefined) return refuse('unknown_subscription');
      // Without a digest no body can be genuine: it is not worth the memory.
      const signature = readSignature(incoming.signatures);
      if (!signature.ok) return refuse(signature.reason, describeWay(incoming));
      const read = await incoming.readBody(bodies);
      if (!read.ok) return refuse(read.reason);
      const { body } = read;
      const verdict = verifier.verifyRead(signature, body);
      if (!verdict.ok) return await refuseSignature(incoming, body, verdict);
      const { secretId, signedAtSeconds } = verdict;
      try {
        const deliveryId = headerText(incoming.deliveryId, DELIVERY_ID_LENGTH_MAX) ?? null;
        const delivery = { subscription, deliveryId, secretId, signedAtSeconds, body };
        const outcome = await inbox.store(delivery);
        counters.countStored(outcome);
        if (outcome.duplicate) deliveries?.note('repeat', { eventId: outcome.eventId, deliveryId });
        else deliveries?.note('accepted');
        return outcome.duplicate ? RECEIVED_AGAIN : RECEIVED;
      } catch (error) {
        log.error({ err: error }, 'delivery not stored');
        return refuse('unavailable');
      }
    },
  };
}

/** What may be known of bytes that are not vouched for, to find out what changed them on the way. */
function describeUnread(incoming: Incoming, body: Buffer): DeliveryExample['facts'] {
  return {
    bodySha256: createHash('sha256').update(body).digest('hex'),
    bodyBytes: body.length,
    ...describeWay(incoming),
  };
}

function describeWay({ contentEncoding, transferEncoding }: Incoming): DeliveryExample['facts'] {
  return {
    contentEncoding: headerText(contentEncoding, HEADER_LENGTH_MAX),
    transferEncoding: headerText(transferEncoding, HEADER_LENGTH_MAX),
  };
}

/** What is kept of a header: its beginning, full card numbers masked before it is cut. */
function headerText(text: string | null | undefined, lengthMax: number): string | undefined {
  if (text === null || text === undefined) return undefined;
  // Headers arrive as bytes, each a character. Anyone who writes other scripts there means UTF-8.
  const bytes = Buffer.from(text, 'latin1');
  const masked = maskText(bytes);
  return (masked === bytes ? text : masked.toString('latin1')).slice(0, lengthMax);
}

// Logs refused deliveries without letting their sender fill the disk: anybody can send garbage
// to a public address. Past a number per minute they are counted only.

/** Lines per minute and process. */
const REFUSAL_LINES_PER_MINUTE_MAX = 120;

const MINUTE_MS = 60_000;

/** Logs refusals, within bounds. */
export type RefusalLog = (reason: RefusedReason, facts: Readonly<Record<string, unknown>>) => void;

/** Creates the log. `facts` hold lengths, hashes and ids; never the body. */
export function createRefusalLog(log: Log, clock: Clock): RefusalLog {
  let minute = Number.NaN;
  let lines = 0;
  let suppressed = 0;
  return (reason, facts) => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) {
      if (suppressed > 0) log.warn({ suppressed }, 'more deliveries were refused than logged');
      minute = now;
      lines = 0;
      suppressed = 0;
    }
    lines += 1;
    if (lines <= REFUSAL_LINES_PER_MINUTE_MAX) log.warn({ reason, ...facts }, 'delivery refused');
    else suppressed += 1;
  };
}

// Passes on what a stale but authentic delivery was about, once a minute per alert: anyone who
// holds an old delivery can send it again and again, and must not make us write each time.

/** Alerts remembered within the minute; beyond, further ones wait for the ordinary poll. */
const ALERTS_PER_MINUTE_MAX = 1_000;

/** Options of {@link createStaleNotes}. */
interface StaleNotesOptions {
  readonly inbox: Pick<Inbox, 'noteStale'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the function that passes a stale delivery on. It never throws: the answer is 401 anyway. */
function createStaleNotes(options: StaleNotesOptions): (stale: StaleDelivery) => Promise<void> {
  const { inbox, clock, log } = options;
  const noted = new Set<string>();
  let minute = Number.NaN;
  return async (stale) => {
    const now = Math.floor(clock.nowMs() / MINUTE_MS);
    if (now !== minute) noted.clear();
    minute = now;
    const key = stale.alertId ?? '';
    if (noted.has(key) || noted.size >= ALERTS_PER_MINUTE_MAX) return;
    noted.add(key);
    try {
      await inbox.noteStale(stale);
    } catch (error) {
      noted.delete(key);
      log.error({ err: error, alertId: stale.alertId }, 'a stale delivery could not be noted');
    }
  };
}
