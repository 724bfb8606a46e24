/**
 * The database as the console sees it: with the rights that `migrations/roles.sql` gives
 * `forestall_console`, and no others, behind the wall between organisations. What a console or a person's decision does is tested through it.
 */
import { inject } from 'vitest';
import type { OpenDatabase } from '../../src/base/db/connect.ts';
import { openDatabase } from '../../src/base/db/connect.ts';
import { createLog } from '../../src/base/kernel/log.ts';
import { CONNECT_MS } from './database.ts';

/** Opens the database of this name with the console's rights, for an organisation. The caller closes it. */
export function openAsConsole(databaseName: string, organisation: string): OpenDatabase {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${databaseName}`;
  url.searchParams.set('options', '-c role=forestall_console');
  return openDatabase({
    connectionString: url.href,
    log: createLog({ level: 'silent' }),
    maxConnections: 5,
    connectTimeoutMs: CONNECT_MS,
    organisation,
  });
}
