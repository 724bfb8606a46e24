/**
 * The module that `FORESTALL_PROCESSOR_EVENTS` names: Adyen's webhooks, kept in your database and told on. Rename it and
 * make it yours.
 *
 * @example FORESTALL_PROCESSOR_EVENTS=./processors/adyen/events.example.ts forestall serve
 */
import pg from 'pg';
import { setting } from '../../shared/setting.ts';
import { createAdyenEvents } from './events.ts';
import { ADYEN_TABLE, createAdyenStore } from './store.ts';

const pool = new pg.Pool({ connectionString: setting('ADYEN_DATABASE_URL'), max: 4 });
const table = pool.query(ADYEN_TABLE);
const { store } = createAdyenStore(pool);

export const events = createAdyenEvents({
  hmacKeys: setting('ADYEN_HMAC_KEYS').split(','),
  basic: { user: setting('ADYEN_WEBHOOK_USER'), password: setting('ADYEN_WEBHOOK_PASSWORD') },
  mode: setting('ADYEN_MODE') === 'live' ? 'live' : 'test',
  merchantAccount: setting('ADYEN_MERCHANT_ACCOUNT'),
  store: async (items) => {
    await table;
    await store(items);
  },
});
