/** A merchant: one per acquiring MID or CAID. Reached with a partner key only. Resource "Merchant". */
import { z } from 'zod';
import { linkSchema, maybeText, openEnum, text, timestamp } from './fields.ts';
import { EXTERNAL_ID_LENGTH_MAX } from './limits.ts';

export const REPRESENTMENT_SERVICE_TYPES = [
  'PHYSICAL_GOODS',
  'ONLINE_SERVICES',
  'OFFLINE_SERVICES',
] as const;
export type RepresentmentServiceType = (typeof REPRESENTMENT_SERVICE_TYPES)[number];

/** Reads a merchant. */
export const merchantSchema = z.looseObject({
  id: text,
  organisation_id: text,
  name: z.string(),
  /** The supported types are not in the specification. */
  type: z.string(),
  external_id: maybeText,
  default_representment_service_type: openEnum(REPRESENTMENT_SERVICE_TYPES).nullish(),
  links: z.array(linkSchema).nullish(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Merchant = z.infer<typeof merchantSchema>;

const name = z.string().min(1);
const externalId = z.string().max(EXTERNAL_ID_LENGTH_MAX);
const serviceType = z.enum(REPRESENTMENT_SERVICE_TYPES);

/** Writes `POST /v1/merchants`. */
export const merchantCreateSchema = z.strictObject({
  organisation_id: z.string().min(1),
  name,
  type: z.string().min(1),
  external_id: externalId.optional(),
  default_representment_service_type: serviceType.optional(),
});
export type MerchantCreate = z.infer<typeof merchantCreateSchema>;

/** Writes `PATCH /v1/merchants/{merchant_id}`: at least one field; null clears where allowed. */
export const merchantUpdateSchema = z
  .strictObject({
    name: name.optional(),
    type: z.string().min(1).optional(),
    external_id: externalId.nullable().optional(),
    default_representment_service_type: serviceType.nullable().optional(),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change at least one field');
export type MerchantUpdate = z.infer<typeof merchantUpdateSchema>;
