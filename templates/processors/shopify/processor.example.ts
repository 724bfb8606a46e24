/**
 * The module that `FORESTALL_PROCESSOR` names: Shopify Payments with your app's token. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/shopify/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import { createShopifyProcessor } from './processor.ts';

export const processor = createShopifyProcessor({
  shop: setting('SHOPIFY_SHOP'),
  accessToken: setting('SHOPIFY_ACCESS_TOKEN'),
  notify: false,
  // Refunds may complete later, alerts do not wait: decide whether pending is enough.
  pendingCounts: false,
});
