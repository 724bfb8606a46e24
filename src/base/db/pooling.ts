/** Finds out what is between us and the database, by looking at what connections do. */
import pg from 'pg';
import { messageOf } from '../kernel/errors.ts';

/** How long a client of the pooler keeps one of the server's sessions; `none`: there is no pooler. */
export type Pooling = 'none' | 'session' | 'transaction' | 'statement';

/** Times that two connections are compared: others may use the same pooler. */
const ROUNDS = 5;

/** Longest wait for a connection or an answer, in milliseconds: a pooler may have none left. */
const WAIT_MS = 5_000;

/** In PgBouncer's refusal of a transaction. */
const STATEMENT_MODE = /statement pooling/;

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

/** Whether an open connection reaches its server through a pooler, which has names of its own for processes. */
export async function isPooled(client: pg.Client): Promise<boolean> {
  return 'processID' in client && client.processID !== (await backendOf(client));
}

/** Whether two connections shared a session of the server, or one of them changed it. */
async function shareSessions(one: pg.Client, other: pg.Client): Promise<boolean> {
  // Twice, so that a pooler that hands out its sessions in turn gives another one.
  const before = [await backendOf(one), await backendOf(one)];
  await other.query('begin');
  const held = await backendOf(other);
  // Not asked again while the other may hold the only session there is.
  const after = before.includes(held) ? held : await backendOf(one);
  await other.query('rollback');
  return new Set([...before, after]).size > 1 || before.includes(held);
}

/** Looks with two connections of its own. Leaves nothing behind. */
export async function readPooling(connectionString: string): Promise<Pooling> {
  const options = { connectionString, connectionTimeoutMillis: WAIT_MS, query_timeout: WAIT_MS };
  const [one, other] = [new pg.Client(options), new pg.Client(options)];
  for (const client of [one, other]) client.on('error', () => undefined);
  try {
    await Promise.all([one.connect(), other.connect()]);
    if (!(await isPooled(one))) return 'none';
    for (let round = 0; round < ROUNDS; round++) {
      if (await shareSessions(one, other)) return 'transaction';
    }
    return 'session';
  } catch (error) {
    if (STATEMENT_MODE.test(messageOf(error))) return 'statement';
    throw error;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

/** A setting of no meaning, by which it is seen whether a session keeps what was set. */
const KEPT_SETTING = 'forestall.kept';

/**
 * Whether the next client of a pooler gets a session with the settings of the last one, by setting one and looking for it
 * on new connections; it is taken back. Undefined when no connection got that session.
 */
export async function keepsSettings(connectionString: string): Promise<boolean | undefined> {
  const options = { connectionString, connectionTimeoutMillis: WAIT_MS, query_timeout: WAIT_MS };
  const onNewConnection = async <Answer extends pg.QueryResultRow>(
    text: string,
    values: readonly string[],
  ): Promise<Answer | undefined> => {
    const client = new pg.Client(options);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<Answer>(text, [...values]);
      return rows[0];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const set = await onNewConnection<{ pid: number }>(
    `select pg_backend_pid() as pid, set_config('${KEPT_SETTING}', $1, false)`,
    ['kept'],
  );
  for (let round = 0; round < ROUNDS; round++) {
    // In one statement, so that it is one session that is asked, and cleared.
    const found = await onNewConnection<{ pid: number; kept: string | null }>(
      `select pg_backend_pid() as pid, kept, set_config('${KEPT_SETTING}', '', false)
       from (select current_setting('${KEPT_SETTING}', true) as kept offset 0) as before`,
      [],
    );
    if (found !== undefined && found.pid === set?.pid) return found.kept === 'kept';
  }
  return undefined;
}

/** Whether two addresses lead to one database of one server. */
export async function leadToOneDatabase(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([identityOf(one), identityOf(other)]);
  return first === second;
}

async function identityOf(connectionString: string): Promise<string | undefined> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: WAIT_MS,
    query_timeout: WAIT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ identity: string }>(
      "select concat_ws(' ', system_identifier, current_database()) as identity from pg_control_system()",
    );
    return rows[0]?.identity;
  } finally {
    await client.end().catch(() => undefined);
  }
}
