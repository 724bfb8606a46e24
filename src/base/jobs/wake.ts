/**
 * Hears the database say that something is due, so that work starts within milliseconds.
 *
 * Only a convenience: every loop also looks by itself. While the connection is lost nothing is
 * heard, and on every (re)connection all topics are woken once, because a word may have been missed.
 *
 * Behind a pooler a session that listens would be somebody else's a moment later, so that nothing listens
 * there: all topics are woken each second instead.
 */
import { setTimeout as passing } from 'node:timers/promises';
import pg from 'pg';
import { isPooled } from '../db/pooling.ts';
import { configOf, KEEP_ALIVE, watchedClient } from '../db/watched-client.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Log } from '../kernel/log.ts';
import { WAKE_CHANNEL } from './wake.store.ts';

/** Hands out wake-ups by topic. */
export interface WakeBus {
  /** Calls `listener` whenever `topic` is woken. Returns the function that stops it. */
  on(topic: string, listener: () => void): () => void;
  /** Wakes a topic within this process, without the database. */
  emit(topic: string): void;
  stop(): Promise<void>;
}

/** Nobody sends it: whoever listens hears, as with every topic, that the database is back. */
export const DATABASE_BACK = 'database_back';

/** Every loop that failed meanwhile goes on when this connection is back: it is tried often. */
const RECONNECT = { baseMs: 200, maxMs: 2_000 };

/** Longest attempt, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/** How often a connection on which nothing is heard is asked whether it still lives, in milliseconds. */
const ASK_EVERY_MS = 5_000;

/** How often all topics are woken where nothing can be heard, in milliseconds. */
const POLL_MS = 1_000;

/** Starts listening. It never throws: a database that is away is tried again for ever. */
export function startWakeBus(connection: pg.ClientConfig, log: Log): WakeBus {
  const listeners = new Map<string, Set<() => void>>();
  const Client = watchedClient(pg.Client, log);
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let attempt = 0;
  let stopped = false;

  const emit = (topic: string): void => {
    for (const listener of listeners.get(topic) ?? []) listener();
  };
  const emitAll = (): void => {
    for (const topic of listeners.keys()) emit(topic);
  };
  /** Anything may be due; that the database was away is not said by looking. */
  const look = (): void => {
    for (const topic of listeners.keys()) if (topic !== DATABASE_BACK) emit(topic);
  };
  /** It may have connected, and only LISTEN failed: a standby refuses that. */
  const drop = async (): Promise<void> => {
    const last = client;
    client = undefined;
    for (const event of ['error', 'end'] as const) last?.off(event, retry);
    last?.removeAllListeners('notification');
    last?.on('error', () => undefined);
    await last?.end().catch(() => undefined);
  };
  const retry = (): void => {
    void drop();
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
    const next = new Client({
      ...configOf(connection),
      application_name: 'forestall-wake',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...KEEP_ALIVE,
    });
    client = next;
    next.on('error', retry);
    next.on('end', retry);
    next.on('notification', (message) => emit(message.payload ?? ''));
    try {
      await next.connect();
      if (await isPooled(next)) {
        if (!stopped) poll = setInterval(look, POLL_MS);
        emitAll();
        await drop();
        log.info('behind a pooler: work is looked for each second');
        return;
      }
      await next.query(`listen ${WAKE_CHANNEL}`);
      attempt = 0;
      emitAll();
      void keepAsking(next, () => client === next);
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
      clearInterval(poll);
      await drop();
    },
  };
}

/** Its end is heard of like any other: `watched-client.ts` ends it when the answer does not come. */
async function keepAsking(listening: pg.Client, isUsed: () => boolean): Promise<void> {
  for (;;) {
    await passing(ASK_EVERY_MS, undefined, { ref: false });
    if (!isUsed()) return;
    await listening.query('select 1').catch(() => undefined);
  }
}
