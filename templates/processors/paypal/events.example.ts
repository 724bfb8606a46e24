/**
 * The module that `FORESTALL_PROCESSOR_EVENTS` names: PayPal's webhooks. It needs the webhook's id and no key.
 * Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR_EVENTS=./processors/paypal/events.example.ts forestall serve
 */
import { setting } from '../../shared/setting.ts';
import { createPayPalEvents } from './events.ts';

export const events = createPayPalEvents({
  webhookId: setting('PAYPAL_WEBHOOK_ID'),
  sandbox: setting('PAYPAL_URL').includes('sandbox'),
});
