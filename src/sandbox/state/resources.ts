/**
 * The resources of the interface as the sandbox keeps them: every field the specification lists, in
 * its spelling, never absent, so that an answer is the record itself.
 */
import type { z } from 'zod';
import type {
  AlertEnrolmentType,
  AlertStatus,
  alertSchema,
  RefundOutcome,
} from '../../service/wire/alert.ts';
import type {
  DescriptorStatus,
  EnrolmentStatus,
  EnrolmentType,
  MatchType,
} from '../../service/wire/enrolment.ts';
import type {
  DeflectionStatus,
  LookupStatus,
  LookupType,
  lookupSchema,
} from '../../service/wire/lookup.ts';
import type { RepresentmentServiceType } from '../../service/wire/merchant.ts';
import type { representmentSchema } from '../../service/wire/representment.ts';
import type { JoinOperator, RulesetOutcome } from '../../service/wire/ruleset.ts';
import type {
  NoticeScheme,
  NoticeType,
  SchemeNoticeType,
  schemeNoticeSchema,
} from '../../service/wire/scheme-notice.ts';

/** Moments every resource carries. */
export interface Dated {
  readonly created_at: string;
  updated_at: string;
}

interface Owned extends Dated {
  readonly id: string;
  readonly organisation_id: string;
}

/** Every field that the schema reads, null where it may be absent. */
type Kept<Schema extends z.ZodObject> = Owned & {
  [Name in Exclude<keyof Schema['shape'], keyof Owned>]: Exclude<
    z.output<Schema['shape'][Name]>,
    undefined
  >;
};

export interface MerchantRecord extends Owned {
  name: string;
  type: string;
  external_id: string | null;
  default_representment_service_type: RepresentmentServiceType | null;
}

/** What an order must carry, by enabled programme. */
export const PROGRAMMES = [
  'ALERT_MATCHING',
  'NETA_DIGITAL_RECEIPT',
  'NETB_ORDER_INSIGHT',
  'FIRST_PARTY_TRUST',
  'COMPELLING_EVIDENCE_3',
  'MERCHANT_INFORMATION',
] as const;
export type Programme = (typeof PROGRAMMES)[number];

export interface IntegrationRecord extends Owned {
  /** `CUSTOM_ORDERS`, or a processor's name. */
  readonly type: string;
  status: string;
  merchant_ids: string[];
  programmes: Programme[];
  /** Whether `PARTIAL` orders are taken (processor integrations). */
  enrichment_enabled: boolean;
}

export interface DescriptorRecord {
  readonly descriptor: string;
  readonly match_type: MatchType;
  status: DescriptorStatus;
}

export interface EnrolmentRecord extends Owned {
  readonly merchant_ids: string[];
  readonly type: EnrolmentType;
  status: EnrolmentStatus;
  neta_alert?: { descriptors: DescriptorRecord[] };
  netb_rdr?: { bin: string | null; caid: string | null; arns: string[] | null };
  note: string | null;
}

export interface AmountRule extends Dated {
  readonly id: string;
  readonly type: 'AMOUNT';
  parameters: { operator: string; currency_code: string; amount_in_cents: number };
}

export interface DescriptorRule extends Dated {
  readonly id: string;
  readonly type: 'DESCRIPTOR';
  parameters: { descriptors: { value: string; match_type: MatchType }[] };
}

export type RuleRecord = AmountRule | DescriptorRule;

export interface RulesetRecord extends Owned {
  enrolment_ids: string[];
  outcome: RulesetOutcome;
  join_operator: JoinOperator;
  rules: RuleRecord[];
}

export interface AlertRecord extends Kept<typeof alertSchema> {
  readonly merchant_id: string;
  readonly merchant_ids: string[];
  readonly enrolment_id: string;
  readonly enrolment_type: AlertEnrolmentType;
  status: AlertStatus;
  action_required_deadline: string;
  transaction_amount_in_cents: number;
  transaction_currency_code: string;
  transaction_authorised_at: string;
  transaction_refund_outcome: RefundOutcome | null;
}

export interface LookupRecord extends Kept<typeof lookupSchema> {
  readonly enrollment_id: string;
  readonly type: LookupType;
  lookup_status: LookupStatus;
  deflection_status: DeflectionStatus;
  transaction_amount: number;
  transaction_currency: string;
  transaction_date: string;
}

export interface RepresentmentRecord extends Kept<typeof representmentSchema> {
  readonly merchant_id: string;
}

export interface SchemeNoticeRecord extends Kept<typeof schemeNoticeSchema> {
  readonly merchant_id: string;
  scheme_notice_type: SchemeNoticeType;
  notice_type: NoticeType;
  scheme: NoticeScheme;
  is_revoked: boolean;
  fraud_dispute_eligible: boolean;
}
