/**
 * The deprecated v1 enrolment: one `merchant_id` string, descriptors without a status, no PATCH.
 * Everything else is as in `enrolment.ts`.
 */
import { z } from 'zod';
import {
  ENROLMENT_STATUSES,
  ENROLMENT_TYPES,
  netaAlertInputSchema,
  netaAlertSchema,
  netbRdrInputSchema,
  netbRdrSchema,
} from './enrolment.ts';
import { linkSchema, maybeText, openEnum, text, timestamp } from './fields.ts';

/** Reads a v1 enrolment. */
export const enrolmentV1Schema = z.looseObject({
  id: text,
  organisation_id: text,
  merchant_id: maybeText,
  type: openEnum(ENROLMENT_TYPES),
  status: openEnum(ENROLMENT_STATUSES),
  neta_alert: netaAlertSchema.nullish(),
  netb_rdr: netbRdrSchema.nullish(),
  note: maybeText,
  links: z.array(linkSchema).nullish(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type EnrolmentV1 = z.infer<typeof enrolmentV1Schema>;

/** Writes `POST /v1/enrolments`. */
export const enrolmentV1CreateSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('NETA_ALERT'),
    merchant_id: z.string().min(1),
    neta_alert: netaAlertInputSchema,
  }),
  z.strictObject({
    type: z.literal('NETB_RDR'),
    merchant_id: z.string().min(1),
    netb_rdr: netbRdrInputSchema,
  }),
]);
export type EnrolmentV1Create = z.infer<typeof enrolmentV1CreateSchema>;
