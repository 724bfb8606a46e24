/**
 * The module that `FORESTALL_PROCESSOR` names: Mollie with your key. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/mollie/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import { createMollieProcessor } from './processor.ts';

export const processor = createMollieProcessor({
  apiKey: setting('MOLLIE_API_KEY'),
  orderMetadataKey: 'order_id',
  // Refunds settle a day or two later, and an alert has run out by then. With `true` the alert is answered as soon as
  // the refund is accepted, and you are told if it fails afterwards; with `false` each alert is refunded and then missed,
  // unless a person answers it.
  pendingCounts: setting('MOLLIE_PENDING_COUNTS') === 'true',
});
