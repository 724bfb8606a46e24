/**
 * The resources of the interface as the sandbox keeps them: every field the specification lists, in
 * its spelling, never absent, so that an answer is the record itself.
 */
import type { AlertEnrolmentType, AlertStatus, RefundOutcome } from '../../service/wire/alert.ts';
import type {
  DescriptorStatus,
  EnrolmentStatus,
  EnrolmentType,
  MatchType,
} from '../../service/wire/enrolment.ts';
import type { DeflectionStatus, LookupStatus, LookupType } from '../../service/wire/lookup.ts';
import type { RepresentmentServiceType } from '../../service/wire/merchant.ts';
import type { JoinOperator, RulesetOutcome } from '../../service/wire/ruleset.ts';
import type {
  NoticeScheme,
  NoticeType,
  SchemeNoticeType,
} from '../../service/wire/scheme-notice.ts';

/** Moments every resource carries. */
export interface Dated {
  readonly created_at: string;
  updated_at: string;
}

export interface MerchantRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
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

export interface IntegrationRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
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

export interface EnrolmentRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
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

export interface RulesetRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
  enrolment_ids: string[];
  outcome: RulesetOutcome;
  join_operator: JoinOperator;
  rules: RuleRecord[];
}

export interface AlertRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
  readonly merchant_id: string;
  readonly merchant_ids: string[];
  readonly enrolment_id: string;
  readonly enrolment_type: AlertEnrolmentType;
  status: AlertStatus;
  note: string | null;
  action_required_deadline: string;
  transaction_amount_in_cents: number;
  transaction_currency_code: string;
  transaction_authorised_at: string;
  transaction_authorisation_code: string | null;
  transaction_acquirer_reference_number: string | null;
  transaction_statement_descriptor: string | null;
  transaction_card_bin: string | null;
  transaction_card_last4: string | null;
  transaction_card_issuer: string | null;
  transaction_card_scheme: string | null;
  transaction_network_id: string | null;
  chargeback_reason_code: string | null;
  transaction_refund_outcome: RefundOutcome | null;
  subscription_cancel_outcome: string | null;
  integration_id: string | null;
  integration_transaction_id: string | null;
}

export interface LookupRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
  readonly enrollment_id: string;
  readonly type: LookupType;
  readonly parent_lookup_id: string | null;
  lookup_status: LookupStatus;
  deflection_status: DeflectionStatus;
  transaction_card_bin: string | null;
  transaction_card_last4: string | null;
  transaction_arn: string | null;
  transaction_auth_code: string | null;
  transaction_amount: number;
  transaction_currency: string;
  transaction_date: string;
  transaction_statement_descriptor: string | null;
  transaction_network_id: string | null;
  integration_id: string | null;
  integration_transaction_id: string | null;
}

export interface RepresentmentRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
  readonly merchant_id: string;
  managed_by: string | null;
  service_type: string | null;
  dispute_stage: string | null;
  dispute_reason: string | null;
  dispute_reason_code: string | null;
  dispute_schema: string | null;
  dispute_status: string;
  dispute_reference_id: string | null;
  dispute_currency_code: string | null;
  dispute_amount_in_cents: number | null;
  disputed_at: string | null;
  dispute_due_by: string | null;
  transaction_reference_id: string | null;
  transaction_currency_code: string | null;
  transaction_amount_in_cents: number | null;
  transaction_authorisation_date: string | null;
  transaction_acquirer_reference_number: string | null;
}

export interface SchemeNoticeRecord extends Dated {
  readonly id: string;
  readonly organisation_id: string;
  readonly merchant_id: string;
  scheme_notice_type: SchemeNoticeType;
  notice_type: NoticeType;
  scheme: NoticeScheme;
  is_revoked: boolean;
  notice_revoked_at: string | null;
  fraud_reported_at: string | null;
  fraud_type: string | null;
  fraud_dispute_eligible: boolean;
  transaction_amount_in_cents: number | null;
  transaction_currency_code: string | null;
  transaction_card_bin: string | null;
  transaction_card_last4: string | null;
  transaction_merchant_name: string | null;
  transaction_merchant_id: string | null;
  transaction_acquirer_reference_number: string | null;
  transaction_authorisation_code: string | null;
  transaction_original_date: string | null;
  transaction_purchase_date: string | null;
}
