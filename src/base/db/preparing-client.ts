/**
 * Has PostgreSQL keep the plan of a statement that comes again and again, per connection.
 *
 * Forestall runs few texts very often, on rows found by their keys: parsing and planning such a
 * statement takes longer than running it. A text is prepared from its fifth use on, which leaves out
 * what is made up on the spot, and only so many of them, because a connection keeps them for its life.
 *
 * A text that answers a `*` stays as it is: while versions are exchanged, a migration may add a column to its
 * table, and PostgreSQL refuses a prepared statement whose columns have changed. Statements that come often name
 * their columns (`columns.ts`).
 *
 * Behind a pooler nothing is prepared: the next statement may meet another session of the server, in
 * which the name is unknown, or is somebody else's. Names are made of their texts anyway, so that
 * no name ever means two.
 *
 * The beginning of a transaction waits for its first statement, and travels in front of it: one round trip less for
 * each. A transaction that asks nothing is never begun.
 */
import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Carrier, SessionLimits, Settings } from './session-limits.ts';
import {
  beginCarrier,
  carrierOf,
  limitedBegin,
  ORGANISATION_SETTING,
  organisationCarrier,
  settingsOf,
  settleText,
} from './session-limits.ts';
import type { ActingClient, Statement } from './statement.ts';
import {
  askBehind,
  isBegin,
  isEnd,
  isPlain,
  isSeveral,
  namesAllColumns,
  statementOf,
} from './statement.ts';

/** The use of a text from which on it is prepared. */
export const PREPARED_FROM_USE = 5;

/** Most texts prepared by a pool: every connection keeps the plans of those it has run. */
export const PREPARED_TEXTS_MAX = 300;

/** Texts whose uses are counted at once; beyond, counting begins again. */
const COUNTED_TEXTS_MAX = 2_000;

/** As Kysely begins a transaction. */
const BEGIN = 'begin';

/** Hex digits of a text's hash in its name: PostgreSQL's names end at 63 bytes. */
const NAME_DIGITS = 40;

/** A statement that is prepared from its first use on, whatever its text contains. */
export interface FixedQuery extends pg.QueryConfig {
  readonly isFixed: true;
}

/** Decides for each use of a text whether it is prepared, and under which name. */
export type StatementNames = (text: string, isFixed?: boolean) => string | undefined;

/** Creates the names of one pool. */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  return (text, isFixed = false) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= PREPARED_TEXTS_MAX) return known;
    const count = (uses.get(text) ?? 0) + 1;
    if (!isFixed && count < PREPARED_FROM_USE) {
      if (uses.size >= COUNTED_TEXTS_MAX) uses.clear();
      uses.set(text, count);
      return undefined;
    }
    if (!isFixed && (namesAllColumns(text) || !isPlain(text))) {
      uses.set(text, Number.NEGATIVE_INFINITY);
      return undefined;
    }
    uses.delete(text);
    const digest = createHash('sha256').update(text).digest('hex');
    const name = `forestall_${digest.slice(0, NAME_DIGITS)}`;
    names.set(text, name);
    return name;
  };
}

/** What the driver answers to a command without rows, of one that was not sent. */
function answerOf(command: string): Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'> {
  return { command: command.trim().toUpperCase(), rowCount: null, rows: [] };
}

/** A connection of a pool of ours. */
export interface PreparingClient extends pg.Client, ActingClient {
  /** Looks who is at the other end and sets its limits. Before anything else is asked. */
  settle(): Promise<void>;
}

/** What travels in front of a connection's statements. */
interface Front {
  /** A pooler is in between: nothing may stay in the session. */
  isShared: boolean;
  /** For whom the connection is borrowed; undefined: for whom it was made. */
  guest: string | undefined;
  /** Whether something must be set for each statement. */
  isNeeded(): boolean;
  settings(): readonly Carrier[];
  /** The beginning of a transaction, with its settings. */
  beginning(): readonly Carrier[];
  /** The same as a text of its own. */
  beginningText(text: string): string;
}

