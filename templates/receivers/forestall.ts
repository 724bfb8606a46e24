/**
 * Where this application opens Forestall: its database, its keys, its processor, its policy.
 *
 * The package reads nothing from the environment by itself; this file decides where settings come from.
 */
import type { Forestall } from 'forestall';
import { createForestall } from 'forestall';
import pg from 'pg';
import { setting } from '../shared/setting.ts';

/** Opens Forestall on this application's database. */
export async function openForestall(): Promise<Forestall> {
  const pool = new pg.Pool({
    connectionString: setting('DATABASE_URL'),
    max: 15,
    statement_timeout: 30_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  const policy = process.env['FORESTALL_POLICY'];
  const forestall = await createForestall({
    database: pool,
    service: { url: setting('FORESTALL_SERVICE_URL'), apiKey: setting('FORESTALL_API_KEY') },
    organisationId: setting('FORESTALL_ORGANISATION_ID'),
    integrationId: setting('FORESTALL_INTEGRATION_ID'),
    webhookSecrets: setting('FORESTALL_WEBHOOK_SECRETS').split(','),
    // Without a processor every refund waits for a person: add one of `processors/` and name it here.
    // processor,
    // Without a policy every alert does.
    ...(policy === undefined ? {} : { policy }),
    logger: console,
  });
  const stop = async (): Promise<void> => {
    await forestall.stop();
    await pool.end();
  };
  return { ...forestall, stop };
}
