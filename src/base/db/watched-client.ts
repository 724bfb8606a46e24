/**
 * Notices connections on which the database has fallen silent, and ends them.
 *
 * A server that is frozen, or whose address now leads to another one, leaves connections open on which no
 * answer will ever come; neither TCP nor a time limit above the longest statement tells it soon. So when
 * an answer is a few seconds late, the server that the address leads to now is asked on a new
 * connection whether it is at work on that statement. One that says so is waited for; a statement that it does
 * not know, or a server that does not answer either, twice in a row, ends the connection, and all idle ones too.
 */
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { DatabaseError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { noteFault, READ_TIMEOUT } from './writable.ts';

/** An answer later than this is asked about, in milliseconds: nearly all statements take far less. */
const SUSPECT_AFTER_MS = 3_000;

/** How long the new connection may take to be made and to answer, each, in milliseconds. */
const PROBE_LIMIT_MS = 4_000;

/** How often late answers are looked for, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * Statements given up by us that the server is still at work on, at most; then no connection is opened until it is
 * through with one. A commit that waits for a lost standby can neither be ended nor cancelled from here:
 * cancelled, it would count without its copy.
 */
export const LEFT_BEHIND_MAX = 10;

/**
 * Times in a row that the server must not know a statement, or not answer: its answer may have just been sent, and
 * on a busy machine one new connection may take too long.
 */
const STRIKES = 2;

/** After this much silence the network is asked whether the other side is still there, in milliseconds. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Options of every connection of ours. */
export const KEEP_ALIVE = {
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
} as const;

/** One connection, as the watch knows it. */
interface Watched {
  /** How another like it is made. */
  readonly config: pg.ClientConfig;
  readonly socket: Duplex;
  readonly processId: () => number | undefined;
  /** Statements without an answer. */
  unanswered: number;
  /** When something was last asked or answered, by `performance.now()`. */
  sinceMs: number;
  strikes: number;
}

/** A class of connections. */
type ClientClass = new (config?: pg.ClientConfig) => pg.Client;

/** A client class for a pool, or for one connection, that watches what it opens. */
export function watchedClient(Base: ClientClass, log: Log): ClientClass {
  const watch = createWatch(log);
  const known = new WeakMap<object, Watched>();
  class WatchedClient extends Base {
    constructor(options?: pg.ClientConfig) {
      const config = configOf(options);
      // A pool that was brought may come with connections of its own, like those of cloud providers.
      const socket = config.stream?.() ?? new Socket();
      super({ ...config, stream: () => socket });
      const processId = (): number | undefined => processIdOf(this);
      const entry = { config, socket, processId, unanswered: 0, sinceMs: 0, strikes: 0 };
      known.set(this, entry);
      this.once('connect', () => watch.open(entry));
      this.once('end', () => watch.close(entry));
    }
  }
  // Its many signatures stay as they are: only the end of a statement is listened for.
  Object.defineProperty(WatchedClient.prototype, 'query', {
    value(...args: unknown[]): unknown {
      const entry = known.get(this);
      if (entry === undefined) return Reflect.apply(Base.prototype.query, this, args);
      const answered = watch.ask(entry);
      const end = (error?: unknown): void => {
        answered(error);
        noteFault(this, error);
      };
      const callback = args.at(-1);
      if (typeof callback === 'function') {
        args[args.length - 1] = (...answer: unknown[]): void => {
          end(answer[0]);
          Reflect.apply(callback, undefined, answer);
        };
      }
      const result: unknown = Reflect.apply(Base.prototype.query, this, args);
      if (result instanceof Promise) result.then(() => end(), end);
      // A cursor, or the like: it asks again and again, and is not watched.
      else if (typeof callback !== 'function') end();
      return result;
    },
  });
  Object.defineProperty(WatchedClient.prototype, 'connect', {
    value(...args: unknown[]): unknown {
      if (!watch.isCrowded()) return Reflect.apply(Base.prototype.connect, this, args);
      const error = new DatabaseError(
        'The database is still at work on statements given up before.',
      );
      const [callback] = args;
      if (typeof callback !== 'function') return Promise.reject(error);
      process.nextTick(() => Reflect.apply(callback, undefined, [error]));
      return undefined;
    },
  });
  return WatchedClient;
}

/** A copy with the password, which a pool hides from copies. */
export function configOf(options: pg.ClientConfig | undefined): pg.ClientConfig {
  const { password } = options ?? {};
  return password === undefined ? { ...options } : { ...options, password };
}

/** The server's number of the process that serves the connection, as it said itself. */
function processIdOf(client: object): number | undefined {
  return 'processID' in client && typeof client.processID === 'number'
    ? client.processID
    : undefined;
}

/** Watches the connections of one pool. */
interface Watch {
  open(entry: Watched): void;
  close(entry: Watched): void;
  /** A statement was sent. Returns what its end must be told to. */
  ask(entry: Watched): (error?: unknown) => void;
  /** Whether another connection would only leave one more statement behind. */
  isCrowded(): boolean;
}

function createWatch(log: Log): Watch {
  const open = new Set<Watched>();
  const leftBehind = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const late = [...open].filter(isLate);
    const [first] = [...late, ...leftBehind];
    if (isLooking || first === undefined) return;
    isLooking = true;
    const found = await probe(first.config, [...late, ...leftBehind]);
    isLooking = false;
    for (const entry of leftBehind) if (!mayBeAtWork(entry, found)) leftBehind.delete(entry);
    const gone = late.filter(isLate).filter((entry) => isGone(entry, found));
    if (gone.length > 0) {
      log.warn({ connections: gone.length }, 'the database has fallen silent: connections ended');
      const resting = [...open].filter(({ unanswered }) => unanswered === 0);
      for (const { socket } of [...gone, ...resting]) socket.destroy();
    }
    rest();
  };
  const rest = (): void => {
    if (open.size + leftBehind.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    open(entry): void {
      open.add(entry);
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref();
    },
    close(entry): void {
      open.delete(entry);
      rest();
    },
    ask(entry): (error?: unknown) => void {
      entry.unanswered += 1;
      entry.sinceMs = performance.now();
      return (error) => {
        entry.unanswered -= 1;
        entry.sinceMs = performance.now();
        entry.strikes = 0;
        if (!(error instanceof Error) || error.message !== READ_TIMEOUT) return;
        // What follows on this connection, if only a rollback, would wait behind the answer.
        leftBehind.add(entry);
        entry.socket.destroy();
      };
    },
    isCrowded: () => leftBehind.size >= LEFT_BEHIND_MAX,
  };
}

function isLate({ unanswered, sinceMs }: Watched): boolean {
  return unanswered > 0 && performance.now() - sinceMs >= SUSPECT_AFTER_MS;
}

/** What the server answers that the address leads to now; `unheard`: it lives, and did not say. */
type Found = 'silent' | 'unheard' | 'pooled' | ReadonlySet<number | undefined>;

/** Whether no answer will come on the late connection. */
function isGone(entry: Watched, found: Found): boolean {
  const isAlive = typeof found === 'string' ? found !== 'silent' : found.has(entry.processId());
  entry.strikes = isAlive ? 0 : entry.strikes + 1;
  return entry.strikes >= STRIKES;
}

/** Whether the server may still be at work on it; counts a strike against one that it is not known to be at. */
function mayBeAtWork(entry: Watched, found: Found): boolean {
  // Behind a pooler this cannot be known. A statement may also have been given up before the server began with it.
  return found !== 'pooled' && !isGone(entry, found);
}

/** Asks, on a new connection, which of these the server is at work on. */
async function probe(config: pg.ClientConfig, entries: readonly Watched[]): Promise<Found> {
  const client = new pg.Client({
    ...config,
    application_name: 'forestall-probe',
    connectionTimeoutMillis: PROBE_LIMIT_MS,
    query_timeout: PROBE_LIMIT_MS,
  });
  client.on('error', () => undefined);
  let isIn = false;
  try {
    await client.connect();
    isIn = true;
    const { rows } = await client.query<{ own: number; busy: number[] }>(
      `select pg_backend_pid() as own, array(
         select pid from pg_stat_activity where pid = any($1) and state not like 'idle%') as busy`,
      [entries.flatMap(({ processId }) => processId() ?? [])],
    );
    const [answer] = rows;
    // Behind a pooler the numbers are the pooler's.
    if (answer === undefined || answer.own !== processIdOf(client)) return 'pooled';
    return new Set(answer.busy);
  } catch (error) {
    // A pooler lets in whom it has no session for: only the question waits.
    return isIn || error instanceof pg.DatabaseError ? 'unheard' : 'silent';
  } finally {
    client.end().catch(() => undefined);
  }
}
