/**
 * Hears the database say that something is due, so that work starts within milliseconds.
 *
 * Only a convenience: what is due is also looked for (`due-look.ts`). While the connection is lost nothing is
 * heard, and on every (re)connection all topics are woken once, because a word may have been missed.
 *
 * Behind a pooler a session that listens would be somebody else's a moment later, so that nothing listens
 * there: what is due is looked for each second instead.
 */
import { setTimeout as passing } from 'node:timers/promises';
import pg from 'pg';
import { isPooled } from '../db/pooling.ts';
import { configOf, KEEP_ALIVE, watchedClient } from '../db/watched-client.ts';
import { backoffMs } from '../kernel/backoff.ts';
import type { Log } from '../kernel/log.ts';
import type { LocalLoops } from './wake.store.ts';
import { topicFor, WAKE_CHANNEL } from './wake.store.ts';

/** Hands out wake-ups by topic. */
export interface WakeBus extends LocalLoops {
  /** Calls `listener` whenever `topic` is woken. Returns the function that stops it. */
  on(topic: string, listener: () => void): () => void;
  /** The same for a loop that works on the topic: what this process makes due is its to do. */
  serve(topic: string, listener: () => void): () => void;
  stop(): Promise<void>;
}

/** It is never sent: anyone who listens hears, as with every topic, that the database is back. */
export const DATABASE_BACK = 'database_back';

/** Every loop that failed meanwhile continues when this connection is back: it is tried often. */
const RECONNECT = { baseMs: 200, maxMs: 2_000 };

/** Longest attempt, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/** How often a connection on which nothing is heard is asked whether it still lives, in milliseconds. */
const ASK_EVERY_MS = 5_000;

/** It is never sent: where nothing can be heard it says that it is time to look. */
export const LOOK = 'look';

/** How often, in milliseconds. */
const POLL_MS = 1_000;

/** Who listens to what, within this process. */
function createTopics(): Omit<WakeBus, 'stop'> & { emitAll(): void } {
  const listeners = new Map<string, Set<() => void>>();
  const served = new Map<string, Set<() => void>>();
  const addTo = (
    map: Map<string, Set<() => void>>,
    topic: string,
    listener: () => void,
  ): (() => void) => {
    const set = map.get(topic) ?? new Set();
    map.set(topic, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && map.get(topic) === set) map.delete(topic);
    };
  };
  return {
    on: (topic, listener) => addTo(listeners, topic, listener),
    serve: (topic, listener) => addTo(served, topic, listener),
    isServed: (topic) => served.has(topic),
    emit(topic): void {
      for (const map of [listeners, served])
        for (const listener of map.get(topic) ?? []) listener();
    },
    emitAll(): void {
      // Loops hear of the connection itself, each at its own pace.
      for (const listener of new Set([...listeners.values()].flatMap((set) => [...set])))
        listener();
    },
  };
}

/** The bus as one organisation hears it: its own topics, and words that name no organisation. */
export function wakeBusOf(bus: WakeBus, organisationId: string): WakeBus {
  const both = (
    add: (topic: string, listener: () => void) => () => void,
  ): ((topic: string, listener: () => void) => () => void) => {
    return (topic, listener) => {
      const offs = [topic, topicFor(topic, organisationId)].map((each) => add(each, listener));
      return () => {
        for (const off of offs) off();
      };
    };
  };
  return {
    on: both(bus.on),
    serve: both(bus.serve),
    isServed: (topic) => bus.isServed(topicFor(topic, organisationId)),
    emit: (topic) => bus.emit(topicFor(topic, organisationId)),
    stop: () => Promise.resolve(),
  };
}

/** Starts listening. It never throws: a database that is away is tried again for ever. */
export function startWakeBus(connection: pg.ClientConfig, log: Log): WakeBus {
  const { emitAll, ...topics } = createTopics();
  const Client = watchedClient(pg.Client, log);
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let attempt = 0;
  let stopped = false;

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
    next.on('notification', (message) => topics.emit(message.payload ?? ''));
    try {
      await next.connect();
      if (await isPooled(next)) {
        if (!stopped) poll = setInterval(() => topics.emit(LOOK), POLL_MS);
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
    ...topics,
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
