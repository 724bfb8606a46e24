/**
 * The module that `FORESTALL_PROCESSOR` names: PayPal with your app. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/paypal/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import { createPayPalProcessor } from './processor.ts';

export const processor = createPayPalProcessor({
  clientId: setting('PAYPAL_CLIENT_ID'),
  clientSecret: setting('PAYPAL_CLIENT_SECRET'),
  baseUrl: setting('PAYPAL_URL'),
  orderField: 'invoice_id',
  transactionSearch: false,
});
