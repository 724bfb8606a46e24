/**
 * The database as our processes see it: connections that wait for the scheduler at each statement and
 * can be lost before it, or after it and before its answer (K15). Behind them stands one real
 * connection, which is enough where one statement runs at a time. It stands behind the wall between organisations,
 * and is told for which one it acts whenever that is another than before.
 */
import { EventEmitter } from 'node:events';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { DEFAULT_SCHEMA, jobsSchemaOf } from '../../src/base/db/schemas.ts';
import { ORGANISATION_SETTING } from '../../src/base/db/session-limits.ts';
import type { DatabaseSource } from '../../src/base/db/source.ts';
import type { Actor } from './actor.ts';
import type { Scheduler } from './scheduler.ts';
import { changedTables, topicsOf } from './statement-traits.ts';
import type { Wire } from './wire.ts';

/** How a statement goes wrong. */
export type StatementFault = 'lost_before' | 'lost_after' | undefined;

/** Parts of the simulated database. */
export interface SimulatedDatabaseOptions {
  readonly scheduler: Scheduler;
  /** The one real connection of our processes. */
  readonly own: Wire;
  readonly fault: (actor: Actor, verb: string) => StatementFault;
  /** A process told whoever works on this topic that something is due. */
  readonly onWake: (told: string) => void;
  /** Rows of these tables may have changed, of whom the connection acts for. */
  readonly onChange: (organisationId: string, tables: readonly string[]) => void;
}

/** Notifications wake loops, which the simulation starts by itself. */
const NOTIFY = 'select (select count(pg_notify(';
/** The receivers' word comes by the machine's timer, so it is not listened to. */
const NOTIFY_INBOX = "select set_config('synchronous_commit'";
const ENDS: ReadonlySet<string> = new Set(['commit', 'rollback']);
const NOTHING = { rows: [], rowCount: 0, command: 'SELECT', oid: 0, fields: [] };

/** For whom the real connection acts; unknown after what it was told may have been rolled back. */
const actsFor = new WeakMap<Wire, string>();

/** Tells it where that is somebody else. */
function actFor(wire: Wire, organisationId: string): void {
  if (actsFor.get(wire) === organisationId) return;
  wire.ahead(`set ${ORGANISATION_SETTING} = '${organisationId}'`);
  actsFor.set(wire, organisationId);
}

/** A connection of a process. */
class SimulatedClient {
  readonly #pool: SimulatedPool;
  readonly #options: SimulatedDatabaseOptions;
  readonly #actor: Actor;
  #isLost = false;
  #inTransaction = false;
  /** A transaction is begun with its first statement: nobody can tell, and it saves a round trip. */
  #isAboutToBegin = false;
  #organisationId = '';

  constructor(pool: SimulatedPool) {
    this.#pool = pool;
    this.#options = pool.database;
    this.#actor = pool.actor;
  }

  async query(query: string | pg.QueryConfig, values?: unknown[]): Promise<unknown> {
    const text = typeof query === 'string' ? query : query.text;
    if (text.startsWith(NOTIFY_INBOX)) return NOTHING;
    if (text.startsWith(NOTIFY)) {
      this.#wake(text, values);
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
    const { own, scheduler, fault } = this.#options;
    const planned = fault(this.#actor, text);
    if (planned === 'lost_before') return this.#lose();
    if (!this.#inTransaction) actFor(own, this.#organisationId);
    if (this.#isAboutToBegin) this.#begin();
    if (text === 'commit' || text === 'rollback') {
      this.#end(text);
      scheduler.letGo(this);
      return planned === 'lost_after' ? this.#lose() : NOTHING;
    }
    const given = typeof query === 'string' ? values : (query.values ?? values);
    const result = await own.query(text, given).catch((error: unknown) => {
      actsFor.delete(own);
      throw error;
    });
    const changed = changedTables(text, result.rowCount);
    if (changed.length > 0) this.#options.onChange(this.#organisationId, changed);
    this.#wake(text, given);
    return planned === 'lost_after' ? this.#lose() : result;
  }

  /** One statement of a transaction may tell as well, whatever else it does. */
  #wake(text: string, values: readonly unknown[] | undefined): void {
    for (const told of topicsOf(text, values)) this.#options.onWake(told);
  }

  #begin(): void {
    this.#isAboutToBegin = false;
    this.#options.own.ahead('begin');
    this.#inTransaction = true;
    this.#options.scheduler.hold(this.#actor, this);
  }

  #end(how: 'commit' | 'rollback'): void {
    this.#inTransaction = false;
    const { own } = this.#options;
    own.ahead(how);
    if (how === 'rollback') actsFor.delete(own);
  }

  /** The server rolls back what a lost connection had open. */
  #lose(): never {
    this.rollBack();
    this.#isLost = true;
    this.#pool.isToConnectAnew = true;
    this.#options.scheduler.note(`lost ${this.#actor.name}`);
    throw lost();
  }

  rollBack(): void {
    if (!this.#inTransaction) return;
    this.#end('rollback');
    this.#options.scheduler.letGo(this);
  }

  /** Whose rows its statements see from now on. */
  actFor(organisationId: string | undefined): void {
    this.#organisationId = organisationId ?? '';
  }

  /** What borrows it may put another one in its place, and calls this one alone. */
  release = (): void => this.#giveBack();

  /** As a pool does each time it hands a connection out. */
  lend(): this {
    this.release = (): void => this.#giveBack();
    return this;
  }

  #giveBack(): void {
    if (!this.#isLost) this.#pool.idle.push(this);
  }

  // What the pool's users call besides. Nothing is ever emitted.
  on(): this {
    return this;
  }
  off(): this {
    return this;
  }
}

function lost(): Error {
  return new Error('Connection terminated unexpectedly');
}

/** Ends what a killed process had open. */
export function rollBackSession(session: object | undefined): void {
  if (session instanceof SimulatedClient) session.rollBack();
}

/** The pool of a process: it makes a connection when none is idle, and says so when one was lost before. */
class SimulatedPool extends EventEmitter {
  readonly database: SimulatedDatabaseOptions;
  readonly actor: Actor;
  readonly options = {};
  readonly idle: SimulatedClient[] = [];
  isToConnectAnew = false;

  constructor(database: SimulatedDatabaseOptions, actor: Actor) {
    super();
    this.database = database;
    this.actor = actor;
  }

  connect(): Promise<SimulatedClient> {
    const idle = this.isToConnectAnew ? undefined : this.idle.pop();
    if (idle !== undefined) return Promise.resolve(idle.lend());
    if (this.isToConnectAnew) this.emit('connect');
    this.isToConnectAnew = false;
    return Promise.resolve(new SimulatedClient(this));
  }

  async query(query: string | pg.QueryConfig, values?: unknown[]): Promise<unknown> {
    const client = await this.connect();
    try {
      return await client.query(query, values);
    } finally {
      client.release();
    }
  }

  end(): Promise<void> {
    return Promise.resolve();
  }
}

/** A process' own database. */
export function simulatedSource(options: SimulatedDatabaseOptions, actor: Actor): DatabaseSource {
  const open = (): pg.Pool => new SimulatedPool(options, actor) as unknown as pg.Pool;
  const pool = open();
  const jobs = {
    schema: jobsSchemaOf(DEFAULT_SCHEMA),
    db: { executeSql: async (text: string, values?: unknown[]) => await pool.query(text, values) },
  };
  const openAll = (): OpenDatabase => {
    const own = open();
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: own }) });
    return { pool: own, db, close: () => db.destroy() };
  };
  return { open: openAll, connection: {}, jobs, migration: { open: openAll, jobs } };
}
