/**
 * An enrolment (v2): the connection of merchants to one prevention programme. Resource
 * "Enrolment (v2)". The deprecated form is at the end.
 */
import { z } from 'zod';
import { linkSchema, maybeText, openEnum, text, timestamp } from './fields.ts';

/** Types that can be created. */
export const CREATABLE_ENROLMENT_TYPES = ['NETA_ALERT', 'NETB_RDR'] as const;
export type CreatableEnrolmentType = (typeof CREATABLE_ENROLMENT_TYPES)[number];

/** Types that are seen; the last one on events only. */
export const ENROLMENT_TYPES = [...CREATABLE_ENROLMENT_TYPES, 'NETB_ORDER_INSIGHT'] as const;
export type EnrolmentType = (typeof ENROLMENT_TYPES)[number];

export const ENROLMENT_STATUSES = [
  'PENDING',
  'IN_PROGRESS',
  'ACTION_REQUIRED',
  'ENABLED',
  'CANCELLED',
] as const;
export type EnrolmentStatus = (typeof ENROLMENT_STATUSES)[number];

/** Descriptors can be appended in these statuses only. */
export const APPENDABLE_ENROLMENT_STATUSES = [
  'PENDING',
  'IN_PROGRESS',
  'ACTION_REQUIRED',
  'ENABLED',
] as const;

export const MATCH_TYPES = ['STARTS_WITH', 'EXACT_MATCH'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

export const DESCRIPTOR_STATUSES = ['PENDING', 'ACTIVE', 'SUPPRESSED'] as const;
export type DescriptorStatus = (typeof DESCRIPTOR_STATUSES)[number];

/** One billing descriptor as read. `status` is absent in v1 answers. */
export const enrolmentDescriptorSchema = z.looseObject({
  descriptor: z.string(),
  match_type: openEnum(MATCH_TYPES),
  status: openEnum(DESCRIPTOR_STATUSES).nullish(),
});

const netaAlertSchema = z.looseObject({
  descriptors: z.array(enrolmentDescriptorSchema).nullish(),
});

const netbRdrSchema = z.looseObject({
  bin: maybeText,
  caid: maybeText,
  /** Null when unused. */
  arns: z.array(z.string()).nullish(),
});

/** Reads an enrolment. Events carry it without `links`. */
export const enrolmentSchema = z.looseObject({
  id: text,
  organisation_id: text,
  merchant_ids: z.array(z.string()).nullish(),
  type: openEnum(ENROLMENT_TYPES),
  status: openEnum(ENROLMENT_STATUSES),
  neta_alert: netaAlertSchema.nullish(),
  netb_rdr: netbRdrSchema.nullish(),
  note: maybeText,
  links: z.array(linkSchema).nullish(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Enrolment = z.infer<typeof enrolmentSchema>;

/** One descriptor as sent: never with a `status`, which is read-only. */
export const descriptorInputSchema = z.strictObject({
  descriptor: z.string().min(1),
  match_type: z.enum(MATCH_TYPES),
});

const netaAlertInputSchema = z.strictObject({ descriptors: z.array(descriptorInputSchema).min(1) });

/** Either a BIN with its CAID, or ARNs; not both, not half. */
const netbRdrInputSchema = z.union([
  z.strictObject({ bin: z.string().min(1), caid: z.string().min(1) }),
  z.strictObject({ arns: z.array(z.string().min(1)).min(1) }),
]);

const merchantIds = z
  .array(z.string().min(1))
  .min(1)
  .refine((ids) => new Set(ids).size === ids.length, 'must not repeat an id');

/** Writes `POST /v2/enrolments`. */
export const enrolmentCreateSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('NETA_ALERT'),
    merchant_ids: merchantIds,
    neta_alert: netaAlertInputSchema,
  }),
  z.strictObject({
    type: z.literal('NETB_RDR'),
    merchant_ids: merchantIds,
    netb_rdr: netbRdrInputSchema,
  }),
]);
export type EnrolmentCreate = z.infer<typeof enrolmentCreateSchema>;

/** Writes `PATCH /v2/enrolments/{enrolment_id}`, which only ever appends descriptors. */
export const enrolmentUpdateSchema = z.strictObject({ neta_alert: netaAlertInputSchema });
export type EnrolmentUpdate = z.infer<typeof enrolmentUpdateSchema>;

/** Reads a deprecated v1 enrolment: one `merchant_id` string, descriptors without a status, no PATCH; else as above. */
export const enrolmentV1Schema = enrolmentSchema
  .omit({ merchant_ids: true })
  .extend({ merchant_id: maybeText });
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
