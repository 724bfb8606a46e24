/**
 * The database as our processes see it: connections that wait for the scheduler at each statement and
 * can be lost before it, or after it and before its answer (K15). Behind them stands one real
 * connection, which is enough where one statement runs at a time.
 */
import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import type { DatabaseSource } from '../../src/db/source.ts';
import type { Actor } from './actor.ts';
import type { Scheduler } from './scheduler.ts';

/** How a statement goes wrong. */
export type StatementFault = 'lost_before' | 'lost_after' | undefined;

/** Parts of the simulated database. */
export interface SimulatedDatabaseOptions {
  readonly scheduler: Scheduler;
  /** The one real connection. */
  readonly raw: pg.ClientBase;
  readonly fault: (actor: Actor, verb: string) => StatementFault;
  /** A process woke the loops of this topic. */
  readonly onWake: (topic: string) => void;
}

/** Notifications wake loops, which the simulation starts by itself; the topic is the last value. */
const NOTIFY = 'select pg_notify(';
/** The receivers' word comes by the machine's timer, so it is not listened to. */
const NOTIFY_INBOX = "select set_config('synchronous_commit'";
const ENDS: ReadonlySet<string> = new Set(['commit', 'rollback']);
const NOTHING = { rows: [], rowCount: 0, command: 'SELECT', oid: 0, fields: [] };

/** Names of statements. All connections of a simulation share one real one, so each is planned once. */
const names = new Map<string, string>();

function prepared(text: string, values: unknown[] | undefined): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    name = `simulate_${createHash('sha1').update(text).digest('hex')}`;
    names.set(text, name);
  }
  return { name, text, ...(values === undefined ? {} : { values }) };
}

/** A connection of a process. */
class SimulatedClient {
  readonly #options: SimulatedDatabaseOptions;
  readonly #actor: Actor;
  #isLost = false;
  #inTransaction = false;
  /** A transaction is begun with its first statement: nobody can tell, and it saves a round trip. */
  #isAboutToBegin = false;

  constructor(options: SimulatedDatabaseOptions, actor: Actor) {
    this.#options = options;
    this.#actor = actor;
  }

  async query(query: string | pg.QueryConfig, values?: unknown[]): Promise<unknown> {
    const text = typeof query === 'string' ? query : query.text;
    if (text.startsWith(NOTIFY_INBOX)) return NOTHING;
    if (text.startsWith(NOTIFY)) {
      this.#options.onWake(String(values?.at(-1)));
      return NOTHING;
    }
    if (this.#isLost) throw lost();
    if (text === 'begin') {
      this.#isAboutToBegin = true;
      return NOTHING;
    }
    if (this.#isAboutToBegin && ENDS.has(text)) {
      this.#isAboutToBegin = false;
      return NOTHING;
    }
    return await this.#options.scheduler.enter({
      actor: this.#actor,
      kind: 'query',
      label: text,
      session: this,
      run: () => this.#run(query, text, values),
    });
  }

  async #run(query: string | pg.QueryConfig, text: string, values?: unknown[]): Promise<unknown> {
    const { raw, scheduler, fault } = this.#options;
    const planned = fault(this.#actor, text);
    if (planned === 'lost_before') return await this.#lose();
    if (this.#isAboutToBegin) this.#begin();
    const isEnd = ENDS.has(text);
    if (isEnd) this.#inTransaction = false;
    try {
      const given = typeof query === 'string' ? values : (query.values ?? values);
      const result = await raw.query(isEnd ? text : prepared(text, given));
      if (planned === 'lost_after') return await this.#lose();
      return result;
    } finally {
      if (isEnd) scheduler.letGo(this);
    }
  }

  /** Sent ahead of the statement that follows at once; the server takes one after the other. */
  #begin(): void {
    this.#isAboutToBegin = false;
    this.#options.raw.query('begin').catch(() => undefined);
    this.#inTransaction = true;
    this.#options.scheduler.hold(this.#actor, this);
  }

  /** The server rolls back what a lost connection had open. */
  async #lose(): Promise<never> {
    await this.rollBack();
    this.#isLost = true;
    this.#options.scheduler.note(`lost ${this.#actor.name}`);
    throw lost();
  }

  async rollBack(): Promise<void> {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    await this.#options.raw.query('rollback');
    this.#options.scheduler.letGo(this);
  }

  // What the pool's users call besides.
  release(): void {
    this.#isLost = true;
  }
  on(): void {
    // Nothing is ever emitted.
  }
  off(): void {
    // Nothing was added.
  }
}

function lost(): Error {
  return new Error('Connection terminated unexpectedly');
}

/** Ends what a killed process had open. */
export async function rollBackSession(session: object | undefined): Promise<void> {
  if (session instanceof SimulatedClient) await session.rollBack();
}

/** A process' own database. */
export function simulatedSource(options: SimulatedDatabaseOptions, actor: Actor): DatabaseSource {
  const pool = {
    options: {},
    connect: () => Promise.resolve(new SimulatedClient(options, actor)),
    query: (query: string | pg.QueryConfig, values?: unknown[]) =>
      new SimulatedClient(options, actor).query(query, values),
    on: () => undefined,
    off: () => undefined,
    end: () => Promise.resolve(),
  } as unknown as pg.Pool;
  return {
    open: () => {
      const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
      return { pool, db, close: () => db.destroy() };
    },
    connection: {},
    jobs: { db: { executeSql: async (text, values) => await pool.query(text, values) } },
  };
}