function createFront(limits: SessionLimits): Front {
  const carried = new Set<string>();
  /** Prepared once by the connection; behind a pooler, where the next session does not know it, each time. */
  const carrier = (make: (isPrepared: boolean) => Carrier): Carrier => {
    if (front.isShared) return { ...make(false), name: '' };
    const { name } = make(true);
    const isPrepared = carried.has(name);
    carried.add(name);
    return make(isPrepared);
  };
  const allSettings = (): Settings =>
    settingsOf({ ...limits, organisation: front.guest ?? limits.organisation });
  const front: Front = {
    isShared: false,
    guest: undefined,
    isNeeded: () => front.isShared || front.guest !== undefined,
    settings(): readonly Carrier[] {
      const { isShared, guest } = front;
      if (isShared) return [carrierOf(allSettings())];
      return guest === undefined
        ? []
        : [carrier((isPrepared) => organisationCarrier(guest, isPrepared))];
    },
    beginning: () => [carrier(beginCarrier), ...front.settings()],
    beginningText(text): string {
      const { isShared, guest } = front;
      if (isShared) return limitedBegin(text, allSettings());
      return guest === undefined ? text : limitedBegin(text, [[ORGANISATION_SETTING, guest]]);
    },
  };
  return front;
}

/** A client for a pool, which prepares as the file's opening says. */
export function preparingClient(
  limits: SessionLimits,
): new (
  config?: pg.ClientConfig,
) => PreparingClient {
  const nameOf = createStatementNames();
  const ask = (client: pg.Client, ...args: unknown[]): unknown =>
    Reflect.apply(pg.Client.prototype.query, client, args);

  class Client extends pg.Client {
    readonly #front = createFront(limits);
    /** A transaction that was begun and has asked nothing yet. */
    #hasBegun = false;

    async settle(): Promise<void> {
      const processId = 'processID' in this ? Number(this.processID) : 0;
      const query = { text: settleText(processId, limits), query_timeout: limits.connectTimeoutMs };
      const { rows } = await super.query<{ is_shared: boolean }>(query);
      this.#front.isShared = rows[0]?.is_shared === true;
    }

    actFor(organisation: string | undefined): void {
      this.#front.guest = organisation === limits.organisation ? undefined : organisation;
    }

    run(args: readonly unknown[]): unknown {
      const statement = statementOf(args);
      if (this.#hasBegun) return this.#askFirst(statement, args);
      if (statement === undefined) return ask(this, ...args);
      const { text } = statement.config;
      const isIdle = this.getTransactionStatus() === 'I';
      if (isIdle && text === BEGIN && statement.callback === undefined) {
        this.#hasBegun = true;
        return Promise.resolve(answerOf(BEGIN));
      }
      if (isBegin(text)) return ask(this, this.#front.beginningText(text), statement.callback);
      return isIdle && isPlain(text) && this.#front.isNeeded()
        ? this.#askBehind(statement, this.#front.settings())
        : this.#askPlain(statement, args);
    }

    /** The first statement of a transaction: behind its beginning, in one round trip where it can be. */
    #askFirst(statement: Statement | undefined, args: readonly unknown[]): unknown {
      this.#hasBegun = false;
      const text = statement?.config.text ?? '';
      if (isEnd(text)) return Promise.resolve(answerOf(text));
      if (statement !== undefined && isPlain(text) && !isSeveral(text)) {
        return this.#askBehind(statement, this.#front.beginning());
      }
      const begun = Promise.resolve(ask(this, this.#front.beginningText(BEGIN)));
      if (statement !== undefined && statement.callback === undefined) {
        return begun.then(() => this.#askPlain(statement, args));
      }
      // What asks with a callback, or again and again, is told by its own answer: the connection keeps their order.
      begun.catch(() => undefined);
      return ask(this, ...args);
    }

    #askPlain({ config, callback }: Statement, args: readonly unknown[]): unknown {
      const named = this.#named(config);
      if (named === undefined) return ask(this, ...args);
      return askBehind((each) => ask(this, each), { config: named, callback });
    }

    /** The statement under its name; undefined: it is not prepared. */
    #named({ isFixed = false, ...config }: Statement['config']): pg.QueryConfig | undefined {
      if (this.#front.isShared || config.values === undefined) return undefined;
      const name = nameOf(config.text, isFixed);
      return name === undefined ? undefined : { ...config, name };
    }

    #askBehind({ config, callback }: Statement, carriers: readonly Carrier[]): unknown {
      // The driver takes the first text that was prepared for the statement's own.
      const isFirst = carriers.some(({ name, isPrepared }) => name !== '' && !isPrepared);
      const query = (isFirst ? undefined : this.#named(config)) ?? config;
      return askBehind((each) => ask(this, each), { config: query, callback }, carriers);
    }
  }
  // Its many signatures stay as they are.
  Object.defineProperty(Client.prototype, 'query', {
    value(this: Client, ...args: unknown[]): unknown {
      return this.run(args);
    },
  });
  return Client;
}
