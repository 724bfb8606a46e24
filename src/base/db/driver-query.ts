/**
 * A statement as the driver sends it: behind what is sent in front of it, and asked for its columns once.
 *
 * The driver asks PostgreSQL with every use of a prepared statement which columns it answers, and makes a reader for each
 * of them anew. They stay the same as long as the statement is prepared: PostgreSQL refuses it when they have changed
 * (`preparing-client.ts`). So each connection keeps what the first use told, and does not ask again.
 */
import type { Connection, QueryConfig } from 'pg';
import pg from 'pg';
import type { Carrier } from './session-limits.ts';

declare module 'pg' {
  /** What the driver's own query has besides what its types tell. */
  interface Query {
    name?: string;
    callback?: QueryCallback;
    queryMode?: 'extended';
    _result: Columns;
    _accumulateRows: unknown;
    handleCommandComplete(message: unknown, connection: Connection): void;
  }
}

/** Called with what the server answered. */
export type QueryCallback = (error: Error | undefined, result: unknown) => void;

/** The columns of an answer, as the driver reads them. */
interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** What is known of a connection. */
interface Known {
  /** Of its prepared statements, by name. */
  readonly columns: Map<string, Columns>;
  /** The same connection, which asks for no columns. */
  readonly quiet: Connection;
}

const knownOf = new WeakMap<Connection, Known>();

function knowing(connection: Connection): Known {
  const found = knownOf.get(connection);
  if (found !== undefined) return found;
  const quiet: Connection = Object.create(connection, { describe: { value: () => undefined } });
  const known: Known = { columns: new Map(), quiet };
  knownOf.set(connection, known);
  return known;
}

function columnsOf({ fields, _parsers, _prebuiltEmptyResultObject }: Columns): Columns {
  return { fields, _parsers, _prebuiltEmptyResultObject };
}

/** What most statements are made of. */
const USUAL: ReadonlySet<string> = new Set(['text', 'values', 'name']);

const submitOfDriver = pg.Query.prototype.submit;

/**
 * A statement behind what is sent in front of it: all in one round trip, and, where none of them begins one, in the one
 * transaction that PostgreSQL makes of what is sent before the first sync.
 */
export class DriverQuery extends pg.Query {
  readonly #carriers: readonly Carrier[];
  /** Their own answers, which have no rows, come first. */
  #carriersToAnswer: number;
  /** Where its columns are kept; undefined: they are known, or it is not prepared. */
  #learnInto: Map<string, Columns> | undefined;

  constructor(config: QueryConfig, carriers: readonly Carrier[], callback: QueryCallback) {
    // Of a config the driver would make a copy first, property by property.
    const isUsual = Object.keys(config).every((key) => USUAL.has(key));
    if (isUsual) super(config.text, config.values);
    else super(config);
    if (config.name !== undefined) this.name = config.name;
    this.callback = callback;
    // Without values the driver would send it in the protocol that takes one text alone.
    this.queryMode = 'extended';
    this.#carriers = carriers;
    this.#carriersToAnswer = carriers.length;
  }

  override submit = (connection: Connection): unknown => {
    const { columns, quiet } = knowing(connection);
    const known = this.name === undefined ? undefined : columns.get(this.name);
    if (known !== undefined) {
      Object.assign(this._result, known);
      this._accumulateRows = true;
    } else if (this.name !== undefined) this.#learnInto = columns;
    connection.stream.cork();
    try {
      for (const { text, values, name, isPrepared } of this.#carriers) {
        if (!isPrepared) connection.parse({ name, text, types: [] }, true);
        connection.bind({ statement: name, values: [...values] }, true);
        connection.execute({}, true);
      }
      return Reflect.apply(submitOfDriver, this, [known === undefined ? connection : quiet]);
    } finally {
      connection.stream.uncork();
    }
  };

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#carriersToAnswer > 0) {
      this.#carriersToAnswer -= 1;
      return;
    }
    super.handleCommandComplete(message, connection);
    if (this.name === undefined) return;
    this.#learnInto?.set(this.name, columnsOf(this._result));
  }
}
