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
  // Refunds complete a day or more later, alerts do not wait: decide whether accepted is enough.
  pendingCounts: false,
});
