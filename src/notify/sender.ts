/**
 * Sends the notification outbox to people, at least once each.
 *
 * Place in the flow: behind everything. The message is written in the transaction that caused it; a
 * crash after the POST and before the mark sends it again. Without a URL the log is the channel. A
 * message of severity `error` also goes to the log at its first attempt, so that a channel that is
 * down never is the only one.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/database.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { DueNotification } from './notification.store.ts';
import {
  claimDueNotifications,
  markNotificationFailed,
  markNotificationSent,
} from './notification.store.ts';
import type { Severity } from './notification.table.ts';
import type { PostJson } from './post.ts';
import { createPost, POST_TIMEOUT_MS } from './post.ts';

/** Messages per round: sent one after the other, so that a receiver is never flooded. */
const BATCH = 20;

/** A claim outlasts a whole batch of attempts that all time out, in milliseconds. */
const CLAIM_MS = BATCH * POST_TIMEOUT_MS + 60_000;

/** First and longest wait between attempts, in milliseconds. */
const RETRY = { baseMs: 5_000, maxMs: 30 * 60_000 };

/** Attempts before a message is given up: about a day of a receiver that is down. */
export const ATTEMPTS_MAX = 60;

/** Options of {@link createNotificationSender}. */
export interface NotificationSenderOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where messages are posted, as Slack-compatible JSON. Undefined: they are logged. */
  readonly url: string | undefined;
  /** Allows a receiver on this machine. @default false */
  readonly allowLoopback?: boolean;
  /** For tests only. @default a guarded POST to `url` */
  readonly post?: PostJson;
}

/** Sends what is due. */
export interface NotificationSender {
  /** One round. Returns how many messages it tried; 0 means nothing is due. */
  runOnce(): Promise<number>;
}

/** @throws {ConfigError} when the URL may never be posted to */
export function createNotificationSender(options: NotificationSenderOptions): NotificationSender {
  const { db, clock, url, allowLoopback = false } = options;
  const post = options.post ?? (url === undefined ? undefined : createPost({ url, allowLoopback }));
  return {
    async runOnce(): Promise<number> {
      const due = await claimDueNotifications(db, {
        now: nowDate(clock),
        limit: BATCH,
        claimedUntil: new Date(clock.nowMs() + CLAIM_MS),
      });
      for (const message of due) await deliver(options, post, message);
      return due.length;
    },
  };
}

async function deliver(
  options: NotificationSenderOptions,
  post: PostJson | undefined,
  message: DueNotification,
): Promise<void> {
  const { db, clock } = options;
  if (post === undefined || (message.severity === 'error' && message.attempt === 1)) {
    logMessage(options.log, message);
  }
  const failure = post === undefined ? undefined : await tryPost(post, message);
  if (failure === undefined) {
    await markNotificationSent(db, message.id, nowDate(clock));
    return;
  }
  const isLast = message.attempt >= ATTEMPTS_MAX;
  const fields = { id: message.id, kind: message.kind, attempt: message.attempt, failure };
  if (isLast) options.log.error(fields, 'notification given up');
  else options.log.warn(fields, 'notification not delivered');
  const retryAt = new Date(clock.nowMs() + backoffMs(message.attempt, RETRY));
  await markNotificationFailed(db, message.id, {
    retryAt: isLast ? null : retryAt,
    error: failure,
  });
}

/** Undefined when the message arrived, else a word for what went wrong: never the URL. */
async function tryPost(post: PostJson, message: DueNotification): Promise<string | undefined> {
  try {
    const status = await post({ text: renderText(message) });
    return status >= 200 && status < 300 ? undefined : `HTTP ${status}`;
  } catch (error) {
    return error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'no answer';
  }
}

const SEVERITY_WORDS: Record<Severity, string> = {
  error: 'ERROR',
  warning: 'Warning',
  info: 'Info',
};

/** The message as the receiver shows it. `&`, `<` and `>` would otherwise be links or mentions. */
export function renderText(message: Pick<DueNotification, 'severity' | 'text'>): string {
  const text = message.text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return `Forestall ${SEVERITY_WORDS[message.severity]}: ${text}`;
}

function logMessage(log: Log, message: DueNotification): void {
  const { id, kind, alertId, text } = message;
  const level = message.severity === 'warning' ? 'warn' : message.severity;
  log[level]({ id, kind, alertId }, text);
}
