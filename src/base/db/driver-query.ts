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

/** Called with what the server answered. */
export type QueryCallback = (error: Error | undefined, result: unknown) => void;

/** The columns of an answer, as the driver reads them. */
interface Columns {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}

/** The driver's own query, with what its types do not tell. */
interface OpenQuery {
  name: string | undefined;
  callback: QueryCallback | undefined;
  queryMode: 'extended' | undefined;
  readonly _result: Columns;
  _accumulateRows: unknown;
  submit(connection: Connection): unknown;
  handleCommandComplete(message: unknown, connection: Connection): void;
}

const driver: object = pg;
const DriversQuery: new (config: string | QueryConfig, values?: unknown[]) => OpenQuery =
  Reflect.get(driver, 'Query');

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

/**
 * A statement behind what is sent in front of it: all in one round trip, and, where none of them begins one, in the one
 * transaction that PostgreSQL makes of what is sent before the first sync.
 */
export class DriverQuery extends DriversQuery {
  readonly #carriers: readonly Carrier[];
  /** Their own answers, which have no rows, come first. */
  #carriersToAnswer: number;
  /** Under which its columns are kept. Undefined: it is not prepared, or says itself how they are read. */
  readonly #keptAs: string | undefined;

  constructor(config: QueryConfig, carriers: readonly Carrier[], callback: QueryCallback) {
    // Of a config the driver would make a copy first, property by property.
    const isUsual = Object.keys(config).every((key) => USUAL.has(key));
    if (isUsual) super(config.text, config.values);
    else super(config);
    this.name = config.name;
    this.callback = callback;
    // Without values the driver would send it in the protocol that takes one text alone.
    this.queryMode = 'extended';
    this.#carriers = carriers;
    this.#carriersToAnswer = carriers.length;
    this.#keptAs = isUsual ? config.name : undefined;
  }

  override submit(connection: Connection): unknown {
    const { columns, quiet } = knowing(connection);
    const known = this.#keptAs === undefined ? undefined : columns.get(this.#keptAs);
    if (known !== undefined) {
      Object.assign(this._result, known);
      this._accumulateRows = true;
    }
    connection.stream.cork();
    try {
      for (const { text, values, name, isPrepared } of this.#carriers) {
        if (!isPrepared) connection.parse({ name, text, types: [] }, true);
        connection.bind({ statement: name, values: [...values] }, true);
        connection.execute({}, true);
      }
      return super.submit(known === undefined ? connection : quiet);
    } finally {
      connection.stream.uncork();
    }
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    if (this.#carriersToAnswer > 0) {
      this.#carriersToAnswer -= 1;
      return;
    }
    super.handleCommandComplete(message, connection);
    if (this.#keptAs === undefined) return;
    const { columns } = knowing(connection);
    if (!columns.has(this.#keptAs)) columns.set(this.#keptAs, columnsOf(this._result));
  }
}
