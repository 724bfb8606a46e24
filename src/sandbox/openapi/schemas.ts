/** The schemas of `wire/` that the OpenAPI document names. */
import type { z } from 'zod';
import { alertActionSchema, alertSchema } from '../../service/wire/alert.ts';
import { disputeShape, stagedFileShape } from '../../service/wire/dispute-contract.ts';
import {
  enrolmentCreateSchema,
  enrolmentSchema,
  enrolmentUpdateSchema,
  enrolmentV1CreateSchema,
  enrolmentV1Schema,
} from '../../service/wire/enrolment.ts';
import { anyJson } from '../../service/wire/fields.ts';
import { integrationSchema } from '../../service/wire/integration.ts';
import { lookupSchema } from '../../service/wire/lookup.ts';
import {
  merchantCreateSchema,
  merchantSchema,
  merchantUpdateSchema,
} from '../../service/wire/merchant.ts';
import { orderCreateResultSchema, orderSchema } from '../../service/wire/order.ts';
import { orderCreateSchema } from '../../service/wire/order-request.ts';
import { orderUpdateSchema } from '../../service/wire/order-update.ts';
import {
  capabilitiesShape,
  chargeShape,
  refundShape,
} from '../../service/wire/processor-contract.ts';
import { representmentSchema } from '../../service/wire/representment.ts';
import {
  ruleInputSchema,
  ruleSchema,
  rulesetCreateSchema,
  rulesetSchema,
  rulesetUpdateSchema,
} from '../../service/wire/ruleset.ts';
import { schemeNoticeSchema } from '../../service/wire/scheme-notice.ts';
import {
  simulateAlertSchema,
  simulateEnrolmentSchema,
  simulateLookupSchema,
  simulateSchemeNoticeSchema,
} from '../../service/wire/simulation.ts';
import { alertForCharge } from '../control/network-endpoints.ts';
import { faultInput } from '../control/run-endpoints.ts';
import { newChargeInput } from '../processor/new-charge.ts';
import { newLookupInput } from '../resources/lookup-rules.ts';
import { newRepresentmentInput } from '../resources/representment-rules.ts';
import { newSchemeNoticeInput } from '../resources/scheme-notice-rules.ts';

/** The schemas of the document, by the name they get there. */
export const SCHEMAS = {
  AnyJson: anyJson,
  Alert: alertSchema,
  AlertAction: alertActionSchema,
  Enrolment: enrolmentSchema,
  EnrolmentCreate: enrolmentCreateSchema,
  EnrolmentUpdate: enrolmentUpdateSchema,
  EnrolmentV1: enrolmentV1Schema,
  EnrolmentV1Create: enrolmentV1CreateSchema,
  Integration: integrationSchema,
  Lookup: lookupSchema,
  Merchant: merchantSchema,
  MerchantCreate: merchantCreateSchema,
  MerchantUpdate: merchantUpdateSchema,
  Order: orderSchema,
  OrderCreate: orderCreateSchema,
  OrderCreateResult: orderCreateResultSchema,
  OrderUpdate: orderUpdateSchema,
  Representment: representmentSchema,
  Rule: ruleSchema,
  RuleInput: ruleInputSchema,
  Ruleset: rulesetSchema,
  RulesetCreate: rulesetCreateSchema,
  RulesetUpdate: rulesetUpdateSchema,
  SchemeNotice: schemeNoticeSchema,
  SimulateAlert: simulateAlertSchema,
  SimulateEnrolment: simulateEnrolmentSchema,
  SimulateLookup: simulateLookupSchema,
  SimulateSchemeNotice: simulateSchemeNoticeSchema,
} as const satisfies Record<string, z.ZodType>;
export type SchemaName = keyof typeof SCHEMAS;

/** What the processor and the control surface answer or take, where it has a name. */
export const CONTROL_SCHEMAS = {
  ProcessorCharge: chargeShape,
  ProcessorRefund: refundShape,
  ProcessorCapabilities: capabilitiesShape,
  ProcessorDispute: disputeShape,
  ProcessorEvidenceFile: stagedFileShape,
  Fault: faultInput,
  NewAlert: alertForCharge,
  NewLookup: newLookupInput,
  NewRepresentment: newRepresentmentInput,
  NewSchemeNotice: newSchemeNoticeInput,
  NewCharge: newChargeInput,
} as const satisfies Record<string, z.ZodType>;
