/**
 * Sends the notification outbox to people, at least once each.
 *
 * Place in the flow: behind everything. The message is written in the transaction that caused it; a
 * crash after the sending and before the mark sends it again. Channels are tried in their order, so
 * that a second one carries what the first does not take. Without a channel the log is the channel; a
 * message of severity `error` also goes to the log at its first attempt, so that channels that are
 * down are never the only ones.
 */
import type { Installation } from '../db/database.ts';
import { backoffMs } from '../kernel/backoff.ts';
import { nowDate, nowIso } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Channel, OutgoingMessage } from './channel.ts';
import { failureOf } from './channel.ts';
import type { MessagePlace } from './message.ts';
import { digestOf, outgoing } from './message.ts';
import type { DueNotification } from './notification.store.ts';
import {
  claimDueNotifications,
  DIGEST,
  LOG_ONLY,
  markNotificationFailed,
  markNotificationsSent,
  notify,
  readVolume,
} from './notification.store.ts';
import { POST_TIMEOUT_MS } from './post.ts';

/** Messages per round: sent one after the other, so that a receiver is never flooded. */
const BATCH = 20;

/** Single messages in any {@link RATE_MS}; what comes on top of them goes out in one digest. */
export const RATE_MAX = 60;

/** The window of the rate, and the shortest time between two digests, in milliseconds. */
const RATE_MS = 10 * 60_000;

/** Messages that one digest carries. */
const DIGEST_MAX = 500;

/** First and longest wait between attempts, in milliseconds. */
const RETRY = { baseMs: 5_000, maxMs: 30 * 60_000 };

/** Attempts before a message is given up: about a day of a receiver that is down. */
export const ATTEMPTS_MAX = 60;

/** A channel that failed is tried last for this long, in milliseconds. */
const DOWN_MS = 60_000;

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** Options of {@link createNotificationSender}. */
export interface NotificationSenderOptions
  extends Pick<Installation, 'db' | 'clock' | 'log' | 'organisationId'> {
  /** In the order in which they are tried. None: messages are logged. */
  readonly channels: readonly Channel[];
  /** Asked for each message: the list of organisations may change. */
  readonly place?: () => MessagePlace;
}

/** Sends what is due. */
export interface NotificationSender {
  /** One round. Returns how many messages it tried; 0 means nothing is due. */
  runOnce(): Promise<number>;
}

/** Creates a sender. Any number may run at once, in any number of processes. */
export function createNotificationSender(options: NotificationSenderOptions): NotificationSender {
  const { db, clock, organisationId, channels } = options;
  // A claim outlasts a whole batch of attempts that all time out.
  const claimMs = BATCH * POST_TIMEOUT_MS * Math.max(1, channels.length) + 60_000;
  const context: SendContext = { options, downUntilMs: new Map() };
  const claim = async (limit: number): Promise<DueNotification[]> =>
    await claimDueNotifications(db, {
      organisationId,
      now: nowDate(clock),
      limit,
      claimedUntil: new Date(clock.nowMs() + claimMs),
    });
  return {
    async runOnce(): Promise<number> {
      if (channels.length === 0) return await logAll(options, await claim(BATCH));
      const since = new Date(clock.nowMs() - RATE_MS);
      const volume = await readVolume(db, organisationId, since);
      const places = RATE_MAX - volume.single;
      if (places > 0) {
        const due = await claim(Math.min(BATCH, places));
        for (const message of due.toSorted(bySeverity)) await deliver(context, [message]);
        return due.length;
      }
      if (volume.digests > 0) return 0;
      const due = await claim(DIGEST_MAX);
      if (due.length > 0) await deliver(context, due.toSorted(bySeverity));
      return due.length;
    },
  };
}

interface SendContext {
  readonly options: NotificationSenderOptions;
  /** Until when each channel counts as down; of this process, because another may reach it. */
  readonly downUntilMs: Map<string, number>;
}

const SEVERITY_RANK = { error: 0, warning: 1, info: 2 } as const;

function bySeverity(a: DueNotification, b: DueNotification): number {
  return SEVERITY_RANK[a.severity] - SEVERITY_RANK[b.severity] || a.id - b.id;
}

