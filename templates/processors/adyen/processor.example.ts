/**
 * The module that `FORESTALL_PROCESSOR` names: Adyen with your key and your store of notifications.
 * Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/adyen/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import type { AdyenNotifications } from './notifications.ts';
import { createAdyenProcessor } from './processor.ts';

const storeUrl = setting('ADYEN_NOTIFICATIONS_URL');

/**
 * Replace this by queries to wherever your webhook receiver stores each `NotificationRequestItem`.
 * Here an internal address serves them as JSON lists.
 */
const notifications: AdyenNotifications = {
  async ofPayment(pspReference): Promise<readonly unknown[]> {
    const url = `${storeUrl}/payments/${encodeURIComponent(pspReference)}/notifications`;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`The store of notifications answered ${response.status}.`);
    const items: unknown = await response.json();
    if (!Array.isArray(items)) throw new Error('The store of notifications answered no list.');
    return items;
  },
};

export const processor = createAdyenProcessor({
  apiKey: setting('ADYEN_API_KEY'),
  merchantAccount: setting('ADYEN_MERCHANT_ACCOUNT'),
  baseUrl: setting('ADYEN_URL'),
  capture: 'automatic',
  notifications,
});
