/**
 * Counts what a PostgreSQL was asked, by its own log: each statement it executed, and in how many
 * transactions, whichever connection they came over. A text of several statements counts as one.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { EmbeddedPostgres } from '../../src/base/db/embedded/embedded.ts';

/** What was asked between two moments. */
export interface Asked {
  /** How often each text was executed. */
  readonly byText: ReadonlyMap<string, number>;
  readonly statements: number;
  readonly transactions: number;
}

/** What is not to be counted connects under this name. */
export const UNCOUNTED = 'bench';

/** Begins every line of the log; a statement's further lines begin with a tab. */
const LINE = /^@(?<application>[^|]*)\|(?<transaction>[^|]*)\|(?<rest>.*)$/;
const EXECUTED = /^LOG: +(?:statement|execute [^:]*): (?<text>.*)$/;

/** The log's writers are other processes: their last lines get this long to arrive, in milliseconds. */
const SETTLE_MS = 300;

/** Has the server log everything from now on. Returns the function that tells what `work` asked. */
export async function openStatementLog(
  server: EmbeddedPostgres,
): Promise<(work: () => Promise<void>) => Promise<Asked>> {
  const client = new pg.Client({
    connectionString: server.connectionString,
    application_name: UNCOUNTED,
  });
  await client.connect();
  for (const setting of [
    "log_line_prefix = '@%a|%v|'",
    'log_parameter_max_length = 0',
    "log_statement = 'all'",
  ]) {
    await client.query(`alter system set ${setting}`);
  }
  await client.query('select pg_reload_conf()');
  await client.end();
  // Every connection reads the settings again before its next statement.
  await sleep(SETTLE_MS);
  const path = join(server.folder, 'postgres.log');
  return async (work) => {
    const from = (await stat(path)).size;
    await work();
    await sleep(SETTLE_MS);
    return readAsked((await readFile(path)).subarray(from).toString('utf8'));
  };
}

function readAsked(log: string): Asked {
  const byText = new Map<string, number>();
  const transactions = new Set<string>();
  let statements = 0;
  for (const entry of log.split(/\n(?!\t)/)) {
    const {
      application,
      transaction = '',
      rest = '',
    } = LINE.exec(entry.replaceAll(/\s+/g, ' '))?.groups ?? {};
    if (application === undefined || application === UNCOUNTED) continue;
    const text = EXECUTED.exec(rest)?.groups?.['text'];
    if (text === undefined) continue;
    statements += 1;
    transactions.add(transaction);
    byText.set(text, (byText.get(text) ?? 0) + 1);
  }
  return { byText, statements, transactions: transactions.size };
}
