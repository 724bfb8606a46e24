/**
 * Hears the database say that something is due, so that work starts within milliseconds.
 *
 * Only a convenience: every loop also looks by itself. While the connection is lost nothing is
 * heard, and on every (re)connection all topics are woken once, because a word may have been missed.
 */
import pg from 'pg';
import { WAKE_CHANNEL } from '../cases/case.store.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Log } from '../kernel/log.ts';

/** Hands out wake-ups by topic. */
export interface WakeBus {
  /** Calls `listener` whenever `topic` is woken. Returns the function that stops it. */
  on(topic: string, listener: () => void): () => void;
  /** Wakes a topic within this process, without the database. */
  emit(topic: string): void;
  stop(): Promise<void>;
}

const RECONNECT = { baseMs: 200, maxMs: 10_000 };

/** Starts listening. It never throws: a database that is away is tried again for ever. */
export function startWakeBus(connection: pg.ClientConfig, log: Log): WakeBus {
  const listeners = new Map<string, Set<() => void>>();
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let attempt = 0;
  let stopped = false;

  const emit = (topic: string): void => {
    for (const listener of listeners.get(topic) ?? []) listener();
  };
  const retry = (): void => {
    client?.removeAllListeners();
    client?.on('error', () => undefined);
    client = undefined;
    if (stopped || timer !== undefined) return;
    attempt += 1;
    timer = setTimeout(
      () => {
        timer = undefined;
        void connect();
      },
      backoffMs(attempt, RECONNECT),
    );
  };
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      ...connection,
      application_name: 'forestall-wake',
      keepAlive: true,
    });
    client = next;
    next.on('error', retry);
    next.on('end', retry);
    next.on('notification', (message) => emit(message.payload ?? ''));
    try {
      await next.connect();
      await next.query(`listen ${WAKE_CHANNEL}`);
      attempt = 0;
      for (const topic of listeners.keys()) emit(topic);
    } catch (error) {
      log.debug({ err: error }, 'not listening yet');
      retry();
    }
  };
  void connect();

  return {
    on(topic: string, listener: () => void): () => void {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      return () => void set.delete(listener);
    },
    emit,
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      last?.removeAllListeners();
      last?.on('error', () => undefined);
      await last?.end().catch(() => undefined);
    },
  };
}
