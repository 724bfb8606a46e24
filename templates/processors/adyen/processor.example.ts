/**
 * The module that `FORESTALL_PROCESSOR` names: Adyen with your key and the notifications that
 * `receiver.example.ts` keeps. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/adyen/processor.example.ts forestall start
 */
import pg from 'pg';
import { setting } from '../../shared/setting.ts';
import { createAdyenProcessor } from './processor.ts';
import { createAdyenStore } from './store.ts';

const pool = new pg.Pool({ connectionString: setting('ADYEN_DATABASE_URL'), max: 4 });

export const processor = createAdyenProcessor({
  apiKey: setting('ADYEN_API_KEY'),
  merchantAccount: setting('ADYEN_MERCHANT_ACCOUNT'),
  baseUrl: setting('ADYEN_URL'),
  capture: 'automatic',
  notifications: createAdyenStore(pool),
});
