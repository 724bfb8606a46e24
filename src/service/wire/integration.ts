/**
 * An integration: a data source linked to merchants. The specification names `id`, `type` and
 * `status` only; whatever else arrives is kept.
 */
import { z } from 'zod';
import { openEnum, text } from './fields.ts';

/** The type of an order feed a merchant builds itself. Processor integrations have other types. */
export const CUSTOM_ORDERS_TYPE = 'CUSTOM_ORDERS';

/** Reads an integration. `status` is carried by processor integrations. */
export const integrationSchema = z.looseObject({
  id: text,
  type: openEnum([CUSTOM_ORDERS_TYPE]),
  status: openEnum(['ENABLED']).nullish(),
});
export type Integration = z.infer<typeof integrationSchema>;