/** Without a channel: logged, as many as there are, and written down together. Returns how many. */
async function logAll(
  { db, clock, organisationId, log }: NotificationSenderOptions,
  messages: readonly DueNotification[],
): Promise<number> {
  for (const message of messages.toSorted(bySeverity)) logMessage(log, message);
  const ids = messages.map(({ id }) => id);
  const arrival = { at: nowDate(clock), channel: LOG_ONLY };
  await markNotificationsSent(db, { organisationId, ids }, arrival);
  return messages.length;
}

/** Sends one message, or several in a digest, and writes what became of it. */
async function deliver(context: SendContext, messages: readonly DueNotification[]): Promise<void> {
  const { db, clock, organisationId, log } = context.options;
  const place = context.options.place?.() ?? {};
  const [first] = messages;
  if (first === undefined) return;
  for (const message of messages) {
    const isUrgent = message.severity === 'error' && message.attempt === 1;
    if (isUrgent) logMessage(log, message);
  }
  const isDigest = messages.length > 1;
  const message = isDigest ? digestOf(messages, place) : outgoing(first, place);
  const result = await tryChannels(context, message);
  if ('channel' in result) {
    await markNotificationsSent(
      db,
      { organisationId, ids: messages.map(({ id }) => id) },
      { at: nowDate(clock), channel: isDigest ? DIGEST : result.channel },
    );
    return;
  }
  for (const each of messages) await postpone(context.options, each, result.failure);
}

async function postpone(
  { db, clock, organisationId, log }: NotificationSenderOptions,
  message: DueNotification,
  failure: string,
): Promise<void> {
  const isLast = message.attempt >= ATTEMPTS_MAX;
  const fields = { id: message.id, kind: message.kind, attempt: message.attempt, failure };
  if (isLast) log.error(fields, 'notification given up');
  else log.warn(fields, 'notification not delivered');
  const retryAt = new Date(clock.nowMs() + backoffMs(message.attempt, RETRY));
  await markNotificationFailed(
    db,
    { organisationId, id: message.id },
    { retryAt: isLast ? null : retryAt, error: failure },
  );
}

/** The first channel that takes it, or what the last one said. */
async function tryChannels(
  context: SendContext,
  message: OutgoingMessage,
): Promise<{ readonly channel: string } | { readonly failure: string }> {
  const { clock, channels } = context.options;
  const isDown = ({ name }: Channel): boolean =>
    (context.downUntilMs.get(name) ?? 0) > clock.nowMs();
  const inOrder = [...channels.filter((each) => !isDown(each)), ...channels.filter(isDown)];
  const failures: string[] = [];
  for (const channel of inOrder) {
    try {
      await channel.send(message);
      if (failures.length > 0) await tellOfFailure(context.options, failures);
      context.downUntilMs.delete(channel.name);
      return { channel: channel.name };
    } catch (error) {
      context.downUntilMs.set(channel.name, clock.nowMs() + DOWN_MS);
      failures.push(
        channels.length === 1 ? failureOf(error) : `${channel.name}: ${failureOf(error)}`,
      );
    }
  }
  return { failure: failures.join('; ') };
}

/** Another channel works, so people can hear that one does not; once a day. */
async function tellOfFailure(
  { db, clock, organisationId, log }: NotificationSenderOptions,
  failures: readonly string[],
): Promise<void> {
  const said = failures.join('; ');
  log.warn({ failures }, 'notification channel down, another one used');
  await notify(db, {
    organisationId,
    dedupeKey: `channel_down:${said}:${nowIso(clock).slice(0, DAY_LENGTH)}`,
    kind: 'channel_down',
    severity: 'warning',
    text: `A notification channel does not take messages (${said}); they go through another one. Check its settings with "forestall notify test".`,
    at: nowDate(clock),
  });
}

function logMessage(log: Log, message: DueNotification): void {
  const { id, kind, alertId, text } = message;
  const level = message.severity === 'warning' ? 'warn' : message.severity;
  log[level]({ id, kind, alertId }, text);
}
