/**
 * The limits under which statements run, because Postgres has none by default: a statement, a wait for a
 * lock and an idle transaction each end by themselves.
 *
 * A connection that reaches PostgreSQL itself gets them once. Behind a pooler the server's session serves
 * others too, who must never meet our limits, nor we theirs: there they travel with each statement and
 * each transaction, and end with it.
 */
import pg from 'pg';

/** Limits in milliseconds; 0 is none. */
export interface SessionLimits {
  /** For the first answer of a new connection: a pooler lets in whom it has no session for. */
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
}

/** Longest pause between two statements of a transaction, in milliseconds. */
const IDLE_IN_TRANSACTION_MS = 30_000;

function settingsOf({ statementTimeoutMs, lockTimeoutMs }: SessionLimits): [string, number][] {
  return [
    ['statement_timeout', statementTimeoutMs],
    ['lock_timeout', lockTimeoutMs],
    ['idle_in_transaction_session_timeout', IDLE_IN_TRANSACTION_MS],
  ];
}

/**
 * What a new connection asks: whether a pooler stands between, in which case nothing stays set. Poolers hand
 * out a number of their own making in the place of the server process's.
 */
export function settleText(processId: number, limits: SessionLimits): string {
  const settings = settingsOf(limits).map(
    ([name, valueMs]) => `, set_config('${name}', '${valueMs}', is_shared)`,
  );
  return `select is_shared${settings.join('')}
    from (select pg_backend_pid() <> ${processId} as is_shared) as connection`;
}

/** A text that begins a transaction, and the limits that end with it. */
export function limitedBegin(text: string, limits: SessionLimits): string {
  const settings = settingsOf(limits).map(([name, valueMs]) => `; set local ${name} = ${valueMs}`);
  return text + settings.join('');
}

/** Called with what the server answered. */
export type QueryCallback = (error: Error | undefined, result: unknown) => void;

/**
 * A statement outside any transaction, behind its limits: both in one round trip, and in the one
 * transaction that PostgreSQL makes of what is sent before the first sync.
 */
export function limitedQuery(
  config: pg.QueryConfig,
  limits: SessionLimits,
  callback: QueryCallback,
): pg.Query {
  // Without values the driver would send it in the protocol that takes one text alone.
  const extended = { ...config, queryMode: 'extended' };
  const query = new pg.Query(extended, (error, result: unknown) =>
    // The limits' own answer, which has no rows, comes first.
    callback(error, Array.isArray(result) ? result.at(-1) : result),
  );
  const { submit } = query;
  const isNull = settingsOf(limits).map(
    ([name, valueMs]) => `set_config('${name}', '${valueMs}', true) is null`,
  );
  query.submit = (connection): unknown => {
    connection.stream.cork();
    connection.parse({ name: '', text: `select where ${isNull.join(' or ')}`, types: [] }, true);
    connection.bind({ values: [] }, true);
    connection.execute({}, true);
    const refusal: unknown = Reflect.apply(submit, query, [connection]);
    connection.stream.uncork();
    return refusal;
  };
  return query;
}
