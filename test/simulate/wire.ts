/**
 * The one real connection of a run, with as little between a statement and its rows as PostgreSQL asks for.
 *
 * Each statement is prepared once and its columns are described once. Where a transaction begins or ends
 * is sent ahead of the next statement, in the same breath: with one statement at a time nobody can tell,
 * and it saves a round trip each.
 */
import { Buffer } from 'node:buffer';
import pg from 'pg';
import { INT8_OID, parseInt8 } from '../../src/base/db/connect.ts';

/** What a statement came to. */
export interface Answer<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
  readonly command: string;
}

/** The connection. */
export interface Wire {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Answer<Row>>;
  /**
   * Begins or ends a transaction, or says for whom the connection acts: sent with the next statement. One that fails fails
   * every later statement: it never does.
   */
  ahead(text: string): void;
  /** Sends what waits for the next statement: whoever looks over another connection must see it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** As much of the driver's connection as is used here. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  parse(given: { name: string; text: string }): void;
  bind(given: {
    statement: string;
    values: readonly unknown[];
    valueMapper: (value: unknown) => unknown;
  }): void;
  describe(given: { type: 'S'; name: string }): void;
  execute(given: object): void;
  sync(): void;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** A statement that has been prepared. */
interface Prepared {
  readonly name: string;
  readonly text: string;
  /** Undefined until it has been described. */
  columns: readonly Column[] | undefined;
}

type FieldList = readonly { readonly name: string; readonly dataTypeID: number }[];

const TIMESTAMPTZ_OID = 1184;

/** A moment as PostgreSQL writes it in UTC; the same moments come again and again. */
const UTC_MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?\+00$/;

const parseMoment = pg.types.getTypeParser(TIMESTAMPTZ_OID, 'text');

function momentOf(text: string): unknown {
  return UTC_MOMENT.test(text)
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : parseMoment(text);
}

function parserOf(oid: number): (text: string) => unknown {
  if (oid === TIMESTAMPTZ_OID) return momentOf;
  return oid === INT8_OID ? parseInt8 : pg.types.getTypeParser(oid, 'text');
}

/** Values as PostgreSQL reads them in a text. */
function textOf(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? arrayOf(value) : JSON.stringify(value);
}

function arrayOf(items: readonly unknown[]): string {
  return `{${items.map(elementOf).join(',')}}`;
}

function elementOf(item: unknown): string {
  if (Array.isArray(item)) return arrayOf(item);
  const text = textOf(item);
  if (text === null) return 'NULL';
  if (typeof text !== 'string') return `"\\\\x${text.toString('hex')}"`;
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** One statement on its way, as the driver calls it. */
class Exchange implements pg.Submittable {
  readonly #wanted: Prepared;
  readonly #ahead: readonly Prepared[];
  readonly #values: readonly unknown[];
  readonly #rows: unknown[] = [];
  readonly #end: (error: unknown, answer?: Answer<unknown>) => void;
  #done = 0;
  #tag = '';

  constructor(
    statements: { readonly wanted: Prepared; readonly ahead: readonly Prepared[] },
    values: readonly unknown[],
    end: (error: unknown, answer?: Answer<unknown>) => void,
  ) {
    this.#wanted = statements.wanted;
    this.#ahead = statements.ahead;
    this.#values = values;
    this.#end = end;
  }

  /** Whether what was sent ahead has been done. */
  get isAheadDone(): boolean {
    return this.#done >= this.#ahead.length;
  }

  submit(given: unknown): void {
    const connection = given as Connection;
    connection.stream.cork();
    for (const bound of this.#ahead) send(connection, bound, []);
    send(connection, this.#wanted, this.#values);
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: FieldList }): void {
    this.#wanted.columns = fields.map((field) => ({
      name: field.name,
      parse: parserOf(field.dataTypeID),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    const columns = this.#wanted.columns ?? [];
    for (let index = 0; index < fields.length; index++) {
      const text = fields[index];
      const column = columns[index];
      if (column === undefined || text === undefined) continue;
      row[column.name] = text === null ? null : column.parse(text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#done += 1;
    this.#tag = text;
  }

  handleEmptyQuery(): void {
    this.#done += 1;
  }

  handleReadyForQuery(): void {
    const words = this.#tag.split(' ');
    const rowCount = Number(words.at(-1));
    this.#end(undefined, {
      rows: this.#rows,
      rowCount: Number.isNaN(rowCount) ? 0 : rowCount,
      command: words[0] ?? '',
    });
  }

  handleError(error: unknown): void {
    this.#end(error);
  }
}

function send(connection: Connection, statement: Prepared, values: readonly unknown[]): void {
  const { name, text } = statement;
  if (statement.columns === undefined) {
    connection.parse({ name, text });
    connection.describe({ type: 'S', name });
    // Of what describes no rows, nothing is heard.
    statement.columns = [];
  }
  connection.bind({ statement: name, values, valueMapper: textOf });
  connection.execute({});
}

/** Takes over a connection. */
export function openWire(client: pg.Client): Wire {
  const statements = new Map<string, Prepared>();
  const ahead: Prepared[] = [];
  let broken: unknown;
  let count = 0;
  const prepared = (text: string): Prepared => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = { name: `s${count++}`, text, columns: undefined };
    statements.set(text, statement);
    return statement;
  };
  const query = <Row>(text: string, values: readonly unknown[] = []): Promise<Answer<Row>> =>
    new Promise<Answer<Row>>((resolve, reject) => {
      if (broken !== undefined) return reject(broken);
      const wanted = prepared(text);
      const isNew = wanted.columns === undefined;
      const exchange = new Exchange({ wanted, ahead: ahead.splice(0) }, values, (error, answer) => {
        if (answer !== undefined) return resolve(answer as Answer<Row>);
        // Whether the server got as far as preparing it is unknown: it is prepared anew.
        if (isNew) statements.delete(text);
        if (!exchange.isAheadDone) broken = error;
        reject(error);
      });
      client.query(exchange);
    });
  return {
    ahead: (text) => void ahead.push(prepared(text)),
    query,
    async flush(): Promise<void> {
      const last = ahead.pop();
      if (last !== undefined) await query(last.text);
    },
    close: () => client.end(),
  };
}
